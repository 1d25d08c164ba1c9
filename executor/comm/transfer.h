// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

// What a sharding gives one rank of its mesh.
struct RankPart {
  const Sharding* sharding = nullptr;
  const Mesh* mesh = nullptr;
  int64_t rank = 0;
};

// Where what a rank wants of an array overlaps what a rank holds; nullopt: nowhere. The sources of
// the pull are left to the caller.
std::optional<Pull> Overlap(const Shape& shape, const RankPart& held, const RankPart& wanted);

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

// The ranks that hold and want an array, of two meshes side by side.
struct ChannelEnd {
  const Sharding* sharding = nullptr;
  const Mesh* mesh = nullptr;
  const std::vector<int64_t>* ranks = nullptr;  // of the world, by rank of the mesh
};

// The transfers by which the ranks of `to` take over an array from those of `from`, one for each of
// `world` ranks. Readers spread over the holders of equal parts; who holds its part already reads
// its own. The ranks of both ends form one group, every other rank is alone and does nothing.
// Neither end is partial.
std::vector<Transfer> PlanChannel(const TensorType& type,
                                  const ChannelEnd& from,
                                  const ChannelEnd& to,
                                  int64_t world);

// What one source of a pull gives, one run behind the other: pull.elements() elements of `element`.
void PackPull(const Pull& pull, ElementType element, const std::byte* source, std::byte* packed);
// The inverse into the destination, from one packed array for each source, reduced in their order.
void UnpackPull(const Transfer& transfer,
                const Pull& pull,
                std::span<const std::byte* const> packed,
                std::byte* to);
// What a destination holds before anything is pulled: the identity, zeros, or nothing in
// particular.
void Prefill(const Transfer& transfer, std::byte* to);

// Runs the pulls of `transfer` that are copies or whole reductions. buffers[r]: source of rank r
// (of the ranks that are pulled from); to: this rank's destination. No synchronisation.
void RunPulls(const Transfer& transfer, std::span<void* const> buffers, void* to);

// The two halves of a sliced all-reduce; a meeting of the group goes between them.
// from[r], to[r]: source and destination of rank r.
void ReduceOwnSlice(const Transfer& transfer, int64_t rank, std::span<void* const> from, void* to);
void GatherSlices(const Transfer& transfer, int64_t rank, std::span<void* const> to);

}  // namespace metadist
