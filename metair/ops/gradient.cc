// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/gradient.h"

#include <fmt/format.h>

#include <algorithm>

namespace metadist {
namespace {

// A node of a graph that grows, and its call, which stay valid while it does.
struct HeldNode {
  HeldNode(const OpDef& op, const Graph& graph, NodeId id)
      : node(graph.node(id)), call(CallOf(op, graph, node)) {
    constants.reserve(call.inputs.size());
    for (OpCall::Input& input : call.inputs) {
      if (input.constant == nullptr) continue;
      constants.push_back(*input.constant);
      input.constant = &constants.back();
    }
  }
  HeldNode(const HeldNode&) = delete;
  HeldNode& operator=(const HeldNode&) = delete;

  Node node;
  OpCall call;
  std::vector<Tensor> constants;
};

// Differentiates a range of nodes of a graph under construction.
class Reverse {
 public:
  Reverse(GraphBuilder& b, const OpTable& ops, NodeId first, NodeId end)
      : b_(b), ops_(ops), first_(first), end_(end) {}

  // Marks a value whose gradient is wanted.
  void Want(ValueId value) { Mark(wanted_, value); }

  // Adds to the gradient of a value.
  void Add(ValueId value, ValueId gradient) {
    if (!Holds(wanted_, value)) return;
    if (gradients_.size() <= static_cast<size_t>(value))
      gradients_.resize(static_cast<size_t>(value) + 1, kNone);
    ValueId& sum = gradients_[static_cast<size_t>(value)];
    sum = sum == kNone ? gradient : b_.Add("Add", {sum, gradient});
  }

  // kNone: nothing was added.
  ValueId gradient(ValueId value) const {
    const auto at = static_cast<size_t>(value);
    return at < gradients_.size() ? gradients_[at] : kNone;
  }

  // Marks the floats that depend on a wanted value: all others need no gradient. Before Add.
  void Spread() {
    const Graph& graph = b_.graph();
    for (NodeId n = first_; n < end_; ++n) {
      const OpDef* op = ops_.Find(graph.node(n));
      if (op != nullptr && op->only_types) continue;
      const std::vector<ValueId> reads = ReadsOf(graph.node(n));
      const bool depends = std::any_of(reads.begin(), reads.end(), [&](ValueId id) {
        return id != kNone && Holds(wanted_, id);
      });
      for (const ValueId id : graph.node(n).outputs)
        if (depends && id != kNone && ClassOf(b_.type(id).element) == ElementClass::kFloat)
          Mark(wanted_, id);
    }
  }

  void Run() {
    for (NodeId n = end_; n-- > first_ && !b_.failed();) {
      const Node& node = b_.graph().node(n);
      std::vector<ValueId> of_outputs;
      for (const ValueId id : node.outputs)
        of_outputs.push_back(id == kNone ? kNone : gradient(id));
      const auto exists = [](ValueId id) { return id != kNone; };
      if (std::none_of(of_outputs.begin(), of_outputs.end(), exists)) continue;
      const std::string name = node.name;
      auto done = Differentiate(n, std::move(of_outputs));
      for (const ValueId id : b_.graph().node(n).inputs)
        if (id != kNone && gradient(id) != kNone) given_.push_back(gradient(id));
      if (!done.ok())
        AddProblem(problems_, std::move(done).error().in(fmt::format("node '{}'", name)));
    }
  }

  // The gradients as they were known after each node, in the order of nodes and their inputs.
  const std::vector<ValueId>& given() const { return given_; }

  Result<void> Done() {
    if (!problems_.empty()) return Join(std::move(problems_));
    return {};
  }

 private:
  static void Mark(std::vector<bool>& set, ValueId value) {
    if (set.size() <= static_cast<size_t>(value)) set.resize(static_cast<size_t>(value) + 1);
    set[static_cast<size_t>(value)] = true;
  }
  static bool Holds(const std::vector<bool>& set, ValueId value) {
    return static_cast<size_t>(value) < set.size() && set[static_cast<size_t>(value)];
  }

