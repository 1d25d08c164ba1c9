// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "executor/cpu/strided_copy.h"
#include "metair/ir/result.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"

namespace metadist {

// Along one dim: `size` consecutive elements at `from` in the source and at `to` in the
// destination, in elements of that dim.
struct CopyRun {
  int64_t from = 0;
  int64_t to = 0;
  int64_t size = 0;
};

// The part of a rank's destination that comes from one place: the product of the runs of all dims.
// Reduced over `sources` in their order; one source means a copy.
struct Pull {
  std::vector<int64_t> sources;            // ranks of the mesh; all hold the same local shape
  std::vector<std::vector<CopyRun>> runs;  // by dim
  Shape source_shape;
  Shape shape;  // of the destination
  // The same as strided copies, where it comes from one source and is a few of them.
  std::vector<cpu::StridedCopy> copies;

  int64_t elements() const;
};

// All that one rank does in one step.
struct Transfer {
  ElementType element = ElementType::kF32;  // of the source
  ElementType made = ElementType::kF32;     // of the destination: partial values may be held in f32
  ReduceOp op = ReduceOp::kSum;
  int64_t elements = 0;          // of the destination
  bool identity = false;         // the rank holds the identity of `op` and pulls nothing
  bool zeroes = false;           // what is not pulled is zero
  bool slices = false;           // reduce own slice, meet, gather the others' (see below)
  std::vector<int64_t> slicers;  // the ranks among which the destination is cut, in slice order
  std::vector<Pull> pulls;
  // The ranks that must meet before the first read and after the last; ascending, this rank among
  // them. Only this rank: a local step.
  std::vector<int64_t> group;

  bool local() const { return group.size() == 1; }
};

// The transfers of a step on an array of `type` (global, as the model types it), one for each rank
// of the mesh.
//
// Every destination element is pulled from exactly one place, the nearest: the rank itself, else
// the holder that differs from it only along axes that cut the source. This holds whatever the
// shardings: uneven pieces, parts, block-cyclic sub-dims. In a permute every rank reads one whole
// block from one rank, and none is read twice (PermuteSources); the other kinds are treated alike,
// but for reductions that keep their dims, which may work in slices. Where a whole value becomes a
// summand (or factor), the ranks beyond the first coordinate hold the identity; operands of other
// reductions they hold themselves. Errors: kInternal for a step that reduces by two different
// operations, or whose target is partial where the source is neither partial nor whole, or a
// permute that is none.
Result<std::vector<Transfer>> PlanTransfers(const CollectiveStep& step,
                                            const TensorType& type,
                                            const Mesh& mesh);

// Runs the pulls of `transfer` that are copies or whole reductions. buffers[r]: source of rank r
// (of the ranks that are pulled from); to: this rank's destination. No synchronisation.
void RunPulls(const Transfer& transfer, std::span<void* const> buffers, void* to);

// The two halves of a sliced all-reduce; a meeting of the group goes between them.
// from[r], to[r]: source and destination of rank r.
void ReduceOwnSlice(const Transfer& transfer, int64_t rank, std::span<void* const> from, void* to);
void GatherSlices(const Transfer& transfer, int64_t rank, std::span<void* const> to);

}  // namespace metadist
