// SPDX-License-Identifier: Apache-2.0
// Maps the points of a regular grid over [-1, 1] by an affine map: y[n, point] = theta[n] (point,
// 1), coordinates in the order x, y (, z). theta: [n, d, d + 1], size: (n, channels, sizes...).
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"
#include "metair/ops/reduce_mean.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferAffineGrid(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Floats(0).Integers(1).Rank(0, 3, 3).Rank(1, 1, 1).Done());
  const Shape size = TRY(call.Ints(1));
  if (size.size() != 4 && size.size() != 5)
    return BadCall("size must have 4 or 5 entries, got {}", size.size());
  const int64_t dims = static_cast<int64_t>(size.size()) - 2;
  if (call.shape(0) != Shape{size[0], dims, dims + 1})
    return BadCall(
        "theta must be [{},{},{}], got {}", size[0], dims, dims + 1, ShapeText(call.shape(0)));
  TensorType type{call.type(0).element, {size[0]}};
  type.shape.insert(type.shape.end(), size.begin() + 2, size.end());
  type.shape.push_back(dims);
  TRY(CheckedElements(type.shape, type.element));
  return std::vector<TensorType>{type};
}

Result<void> AffineGridReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  const bool align_corners = call.attributes->Int("align_corners", 0) != 0;
  const Shape& y = out[0].shape();
  const size_t dims = y.size() - 2;
  const int64_t places = NumElements({y.begin() + 1, y.end() - 1});
  std::vector<double> point(dims + 1, 1.0);
  for (int64_t i = 0; i < (dims == 0 ? 0 : out[0].size() / static_cast<int64_t>(dims)); ++i) {
    int64_t place = i % places;
    for (size_t d = dims; d-- > 0;) {
      const double size = static_cast<double>(y[d + 1]);
      const double at = static_cast<double>(place % y[d + 1]);
      point[dims - 1 - d] =
          align_corners ? (size == 1 ? -1 : -1 + 2 * at / (size - 1)) : -1 + (2 * at + 1) / size;
      place /= y[d + 1];
    }
    for (size_t row = 0; row < dims; ++row) {
      const double* theta = in[0].data<double>() +
                            (i / places * static_cast<int64_t>(dims) + static_cast<int64_t>(row)) *
                                static_cast<int64_t>(dims + 1);
      double sum = 0;
      for (size_t column = 0; column <= dims; ++column) sum += theta[column] * point[column];
      out[0].mutable_data<double>()[i * static_cast<int64_t>(dims) + static_cast<int64_t>(row)] =
          sum;
    }
  }
  return {};
}

// Coordinates of the positions along a dim of `size`, with `behind` dims of size 1 appended.
ValueId Coordinates(
    Composer& compose, const OpCall& call, ValueId theta, int64_t size, int64_t behind) {
  const bool align_corners = call.attributes->Int("align_corners", 0) != 0;
  const auto number = [&](double value) { return compose.Number(value, theta); };
  ValueId at = compose.As(compose.type(theta).element, ComposePositions(compose, 0, size));
  at = compose.Add("Add", {compose.Add("Mul", {at, number(2)}), number(align_corners ? 0 : 1)});
  const int64_t steps = align_corners ? std::max<int64_t>(size - 1, 1) : size;
  at = compose.Add("Div", {at, number(static_cast<double>(steps))});
  at = compose.Add("Sub", {at, number(1)});
  return compose.With("Unsqueeze", at, AxesBetween(1, 1 + behind));
}

// Sums, for each dim of the grid, a column of theta times the coordinates along it, and adds the
// last column.
Result<Graph> DecomposeAffineGrid(const OpCall& call) {
  const Shape y = TRY(InferAffineGrid(call))[0].shape;
  const int64_t dims = static_cast<int64_t>(y.size()) - 2;
  Composer compose(call);
  const ValueId theta = compose.Operand(0);
  ValueId sum = kNone;
  for (int64_t column = 0; column <= dims; ++column) {
    ValueId term = compose.Add("Gather", {theta, compose.Integer(column)}, {{"axis", 2}});
    term = compose.With("Unsqueeze", term, AxesBetween(1, 1 + dims));
    const int64_t dim = dims - 1 - column;
    if (dim >= 0) {
      const int64_t size = y[static_cast<size_t>(dim) + 1];
      term = compose.Add("Mul", {term, Coordinates(compose, call, theta, size, dims - dim)});
    }
    sum = column == 0 ? term : compose.Add("Add", {sum, term});
  }
  return compose.Done({sum});
}

Work WorkForAffineGrid(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 2 * call.shape(0)[2] * NumElements(outputs[0].shape));
}

std::vector<OpExample> AffineGridExamples() {
  return {
      {.inputs = {F32({3, 2, 3}), Ints({3, 4, 5, 6})}},
      {.inputs = {F32({2, 3, 4}), Ints({2, 1, 3, 4, 5})}, .attributes = {{"align_corners", 1}}}};
}

}  // namespace

OpDef MakeAffineGrid() {
  return {.name = "AffineGrid",
          .since_version = 20,
          .infer = InferAffineGrid,
          .reference = AffineGridReference,
          .decompose = DecomposeAffineGrid,
          .work = WorkForAffineGrid,
          .examples = AffineGridExamples};
}

}  // namespace metadist::ops
