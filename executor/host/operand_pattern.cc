// SPDX-License-Identifier: Apache-2.0
//
// Element i of operand k of n is v(i, k) = i n + (i + k) mod n + 1: distinct for all i and k, and
// no operand holds the maximum of every element. Values wrap around at the limit of exact integers
// of the element type (for a sum: at an n-th of it). A product has v in operand i mod n and 1 in
// the others, and logical reductions likewise, so that any omitted, doubled or misplaced operand
// shows.
#include "executor/host/operand_pattern.h"

#include <algorithm>
#include <functional>

#include "executor/comm/reduce.h"

namespace metadist {
namespace {

// Integers from 0 up to but excluding this are exact in the type.
int64_t ExactBelow(ElementType element) {
  switch (element) {
    case ElementType::kF16:
      return int64_t{1} << 11;
    case ElementType::kBF16:
      return int64_t{1} << 8;
    case ElementType::kF32:
      return int64_t{1} << 24;
    case ElementType::kF64:
      return int64_t{1} << 53;
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E4M3FNUZ:
      return int64_t{1} << 4;
    case ElementType::kF8E5M2:
    case ElementType::kF8E5M2FNUZ:
      return int64_t{1} << 3;
    case ElementType::kF4E2M1:
      return int64_t{1} << 2;
    case ElementType::kBool:
      return 2;
    default:
      break;
  }
  const int64_t bits = BitSize(element) - (IsUnsigned(element) ? 0 : 1);
  return int64_t{1} << std::min<int64_t>(bits, 60);
}

bool Logical(ReduceOp op) { return op == ReduceOp::kAnd || op == ReduceOp::kOr; }

}  // namespace

OperandPattern::OperandPattern(TensorType type,
                               const Mesh& mesh,
                               std::vector<Partial> operands,
                               Shape extent)
    : type_(std::move(type)),
      mesh_(mesh),
      operands_(std::move(operands)),
      extent_(extent.empty() ? type_.shape : std::move(extent)) {
  for (const Partial& partial : operands_) {
    count_ *= mesh.size(partial.axis);
    op_ = partial.op;
  }
  const int64_t exact = ExactBelow(type_.element);
  limit_ = Logical(op_) ? 2 : op_ == ReduceOp::kSum ? std::max<int64_t>(2, exact / count_) : exact;
}

int64_t OperandPattern::Operand(int64_t index, int64_t operand) const {
  if (count_ == 1) return (index + 1) % limit_;
  const bool special = index % count_ == operand;
  const int64_t value = index * count_ + (index + operand) % count_ + 1;
  if (op_ == ReduceOp::kProd) return special ? value % limit_ : 1;
  // A pseudo-random bit of the index.
  const int64_t bit =
      static_cast<int64_t>((static_cast<uint64_t>(index) * 0x9e3779b97f4a7c15U) >> 63);
  if (op_ == ReduceOp::kAnd) return special ? bit : 1;
  if (op_ == ReduceOp::kOr) return special ? bit : 0;
  return value % limit_;
}

int64_t OperandPattern::Reduced(int64_t index, const std::vector<int64_t>& operands) const {
  int64_t result = Operand(index, operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    const int64_t next = Operand(index, operands[i]);
    switch (op_) {
      case ReduceOp::kSum:
        result += next;
        break;
      case ReduceOp::kProd:
        result *= next;
        break;
      case ReduceOp::kMax:
        result = std::max(result, next);
        break;
      case ReduceOp::kMin:
        result = std::min(result, next);
        break;
      case ReduceOp::kAnd:
        result &= next;
        break;
      case ReduceOp::kOr:
        result |= next;
        break;
    }
  }
  return result;
}

// The operands that are reduced into a rank's elements: all coordinates along the reduced axes, the
// rank's own along the others.
std::vector<int64_t> OperandPattern::OperandsOf(const Sharding& sharding, int64_t rank) const {
  std::vector<int> all;
  std::vector<int> ended;
  for (const Partial& partial : operands_) {
    all.push_back(partial.axis);
    if (std::find(sharding.partial.begin(), sharding.partial.end(), partial) ==
        sharding.partial.end())
      ended.push_back(partial.axis);
  }
  std::vector<int64_t> out;
  for (int64_t peer : mesh_.Group(ended, rank))
    out.push_back(mesh_.IndexAlong(all, mesh_.CoordinateOf(peer)));
  return out;
}

Tensor OperandPattern::Local(const Sharding& sharding, int64_t rank) const {
  const std::vector<int64_t> coordinate = mesh_.CoordinateOf(rank);
  const std::vector<int64_t> operands = OperandsOf(sharding, rank);
  std::vector<std::vector<Interval>> runs;
  for (size_t d = 0; d < type_.shape.size(); ++d)
    runs.push_back(LocalIntervals(sharding.dims[d], type_.shape[d], mesh_, coordinate));
  const Shape shape = LocalShape(type_.shape, sharding, mesh_, rank);
  std::vector<int64_t> values;
  values.reserve(static_cast<size_t>(NumElements(shape)));
  std::vector<int64_t> padding;  // positions
  const auto element = [&](int64_t at, bool inside) {
    if (!inside) padding.push_back(static_cast<int64_t>(values.size()));
    values.push_back(inside ? Reduced(at, operands) : 0);
  };
  const std::function<void(size_t, int64_t, bool)> visit = [&](size_t d, int64_t at, bool inside) {
    for (const Interval& run : runs[d])
      for (int64_t i = run.begin; i < run.end; ++i) {
        const int64_t next = at * extent_[d] + i;
        if (d + 1 < runs.size())
          visit(d + 1, next, inside && i < extent_[d]);
        else
          element(next, inside && i < extent_[d]);
      }
    // The spare element after the piece is zero.
    if (sharding.dims[d].spare)
      values.insert(values.end(), static_cast<size_t>(Strides(shape)[d]), 0);
  };
  if (runs.empty())
    element(0, true);
  else
    visit(0, 0, true);
  Tensor out = Tensor::Of<int64_t>(shape, values).Cast(type_.element);
  if (!operands_.empty())
    for (int64_t place : padding)
      FillIdentity(out.mutable_bytes() + place * ByteSize(type_.element), 1, type_.element, op_);
  return out;
}

std::vector<Tensor> OperandPattern::Locals(const Sharding& sharding) const {
  std::vector<Tensor> out;
  for (int64_t rank = 0; rank < mesh_.ranks(); ++rank) out.push_back(Local(sharding, rank));
  return out;
}

}  // namespace metadist
