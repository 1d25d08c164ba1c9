// SPDX-License-Identifier: Apache-2.0
//
// A recurrent layer that runs both ways over a short sequence becomes two layers, one for each
// direction. A layer of one direction can be divided step by step, which takes short sequences; one
// that begins at both ends cannot. The weights of a direction are a part of those of both; constant
// ones are taken apart here, parameters when the graph runs.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "metair/ops/recurrent.h"
#include "metair/passes/infer_types.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

constexpr int64_t kLongestSequence = 16;  // as many steps as a plan writes out

using Ids = std::vector<ValueId>;

// A recurrent layer of both directions whose activations are the same in both.
bool IsSplit(const Graph& graph, const Node& node) {
  const bool recurrent = node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
  if (!recurrent || !node.domain.empty() || node.inputs.size() < 3 || node.inputs[kX] == kNone)
    return false;
  if (node.attributes.String("direction", "") != "bidirectional") return false;
  for (const char* name : {"activations", "activation_alpha", "activation_beta"})
    if (node.attributes.has(name)) return false;
  const Shape& x = graph.value(node.inputs[kX]).type.shape;
  const size_t sequence = node.attributes.Int("layout", 0) == 1 ? 1 : 0;
  return x.size() == 3 && x[sequence] <= kLongestSequence;
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
    std::vector<Ids> made(node.outputs.size());  // by output, then direction
    for (const int64_t direction : {0, 1}) {
      Node one = node;
      one.attributes.set("direction", std::string(direction == 0 ? "forward" : "reverse"));
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

Result<Graph> Run(const Graph& graph, const OpTable& ops) {
  bool any = false;
  Splitter splitter(graph);
  for (const Node& node : graph.nodes) {
    const bool split = IsSplit(graph, node);
    any = any || split;
    split ? splitter.Split(node) : splitter.Keep(node);
  }
  if (!any) return graph;
  return WithoutDeadCode(TRY(InferTypesAndFold(std::move(splitter).Done(), ops)).graph);
}

}  // namespace

extern const PassDef kPass_split_directions;
const PassDef kPass_split_directions = {
    .name = "split_directions",
    .summary = "short recurrent layers of both directions as one of each",
    .run = Run};

}  // namespace metadist::passes