  Result<void> Differentiate(NodeId n, std::vector<ValueId> of_outputs) {
    const OpDef* op = ops_.Find(b_.graph().node(n));
    const std::string problem = "the operator cannot be differentiated";
    if (op == nullptr || !b_.graph().node(n).regions.empty())
      return BadInput(b_.graph().node(n).op, problem);
    const HeldNode held(*op, b_.graph(), n);
    GradientCall::Sink sink{
        {}, [&](size_t input, ValueId gradient) { Add(held.node.inputs[input], gradient); }};
    for (const ValueId id : held.node.inputs)
      sink.wanted.push_back(id != kNone && Holds(wanted_, id));
    GradientCall call(b_, ops_, held.call, held.node, std::move(of_outputs), std::move(sink));
    if (op->gradient != nullptr) return op->gradient(call).in(op->name);
    if (op->decompose == nullptr) return BadInput(op->name, problem);
    auto graph = op->decompose(held.call);
    if (!graph.ok())
      return BadInput(op->name, fmt::format("{}: {}", problem, graph.error().message));
    return call.Through(graph.value());
  }

  GraphBuilder& b_;
  const OpTable& ops_;
  NodeId first_;
  NodeId end_;
  std::vector<bool> wanted_;
  std::vector<ValueId> gradients_;
  std::vector<ValueId> given_;
  std::vector<Error> problems_;
};

// Adds the nodes of a graph; inputs: values that take the place of its inputs. Returns its outputs.
std::vector<ValueId> AddNodes(GraphBuilder& b,
                              const OpTable& ops,
                              const Graph& graph,
                              const std::vector<ValueId>& inputs) {
  std::vector<ValueId> ids(graph.values.size(), kNone);
  for (size_t i = 0; i < inputs.size(); ++i) ids[static_cast<size_t>(graph.inputs[i])] = inputs[i];
  for (size_t v = 0; v < ids.size(); ++v)
    if (graph.values[v].kind == ValueKind::kConstant) ids[v] = b.Constant(graph.values[v].data);
  const auto mapped = [&](ValueId id) {
    return id == kNone ? kNone : ids[static_cast<size_t>(id)];
  };
  for (const Node& node : graph.nodes) {
    std::vector<ValueId> reads;
    for (const ValueId id : node.inputs) reads.push_back(mapped(id));
    const std::vector<ValueId> made = b.Like(*ops.Find(node), node, reads);
    for (size_t o = 0; o < made.size(); ++o)
      if (node.outputs[o] != kNone) ids[static_cast<size_t>(node.outputs[o])] = made[o];
  }
  std::vector<ValueId> outputs;
  for (const ValueId id : graph.outputs) outputs.push_back(mapped(id));
  return outputs;
}

// Writes the nodes behind values of another graph, which continues that of the builder: operands
// first, in their order. In which order the other graph was written does not matter: C++ leaves
// open which of the operands of an expression is written first.
class Rewriter {
 public:
  Rewriter(GraphBuilder& b, const OpTable& ops, const Graph& written)
      : b_(b), ops_(ops), written_(written), ids_(written.values.size(), kNone) {
    for (size_t v = 0; v < b.graph().values.size(); ++v) ids_[v] = static_cast<ValueId>(v);
  }

  ValueId Write(ValueId id) {
    if (id == kNone || ids_[static_cast<size_t>(id)] != kNone) return Written(id);
    const Value& value = written_.value(id);
    if (value.kind == ValueKind::kConstant) {
      ids_[static_cast<size_t>(id)] = b_.Constant(value.data);
      return Written(id);
    }
    const Node& node = written_.node(value.producer);
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(Write(input));
    const std::vector<ValueId> made = b_.Like(*ops_.Find(node), node, inputs);
    for (size_t o = 0; o < made.size(); ++o)
      if (node.outputs[o] != kNone) ids_[static_cast<size_t>(node.outputs[o])] = made[o];
    return Written(id);
  }

 private:
  ValueId Written(ValueId id) const { return id == kNone ? kNone : ids_[static_cast<size_t>(id)]; }

