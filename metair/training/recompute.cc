// SPDX-License-Identifier: Apache-2.0
//
// Recomputation of activations, called activation checkpointing or rematerialisation as well. It is
// a property of the graph: nodes that run twice are priced like all others, and liveness sees that
// the first results die early. Source: Chen et al. 2016, "Training deep nets with sublinear memory
// cost".
#include "metair/training/recompute.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "metair/ir/glob.h"
#include "metair/ir/unique_names.h"
#include "metair/training/early_updates.h"
#include "metair/training/forward_blocks.h"

namespace metadist {
namespace {

constexpr std::string_view kAgain = ".again";

class Recomputer {
 public:
  explicit Recomputer(const Graph& step)
      : step_(step),
        uses_(UsesOf(step)),
        forward_(ForwardNodes(step)),
        block_(step.nodes.size(), kNone),
        again_(step.nodes.size()),
        names_(step) {}

  Graph Run(const std::vector<std::vector<NodeId>>& blocks) {
    out_ = step_;
    out_.nodes.clear();
    for (size_t i = 0; i < blocks.size(); ++i)
      for (const NodeId n : blocks[i]) block_[static_cast<size_t>(n)] = static_cast<int>(i);
    for (const std::vector<NodeId>& block : blocks) Repeat(block);
    for (size_t n = 0; n < step_.nodes.size(); ++n) {
      const auto [first, last] = before_.equal_range(static_cast<NodeId>(n));
      for (auto it = first; it != last; ++it) out_.AddNode(std::move(it->second));
      Node node = step_.nodes[n];
      if (!forward_[n]) Rename(node);
      out_.AddNode(std::move(node));
    }
    return WithEarlyUpdates(std::move(out_));
  }

 private:
  // Finds which nodes of a block run again, and where.
  void Repeat(const std::vector<NodeId>& block) {
    NodeId reader = kNone;  // the first in the backward pass
    for (const NodeId n : block)
      for (const ValueId id : step_.node(n).outputs) {
        if (id == kNone || !IsDropped(id)) continue;
        for (const Use& use : uses_[static_cast<size_t>(id)]) {
          if (forward_[static_cast<size_t>(use.node)]) continue;
          again_[static_cast<size_t>(n)] = true;
          reader = reader == kNone ? use.node : std::min(reader, use.node);
        }
      }
    if (reader == kNone) return;
    for (auto n = block.rbegin(); n != block.rend(); ++n) {
      if (!again_[static_cast<size_t>(*n)]) continue;
      for (const ValueId id : ReadsOf(step_.node(*n)))
        if (id != kNone && IsDropped(id))
          again_[static_cast<size_t>(step_.value(id).producer)] = true;
    }
    for (const NodeId n : block)
      if (again_[static_cast<size_t>(n)]) before_.emplace(reader, Again(n));
  }

  // Whether a value is made by a block that runs again, and the forward pass reads it nowhere else.
  bool IsDropped(ValueId id) const {
    const NodeId producer = step_.value(id).producer;
    const int block = producer == kNone ? kNone : block_[static_cast<size_t>(producer)];
    return block != kNone &&
           std::ranges::all_of(uses_[static_cast<size_t>(id)], [&](const Use& use) {
             if (use.node == kNone) return false;
             const auto reader = static_cast<size_t>(use.node);
             return !forward_[reader] || block_[reader] == block;
           });
  }

  Node Again(NodeId n) {
    Node node = step_.node(n);
    Rename(node);
    node.name = names_.Fresh(fmt::format("{}{}", node.name, kAgain));
    for (ValueId& id : node.outputs) {
      if (id == kNone) continue;
      Value value = step_.value(id);
      value.name = names_.Fresh(fmt::format("{}{}", value.name, kAgain));
      const bool dropped = IsDropped(id);
      const ValueId made = out_.AddValue(std::move(value));
      if (dropped) renamed_[id] = made;
      id = made;
    }
    return node;
  }

  void Rename(Node& node) const {
    const auto rename = [&](ValueId& id) {
      if (const auto found = renamed_.find(id); found != renamed_.end()) id = found->second;
    };
    for (ValueId& id : node.inputs) rename(id);
    for (Region& region : node.regions)
      for (ValueId& id : region.captures) rename(id);
  }

  const Graph& step_;
  const std::vector<std::vector<Use>> uses_;
  const std::vector<bool> forward_;
  std::vector<int> block_;   // by node: that it is in, if it runs again
  std::vector<bool> again_;  // by node
  UniqueNames names_;
  Graph out_;
  std::multimap<NodeId, Node> before_;  // nodes that run again, by the node that they precede
  std::map<ValueId, ValueId> renamed_;  // results of the first run -> of the second
};

// Whether a node of the block, or a parameter that one reads, has a name of this pattern.
bool Matches(const Graph& step, const std::vector<NodeId>& block, const std::string& pattern) {
  return std::ranges::any_of(block, [&](NodeId n) {
    const Node& node = step.node(n);
    return GlobFits(pattern, node.name) || std::ranges::any_of(node.inputs, [&](ValueId id) {
             return id != kNone && step.value(id).kind == ValueKind::kParameter &&
                    GlobFits(pattern, step.value(id).name);
           });
  });
}

}  // namespace

bool RunsAgain(const Node& node) { return node.name.ends_with(kAgain); }

Graph Recomputed(const Graph& step, int64_t blocks) {
  if (blocks <= 0) return step;
  auto all = ForwardBlocks(step);
  if (blocks < std::ssize(all)) all.resize(static_cast<size_t>(blocks));
  return Recomputer(step).Run(all);
}

Result<Graph> Recomputed(const Graph& step, const std::string& blocks) {
  if (blocks == "none" || blocks == "auto") return step;
  if (blocks == "full") return Recomputed(step, kAllBlocks);
  int64_t count = 0;
  const char* const end = blocks.data() + blocks.size();
  const auto [stop, error] = std::from_chars(blocks.data(), end, count);
  if (error == std::errc() && stop == end && count >= 0) return Recomputed(step, count);
  auto all = ForwardBlocks(step);
  std::erase_if(all, [&](const auto& block) { return !Matches(step, block, blocks); });
  if (!all.empty()) return Recomputer(step).Run(all);
  return Usage(
      fmt::format("--recompute '{}': no block has a node or a parameter of such a name", blocks),
      "give none, full, auto, a number of blocks, or a pattern such as h.0.*");
}

}  // namespace metadist
