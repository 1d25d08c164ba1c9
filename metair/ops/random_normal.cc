// SPDX-License-Identifier: Apache-2.0
// An array of random numbers from the normal distribution with attributes mean and scale; attribute
// `shape` gives its shape. Each number is the quantile of one uniform number, so elements are
// independent of each other.
#include "metair/ops/random_normal.h"

#include "metair/ops/drawing.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/random_uniform.h"

namespace metadist {

Result<void> DrawNormal(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double mean = call.attributes->Float("mean", 0);
  const double scale = call.attributes->Float("scale", 1);
  MapRandom(call, in, out[0].shape(), out[0].mutable_data<double>(), [&](int64_t i, uint64_t bits) {
    return mean + scale * NormalOf(bits);
  });
  return {};
}

}  // namespace metadist

namespace metadist::ops {
namespace {

std::vector<OpExample> RandomNormalExamples() {
  return {{.attributes = {{"shape", List{4, 6}}, {"seed", 3.0}}},
          {.inputs = {Absent(), Absent(), Absent(), I64({2})},
           .attributes = {{"shape", List{4, 6}}, {"start", List{0, 0}}, {"mean", 2.0}}},
          {.inputs = {Absent(), Absent(), Absent(), I64({2})},
           .attributes = {{"shape", List{2, 3, 4}}, {"start", List{0, 0, 0}}, {"scale", 0.5}}}};
}

}  // namespace

OpDef MakeRandomNormal() {
  return {.name = "RandomNormal",
          .since_version = 22,
          .infer = InferDrawn,
          .reference = DrawNormal,
          .work = DrawnWork,
          .examples = RandomNormalExamples,
          .deterministic = false};
}

}  // namespace metadist::ops
