// SPDX-License-Identifier: Apache-2.0
// The gradients of x and, if it is requested, of the grid in y = GridSample(x, grid), given that of
// y. Attributes as there.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/grid_sample.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferGridSampleGradient(const OpCall& call) {
  TRY(CallCheck(call).Inputs(3).Floats(2).Done());
  const TensorType y = TRY(GridSampleType(call));
  if (call.shape(2) != y.shape)
    return BadCall(
        "the gradient of y must be {}, got {}", ShapeText(y.shape), ShapeText(call.shape(2)));
  if (call.num_outputs > 2) return BadCall("expected 1 to 2 outputs, got {}", call.num_outputs);
  std::vector<TensorType> types{call.type(0), call.type(1)};
  types.resize(static_cast<size_t>(call.num_outputs));
  return types;
}

// Visits the elements of a plane that contribute to a point: visit(offset, taps), the tap of each
// dim.
template <typename Visit>
void ForEachElement(const std::vector<GridTaps>& taps, const Shape& space, const Visit& visit) {
  std::vector<int64_t> tap(taps.size(), 0);
  while (true) {
    int64_t offset = 0;
    for (size_t d = 0; d < tap.size() && offset >= 0; ++d) {
      const int64_t index = taps[d].index[tap[d]];
      offset = index < 0 ? -1 : offset * space[d] + index;
    }
    if (offset >= 0) visit(offset, tap);
    size_t d = tap.size();
    while (d > 0 && ++tap[d - 1] == taps[d - 1].count) tap[--d] = 0;
    if (d == 0) return;
  }
}

Result<void> GridSampleGradientReference(const OpCall& call,
                                         std::span<const Tensor> in,
                                         std::span<Tensor> out) {
  const GridSampling sampling = TRY(GridSamplingOf(*call.attributes));
  const Shape& shape = in[0].shape();
  const Shape space(shape.begin() + 2, shape.end());
  const int64_t dims = std::ssize(space);
  const int64_t spatial = NumElements(space);
  const int64_t places = NumElements({in[2].shape().begin() + 2, in[2].shape().end()});
  if (spatial == 0) return {};
  double* const dx = out[0].mutable_data<double>();
  double* const dgrid = out.size() > 1 ? out[1].mutable_data<double>() : nullptr;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t place = 0; place < places; ++place) {
      const int64_t at = (n * places + place) * dims;
      const std::vector<GridTaps> taps = GridTapsAt(sampling, in[1].data<double>() + at, space);
      for (int64_t c = 0; c < shape[1]; ++c) {
        const int64_t plane = n * shape[1] + c;
        const double* const x = in[0].data<double>() + plane * spatial;
        const double dy = in[2].data<double>()[plane * places + place];
        ForEachElement(taps, space, [&](int64_t offset, const std::vector<int64_t>& tap) {
          // Of all dims, or with the slope along one of them.
          const auto product = [&](int64_t steep) {
            double factor = dy;
            for (int64_t d = 0; d < dims; ++d) {
              const size_t i = static_cast<size_t>(d);
              factor *= d == steep ? taps[i].slope[tap[i]] : taps[i].weight[tap[i]];
            }
            return factor;
          };
          dx[plane * spatial + offset] += product(-1);
          if (dgrid == nullptr) return;
          for (int64_t d = 0; d < dims; ++d) dgrid[at + dims - 1 - d] += product(d) * x[offset];
        });
      }
    }
  return {};
}

Work WorkForGridSampleGradient(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 8 * call.num_outputs * NumElements(call.shape(2)));
}

std::vector<OpExample> GridSampleGradientExamples() {
  std::vector<OpExample> examples = GridSampleExamples();
  for (size_t i = 0; i < examples.size(); ++i) {
    OpExample& example = examples[i];
    const Shape& x = example.inputs[0].type.shape;
    const Shape& grid = example.inputs[1].type.shape;
    Shape y{x[0], x[1]};
    y.insert(y.end(), grid.begin() + 1, grid.end() - 1);
    example.inputs.push_back(F32(y));
    example.num_outputs = i % 2 == 0 ? 2 : 1;
  }
  return examples;
}

}  // namespace

OpDef MakeGridSampleGradient() {
  return {.domain = "metadist",
          .name = "GridSampleGradient",
          .infer = InferGridSampleGradient,
          .reference = GridSampleGradientReference,
          .work = WorkForGridSampleGradient,
          .examples = GridSampleGradientExamples};
}

}  // namespace metadist::ops
