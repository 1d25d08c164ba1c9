// SPDX-License-Identifier: Apache-2.0
// Undoes a max pooling: each element is written to the index from which the pooling took it, all
// other elements are 0. Indices refer to the array that was pooled, and an element stays in its
// plane (as in ONNX, where indices are those of a pooling); the output may be larger than that
// array.
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

// Shape of the array that was pooled.
Result<Shape> PooledShape(const OpCall& call) {
  const Shape& x = call.shape(0);
  const size_t dims = x.size() - 2;
  const std::vector<int64_t> kernel = call.attributes->Ints("kernel_shape");
  const std::vector<int64_t> strides =
      call.attributes->Ints("strides", std::vector<int64_t>(dims, 1));
  const std::vector<int64_t> pads =
      call.attributes->Ints("pads", std::vector<int64_t>(2 * dims, 0));
  if (kernel.size() != dims || strides.size() != dims || pads.size() != 2 * dims)
    return BadCall("kernel_shape, strides and pads must fit {} spatial dims", dims);
  constexpr int64_t kLargest = int64_t{1} << 31;
  Shape shape{x[0], x[1]};
  for (size_t d = 0; d < dims; ++d) {
    for (int64_t value : {kernel[d], strides[d], x[d + 2]})
      if (value < 0 || value > kLargest) return BadCall("a size of {} is out of range", value);
    shape.push_back((x[d + 2] - 1) * strides[d] - pads[d] - pads[dims + d] + kernel[d]);
    if (shape.back() < 0 || shape.back() > kLargest)
      return BadCall("a size of {} is out of range", shape.back());
  }
  return shape;
}

// Elements of one plane: the dims from the third on.
int64_t PlaneOf(const Shape& shape) { return NumElements({shape.begin() + 2, shape.end()}); }

Result<std::vector<TensorType>> InferMaxUnpool(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 3)
          .Floats(0)
          .Integers(1)
          .Integers(2)
          .RankAtLeast(0, 3)
          .That(!call.has(1) || !call.has(0) || call.shape(0) == call.shape(1),
                "elements and indices must have one shape")
          .Done());
  Shape shape = TRY(PooledShape(call));
  if (call.has(2)) {
    const Shape stated = TRY(call.Ints(2));
    bool fits = stated.size() == shape.size() && stated[0] == shape[0] && stated[1] == shape[1];
    for (size_t d = 2; fits && d < shape.size(); ++d) fits = stated[d] >= shape[d];
    if (!fits)
      return BadCall("the output must hold {}, got {}", ShapeText(shape), ShapeText(stated));
    TRY(CheckedElements(stated, call.type(0).element));
    shape = stated;
  }
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> MaxUnpoolReference(const OpCall& call,
                                std::span<const Tensor> in,
                                std::span<Tensor> out) {
  const Shape pooled = TRY(PooledShape(call));
  const int64_t plane = PlaneOf(pooled);
  const int64_t own = PlaneOf(in[0].shape());
  const std::vector<int64_t> strides = Strides(out[0].shape());
  for (int64_t i = 0; i < in[0].size(); ++i) {
    int64_t index = in[1].data<int64_t>()[i];
    const int64_t first = i / own * plane;
    if (index < first || index >= first + plane)
      return BadCall(
          "index must be in its plane, [{}, {}], got {}", first, first + plane - 1, index);
    int64_t to = 0;
    for (size_t d = pooled.size(); d-- > 0; index /= pooled[d])
      to += index % pooled[d] * strides[d];
    out[0].mutable_data<double>()[to] = in[0].data<double>()[i];
  }
  return {};
}

std::vector<InputDomain> MaxUnpoolDomain(const OpCall& call) {
  const auto pooled = PooledShape(call);
  const int64_t plane = pooled.ok() ? PlaneOf(pooled.value()) : 1;
  return {{},
          {.kind = InputDomain::Kind::kRange,
           .low = 0,
           .high = static_cast<double>(std::max<int64_t>(plane - 1, 0)),
           .leading = 2,
           .step = plane}};
}

// 0, step, 2 step, ... along dim `dim` of the indices, broadcast over later dims.
ValueId MaxUnpoolStepsAlong(Composer& compose, ValueId indices, size_t dim, int64_t step) {
  const Shape shape = compose.shape(indices);
  const ValueId steps =
      compose.Add("Mul", {ComposePositions(compose, 0, shape[dim]), compose.Integer(step)});
  return compose.With("Unsqueeze", steps, AxesBetween(1, static_cast<int64_t>(shape.size() - dim)));
}

// Converts an index into a plane of one shape to the same position in a larger plane.
ValueId Moved(Composer& compose, ValueId index, const Shape& from, const Shape& to) {
  const std::vector<int64_t> old_strides = Strides(from), new_strides = Strides(to);
  ValueId place = kNone;
  for (size_t d = 2; d < from.size(); ++d) {
    ValueId at = compose.Add("Div", {index, compose.Integer(old_strides[d])});
    at = compose.Add("Mod", {at, compose.Integer(from[d])});
    at = compose.Add("Mul", {at, compose.Integer(new_strides[d])});
    place = d == 2 ? at : compose.Add("Add", {place, at});
  }
  return place;
}

// Indices minus the first index of their plane are the positions in the flattened plane to write
// to.
Result<Graph> DecomposeMaxUnpool(const OpCall& call) {
  const Shape pooled = TRY(PooledShape(call));
  const Shape shape = TRY(InferMaxUnpool(call))[0].shape;
  const int64_t plane = PlaneOf(pooled);
  Composer compose(call);
  ValueId index = compose.As(ElementType::kI64, compose.Given(1));
  index = compose.Add("Sub", {index, MaxUnpoolStepsAlong(compose, index, 0, pooled[1] * plane)});
  index = compose.Add("Sub", {index, MaxUnpoolStepsAlong(compose, index, 1, plane)});
  if (call.has(2)) index = Moved(compose, index, pooled, shape);
  index = compose.With("Reshape", index, {0, 0, -1});
  const ValueId x = compose.With("Reshape", compose.Operand(0), {0, 0, -1});
  const ValueId zeros =
      compose.With("Expand", compose.Number(0, x), {shape[0], shape[1], PlaneOf(shape)});
  const ValueId y = compose.Add("ScatterElements", {zeros, index, x}, {{"axis", 2}});
  Shape whole{0, 0};
  whole.insert(whole.end(), shape.begin() + 2, shape.end());
  return compose.Done({compose.With("Reshape", y, whole)});
}

std::vector<OpExample> MaxUnpoolExamples() {
  return {{.inputs = {F32({2, 3, 2, 3}), I64({2, 3, 2, 3})},
           .attributes = {{"kernel_shape", List{2, 2}}, {"strides", List{2, 2}}}},
          {.inputs = {F32({1, 1, 2, 2}), I64({1, 1, 2, 2}), Ints({1, 1, 5, 5})},
           .attributes = {{"kernel_shape", List{2, 2}}, {"strides", List{2, 2}}}}};
}

}  // namespace

OpDef MakeMaxUnpool() {
  return {.name = "MaxUnpool",
          .since_version = 22,
          .infer = InferMaxUnpool,
          .reference = MaxUnpoolReference,
          .decompose = DecomposeMaxUnpool,
          .work = MoveWork,
          .domain_of = MaxUnpoolDomain,
          .examples = MaxUnpoolExamples};
}

}  // namespace metadist::ops
