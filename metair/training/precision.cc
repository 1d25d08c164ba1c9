// SPDX-License-Identifier: Apache-2.0
#include "metair/training/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/unique_names.h"
#include "metair/ops/graph_builder.h"

namespace metadist {
namespace {

class Narrower {
 public:
  Narrower(const Graph& model, ElementType narrow, const OpTable& ops)
      : model_(model),
        narrow_(narrow),
        ops_(ops),
        b_(model.name, ops),
        made_(model.values.size()) {}

  Result<Graph> Run() {
    const std::vector<bool> kept = KeptParameters();
    for (const ValueId id : model_.inputs) {
      const Value& value = model_.value(id);
      own(id) = b_.Input(value.name, value.type);
    }
    for (size_t v = 0; v < model_.values.size(); ++v) {
      const Value& value = model_.values[v];
      if (value.kind == ValueKind::kConstant)
        made_[v].own = b_.Constant(value.data, value.name);
      else if (value.kind == ValueKind::kParameter)
        made_[v].own = b_.Parameter(
            value.name,
            kept[v] || value.type.element != ElementType::kF32 ? value.data : Narrow(value.data));
    }
    for (const Node& node : model_.nodes) Write(node);
    for (const ValueId id : model_.outputs)
      b_.Output(IsNarrow(id) ? As(ElementType::kF32, id) : own(id));
    Graph graph = TRY(b_.Done());
    RestoreNames(graph);
    graph.opset = model_.opset;
    for (size_t i = 0; i < model_.inputs.size(); ++i)
      graph.value(graph.inputs[i]).data = model_.value(model_.inputs[i]).data;
    return graph;
  }

 private:
  // A value of the model in the new graph: as it is made there, and converted once it is needed.
  struct Made {
    ValueId own = kNone;
    ValueId other = kNone;
  };

  ValueId& own(ValueId id) { return made_[static_cast<size_t>(id)].own; }

  bool IsWide(ValueId id) const {
    return id != kNone && model_.value(id).type.element == ElementType::kF32;
  }

  // Whether an f32 value of the model is narrow now.
  bool IsNarrow(ValueId id) { return IsWide(id) && b_.type(own(id)).element == narrow_; }

  // Those of operators' inputs that are no weights.
  std::vector<bool> KeptParameters() const {
    std::vector<bool> kept(model_.values.size());
    for (const Node& node : model_.nodes) {
      const OpDef* op = ops_.Find(node);
      for (size_t i = 0; op != nullptr && i < node.inputs.size() && i < kBits; ++i)
        if (node.inputs[i] != kNone && (op->untrained >> i & 1) != 0)
          kept[static_cast<size_t>(node.inputs[i])] = true;
    }
    return kept;
  }

  // Numbers beyond the type's range become its largest.
  Tensor Narrow(const Tensor& data) const {
    if (!data.has_data()) return Tensor::Absent({narrow_, data.shape()});
    if (narrow_ != ElementType::kF16) return data.Cast(narrow_);
    constexpr float kLargest = 65504;
    Tensor clamped = data.Clone();
    float* const numbers = clamped.mutable_data<float>();
    for (int64_t i = 0; i < clamped.size(); ++i)
      if (std::abs(numbers[i]) <= std::numeric_limits<float>::max())
        numbers[i] = std::clamp(numbers[i], -kLargest, kLargest);
    return clamped.Cast(narrow_);
  }

  ValueId As(ElementType element, ValueId id) {
    Made& made = made_[static_cast<size_t>(id)];
    if (b_.type(made.own).element == element) return made.own;
    if (made.other == kNone) {
      const Value& value = model_.value(id);
      made.other = value.is_known() ? b_.Constant(Narrow(value.data)) : b_.As(element, made.own);
    }
    return made.other;
  }

  // The node on values of the new graph. narrow: which of its f32 inputs are to be narrow.
  template <typename Which>
  Node On(const Node& node, const Which& narrow) {
    Node out = node;
    for (ValueId& id : out.inputs)
      if (id != kNone) id = IsWide(id) ? As(narrow(id) ? narrow_ : ElementType::kF32, id) : own(id);
    for (Region& region : out.regions)
      for (ValueId& id : region.captures) id = IsWide(id) ? As(ElementType::kF32, id) : own(id);
    return out;
  }

  bool Suits(const Node& node) const {
    const OpDef* op = ops_.Find(node);
    return op != nullptr && InferTypes(CallOf(*op, b_.graph(), node)).ok();
  }

  bool MakesSingleNumbers(const Node& node) const {
    return std::ranges::all_of(node.outputs, [&](ValueId id) {
      return id == kNone || NumElements(model_.value(id).type.shape) == 1;
    });
  }

  void Write(const Node& node) {
    const bool any = std::ranges::any_of(node.inputs, [&](ValueId id) { return IsNarrow(id); });
    if (!any || !node.regions.empty() || MakesSingleNumbers(node))
      return Append(node, On(node, [](ValueId) { return false; }));
    Node all = On(node, [](ValueId) { return true; });
    if (Suits(all)) return Append(node, std::move(all));
    Node some = On(node, [&](ValueId id) { return IsNarrow(id); });
    if (Suits(some)) return Append(node, std::move(some));
    Append(node, On(node, [](ValueId) { return false; }));
  }

  void Append(const Node& node, Node on) {
    std::vector<std::string> names;
    for (const ValueId id : node.outputs) names.push_back(id == kNone ? "" : model_.value(id).name);
    on.outputs.clear();
    const std::vector<ValueId> made = b_.Append(std::move(on), names);
    for (size_t o = 0; o < made.size(); ++o)
      if (node.outputs[o] != kNone) own(node.outputs[o]) = made[o];
  }

  // Values have the names that they have in the model; of an output, that is the value of its type.
  void RestoreNames(Graph& graph) {
    UniqueNames names;
    std::set<std::string> given;
    for (const Value& value : model_.values) {
      names.Take(value.name);
      given.insert(value.name);
    }
    for (Value& value : graph.values)
      if (given.count(value.name) > 0) value.name = names.Fresh(value.name);
    for (size_t v = 0; v < made_.size(); ++v)
      if (made_[v].own != kNone) graph.value(made_[v].own).name = model_.values[v].name;
    for (size_t o = 0; o < graph.outputs.size(); ++o) {
      const ValueId made = own(model_.outputs[o]);
      if (graph.outputs[o] == made) continue;
      const std::string name = model_.value(model_.outputs[o]).name;
      graph.value(made).name = names.Fresh(fmt::format("{}.{}", name, Name(narrow_)));
      graph.value(graph.outputs[o]).name = name;
    }
  }

  static constexpr size_t kBits = 32;

  const Graph& model_;
  const ElementType narrow_;
  const OpTable& ops_;
  GraphBuilder b_;
  std::vector<Made> made_;  // by value of the model
};

}  // namespace

Result<Graph> InPrecision(const Graph& model, ElementType narrow, const OpTable& ops) {
  return Narrower(model, narrow, ops).Run();
}

}  // namespace metadist
