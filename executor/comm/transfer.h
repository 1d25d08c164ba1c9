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

// In one dim: `size` consecutive elements at `from` in the source and at `to` in the destination,
// in elements of that dim.
struct CopyRun {
  int64_t from = 0;
  int64_t to = 0;
  int64_t size = 0;
};

// The part of a rank's destination that comes from one piece: the product of the runs of all dims.
// Reduced over `sources` in their order; one source means a copy.
struct Pull {
  std::vector<int64_t> sources;            // ranks of the mesh; all hold the same local shape
  std::vector<std::vector<CopyRun>> runs;  // by dim
  Shape source_shape;
  Shape shape;  // of the destination
  // The same as strided copies, if there is one source and few copies suffice.
  std::vector<cpu::StridedCopy> copies;

  int64_t elements() const;
};

// The part of an array that a sharding assigns to one rank of its mesh.
struct RankPart {
  const Sharding* sharding = nullptr;
  const Mesh* mesh = nullptr;
  int64_t rank = 0;
};

// The overlap of the part a rank needs with the part a rank holds; nullopt if empty. Pull::sources
// is left to the caller.
std::optional<Pull> Overlap(const Shape& shape, const RankPart& held, const RankPart& wanted);

// Everything that one rank does in one step.
struct Transfer {
  ElementType element = ElementType::kF32;  // of the source
  ElementType made = ElementType::kF32;     // of the destination: partial values may be held in f32
  ReduceOp op = ReduceOp::kSum;
  int64_t elements = 0;          // of the destination
  bool identity = false;         // the rank holds the identity of `op` and pulls nothing
  bool zeroes = false;           // elements that are not pulled are zero
  bool slices = false;           // reduce own slice, meet, gather the others' (see below)
  std::vector<int64_t> slicers;  // the ranks that each reduce one slice of the destination, in
                                 // slice order
  std::vector<Pull> pulls;
  // The ranks that must meet before the first read and after the last; ascending, includes this
  // rank. A local step contains only this rank.
  std::vector<int64_t> group;

  bool local() const { return group.size() == 1; }
  // The elements of the destination that one of `slicers` reduces.
  Interval SliceOf(int64_t rank) const;
};

// The transfers of a step on an array of `type` (the global type in the model), one for each rank
// of the mesh.
//
// Every destination element is pulled from exactly one source piece, and from its nearest holder:
// the rank itself, or the holder that differs from it only along axes that cut the source. This
// holds for all shardings, with uneven pieces, parts and block-cyclic sub-dims. In a permute every
// rank reads one whole block from one rank, and no block is read twice (PermuteSources). All other
// kinds are handled uniformly, except that reductions that keep their dims may work in slices. If a
// whole value becomes a summand (or factor), all ranks but those at the first coordinate hold the
// identity; for other reductions every rank holds the value itself. Errors: kInternal if the step
// reduces by two different operations, if its target is partial where the source is neither partial
// nor whole, or if a permute is no permutation of blocks.
Result<std::vector<Transfer>> PlanTransfers(const CollectiveStep& step,
                                            const TensorType& type,
                                            const Mesh& mesh);

// The ranks that hold an array, or need it, of one of two meshes.
struct ChannelEnd {
  const Sharding* sharding = nullptr;
  const Mesh* mesh = nullptr;
  const std::vector<int64_t>* ranks = nullptr;  // ranks of the world, by rank of the mesh
};

// The transfers that move an array from the ranks of `from` to those of `to`, one for each of
// `world` ranks. Readers are spread over the holders of equal parts; a rank that already holds its
// part reads its own. The ranks of both ends form one group; every other rank is in a group of its
// own and does nothing. Neither sharding may be partial.
std::vector<Transfer> PlanChannel(const TensorType& type,
                                  const ChannelEnd& from,
                                  const ChannelEnd& to,
                                  int64_t world);

// Copies what a pull takes from one source into consecutive runs: pull.elements() elements of
// `element`.
void PackPull(const Pull& pull, ElementType element, const std::byte* source, std::byte* packed);
// The inverse, into the destination, from one packed array for each source, reduced in their order.
void UnpackPull(const Transfer& transfer,
                const Pull& pull,
                std::span<const std::byte* const> packed,
                std::byte* to);
// Initialises a destination before anything is pulled: with the identity, with zeros, or not at
// all.
void Prefill(const Transfer& transfer, std::byte* to);

// Runs the pulls of a rank's transfer, or the first half of a sliced all-reduce. from[r]: source of
// rank r (for the ranks that are pulled from); to: this rank's destination. No synchronisation.
void RunTransfer(const Transfer& transfer, int64_t rank, std::span<void* const> from, void* to);
// The second half of a sliced all-reduce, after the group has met; nothing for other transfers.
// to[r]: destination of rank r.
void GatherSlices(const Transfer& transfer, int64_t rank, std::span<void* const> to);

}  // namespace metadist
