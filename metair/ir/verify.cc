// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace metadist {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), made_(graph.values.size(), false) {}

  std::vector<Error> Run() {
    CheckValues();
    for (ValueId id : graph_.inputs) CheckInput(id);
    for (size_t v = 0; v < graph_.values.size(); ++v) CheckStored(v);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) CheckNode(static_cast<NodeId>(n));
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      CheckUse(graph_.outputs[i], fmt::format("output {}", i));
    for (const StatePair& pair : graph_.state) CheckState(pair);
    CheckMicroBatches();
    return std::move(problems_);
  }

 private:
  void Report(const std::string& where, std::string message) {
    problems_.push_back(BadInput(where, std::move(message)));
  }
  bool InRange(ValueId id) const {
    return id >= 0 && static_cast<size_t>(id) < graph_.values.size();
  }
  std::string NameOf(ValueId id) const {
    return InRange(id) ? "'" + graph_.value(id).name + "'" : fmt::format("with id {}", id);
  }

  void CheckValues() {
    std::set<std::string> names;
    for (const Value& value : graph_.values) {
      if (value.name.empty()) Report("", "a value has no name");
      if (!value.name.empty() && !names.insert(value.name).second)
        Report(fmt::format("value '{}'", value.name), "two values have this name");
    }
    names.clear();
    for (const Node& node : graph_.nodes) {
      if (node.name.empty()) Report("", fmt::format("a node ({}) has no name", node.op));
      if (!node.name.empty() && !names.insert(node.name).second)
        Report(fmt::format("node '{}'", node.name), "two nodes have this name");
    }
  }

  void CheckInput(ValueId id) {
    if (!InRange(id)) return Report("", fmt::format("graph input {} does not exist", id));
    if (graph_.value(id).kind != ValueKind::kInput)
      Report(fmt::format("value {}", NameOf(id)), "a graph input is not of kind input");
    if (made_[static_cast<size_t>(id)])
      Report(fmt::format("value {}", NameOf(id)), "it is a graph input twice");
    made_[static_cast<size_t>(id)] = true;
  }

  void CheckStored(size_t v) {
    const Value& value = graph_.values[v];
    if (value.kind != ValueKind::kParameter && value.kind != ValueKind::kConstant) return;
    made_[v] = true;
    if (value.data.type() != value.type)
      Report(fmt::format("value '{}'", value.name),
             fmt::format("its stored tensor must be {}, got {}",
                         TypeText(value.type),
                         TypeText(value.data.type())));
  }

  void CheckUse(ValueId id, const std::string& where) {
    if (!InRange(id)) return Report(where, fmt::format("value {} does not exist", id));
    if (!made_[static_cast<size_t>(id)])
      Report(where, fmt::format("value {} is used before it is made", NameOf(id)));
  }

  void CheckNode(NodeId id) {
    const Node& node = graph_.node(id);
    const std::string where = fmt::format("node '{}' ({})", node.name, node.op);
    if (node.op.empty()) Report(where, "it has no operator");
    if (node.outputs.empty()) Report(where, "it has no outputs");
    for (ValueId input : node.inputs)
      if (input != kNone) CheckUse(input, where);
    for (const Region& region : node.regions) CheckRegion(region, where);
    for (ValueId output : node.outputs) {
      if (output == kNone) continue;
      if (!InRange(output)) {
        Report(where, fmt::format("output {} does not exist", output));
        continue;
      }
      const Value& value = graph_.value(output);
      if (value.kind != ValueKind::kResult || value.producer != id)
        Report(where, fmt::format("value {} is not marked as its result", NameOf(output)));
      if (made_[static_cast<size_t>(output)])
        Report(where, fmt::format("value {} is made twice", NameOf(output)));
      made_[static_cast<size_t>(output)] = true;
    }
  }

  void CheckRegion(const Region& region, const std::string& node) {
    const std::string where = fmt::format("{}: {}", node, region.name);
    if (region.graph == nullptr) return Report(where, "it has no graph");
    for (ValueId capture : region.captures) CheckUse(capture, where);
    const std::vector<ValueId>& inputs = region.graph->inputs;
    if (inputs.size() < region.captures.size())
      Report(
          where,
          fmt::format("{} captures do not fit {} inputs", region.captures.size(), inputs.size()));
    if (region.graph->micro_batches != 1) Report(where, "a body has no micro-batches");
    auto inner = Verify(*region.graph);
    if (!inner.ok()) problems_.push_back(std::move(inner).error().in(where));
  }

  void CheckState(const StatePair& pair) {
    CheckUse(pair.input, "state");
    CheckUse(pair.output, "state");
    if (!InRange(pair.input) || !InRange(pair.output)) return;
    const TensorType& before = graph_.value(pair.input).type;
    const TensorType& after = graph_.value(pair.output).type;
    const std::string where = fmt::format("state {}", NameOf(pair.input));
    if (before != after)
      Report(where,
             fmt::format("its new value must be {}, got {}", TypeText(before), TypeText(after)));
    const ValueKind kind = graph_.value(pair.input).kind;
    if (kind != ValueKind::kInput && kind != ValueKind::kParameter)
      Report(where, "it must be an input or a parameter");
    if (!carried_.insert(pair.input).second) Report(where, "it has two new values");
    if (pair.sums && kind != ValueKind::kInput) Report(where, "a sum must be an input");
    if (!pair.sums && std::find(graph_.outputs.begin(), graph_.outputs.end(), pair.output) ==
                          graph_.outputs.end())
      Report(where,
             fmt::format("its new value {} must be an output of the graph", NameOf(pair.output)));
  }

  void CheckMicroBatches() {
    if (graph_.micro_batches < 1 || graph_.micro_batches > kMostMicroBatches)
      Report("micro-batches",
             fmt::format("expected 1 to {}, got {}", kMostMicroBatches, graph_.micro_batches));
  }

  const Graph& graph_;
  std::vector<bool> made_;
  std::set<ValueId> carried_;
  std::vector<Error> problems_;
};

}  // namespace

Result<void> Verify(const Graph& graph) {
  std::vector<Error> problems = Verifier(graph).Run();
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

}  // namespace metadist
