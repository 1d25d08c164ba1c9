// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"
#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"

// How an array is placed on a mesh.
//
// Every dim is a concatenation of parts, every part a product of sub-dims (outer to inner), and
// every sub-dim is cut by a list of mesh axes (major to minor). The common case is one part with
// one sub-dim. `(3 64:model)` - three blocks of 64, each cut over `model` - is a fused QKV
// projection cut by heads; `(64:model)+(32:model)` cuts two unequal blocks together.
//
// Pieces are balanced: of n elements over p ranks, the first n % p pieces get one more. An axis
// that appears nowhere replicates; along an axis in `partial`, ranks hold summands (or other
// operands of a reduction).
namespace metadist {

enum class ReduceOp : uint8_t { kSum, kProd, kMax, kMin, kAnd, kOr };
inline constexpr std::initializer_list<ReduceOp> kReduceOps = {
    ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin, ReduceOp::kAnd, ReduceOp::kOr};
std::string_view Name(ReduceOp op);  // "sum", "prod", ...

struct SubDim {
  int64_t size = 1;
  std::vector<int> axes;  // ids of mesh axes, major to minor
  std::strong_ordering operator<=>(const SubDim&) const;
  bool operator==(const SubDim&) const;
};

struct DimPart {
  std::vector<SubDim> sub;  // outer to inner
  int64_t size() const;
  std::strong_ordering operator<=>(const DimPart&) const;
  bool operator==(const DimPart&) const;
};

// The elements that a rank needs beyond its own piece: some before and after it, or a different
// piece. A negative width drops elements of the piece.
struct Halo {
  // How indices before and after a piece are interpreted.
  enum class Course : uint8_t {
    kStraight,  // clamped to the dim
    kMirrored,  // mirrored, then clamped: [b, e) stands for [size-e, size-b)
    kAround,    // modulo the size of the dim: the last element comes before the first
  };

  int64_t before = 0;
  int64_t behind = 0;
  // The dim's size if the parts add up to something else: a window slides over a dim of 9 in 4
  // steps of 2. Pieces are clamped to the dim. 0: the parts add up to the size.
  int64_t of = 0;
  Course course = Course::kStraight;
  bool empty() const { return *this == Halo{}; }
  auto operator<=>(const Halo&) const = default;
};

struct DimSharding {
  std::vector<DimPart> parts;  // empty: whole on every rank
  Halo halo = {};  // only if the dim is cut contiguously: one part, cut along its outer sub-dim
                   // alone
  // A rank holds one more element after its piece, which is zero and stands for everything outside
  // the piece. Only if the dim has one part with one sub-dim and no halo.
  bool spare = false;

  bool whole() const { return parts.empty(); }
  int64_t size() const;  // of the dim, if it is not whole
  // One part, cut along its outer sub-dim alone or not at all.
  bool contiguous() const;
  // The dim of `size` cut contiguously by `axes`.
  static DimSharding Cut(int64_t size, std::vector<int> axes);
  std::strong_ordering operator<=>(const DimSharding&) const;
  bool operator==(const DimSharding&) const;
};

struct Partial {
  int axis = 0;
  ReduceOp op = ReduceOp::kSum;
  bool in_f32 = false;  // operands are held in f32 although the value is f16 or bf16
  auto operator<=>(const Partial&) const = default;
};

struct Sharding {
  std::vector<DimSharding> dims;
  std::vector<Partial> partial;  // in axis order

  static Sharding Replicated(size_t rank) { return {std::vector<DimSharding>(rank), {}}; }
  bool replicated() const;
  bool has_halos() const;
  // The same pieces without halos. If the parts do not add up (Halo::of), balanced pieces of the
  // dim.
  Sharding WithoutHalos() const;
  bool has_spares() const;
  Sharding WithoutSpares() const;
  // Ids of the axes that cut a dim, ascending.
  std::vector<int> CuttingAxes() const;
  std::strong_ordering operator<=>(const Sharding&) const;
  bool operator==(const Sharding&) const;
};

struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

// The `index`-th of `count` balanced pieces of [0, size).
Interval Piece(int64_t size, int64_t count, int64_t index);

// The canonical form of a dim: equal placements compare equal if all sizes divide evenly. Merges
// sub-dims that form a contiguous cut, drops sub-dims of size 1, and makes a dim that no axis cuts
// whole.
DimSharding Normalize(const DimSharding& dim, const Mesh& mesh);
Sharding Normalize(const Sharding& sharding, const Mesh& mesh);

// The index ranges of a dim of `size` that a rank holds, in local order, adjacent ones joined. With
// one part they ascend, unless a halo wraps around. Spare elements are not included.
std::vector<Interval> LocalIntervals(const DimSharding& dim,
                                     int64_t size,
                                     const Mesh& mesh,
                                     const std::vector<int64_t>& coordinate);
int64_t LocalSize(const DimSharding& dim,
                  int64_t size,
                  const Mesh& mesh,
                  const std::vector<int64_t>& coordinate);
Shape LocalShape(const Shape& shape, const Sharding& sharding, const Mesh& mesh, int64_t rank);
// For every dim, its largest local size: that of rank 0, unless there are halos.
Shape LargestLocalShape(const Shape& shape, const Sharding& sharding, const Mesh& mesh);

// Whether the sharding is valid for `shape`: axes are used once; sub-dim sizes multiply out to the
// dim's (unless Halo::of is set); no piece is empty; no halo is wider than a piece, or reaches
// beyond the dim except at the first and last piece; a halo that wraps around holds no element
// twice. Errors: kUsage naming the dim or axis.
Result<void> Validate(const Sharding& sharding, const Shape& shape, const Mesh& mesh);

// The type in which ranks hold a value of `type`: f32 if it is partial in f32 along some axis.
TensorType HeldType(TensorType type, const Sharding& sharding);

// "[data,model][]", "[(3 64:model)][]", "[][] partial{sum: model}"; with operands held in f32 "[][]
// partial{sum in f32: model}"; with a halo "[data~1,2]", "[(4:data 2)~1,0]", "[data~mirror]",
// "[data~1,2~mirror]", "[data~1,2~around]"; with a spare element "[data+]". A whole dim prints as
// "[]", a scalar as "scalar".
std::string ShardingText(const Sharding& sharding, const Mesh& mesh);
// `shape` supplies the sub-dim size that a plain `[axis]` omits. Errors: kUsage.
Result<Sharding> ParseSharding(std::string_view text, const Shape& shape, const Mesh& mesh);

}  // namespace metadist
