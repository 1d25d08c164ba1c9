// SPDX-License-Identifier: Apache-2.0
//
// A recurrent layer that runs both ways becomes two layers, one for each direction. A layer of one
// direction can be divided step by step, or hand its state from piece to piece; one that begins at
// both ends cannot. The weights of a direction are a part of those of both; constant ones are taken
// apart here, parameters when the graph runs.
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metair/ops/recurrent.h"
#include "metair/passes/infer_types.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

using Ids = std::vector<ValueId>;

// Attributes by name, for each direction: functions, and the parameters that they take.
struct Activations {
  std::vector<std::string> names;
  std::vector<double> alphas;
  std::vector<double> betas;
};

// nullopt: they are not as many for either direction. No names: those of the operator, which take
// no parameters.
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

// A recurrent layer of both directions.
bool IsSplit(const Node& node) {
  const bool recurrent = node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
  return recurrent && node.domain.empty() && node.inputs.size() >= 3 && node.inputs[kX] != kNone &&
         node.attributes.String("direction", "") == "bidirectional" &&
         ActivationsOfBoth(node.attributes);
}

class Splitter {
 public:
  explicit Splitter(const Graph& graph) : out_(graph) {
    out_.nodes.clear();
    for (const Value& value : graph.values) taken_.insert(value.name);
    for (const Node& node : graph.nodes) taken_.insert(node.name);
  }

  void Keep(const Node& node) { out_.AddNode(node); }

  void Split(const Node& node) {
    const int64_t batch_first = node.attributes.Int("layout", 0);
    const std::vector<Activations> activations = *ActivationsOfBoth(node.attributes);
    std::vector<Ids> made(node.outputs.size());  // by output, then direction
    for (const int64_t direction : {0, 1}) {
      Node one = node;
      one.attributes.set("direction", std::string(direction == 0 ? "forward" : "reverse"));
      const Activations& own = activations[static_cast<size_t>(direction)];
      for (const char* name : {"activations", "activation_alpha", "activation_beta"})
        one.attributes.erase(name);
      if (!own.names.empty()) one.attributes.set("activations", own.names);
      if (!own.alphas.empty()) one.attributes.set("activation_alpha", own.alphas);
      if (!own.betas.empty()) one.attributes.set("activation_beta", own.betas);
      one.name = Fresh(node.name + (direction == 0 ? "/forward" : "/reverse"));
      for (const size_t input : {kW, kR, kB, kInitialH, kInitialC, kPeepholes}) {
        const bool state = input == kInitialH || input == kInitialC;
        if (input < one.inputs.size() && one.inputs[input] != kNone)
          one.inputs[input] = Part(one.inputs[input], state ? batch_first : 0, direction);
      }
      for (size_t o = 0; o < one.outputs.size(); ++o) {
        if (node.outputs[o] == kNone) continue;
        one.outputs[o] = Made(node.outputs[o], one.name);
        made[o].push_back(one.outputs[o]);
      }
      out_.AddNode(std::move(one));
    }
    for (size_t o = 0; o < made.size(); ++o)
      if (!made[o].empty())
        Emit("Concat", made[o], node.outputs[o], (o == 0 ? 1 : 0) + batch_first);
  }

  Graph Done() && { return std::move(out_); }

 private:
  std::string Fresh(const std::string& name) {
    std::string fresh = name;
    while (!taken_.insert(fresh).second) fresh += "_";
    return fresh;
  }

  // Typed when all are made.
  ValueId Made(ValueId like, const std::string& suffix) {
    return out_.AddValue({Fresh(out_.value(like).name + "@" + suffix),
                          out_.value(like).type,
                          ValueKind::kResult,
                          {},
                          kNone});
  }

  ValueId Place(int64_t place) {
    const Tensor data = Tensor::Of<int64_t>({1}, {place});
    return out_.AddValue(
        {Fresh("place_" + std::to_string(place)), data.type(), ValueKind::kConstant, data, kNone});
  }

  // One of both directions of a value.
  ValueId Part(ValueId both, int64_t axis, int64_t direction) {
    const ValueId part = Made(both, direction == 0 ? "forward" : "reverse");
    Node node;
    node.name = Fresh("take " + out_.value(part).name);
    node.op = "Slice";
    node.inputs = {both, Place(direction), Place(direction + 1), Place(axis), Place(1)};
    node.outputs = {part};
    out_.AddNode(std::move(node));
    return part;
  }

  void Emit(const std::string& op, Ids inputs, ValueId output, int64_t axis) {
    Node node;
    node.name = Fresh("join " + out_.value(output).name);
    node.op = op;
    node.attributes.set("axis", axis);
    node.inputs = std::move(inputs);
    node.outputs = {output};
    out_.AddNode(std::move(node));
  }

  Graph out_;
  std::set<std::string> taken_;
};

Result<Graph> Run(const Graph& graph, const PassInput& input) {
  bool any = false;
  Splitter splitter(graph);
  for (const Node& node : graph.nodes) {
    const bool split = IsSplit(node);
    any = any || split;
    split ? splitter.Split(node) : splitter.Keep(node);
  }
  if (!any) return graph;
  return WithoutDeadCode(
      TRY(InferTypesAndFold(std::move(splitter).Done(), input.ops, input.infer)).graph);
}

}  // namespace

extern const PassDef kPass_split_directions;
const PassDef kPass_split_directions = {
    .name = "split_directions",
    .summary = "recurrent layers of both directions as one of each",
    .run = Run};

}  // namespace metadist::passes
