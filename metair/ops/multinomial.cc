// SPDX-License-Identifier: Apache-2.0
// y[b, s] = a class drawn with the probabilities softmax(x[b, :]), sample_size times for each row:
// the first class at which the cumulative probability exceeds a uniform random number.
#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/drawing.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferMultinomial(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(1, kKeyInput + 1);
  TRY(check.Done());
  const int64_t samples = call.attributes->Int("sample_size", 1);
  check.Floats(0).Rank(0, 2, 2).That(
      samples >= 0, "sample_size must be at least 0, got {}", samples);
  CheckDrawing(call, 1, 2, check);
  TRY(check.Done());
  if (call.shape(0)[1] == 0) return BadCall("there is no class to draw");
  const ElementType element = TRY(DrawnType(call, ElementType::kI32));
  if (ClassOf(element) != ElementClass::kInt)
    return BadCall("classes are integers, got dtype {}", Name(element));
  const Shape shape = {call.shape(0)[0], samples};
  TRY(CheckedElements(shape, element));
  return std::vector<TensorType>{{element, shape}};
}

Result<void> MultinomialReference(const OpCall& call,
                                  std::span<const Tensor> in,
                                  std::span<Tensor> out) {
  const int64_t classes = in[0].dim(1);
  const int64_t samples = out[0].dim(1);
  std::vector<double> below(static_cast<size_t>(classes));  // cumulative weights
  int64_t row = -1;
  MapRandom(
      call, in, out[0].shape(), out[0].mutable_data<int64_t>(), [&](int64_t i, uint64_t bits) {
        if (i / samples != row) {
          row = i / samples;
          const double* x = in[0].data<double>() + row * classes;
          const double top = *std::max_element(x, x + classes);
          double sum = 0;
          for (size_t c = 0; c < below.size(); ++c) below[c] = sum += std::exp(x[c] - top);
        }
        const auto at =
            std::upper_bound(below.begin(), below.end(), UniformOf(bits) * below.back());
        return std::min<int64_t>(at - below.begin(), classes - 1);
      });
  return {};
}

Work WorkForMultinomial(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 3 * NumElements(call.shape(0)) + NumElements(outputs[0].shape));
}

std::vector<OpExample> MultinomialExamples() {
  return {{.inputs = {F32({4, 6})}, .attributes = {{"sample_size", 3}, {"seed", 3.0}}},
          {.inputs = {F32({4, 6}), Absent(), Absent(), I64({2})},
           .attributes = {{"sample_size", 5}, {"start", List{0, 0}}, {"dtype", 7}}}};
}

}  // namespace

OpDef MakeMultinomial() {
  return {.name = "Multinomial",
          .since_version = 22,
          .infer = InferMultinomial,
          .reference = MultinomialReference,
          .work = WorkForMultinomial,
          .examples = MultinomialExamples,
          .deterministic = false};
}

}  // namespace metadist::ops
