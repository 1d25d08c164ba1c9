// SPDX-License-Identifier: Apache-2.0
// y[batch, i...] = x[batch, indices[batch, i..., :]]: each row of indices selects an element or a
// slice of x.
#include <algorithm>
#include <cstring>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/index.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferGatherND(const OpCall& call) {
  const int64_t batch = call.attributes->Int("batch_dims", 0);
  TRY(CallCheck(call).Inputs(2).Integers(1).RankAtLeast(0, 1).RankAtLeast(1, 1).Done());
  const Shape& data = call.shape(0);
  const Shape& indices = call.shape(1);
  if (batch < 0 || batch >= std::min(call.rank(0), call.rank(1)))
    return BadCall(
        "batch_dims must be in [0, {}], got {}", std::min(call.rank(0), call.rank(1)) - 1, batch);
  const int64_t depth = indices.back();
  CallCheck check(call);
  check.That(std::equal(data.begin(), data.begin() + batch, indices.begin()),
             "the first {} dims of {} and {} must be equal",
             batch,
             ShapeText(data),
             ShapeText(indices));
  check.That(depth >= 1 && depth <= call.rank(0) - batch,
             "rows of indices must have 1 to {} entries, got {}",
             call.rank(0) - batch,
             depth);
  TRY(check.Done());
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + batch + depth, data.end());
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> GatherNDReference(const OpCall& call,
                               std::span<const Tensor> in,
                               std::span<Tensor> out) {
  const int64_t batch = call.attributes->Int("batch_dims", 0);
  const Tensor& data = in[0];
  const int64_t depth = in[1].shape().back();
  const std::vector<int64_t> strides = Strides(data.shape());
  const int64_t batches = NumElements({data.shape().begin(), data.shape().begin() + batch});
  const int64_t rows =
      NumElements({in[1].shape().begin() + batch, in[1].shape().end() - 1});  // in each batch
  const int64_t inner = NumElements({data.shape().begin() + batch + depth, data.shape().end()});
  const int64_t whole = NumElements({data.shape().begin() + batch, data.shape().end()});
  const int64_t bytes = ByteSize(data.element());
  const int64_t* index = in[1].data<int64_t>();
  std::byte* to = out[0].mutable_bytes();
  for (int64_t row = 0; row < batches * rows; ++row, index += depth, to += inner * bytes) {
    int64_t at = row / rows * whole;
    for (int64_t d = 0; d < depth; ++d)
      at += strides[static_cast<size_t>(batch + d)] *
            TRY(NormalizeIndex(index[d], data.dim(batch + d)));
    std::memcpy(to, data.bytes() + at * bytes, static_cast<size_t>(inner * bytes));
  }
  return {};
}

Work WorkForGatherND(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = 2 * outputs[0].bytes() + call.type(1).bytes()};
}

std::vector<InputDomain> GatherNDDomain(const OpCall& call) {
  InputDomain rows{.kind = InputDomain::Kind::kIndex, .negative_ok = true};
  const int batch = static_cast<int>(call.attributes->Int("batch_dims", 0));
  for (int d = 0; d < static_cast<int>(call.shape(1).back()); ++d)
    rows.bounds.push_back({0, batch + d});
  return {{}, rows};
}

std::vector<OpExample> GatherNDExamples() {
  return {{.inputs = {F32({4, 6}), I64({5, 2})}},
          {.inputs = {F32({4, 6, 3}), I64({5, 2})}},
          {.inputs = {F32({2, 4, 6}), I64({2, 5, 1})}, .attributes = {{"batch_dims", 1}}},
          {.inputs = {Bool({4, 6}), I64({2, 3, 2})}}};
}

Result<void> GatherNDGradient(GradientCall& g) {
  // With batch dims, rows of indices get the positions of their batch before them.
  const int64_t batch = g.attributes().Int("batch_dims", 0);
  Term indices = g.x(1).As(ElementType::kI64);
  for (int64_t d = batch; d-- > 0;) {
    Shape column = indices.shape();
    column.back() = 1;
    std::vector<int64_t> later;
    for (size_t i = static_cast<size_t>(d) + 1; i < column.size(); ++i)
      later.push_back(static_cast<int64_t>(i) - d);
    const int64_t size = column[static_cast<size_t>(d)];
    const Term positions = Term(g.b(), ComposePositions(g.b(), 0, size)).Unsqueezed(later);
    indices = positions.Expanded(column).Apply("Concat", {indices}, {{"axis", -1}});
  }
  const Term zeros = g.dy().Zeros(g.call().shape(0));
  g.Give(0, zeros.Apply("ScatterND", {indices, g.dy()}, {{"reduction", "add"}}));
  return {};
}

}  // namespace

OpDef MakeGatherND() {
  return {.name = "GatherND",
          .since_version = 13,
          .infer = InferGatherND,
          .reference = GatherNDReference,
          .gradient = GatherNDGradient,
          .work = WorkForGatherND,
          .domain_of = GatherNDDomain,
          .examples = GatherNDExamples};
}

}  // namespace metadist::ops
