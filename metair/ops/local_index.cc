// SPDX-License-Identifier: Apache-2.0
// Converts indices into a dim of size `whole` to indices into its elements `start` to `start` +
// `length`; indices outside become `length`. whole = 0: negative indices do not count from the end.
// `column` (-1: all): only indices at this position of the last dim are converted.
#include "metair/ops/local_index.h"

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/index.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferLocalIndex(const OpCall& call) {
  const int64_t column = call.attributes->Int("column", -1);
  TRY(CallCheck(call)
          .Inputs(1)
          .Integers(0)
          .RankAtLeast(0, column < 0 ? 0 : 1)
          .That(call.attributes->Int("length", 0) >= 0 && call.attributes->Int("whole", 0) >= 0,
                "length and whole must be at least 0")
          .Done());
  if (column >= 0 && column >= call.shape(0).back())
    return BadCall("column must be below {}, got {}", call.shape(0).back(), column);
  return std::vector<TensorType>{call.type(0)};
}

Result<void> LocalIndexReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  const int64_t start = call.attributes->Int("start", 0);
  const int64_t length = call.attributes->Int("length", 0);
  const int64_t whole = call.attributes->Int("whole", 0);
  const int64_t column = call.attributes->Int("column", -1);
  const int64_t columns = column < 0 ? 1 : in[0].shape().back();
  const int64_t* from = in[0].data<int64_t>();
  int64_t* to = out[0].mutable_data<int64_t>();
  for (int64_t i = 0; i < in[0].size(); ++i) {
    const bool counts = column < 0 || i % columns == column;
    to[i] = counts ? CountedFrom(from[i], start, length, whole) : from[i];
  }
  return {};
}

std::vector<OpExample> LocalIndexExamples() {
  return {{.inputs = {I64({4, 6})},
           .attributes = {{"start", 4}, {"length", 3}, {"whole", 12}, {"column", -1}}},
          {.inputs = {I64({5, 2})},
           .attributes = {{"start", 2}, {"length", 4}, {"whole", 0}, {"column", 1}}}};
}

}  // namespace

OpDef MakeLocalIndex() {
  return {.domain = "metadist",
          .name = "LocalIndex",
          .infer = InferLocalIndex,
          .reference = LocalIndexReference,
          .work = MoveWork,
          .examples = LocalIndexExamples,
          .elementwise = true};
}

}  // namespace metadist::ops

namespace metadist {

Node LocalIndexNode(std::string name, const IndexPart& part, ValueId indices, ValueId counted) {
  Node node;
  node.name = std::move(name);
  node.domain = "metadist";
  node.op = "LocalIndex";
  node.attributes.set("start", part.start);
  node.attributes.set("length", part.length);
  node.attributes.set("whole", part.whole);
  node.attributes.set("column", part.column);
  node.inputs = {indices};
  node.outputs = {counted};
  return node;
}

}  // namespace metadist
