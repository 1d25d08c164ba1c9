// SPDX-License-Identifier: Apache-2.0
//
// Bodies that are expanded inline: that of a SequenceMap for every tensor, that of a Loop that
// carries a sequence for every iteration, and the taken branch of an If with a known condition.
#include <fmt/format.h>
#include <onnx/defs/attr_proto_util.h>
#include <onnx/defs/tensor_proto_util.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "importers/onnx/adapt_expand.h"

namespace metadist::sequences {

Result<void> Expander::SequenceMap(const NodeProto& node, At at) {
  const Held held = TRY(Sequence(node, at));
  const GraphProto* body = BodyOf(node, "body");
  if (body == nullptr) return BadInput("", "attribute 'body' is missing");
  std::vector<Held> results(static_cast<size_t>(node.output_size()));
  for (size_t i = 0; i < held.tensors.size(); ++i) {
    std::vector<std::string> inputs = {held.tensors[i]};
    for (int k = 1; k < node.input_size(); ++k) {
      const Held* other = at.scope->Find(node.input(k));
      if (other != nullptr && other->tensors.size() != held.tensors.size())
        return BadInput("",
                        fmt::format("its sequences must have one length, got {} and {}",
                                    held.tensors.size(),
                                    other->tensors.size()));
      inputs.push_back(other != nullptr ? other->tensors[i] : node.input(k));
    }
    const auto outputs = TRY(Inline(*body, inputs, fmt::format("{}/{}/", PrefixOf(node), i), at));
    for (size_t o = 0; o < std::min(results.size(), outputs.size()); ++o)
      results[o].tensors.push_back(outputs[o]);
  }
  for (int o = 0; o < node.output_size(); ++o)
    if (!node.output(o).empty())
      at.scope->held[node.output(o)] = std::move(results[static_cast<size_t>(o)]);
  return {};
}

std::string Expander::PrefixOf(const NodeProto& node) {
  for (const std::string& output : node.output())
    if (!output.empty()) return output;
  return node.name();
}

Result<void> Expander::BindAll(const NodeProto& node, const std::vector<std::string>& made, At at) {
  for (int i = 0; i < node.output_size() && i < static_cast<int>(made.size()); ++i)
    TRY(Bind(made[static_cast<size_t>(i)], node.output(i), node, at));
  return {};
}

Result<void> Expander::If(const NodeProto& node, At at) {
  const GraphProto* yes = BodyOf(node, "then_branch");
  const GraphProto* no = BodyOf(node, "else_branch");
  if (yes == nullptr || no == nullptr || !Has(node, 0)) return Keep(node, at);
  if (!Touches(*yes, at.scope, at.names) && !Touches(*no, at.scope, at.names))
    return Keep(node, at);
  auto condition = Integer(node.input(0), "the condition", at.scope);
  if (!condition.ok()) return Keep(node, at);
  const auto made = TRY(Inline(condition.value() != 0 ? *yes : *no, {}, PrefixOf(node) + "/", at));
  return BindAll(node, made, at);
}

Result<void> Expander::Loop(const NodeProto& node, At at) {
  const GraphProto* body = BodyOf(node, "body");
  const bool carries =
      std::any_of(node.input().begin(), node.input().end(), [&](const std::string& input) {
        return at.scope->Find(input) != nullptr;
      });
  if (body == nullptr || !carries) return Keep(node, at);
  const int64_t trips = Has(node, 0)
                            ? TRY(Integer(node.input(0), "the number of iterations", at.scope))
                            : std::numeric_limits<int64_t>::max();
  const std::string base = PrefixOf(node);
  const bool conditional = Has(node, 1);
  std::string condition =
      conditional ? node.input(1) : Constant(at.scope, onnx::ToTensor(true), base + "/condition");
  std::vector<std::string> states(node.input().begin() + 2, node.input().end());
  std::vector<std::vector<std::string>> scans(
      static_cast<size_t>(std::max(0, node.output_size() - static_cast<int>(states.size()))));
  for (int64_t i = 0; i < trips; ++i) {
    if (conditional && TRY(Integer(condition, "the condition", at.scope)) == 0) break;
    std::vector<std::string> inputs = {
        Constant(at.scope, onnx::ToTensor(i), fmt::format("{}/{}/iteration", base, i)), condition};
    inputs.insert(inputs.end(), states.begin(), states.end());
    const auto made = TRY(Inline(*body, inputs, fmt::format("{}/{}/", base, i), at));
    if (made.size() < 1 + states.size() + scans.size())
      return BadInput("",
                      fmt::format("its body must have at least {} outputs, got {}",
                                  1 + states.size() + scans.size(),
                                  made.size()));
    condition = made[0];
    std::copy_n(made.begin() + 1, states.size(), states.begin());
    for (size_t s = 0; s < scans.size(); ++s) scans[s].push_back(made[1 + states.size() + s]);
  }
  TRY(BindAll(node, states, at));
  for (size_t s = 0; s < scans.size(); ++s)
    TRY(Stack(scans[s], node.output(static_cast<int>(states.size() + s)), at));
  return {};
}

Result<void> Expander::Stack(const std::vector<std::string>& pieces, const std::string& to, At at) {
  if (to.empty()) return {};
  if (pieces.empty()) return BadInput("", fmt::format("no iteration produces '{}'", to));
  NodeProto node;
  node.add_output(to);
  const std::vector<std::string> stacked = Unsqueezed(pieces, 0, node, at);
  *Emit(at.scope, "Concat", stacked, to, to)->add_attribute() = onnx::MakeAttribute("axis", 0);
  return {};
}

}  // namespace metadist::sequences