  GraphBuilder& b_;
  const OpTable& ops_;
  const Graph& written_;
  std::vector<ValueId> ids_;  // by id in the other graph; kNone: not written
};

}  // namespace

GradientCall::GradientCall(GraphBuilder& b,
                           const OpTable& ops,
                           const OpCall& call,
                           const Node& node,
                           std::vector<ValueId> output_gradients,
                           Sink sink)
    : b_(b),
      ops_(ops),
      call_(call),
      node_(node),
      output_gradients_(std::move(output_gradients)),
      sink_(std::move(sink)) {}

Term GradientCall::y(size_t output) {
  if (node_.outputs[output] != kNone) return {b_, node_.outputs[output]};
  if (again_.empty()) again_ = b_.Like(*call_.op, node_, node_.inputs);
  return {b_, again_[output]};
}

Term GradientCall::dy(size_t output) {
  if (has_dy(output)) return {b_, output_gradients_[output]};
  const Term like = y(output);
  return like.Zeros(like.shape());
}

void GradientCall::Give(size_t input, const Term& gradient) {
  if (!wants(input)) return;
  const Term summed = gradient.SumTo(call_.shape(input)).Expanded(call_.shape(input));
  sink_.give(input, summed.As(call_.type(input).element).value());
}

Term GradientCall::Again(const Term& first) const {
  std::vector<ValueId> inputs = node_.inputs;
  inputs[0] = first.value();
  return {b_, b_.Like(*call_.op, node_, inputs)[0]};
}

Result<void> GradientCall::Refuse(size_t input) const {
  if (!wants(input)) return {};
  return BadInput("", fmt::format("the gradient of input {} is not known", input));
}

Result<void> GradientCall::Through(const Graph& graph) {
  std::vector<ValueId> inputs;
  std::vector<size_t> places;
  for (size_t i = 0; i < call_.inputs.size(); ++i)
    if (has(i)) {
      inputs.push_back(node_.inputs[i]);
      places.push_back(i);
    }
  const auto first = static_cast<NodeId>(b_.graph().nodes.size());
  const std::vector<ValueId> outputs = AddNodes(b_, ops_, graph, inputs);
  Reverse reverse(b_, ops_, first, static_cast<NodeId>(b_.graph().nodes.size()));
  for (const ValueId id : inputs) reverse.Want(id);
  reverse.Spread();
  for (size_t o = 0; o < outputs.size(); ++o)
    if (has_dy(o)) reverse.Add(outputs[o], output_gradients_[o]);
  reverse.Run();
  // A value in several places has one gradient.
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool seen = std::find(inputs.begin(), inputs.begin() + i, inputs[i]) < inputs.begin() + i;
    const ValueId id = reverse.gradient(inputs[i]);
    if (!seen && id != kNone) Give(places[i], {b_, id});
  }
  return reverse.Done();
}

Result<void> NoGradient(GradientCall& /*g*/) { return {}; }

Result<void> ReshapeGradient(GradientCall& g) {
  g.Give(0, g.dy().Reshaped(g.call().shape(0)));
  return {};
}

Result<std::vector<ValueId>> AddGradients(GraphBuilder& b,
                                          const OpTable& ops,
                                          const std::vector<std::pair<ValueId, ValueId>>& of,
                                          const std::vector<ValueId>& by) {
  GraphBuilder draft(b.graph(), ops);
  Reverse reverse(draft, ops, 0, static_cast<NodeId>(b.graph().nodes.size()));
  for (const ValueId id : by) reverse.Want(id);
  reverse.Spread();
  for (const auto& [value, gradient] : of) reverse.Add(value, gradient);
  reverse.Run();
  TRY(reverse.Done());
  const Graph written = TRY(draft.Done());
  Rewriter rewriter(b, ops, written);
  for (const ValueId id : reverse.given()) rewriter.Write(id);
  std::vector<ValueId> gradients;
  for (const ValueId id : by) gradients.push_back(rewriter.Write(reverse.gradient(id)));
  return gradients;
}

}  // namespace metadist
