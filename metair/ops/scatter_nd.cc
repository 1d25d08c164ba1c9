// SPDX-License-Identifier: Apache-2.0
// A copy of x with updates written (or added, ...) to the elements or slices that the rows of
// indices select; of several updates of one element the last is kept.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/index.h"
#include "metair/ops/ops.h"
#include "metair/ops/scatter.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferScatterND(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(3)
          .RankAtLeast(0, 1)
          .Integers(1)
          .RankAtLeast(1, 1)
          .SameElement(0, 2)
          .Done());
  const int64_t depth = call.shape(1).back();
  if (depth < 1 || depth > call.rank(0))
    return BadCall("rows of indices must have 1 to {} entries, got {}", call.rank(0), depth);
  Shape updates(call.shape(1).begin(), call.shape(1).end() - 1);
  updates.insert(updates.end(), call.shape(0).begin() + depth, call.shape(0).end());
  if (call.shape(2) != updates)
    return BadCall("updates must be {}, got {}", ShapeText(updates), ShapeText(call.shape(2)));
  TRY(CheckScatterReduction(call));
  return std::vector<TensorType>{call.type(0)};
}

Result<void> ScatterNDReference(const OpCall& call,
                                std::span<const Tensor> in,
                                std::span<Tensor> out) {
  const std::string reduction = call.attributes->String("reduction", "none");
  const int64_t depth = in[1].shape().back();
  const int64_t rows = in[1].size() / depth;
  const int64_t inner = NumElements({in[0].shape().begin() + depth, in[0].shape().end()});
  const std::vector<int64_t> strides = Strides(in[0].shape());
  const int64_t* index = in[1].data<int64_t>();
  CopyBytes(in[0], out[0]);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t at = 0;
    for (int64_t d = 0; d < depth; ++d)
      at += strides[static_cast<size_t>(d)] *
            TRY(NormalizeIndex(index[row * depth + d], in[0].dim(d)));
    ScatterInto(reduction, in[2], row * inner, inner, out[0], at);
  }
  return {};
}

Work WorkForScatterND(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t flops =
      call.attributes->String("reduction", "none") == "none" ? 0 : NumElements(call.shape(2));
  return FlopsWork(call, outputs, flops);
}

std::vector<InputDomain> ScatterNDDomain(const OpCall& call) {
  InputDomain rows{.kind = InputDomain::Kind::kIndex, .negative_ok = true};
  for (int d = 0; d < static_cast<int>(call.shape(1).back()); ++d) rows.bounds.push_back({0, d});
  return {{}, rows, {}};
}

std::vector<OpExample> ScatterNDExamples() {
  return {{.inputs = {F32({4, 6}), I64({5, 1}), F32({5, 6})}, .attributes = {{"reduction", "add"}}},
          {.inputs = {F32({4, 6}), I64({1, 2}), F32({1})}},
          {.inputs = {F32({3, 4, 5}), I64({2, 3, 2}), F32({2, 3, 5})},
           .attributes = {{"reduction", "max"}}}};
}

Result<void> ScatterNDGradient(GradientCall& g) {
  GiveScattered(g, [&](const Term& all) { return all.Apply("GatherND", {g.x(1)}); });
  return {};
}

}  // namespace

OpDef MakeScatterND() {
  return {.name = "ScatterND",
          .since_version = 18,
          .infer = InferScatterND,
          .reference = ScatterNDReference,
          .gradient = ScatterNDGradient,
          .work = WorkForScatterND,
          .domain_of = ScatterNDDomain,
          .examples = ScatterNDExamples};
}

}  // namespace metadist::ops
