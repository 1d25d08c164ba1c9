// SPDX-License-Identifier: Apache-2.0
// y = a shifted by b bits in `direction` (LEFT or RIGHT), with broadcasting; of unsigned integers.
#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferBitShift(const OpCall& call) {
  const std::string direction = call.attributes->String("direction", "");
  CallCheck check(call);
  check.That(direction == "LEFT" || direction == "RIGHT",
             "direction must be LEFT or RIGHT, got '{}'",
             direction);
  if (call.has(0))
    check.That(IsUnsigned(call.type(0).element),
               "input 0 must hold unsigned integers, got {}",
               Name(call.type(0).element));
  TRY(check.Done());
  return InferIntegerBinary(call);
}

Result<void> BitShiftReference(const OpCall& call,
                               std::span<const Tensor> in,
                               std::span<Tensor> out) {
  const bool left = call.attributes->String("direction", "") == "LEFT";
  MapBinary<int64_t, int64_t>(in[0], in[1], out[0], [left](int64_t a, int64_t b) -> int64_t {
    if (b < 0 || b >= 64) return 0;
    const uint64_t bits = static_cast<uint64_t>(a);
    return static_cast<int64_t>(left ? bits << b : bits >> b);
  });
  return {};
}

std::vector<InputDomain> BitShiftDomain(const OpCall& call) {
  return {{}, {.kind = InputDomain::Kind::kRange, .low = 0, .high = 7}};
}

std::vector<OpExample> BitShiftExamples() {
  return {{.inputs = {U8({4, 6}), U8({6})}, .attributes = {{"direction", "LEFT"}}},
          {.inputs = {Of(ElementType::kU64, {4, 6}), Of(ElementType::kU64, {4, 6})},
           .attributes = {{"direction", "RIGHT"}}}};
}

}  // namespace

OpDef MakeBitShift() {
  return {.name = "BitShift",
          .since_version = 11,
          .infer = InferBitShift,
          .reference = BitShiftReference,
          .domain_of = BitShiftDomain,
          .examples = BitShiftExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
