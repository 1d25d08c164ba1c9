// SPDX-License-Identifier: Apache-2.0
//
// Inlines control flow whose conditions and trip counts are known before running: exporters write
// loops over a fixed number of layers or time steps, and conditions on shapes. Once inlined, its
// nodes can be sharded individually, and shapes that depend on the iteration are known.
//
// Iterations are copied one after the other and folded at once, so a condition that an iteration
// computes from its number is a constant when the next iteration needs it. If it is not constant,
// or if a node of an iteration is rejected, everything is rolled back and the loop remains.
#include "metair/passes/inline_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "metair/ops/scan_axes.h"

namespace metadist {
namespace {

// The most nodes that inlining a loop may produce (nodes as in the file, including folded ones).
constexpr int64_t kMostNodes = 2048;

int64_t CountNodes(const Graph& graph) {
  int64_t count = 0;
  for (const Node& node : graph.nodes) {
    ++count;
    for (const Region& region : node.regions) count += CountNodes(*region.graph);
  }
  return count;
}

// Rolls back everything appended since it was created.
struct Mark {
  explicit Mark(const Graph& graph) : values(graph.values.size()), nodes(graph.nodes.size()) {}
  void TakeBack(Graph* graph) const {
    graph->values.resize(values);
    graph->nodes.resize(nodes);
  }
  size_t values;
  size_t nodes;
};

}  // namespace

BodyInliner::BodyInliner(Graph* graph, Add add)
    : graph_(graph), add_(std::move(add)), names_(*graph) {}

BodyInliner::Done BodyInliner::Inline(const Node& node, const OpCall& call) {
  if (!node.domain.empty() || node.regions.empty()) return Done::kNo;
  if (node.op == "If") return InlineBranch(node, call);
  const Mark mark(*graph_);
  bool done = false;
  if (node.op == "Loop") done = UnrollLoop(node, call);
  if (node.op == "Scan") done = UnrollScan(node, call);
  if (!done) mark.TakeBack(graph_);
  return done ? Done::kYes : Done::kNo;
}

BodyInliner::Done BodyInliner::InlineBranch(const Node& node, const OpCall& call) {
  const Tensor* condition = call.has(0) ? call.inputs[0].constant : nullptr;
  if (condition == nullptr || condition->size() != 1) return Done::kNo;
  const char* name = condition->ToInts()[0] != 0 ? "then_branch" : "else_branch";
  for (const Region& region : node.regions) {
    if (region.name != name) continue;
    const auto results = Splice(region, {}, node.name);
    if (!results || !Forward(*results, node.outputs)) return Done::kRefused;
    return Done::kYes;
  }
  return Done::kNo;
}

bool BodyInliner::UnrollLoop(const Node& node, const OpCall& call) {
  const Region& body = node.regions[0];
  if (node.inputs.size() < 2 || body.graph->outputs.size() + 1 < node.inputs.size()) return false;
  const size_t states = node.inputs.size() - 2;
  if (call.has(0) && call.inputs[0].constant == nullptr) return false;
  const int64_t count =
      call.has(0) ? call.inputs[0].constant->ToInts()[0] : std::numeric_limits<int64_t>::max();
  const int64_t nodes = std::max<int64_t>(1, CountNodes(*body.graph));
  if (call.has(0) && count > kMostNodes / nodes) return false;
  Ids state(node.inputs.begin() + 2, node.inputs.end());
  ValueId condition = node.inputs[1];
  if (condition == kNone) condition = Constant(Tensor::Scalar<bool>(true), node.name + "/go_on");
  std::vector<Ids> slices(body.graph->outputs.size() - 1 - states);
  for (int64_t round = 0; round < count; ++round) {
    if (round > kMostNodes / nodes || !graph_->value(condition).is_known()) return false;
    if (graph_->value(condition).data.ToInts()[0] == 0) break;
    const std::string prefix = fmt::format("{}/{}", node.name, round);
    Ids own = {Constant(Tensor::Scalar<int64_t>(round), prefix + "/round"), condition};
    own.insert(own.end(), state.begin(), state.end());
    const auto results = Splice(body, own, prefix);
    if (!results) return false;
    condition = results->front();
    for (size_t i = 0; i < states; ++i) state[i] = (*results)[1 + i];
    for (size_t i = 0; i < slices.size(); ++i) slices[i].push_back((*results)[1 + states + i]);
  }
  Ids outputs = node.outputs;
  outputs.resize(states + slices.size(), kNone);
  for (size_t i = 0; i < slices.size(); ++i)
    if (outputs[states + i] != kNone && !StackTo(slices[i], 0, outputs[states + i], node.name))
      return false;
  outputs.resize(states);
  return Forward(state, outputs);
}

bool BodyInliner::UnrollScan(const Node& node, const OpCall& call) {
  const Region& body = node.regions[0];
  const auto read = ReadScanAxes(call, {});
  if (!read.ok()) return false;
  const size_t states = read.value().states;
  const int64_t rounds = read.value().rounds;
  const int64_t nodes = CountNodes(*body.graph) + static_cast<int64_t>(read.value().arrays);
  if (rounds > kMostNodes / nodes || body.graph->outputs.size() < states) return false;
  Ids state(node.inputs.begin(), node.inputs.begin() + static_cast<ptrdiff_t>(states));
  std::vector<Ids> slices(body.graph->outputs.size() - states);
  for (int64_t round = 0; round < rounds; ++round) {
    const std::string prefix = fmt::format("{}/{}", node.name, round);
    Ids own = state;
    for (size_t i = 0; i < read.value().arrays; ++i) {
      const int64_t index = read.value().input_reversed[i] ? rounds - 1 - round : round;
      const ValueId at = Constant(Tensor::Scalar<int64_t>(index), prefix + "/slice_index");
      own.push_back(Result(prefix + "/slice"));
      const int64_t axis = read.value().input_axes[i];
      if (!Emit("Gather", {node.inputs[states + i], at}, own.back(), axis)) return false;
    }
    const auto results = Splice(body, own, prefix);
    if (!results) return false;
    for (size_t i = 0; i < states; ++i) state[i] = (*results)[i];
    for (size_t i = 0; i < slices.size(); ++i) slices[i].push_back((*results)[states + i]);
  }
  if (rounds == 0) return slices.empty() && Forward(state, node.outputs);
  std::vector<int64_t> ranks(states, 0);
  for (const Ids& made : slices)
    ranks.push_back(static_cast<int64_t>(graph_->value(made[0]).type.shape.size()));
  const auto axes = ReadScanAxes(call, ranks);
  if (!axes.ok()) return false;
  Ids outputs = node.outputs;
  outputs.resize(states + slices.size(), kNone);
  for (size_t i = 0; i < slices.size(); ++i) {
    if (outputs[states + i] == kNone) continue;
    Ids made = slices[i];
    if (axes.value().output_reversed[i]) made = Ids(made.rbegin(), made.rend());
    if (!StackTo(made, axes.value().output_axes[i], outputs[states + i], node.name)) return false;
  }
  outputs.resize(states);
  return Forward(state, outputs);
}

std::optional<BodyInliner::Ids> BodyInliner::Splice(const Region& region,
                                                    const Ids& own,
                                                    const std::string& prefix) {
  const Graph& body = *region.graph;
  if (own.size() + region.captures.size() != body.inputs.size()) return std::nullopt;
  Ids ids(body.values.size(), kNone);
  for (size_t i = 0; i < body.inputs.size(); ++i)
    ids[static_cast<size_t>(body.inputs[i])] =
        i < own.size() ? own[i] : region.captures[i - own.size()];
  return SpliceNodes(body, &ids, prefix);
}

std::optional<BodyInliner::Ids> BodyInliner::SpliceNodes(const Graph& body,
                                                         Ids* ids,
                                                         const std::string& prefix) {
  for (size_t v = 0; v < body.values.size(); ++v) {
    if (body.values[v].kind == ValueKind::kInput) continue;
    Value copy = body.values[v];
    copy.name = names_.Fresh(prefix + "/" + copy.name);
    copy.producer = kNone;
    (*ids)[v] = graph_->AddValue(std::move(copy));
  }
  const auto rename = [&](Ids list) {
    for (ValueId& id : list) id = id == kNone ? kNone : (*ids)[static_cast<size_t>(id)];
    return list;
  };
  for (const Node& node : body.nodes) {
    Node copy = node;
    copy.name = names_.Fresh(prefix + "/" + node.name);
    copy.inputs = rename(node.inputs);
    copy.outputs = rename(node.outputs);
    for (Region& region : copy.regions) region.captures = rename(region.captures);
    if (!add_(std::move(copy))) return std::nullopt;
  }
  return rename(body.outputs);
}

bool BodyInliner::Forward(const Ids& from, const Ids& to) {
  for (size_t i = 0; i < to.size(); ++i)
    if (to[i] != kNone && (i >= from.size() || !Emit("Identity", {from[i]}, to[i], -1)))
      return false;
  return true;
}

bool BodyInliner::StackTo(const Ids& slices, int64_t axis, ValueId to, const std::string& prefix) {
  if (slices.empty()) return false;
  const ValueId axes = Constant(Tensor::Of<int64_t>({1}, {axis}), prefix + "/stack_axis");
  Ids wide;
  for (const ValueId slice : slices) {
    wide.push_back(Result(prefix + "/stacked"));
    if (!Emit("Unsqueeze", {slice, axes}, wide.back(), -1)) return false;
  }
  return Emit("Concat", wide, to, axis);
}

ValueId BodyInliner::Constant(Tensor data, const std::string& name) {
  return graph_->AddValue(
      {names_.Fresh(name), data.type(), ValueKind::kConstant, std::move(data), kNone});
}

ValueId BodyInliner::Result(const std::string& name) {
  return graph_->AddValue({names_.Fresh(name), {}, ValueKind::kResult, {}, kNone});
}

// axis: an attribute; omitted if negative.
bool BodyInliner::Emit(const std::string& op, Ids inputs, ValueId output, int64_t axis) {
  Node node;
  node.name = names_.Fresh(graph_->value(output).name + "/" + op);
  node.op = op;
  if (axis >= 0) node.attributes.set("axis", axis);
  node.inputs = std::move(inputs);
  node.outputs = {output};
  return add_(std::move(node));
}

void AbsorbConstants(const Graph& graph, Node* node) {
  for (Region& region : node->regions) {
    Graph body = *region.graph;
    const size_t own = body.inputs.size() - region.captures.size();
    std::vector<ValueId> inputs(body.inputs.begin(),
                                body.inputs.begin() + static_cast<ptrdiff_t>(own));
    std::vector<ValueId> captures;
    for (size_t i = 0; i < region.captures.size(); ++i) {
      const Value& outer = graph.value(region.captures[i]);
      Value& inner = body.value(body.inputs[own + i]);
      inner.type = outer.type;
      if (outer.is_known()) {
        inner.kind = ValueKind::kConstant;
        inner.data = outer.data;
      } else {
        inputs.push_back(body.inputs[own + i]);
        captures.push_back(region.captures[i]);
      }
    }
    body.inputs = std::move(inputs);
    region.captures = std::move(captures);
    region.graph = std::make_shared<const Graph>(std::move(body));
  }
}

}  // namespace metadist
