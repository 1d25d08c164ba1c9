// SPDX-License-Identifier: Apache-2.0
// The value of the one attribute that is set.
#include <optional>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

// The attribute's value; nullopt if none is set, or if metadist has no type for it.
std::optional<Tensor> ValueOf(const Attributes& attributes) {
  if (const Tensor* tensor = attributes.Array("value")) return *tensor;
  if (attributes.has("value_int")) return Tensor::Scalar(attributes.Int("value_int", 0));
  if (attributes.has("value_float"))
    return Tensor::Scalar(static_cast<float>(attributes.Float("value_float", 0)));
  if (attributes.has("value_ints")) {
    const std::vector<int64_t> values = attributes.Ints("value_ints");
    return Tensor::Of({static_cast<int64_t>(values.size())}, values);
  }
  const auto found = attributes.all().find("value_floats");
  if (found == attributes.all().end()) return std::nullopt;
  const auto* doubles = std::get_if<std::vector<double>>(&found->second);
  if (doubles == nullptr) return std::nullopt;
  return Tensor::Of({static_cast<int64_t>(doubles->size())},
                    std::vector<float>(doubles->begin(), doubles->end()));
}

Result<std::vector<TensorType>> InferConstant(const OpCall& call) {
  const std::optional<Tensor> value = ValueOf(*call.attributes);
  TRY(CallCheck(call)
          .Inputs(0)
          .That(value.has_value(),
                "one attribute of value, value_int, value_ints, value_float and value_floats is "
                "needed")
          .Done());
  return std::vector<TensorType>{value->type()};
}

Result<void> ConstantReference(const OpCall& call,
                               std::span<const Tensor> in,
                               std::span<Tensor> out) {
  const Tensor value = *ValueOf(*call.attributes);
  if (!value.has_data()) return BadCall("the elements of the value are absent");
  CopyBytes(value.Cast(out[0].element()), out[0]);
  return {};
}

std::vector<OpExample> ConstantExamples() {
  return {{.attributes = {{"value", Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})}}},
          {.attributes = {{"value_int", 7}}},
          {.attributes = {{"value_float", 0.5}}},
          {.attributes = {{"value_ints", List{3, 4}}}}};
}

}  // namespace

OpDef MakeConstant() {
  return {.name = "Constant",
          .since_version = 25,
          .infer = InferConstant,
          .reference = ConstantReference,
          .work = NoWork,
          .examples = ConstantExamples};
}

}  // namespace metadist::ops
