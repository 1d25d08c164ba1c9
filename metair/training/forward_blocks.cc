// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a forward pass, between which little is live.
//
// Layers are the runs of equal nodes that repeats.h finds. A run may begin anywhere in a layer, so
// its blocks are shifted to begin where the fewest bytes are live: between the layers of a
// transformer that is one value, the residual stream. What lies between two runs is a block of its
// own, and what comes before the first run belongs to its first block.
//
// A pass without repeated layers is cut as a chain: with T bytes produced in all and c live between
// two nodes, blocks of sqrt(T c) bytes need least memory, since k of them keep k c bytes and
// produce T / k again. Each is cut where the fewest bytes are live in the last half of it.
//
// Source: Chen et al. 2016, "Training deep nets with sublinear memory cost".
#include "metair/training/forward_blocks.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "metair/ir/repeats.h"

namespace metadist {
namespace {

using Ends = std::vector<size_t>;  // of blocks: positions after their last nodes, ascending

// The operator and the types of a node, as a number.
std::vector<int> Signatures(const Graph& graph) {
  std::unordered_map<std::string, int> seen;
  std::vector<int> out;
  for (const Node& node : graph.nodes) {
    std::string text = node.domain + "." + node.op;
    for (const std::vector<ValueId>* ids : {&node.inputs, &node.outputs})
      for (const ValueId id : *ids)
        text += "," + (id == kNone ? "" : TypeText(graph.value(id).type));
    out.push_back(seen.try_emplace(std::move(text), static_cast<int>(seen.size())).first->second);
  }
  return out;
}

int64_t BytesOf(const Value& value) { return IsKnown(value.type.shape) ? value.type.bytes() : 0; }

// Cuts the forward pass, a graph of its own.
class BlockFinder {
 public:
  explicit BlockFinder(const Graph& graph) : graph_(graph) { FindLive(); }

  Ends Run() {
    for (const Repeat& run : FindRepeats(graph_, Signatures(graph_))) AddLayers(run);
    if (ends_.empty()) CutChain();
    return std::move(ends_);
  }

 private:
  // Activations: results that depend on an input and on a parameter.
  std::vector<bool> Activations() const {
    std::vector<bool> of_input(graph_.values.size()), of_parameter(graph_.values.size());
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      of_input[v] = graph_.values[v].kind == ValueKind::kInput;
      of_parameter[v] = graph_.values[v].kind == ValueKind::kParameter;
    }
    std::vector<bool> out(graph_.values.size());
    for (const Node& node : graph_.nodes) {
      bool input = false, parameter = false;
      for (const ValueId id : ReadsOf(node)) {
        if (id == kNone) continue;
        input = input || of_input[static_cast<size_t>(id)];
        parameter = parameter || of_parameter[static_cast<size_t>(id)];
      }
      for (const ValueId id : node.outputs) {
        if (id == kNone) continue;
        of_input[static_cast<size_t>(id)] = input;
        of_parameter[static_cast<size_t>(id)] = parameter;
        out[static_cast<size_t>(id)] = input && parameter;
      }
    }
    return out;
  }

  void FindLive() {
    const std::vector<bool> activations = Activations();
    const auto uses = UsesOf(graph_);
    std::vector<int64_t> change(graph_.nodes.size() + 1);
    made_.resize(graph_.nodes.size());
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (!activations[v]) continue;
      const Value& value = graph_.values[v];
      const auto first = static_cast<size_t>(value.producer);
      size_t last = first;
      for (const Use& use : uses[v])
        if (use.node != kNone) last = std::max(last, static_cast<size_t>(use.node));
      change[first] += BytesOf(value);
      change[last] -= BytesOf(value);
      made_[first] += BytesOf(value);
    }
    int64_t live = 0;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) live_.push_back(live += change[n]);
  }

  // Bytes that are live before the node at a position.
  int64_t LiveBefore(size_t position) const { return position == 0 ? 0 : live_[position - 1]; }

  void AddLayers(const Repeat& run) {
    const auto first = static_cast<size_t>(run.first), period = static_cast<size_t>(run.period);
    const size_t end = first + period * static_cast<size_t>(run.count);
    // Before the second block as before all others, but the first.
    size_t shift = 0;
    for (size_t s = 1; s < period; ++s)
      if (LiveBefore(first + period + s) < LiveBefore(first + period + shift)) shift = s;
    // Nothing at all is live before the first activation.
    if (!ends_.empty() && LiveBefore(first + shift) > 0) Add(first + shift);
    for (size_t at = first + shift + period; at <= end; at += period) Add(at);
  }

  void Add(size_t end) {
    if (end > (ends_.empty() ? 0 : ends_.back())) ends_.push_back(end);
  }

  void CutChain() {
    double all = 0, live = 0;
    for (const int64_t bytes : made_) all += static_cast<double>(bytes);
    for (const int64_t bytes : live_) live += static_cast<double>(bytes);
    const double block =
        std::sqrt(all * live / static_cast<double>(std::max<size_t>(1, live_.size())));
    double produced = 0;
    size_t best = 0;  // position to cut at, if any
    for (size_t n = 0; n + 1 < made_.size(); ++n) {
      produced += static_cast<double>(made_[n]);
      if (produced < block / 2) continue;
      if (best == 0 || LiveBefore(n + 1) <= LiveBefore(best)) best = n + 1;
      if (produced < block) continue;
      Add(best);
      produced = 0;
      for (size_t m = best; m <= n; ++m) produced += static_cast<double>(made_[m]);
      best = 0;
    }
  }

  const Graph& graph_;
  std::vector<int64_t> made_;  // bytes of activations, by node
  std::vector<int64_t> live_;  // bytes of activations that later nodes read, by node
  Ends ends_;
};

}  // namespace

std::vector<bool> ForwardNodes(const Graph& step) {
  std::vector<bool> nodes(step.nodes.size()), values(step.values.size());
  if (!step.outputs.empty()) values[static_cast<size_t>(step.outputs[0])] = true;
  for (size_t n = nodes.size(); n-- > 0;) {
    const Node& node = step.nodes[n];
    nodes[n] = std::ranges::any_of(
        node.outputs, [&](ValueId id) { return id != kNone && values[static_cast<size_t>(id)]; });
    if (!nodes[n]) continue;
    for (const ValueId id : ReadsOf(node))
      if (id != kNone) values[static_cast<size_t>(id)] = true;
  }
  return nodes;
}

std::vector<std::vector<NodeId>> ForwardBlocks(const Graph& step) {
  const std::vector<bool> forward = ForwardNodes(step);
  Graph pass = step;
  pass.outputs.resize(std::min<size_t>(1, pass.outputs.size()));
  pass.state.clear();
  std::vector<ValueId> values;
  std::vector<NodeId> nodes;
  for (size_t v = 0; v < step.values.size(); ++v) {
    const NodeId producer = step.values[v].producer;
    if (producer == kNone || forward[static_cast<size_t>(producer)])
      values.push_back(static_cast<ValueId>(v));
  }
  for (size_t n = 0; n < forward.size(); ++n)
    if (forward[n]) nodes.push_back(static_cast<NodeId>(n));
  std::vector<std::vector<NodeId>> out;
  size_t begin = 0;
  for (const size_t end : BlockFinder(WithOnly(std::move(pass), values, forward)).Run()) {
    out.emplace_back(nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                     nodes.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  return out;
}

}  // namespace metadist
