// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"
#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"

// How an array lies on a mesh.
//
// Every dim is seen as a concatenation of parts, every part as a product of sub-dims (outer to
// inner), and every sub-dim is cut by a list of mesh axes (major to minor). The common case is one
// part with one sub-dim. `(3 64:model)` - three blocks of 64, each cut over `model` - is a fused
// QKV projection cut by heads; `(64:model)+(32:model)` cuts two unequal blocks together.
//
// Pieces are balanced: n over p gives the first n % p pieces one element more. An axis that appears
// nowhere replicates; one in `partial` holds summands (or other operands of a reduction).
namespace metadist {

enum class ReduceOp : uint8_t { kSum, kProd, kMax, kMin, kAnd, kOr };
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

// What a use needs of other ranks: elements before and behind a rank's own piece, or another piece
// than its own. A negative width leaves elements of the piece out.
struct Halo {
  // How pieces and what lies beside them are counted.
  enum class Course : uint8_t {
    kStraight,  // as far as the dim goes
    kMirrored,  // from the end of the dim, as far as it goes: [b, e) stands for [size-e, size-b)
    kAround,    // as if the ends of the dim were joined: before its first element lies the last
  };

  int64_t before = 0;
  int64_t behind = 0;
  // The dim's size where the parts add up to another one: a window slides over a dim of 9 in 4
  // steps of 2. Pieces end where the dim does. 0: the parts add up.
  int64_t of = 0;
  Course course = Course::kStraight;
  bool empty() const { return *this == Halo{}; }
  auto operator<=>(const Halo&) const = default;
};

struct DimSharding {
  std::vector<DimPart> parts;  // empty: whole on every rank
  Halo halo = {};  // only of a dim cut contiguously: one part, cut along its outer sub-dim alone
  // A rank holds one more element behind its piece, which is zero; only of one part with one
  // sub-dim, without a halo. It stands for all that lies outside the piece.
  bool spare = false;

  bool whole() const { return parts.empty(); }
  // The dim of `size` cut contiguously by `axes`.
  static DimSharding Cut(int64_t size, std::vector<int> axes);
  std::strong_ordering operator<=>(const DimSharding&) const;
  bool operator==(const DimSharding&) const;
};

struct Partial {
  int axis = 0;
  ReduceOp op = ReduceOp::kSum;
  bool in_f32 = false;  // the operands are held in f32 although the value is f16 or bf16
  auto operator<=>(const Partial&) const = default;
};

struct Sharding {
  std::vector<DimSharding> dims;
  std::vector<Partial> partial;  // in axis order

  static Sharding Replicated(size_t rank) { return {std::vector<DimSharding>(rank), {}}; }
  bool replicated() const;
  bool has_halos() const;
  // Every rank's own pieces. Where the parts do not add up, balanced pieces of the dim.
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

// The canonical form of a dim: equal placements compare equal wherever sizes divide. Merges
// sub-dims that a contiguous cut covers, drops sub-dims of size 1, and turns an uncut dim into the
// whole.
DimSharding Normalize(const DimSharding& dim, const Mesh& mesh);
Sharding Normalize(const Sharding& sharding, const Mesh& mesh);

// Global index ranges a rank holds of a dim of `size`, in local order, adjacent ones joined (one
// piece: ascending, but for a halo that goes around); a spare element is of none.
std::vector<Interval> LocalIntervals(const DimSharding& dim,
                                     int64_t size,
                                     const Mesh& mesh,
                                     const std::vector<int64_t>& coordinate);
int64_t LocalSize(const DimSharding& dim,
                  int64_t size,
                  const Mesh& mesh,
                  const std::vector<int64_t>& coordinate);
Shape LocalShape(const Shape& shape, const Sharding& sharding, const Mesh& mesh, int64_t rank);
// Along every dim the size on the rank that holds most: rank 0, but for halos.
Shape LargestLocalShape(const Shape& shape, const Sharding& sharding, const Mesh& mesh);
// Every rank holds the same number of elements of every dim.
bool IsEven(const Shape& shape, const Sharding& sharding, const Mesh& mesh);

// Whether the sharding can be placed: axes known and used once, sub-dim sizes multiply out to the
// dim's (but for Halo::of), no piece empty, no halo wider than a piece, and none but that of the
// first and the last piece beyond the ends of the dim; one that goes around holds no element twice.
// Errors: kUsage naming the dim or axis.
Result<void> Validate(const Sharding& sharding, const Shape& shape, const Mesh& mesh);

// The type in which ranks hold a value of `type`: f32 while it is partial in f32 along some axis.
TensorType HeldType(TensorType type, const Sharding& sharding);

// "[data,model][]", "[(3 64:model)][]", "[][] partial{sum: model}", where its operands are held in
// f32 "[][] partial{sum in f32: model}", with a halo "[data~1,2]",
// "[(4:data 2)~1,0]", "[data~mirror]", "[data~1,2~mirror]", "[data~1,2~around]", with a spare
// element "[data+]"; "[]" for each whole dim; a scalar prints as "scalar".
std::string ShardingText(const Sharding& sharding, const Mesh& mesh);
// Sizes of sub-dims that a plain `[axis]` leaves out come from `shape`. Errors: kUsage.
Result<Sharding> ParseSharding(std::string_view text, const Shape& shape, const Mesh& mesh);

}  // namespace metadist
