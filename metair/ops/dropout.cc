// SPDX-License-Identifier: Apache-2.0
// y = x, or in training x scaled by 1 / (1 - ratio) if a random number is at least the ratio, else
// 0; output 1 is the mask of the elements that are kept.
#include <algorithm>

#include "metair/ops/drawing.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

bool IsTraining(const OpCall& call) {
  const Tensor* training = call.has(2) ? call.inputs[2].constant : nullptr;
  return training != nullptr && training->has_data() && training->ToInts()[0] != 0;
}

Result<std::vector<TensorType>> InferDropout(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(1, 4).Floats(0).Floats(1).Rank(1, 0, 0).Bools(2).Rank(2, 0, 0);
  check.That(call.num_outputs <= 2, "expected 1 to 2 outputs, got {}", call.num_outputs);
  if (call.has(2)) {
    const Tensor* training = call.inputs[2].constant;
    check.That(training != nullptr && training->has_data() && training->size() == 1,
               "training_mode must be known at compile time");
  }
  check.That(IsTraining(call) || !call.has(kKeyInput), "a key is for training only");
  CheckDrawing(call, 3, call.inputs.empty() ? 0 : call.shape(0).size(), check);
  TRY(check.Done());
  std::vector<TensorType> types{call.type(0), {ElementType::kBool, call.shape(0)}};
  if (call.num_outputs < 2) types.pop_back();
  return types;
}

Result<void> DropoutReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  bool* mask = out.size() > 1 ? out[1].mutable_data<bool>() : nullptr;
  if (!IsTraining(call)) {
    std::copy_n(x, in[0].size(), y);
    if (mask != nullptr) std::fill_n(mask, in[0].size(), true);
    return {};
  }
  const double ratio = call.has(1) ? in[1].data<double>()[0] : 0.5;
  const double scale = 1 / (1 - ratio);
  MapRandom(call, in, in[0].shape(), y, [&](int64_t i, uint64_t bits) {
    const bool kept = UniformOf(bits) >= ratio;
    if (mask != nullptr) mask[i] = kept;
    return kept ? x[i] * scale : 0;
  });
  return {};
}

Work WorkForDropout(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, (IsTraining(call) ? 2 : 0) * NumElements(call.shape(0)));
}

std::vector<InputDomain> DropoutDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  if (domains.size() > 1)
    domains[1] = {.kind = InputDomain::Kind::kRange, .low = 0.25, .high = 0.75};
  return domains;
}

std::vector<OpExample> DropoutExamples() {
  const OpExample::Input off{.type = {ElementType::kBool, {}}, .constant = {0}};
  const OpExample::Input on{.type = {ElementType::kBool, {}}, .constant = {1}};
  const OpExample::Input key = I64({2});
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({2, 3, 4}), F32({}), off}, .num_outputs = 2},
          {.inputs = {F32({4, 6}), Absent(), off}},
          {.inputs = {F32({4, 6}), F32({}), on}, .attributes = {{"seed", 7}}, .num_outputs = 2},
          {.inputs = {F32({4, 6}), F32({}), on, key}, .attributes = {{"start", List{0, 0}}}},
          {.inputs = {F32({2, 3, 4}), F32({}), on, key},
           .attributes = {{"start", List{0, 0, 0}}},
           .num_outputs = 2}};
}

Result<void> DropoutGradient(GradientCall& g) {
  // The same numbers are drawn again.
  g.Give(0, g.Again(g.dy()));
  return g.Refuse(1);
}

}  // namespace

OpDef MakeDropout() {
  return {.name = "Dropout",
          .since_version = 22,
          .infer = InferDropout,
          .reference = DropoutReference,
          .gradient = DropoutGradient,
          .work = WorkForDropout,
          .domain_of = DropoutDomain,
          .examples = DropoutExamples,
          .untrained = 0b110,
          .deterministic = false};
}

}  // namespace metadist::ops
