// SPDX-License-Identifier: Apache-2.0
//
// A bidirectional recurrent layer becomes two layers, one for each direction. A layer with one
// direction can be computed step by step, or pass its state from piece to piece; one that starts at
// both ends cannot. The weights of a direction are a slice of those of both; constants are sliced
// here, parameters when the graph runs.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metair/ops/graph_builder.h"
#include "metair/ops/recurrent.h"
#include "metair/passes/infer_types.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

// For each direction: names of the activation functions, and their parameters.
struct Activations {
  std::vector<std::string> names;
  std::vector<double> alphas;
  std::vector<double> betas;
};

// nullopt if the lists do not have equal lengths for both directions. Without names the operator's
// defaults apply, which have no parameters.
std::optional<std::vector<Activations>> ActivationsOfBoth(const Attributes& attributes) {
  std::vector<Activations> both(2);
  const std::vector<std::string> names = attributes.Strings("activations");
  if (names.size() % 2 != 0) return std::nullopt;
  const std::vector<double> alphas = attributes.Floats("activation_alpha");
  const std::vector<double> betas = attributes.Floats("activation_beta");
  std::span<const double> alpha(alphas);
  std::span<const double> beta(betas);
  for (size_t i = 0; i < names.size(); ++i) {
    Activations& own = both[2 * i / names.size()];
    const std::span<const double> alpha_before = alpha;
    const std::span<const double> beta_before = beta;
    if (!Activation::Make(names[i], alpha, beta).ok()) return std::nullopt;
    own.names.push_back(names[i]);
    own.alphas.insert(
        own.alphas.end(), alpha_before.begin(), alpha_before.end() - std::ssize(alpha));
    own.betas.insert(own.betas.end(), beta_before.begin(), beta_before.end() - std::ssize(beta));
  }
  return both;
}

// Whether the node is a bidirectional recurrent layer that can be split.
bool IsSplit(const Node& node) {
  const bool recurrent = node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
  return recurrent && node.domain.empty() && node.inputs.size() >= 3 && node.inputs[kX] != kNone &&
         node.attributes.String("direction", "") == "bidirectional" &&
         ActivationsOfBoth(node.attributes);
}

// The slice of a value for one direction.
ValueId Part(GraphBuilder& b, ValueId both, int64_t axis, int64_t direction) {
  const auto place = [&](int64_t at) {
    return b.Constant(Tensor::Of<int64_t>({1}, {at}), fmt::format("place_{}", at));
  };
  const std::string name = b.graph().value(both).name + (direction == 0 ? "@forward" : "@reverse");
  Node node;
  node.name = "take " + name;
  node.op = "Slice";
  node.inputs = {both, place(direction), place(direction + 1), place(axis), place(1)};
  return b.Append(std::move(node), {name})[0];
}

// Adds the layer of one direction.
std::vector<ValueId> AddDirection(GraphBuilder& b,
                                  const Node& node,
                                  const Activations& own,
                                  int64_t direction) {
  Node one = node;
  one.name += direction == 0 ? "/forward" : "/reverse";
  one.attributes.set("direction", std::string(direction == 0 ? "forward" : "reverse"));
  for (const char* name : {"activations", "activation_alpha", "activation_beta"})
    one.attributes.erase(name);
  if (!own.names.empty()) one.attributes.set("activations", own.names);
  if (!own.alphas.empty()) one.attributes.set("activation_alpha", own.alphas);
  if (!own.betas.empty()) one.attributes.set("activation_beta", own.betas);
  for (const size_t input : {kW, kR, kB, kInitialH, kInitialC, kPeepholes}) {
    if (input >= one.inputs.size() || one.inputs[input] == kNone) continue;
    const bool state = input == kInitialH || input == kInitialC;
    const int64_t axis = state ? node.attributes.Int("layout", 0) : 0;
    one.inputs[input] = Part(b, one.inputs[input], axis, direction);
  }
  std::vector<std::string> names;
  for (const ValueId output : node.outputs)
    names.push_back(output == kNone ? "" : b.graph().value(output).name + "@" + one.name);
  return b.Append(std::move(one), names);
}

void Split(GraphBuilder& b, const Node& node) {
  const std::vector<Activations> activations = *ActivationsOfBoth(node.attributes);
  const std::vector<ValueId> forward = AddDirection(b, node, activations[0], 0);
  const std::vector<ValueId> reverse = AddDirection(b, node, activations[1], 1);
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    if (node.outputs[o] == kNone) continue;
    Node join;
    join.name = b.Fresh("join " + b.graph().value(node.outputs[o]).name);
    join.op = "Concat";
    join.attributes.set("axis", (o == 0 ? 1 : 0) + node.attributes.Int("layout", 0));
    join.inputs = {forward[o], reverse[o]};
    join.outputs = {node.outputs[o]};
    b.Keep(std::move(join));
  }
}

Result<Graph> SplitDirections(const Graph& graph, const PassInput& input) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), IsSplit)) return graph;
  GraphBuilder b = GraphBuilder::Rewrite(graph, input.ops);
  for (const Node& node : graph.nodes) IsSplit(node) ? Split(b, node) : b.Keep(node);
  return WithoutDeadCode(TRY(InferTypesAndFold(TRY(b.Done()), input.ops, input.infer)));
}

}  // namespace

extern const PassDef kPass_split_directions = {
    .name = "split_directions",
    .summary = "recurrent layers of both directions as one of each",
    .run = SplitDirections};

}  // namespace metadist::passes
