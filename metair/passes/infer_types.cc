// SPDX-License-Identifier: Apache-2.0
//
// Shape inference and constant folding in one walk.
//
// Exporters compute shapes with operators (shape, gather, concatenate, reshape), so the type of one
// node may depend on elements that another node computes: neither inference nor folding can run
// first. ONNX's own library solves this by propagating the integer data of some operators along
// with the shapes. Here every operator has a reference kernel, so any node whose inputs are
// constants is simply evaluated, and its results are constants for the nodes after it. One walk in
// node order is enough, since every value is made before it is read. Linear in the size of the
// graph plus the evaluations, each bounded by `fold_bytes`.
//
// Control flow whose conditions and trip counts are known at that point is inlined
// (inline_bodies.h). The bodies of remaining control flow are typed by recursive walks, from the
// input types that the operator declares for them.
#include "metair/passes/infer_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "metair/ops/drawing.h"
#include "metair/passes/inline_bodies.h"

namespace metadist {
namespace {

std::string Where(const Node& node) { return fmt::format("node '{}'", node.name); }

class Walk {
 public:
  Walk(const Graph& graph, const OpTable& ops, const InferOptions& options)
      : graph_(graph), ops_(ops), options_(options), unknown_(graph.values.size(), false) {}

  Result<Graph> Run() {
    const bool bodies = std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [](const Node& node) {
      return !node.regions.empty();
    });
    if (bodies) inliner_.emplace(&graph_, [this](Node node) { return AddCopied(std::move(node)); });
    std::vector<Node> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (Node& node : nodes) {
      const OpDef* op = ops_.Find(node);
      if (op == nullptr) VisitUnknown(node);
      const bool gone = op != nullptr && Visit(*op, node);
      if (!gone) graph_.AddNode(std::move(node));
    }
    if (!problems_.empty()) return Join(std::move(problems_));
    return std::move(graph_);
  }

 private:
  // Returns false.
  bool Fail(const Node& node, Error error) {
    problems_.push_back(std::move(error).in(Where(node)));
    Spread(node);
    return false;
  }

  bool IsUnknown(ValueId id) {
    unknown_.resize(graph_.values.size(), false);
    return id != kNone && unknown_[static_cast<size_t>(id)];
  }

  // Adds a node copied from a body to this graph.
  bool AddCopied(Node node) {
    const OpDef* op = ops_.Find(node);
    if (op == nullptr)
      return Fail(node, BadInput(node.op, "the operator is unknown, and inside of control flow"));
    const size_t problems = problems_.size();
    if (Visit(*op, node)) return problems_.size() == problems;
    for (ValueId output : node.outputs)
      if (IsUnknown(output)) return false;
    graph_.AddNode(std::move(node));
    return true;
  }

  // True if the node was inlined, or was rejected.
  bool Inline(const Node& node) {
    if (!inliner_) return false;
    const size_t problems = problems_.size();
    switch (inliner_->Inline(node, CallOf(*ops_.Find(node), graph_, node))) {
      case BodyInliner::Done::kYes:
        return true;
      case BodyInliner::Done::kRefused:
        Spread(node);
        return true;
      case BodyInliner::Done::kNo:
        break;
    }
    problems_.resize(problems);
    unknown_.resize(graph_.values.size());
    return false;
  }

  // Types a node's bodies from their input types. False if one is rejected.
  bool TypeBodies(const OpDef& op, Node& node) {
    AbsorbConstants(graph_, &node);
    for (size_t r = 0; r < node.regions.size(); ++r) {
      Region& region = node.regions[r];
      auto types = op.body_inputs(CallOf(op, graph_, node), r);
      Graph body = *region.graph;
      const size_t own = body.inputs.size() - region.captures.size();
      if (types.ok() && types.value().size() != own)
        types = BadInput(
            region.name,
            fmt::format("the body must take {} inputs, got {}", types.value().size(), own));
      if (!types.ok()) return Fail(node, std::move(types).error().in(op.name));
      for (size_t i = 0; i < own; ++i) body.value(body.inputs[i]).type = types.value()[i];
      InferOptions inner = options_;
      inner.infer_unknown = [](const Graph&, const Node&) -> Result<std::vector<TensorType>> {
        return BadInput("", "the operator is unknown, and inside of control flow");
      };
      auto typed = InferTypesAndFold(body, ops_, inner);
      if (!typed.ok()) return Fail(node, std::move(typed).error().in(region.name).in(op.name));
      region.graph = std::make_shared<const Graph>(WithoutDeadCode(typed.value()));
    }
    return true;
  }

  void VisitUnknown(const Node& node) {
    if (!options_.infer_unknown) return;
    for (ValueId input : node.inputs)
      if (IsUnknown(input)) return Spread(node);
    auto types = options_.infer_unknown(graph_, node);
    if (types.ok())
      Assign(node.op, node, types.value());
    else
      Fail(node, std::move(types).error().in(node.op));
  }

  // Values that depend on an untyped value are not typed either, and not reported.
  void Spread(const Node& node) {
    unknown_.resize(graph_.values.size(), false);
    for (ValueId output : node.outputs)
      if (output != kNone) unknown_[static_cast<size_t>(output)] = true;
  }

  // Types the node's results; true if other values replace them and the node is no longer needed.
  bool Visit(const OpDef& op, Node& node) {
    bool constant = op.reference != nullptr && node.regions.empty();
    for (ValueId input : ReadsOf(node)) {
      if (input == kNone) continue;
      const Value& value = graph_.value(input);
      if (IsUnknown(input)) {
        Spread(node);
        return false;
      }
      if (!IsKnown(value.type.shape))
        return Fail(
            node,
            BadInput(op.name,
                     fmt::format("the size of input '{}' is known only at run time", value.name),
                     "such a value may be an output of the model, but nothing may read it"));
      constant = constant && (op.only_types || value.is_known());
    }
    if (op.body_inputs != nullptr && (Inline(node) || !TypeBodies(op, node))) return true;
    const OpCall call = CallOf(op, graph_, node);
    auto types = InferTypes(call);
    if (!types.ok()) {
      Fail(node, std::move(types).error());
      return false;
    }
    if (!Assign(op.name, node, types.value())) return false;
    return constant && !Draws(call) && Fold(call, node, types.value());
  }

  bool Assign(const std::string& op, const Node& node, const std::vector<TensorType>& types) {
    if (node.outputs.size() > types.size())
      return Fail(
          node,
          BadInput(op,
                   fmt::format(
                       "expected at most {} outputs, got {}", types.size(), node.outputs.size())));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      Shape known = types[i].shape;
      for (int64_t& size : known) size = size == kRunTimeSize ? 1 : size;
      auto count = CheckedElements(known, types[i].element);
      if (!count.ok()) return Fail(node, std::move(count).error().in(op));
      if (node.outputs[i] != kNone) graph_.value(node.outputs[i]).type = types[i];
    }
    return true;
  }

  bool Fold(const OpCall& call, const Node& node, const std::vector<TensorType>& types) {
    int64_t bytes = 0;
    for (const TensorType& type : types) {
      if (!IsKnown(type.shape)) return false;
      bytes += type.bytes();
    }
    if (bytes > options_.fold_bytes) return false;
    std::vector<Tensor> inputs(node.inputs.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNone) continue;
      const Value& value = graph_.value(node.inputs[i]);
      inputs[i] = value.data.has_data() ? value.data : Tensor::Absent(value.type);
    }
    auto results = Evaluate(call, inputs);
    if (!results.ok()) return Fail(node, std::move(results).error());
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNone) continue;
      Value& value = graph_.value(node.outputs[i]);
      value.kind = ValueKind::kConstant;
      value.producer = kNone;
      value.data = results.value()[i];
    }
    return true;
  }

  Graph graph_;
  const OpTable& ops_;
  const InferOptions& options_;
  std::vector<bool> unknown_;
  std::optional<BodyInliner> inliner_;
  std::vector<Error> problems_;
};

}  // namespace

Result<Graph> InferTypesAndFold(const Graph& graph,
                                const OpTable& ops,
                                const InferOptions& options) {
  return Walk(graph, ops, options).Run();
}

Result<void> VerifyTypes(const Graph& graph, const OpTable& ops) {
  std::vector<Error> problems;
  for (const Node& node : graph.nodes) {
    for (const Region& region : node.regions) {
      auto inner = VerifyTypes(*region.graph, ops);
      if (!inner.ok()) problems.push_back(std::move(inner).error().in(Where(node)));
    }
    const OpDef* op = ops.Find(node);
    if (op == nullptr) continue;
    auto types = InferTypes(CallOf(*op, graph, node));
    if (!types.ok()) {
      problems.push_back(std::move(types).error().in(Where(node)));
      continue;
    }
    for (size_t i = 0; i < node.outputs.size() && i < types.value().size(); ++i) {
      if (node.outputs[i] == kNone) continue;
      const Value& value = graph.value(node.outputs[i]);
      if (value.type != types.value()[i])
        problems.push_back(BadInput(Where(node),
                                    fmt::format("{}: '{}' must be {}, got {}",
                                                node.op,
                                                value.name,
                                                TypeText(types.value()[i]),
                                                TypeText(value.type))));
    }
  }
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

}  // namespace metadist
