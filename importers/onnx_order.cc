// SPDX-License-Identifier: Apache-2.0
//
// The ONNX specification wants nodes sorted, and the library relies on it; some writers do not
// sort. Kahn's algorithm with the smallest position first leaves a sorted graph as it is. A body
// reads values of the graphs around it by name: a node depends on what its bodies read. O((n + e)
// log n).
#include <fmt/format.h>

#include <functional>
#include <queue>
#include <set>
#include <utility>

#include "importers/onnx_model.h"

namespace metadist {
namespace {

using Names = std::set<std::string>;

void AddDefined(const onnx::GraphProto& graph, Names* names) {
  for (const auto& input : graph.input()) names->insert(input.name());
  for (const auto& tensor : graph.initializer()) names->insert(tensor.name());
}

// Names that the node reads, its bodies included.
void AddReads(const onnx::NodeProto& node, Names* reads) {
  for (const std::string& input : node.input())
    if (!input.empty()) reads->insert(input);
  const auto add_body = [&](const onnx::GraphProto& body) {
    Names inner;
    Names own;
    AddDefined(body, &own);
    for (const auto& child : body.node()) {
      AddReads(child, &inner);
      for (const std::string& output : child.output()) own.insert(output);
    }
    for (const auto& output : body.output()) inner.insert(output.name());
    for (const std::string& name : inner)
      if (own.count(name) == 0) reads->insert(name);
  };
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) add_body(attribute.g());
    for (const auto& body : attribute.graphs()) add_body(body);
  }
}

std::string Describe(const onnx::NodeProto& node, int position) {
  if (!node.name().empty()) return fmt::format("node '{}' ({})", node.name(), node.op_type());
  return fmt::format("node {} ({})", position, node.op_type());
}

class Sorter {
 public:
  Sorter(onnx::GraphProto* graph, Names outer) : graph_(graph), outer_(std::move(outer)) {}

  std::vector<Error> Run() {
    AddDefined(*graph_, &outer_);
    FindProducers();
    CountDependencies();
    const std::vector<int> order = Order();
    if (static_cast<int>(order.size()) < graph_->node_size() && problems_.empty())
      ReportCycle(order);
    if (problems_.empty()) Reorder(order);
    SortBodies();
    return std::move(problems_);
  }

 private:
  void FindProducers() {
    for (int n = 0; n < graph_->node_size(); ++n)
      for (const std::string& output : graph_->node(n).output()) {
        if (output.empty()) continue;
        if (outer_.count(output) > 0 || !producers_.emplace(output, n).second)
          problems_.push_back(BadInput(Describe(graph_->node(n), n),
                                       fmt::format("value '{}' is made twice", output)));
      }
  }

  void CountDependencies() {
    readers_.resize(static_cast<size_t>(graph_->node_size()));
    missing_.resize(static_cast<size_t>(graph_->node_size()));
    for (int n = 0; n < graph_->node_size(); ++n) {
      Names reads;
      AddReads(graph_->node(n), &reads);
      for (const std::string& name : reads) {
        const auto made = producers_.find(name);
        if (made != producers_.end()) {
          readers_[static_cast<size_t>(made->second)].push_back(n);
          ++missing_[static_cast<size_t>(n)];
        } else if (outer_.count(name) == 0) {
          problems_.push_back(
              BadInput(Describe(graph_->node(n), n), fmt::format("value '{}' is undefined", name)));
        }
      }
    }
    for (const auto& output : graph_->output())
      if (producers_.count(output.name()) == 0 && outer_.count(output.name()) == 0)
        problems_.push_back(
            BadInput(fmt::format("output '{}'", output.name()), "the value is undefined"));
  }

  std::vector<int> Order() {
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int n = 0; n < graph_->node_size(); ++n)
      if (missing_[static_cast<size_t>(n)] == 0) ready.push(n);
    std::vector<int> order;
    while (!ready.empty()) {
      const int n = ready.top();
      ready.pop();
      order.push_back(n);
      for (int reader : readers_[static_cast<size_t>(n)])
        if (--missing_[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
    return order;
  }

  // Walks back from an unsorted node along inputs that are unsorted too, until a node comes again.
  void ReportCycle(const std::vector<int>& order) {
    const std::set<int> sorted(order.begin(), order.end());
    int at = 0;
    while (sorted.count(at) > 0) ++at;
    std::vector<int> path;
    std::set<int> seen;
    while (seen.insert(at).second) {
      path.push_back(at);
      Names reads;
      AddReads(graph_->node(at), &reads);
      for (const std::string& name : reads) {
        const auto made = producers_.find(name);
        if (made == producers_.end() || sorted.count(made->second) > 0) continue;
        at = made->second;
        break;
      }
    }
    while (path.front() != at) path.erase(path.begin());
    constexpr size_t kShown = 8;
    std::string names;
    for (size_t i = 0; i < path.size() && i < kShown; ++i)
      names += (i == 0 ? "" : ", ") + Describe(graph_->node(path[i]), path[i]);
    if (path.size() > kShown) names += ", ...";
    problems_.push_back(BadInput(
        "", fmt::format("{} nodes depend on each other in a cycle: {}", path.size(), names)));
  }

  void Reorder(const std::vector<int>& order) {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> sorted;
    sorted.Reserve(graph_->node_size());
    for (int n : order) *sorted.Add() = std::move(*graph_->mutable_node(n));
    graph_->mutable_node()->Swap(&sorted);
  }

  void SortBodies() {
    Names visible = outer_;
    for (const auto& [name, node] : producers_) visible.insert(name);
    for (auto& node : *graph_->mutable_node())
      for (auto& attribute : *node.mutable_attribute()) {
        if (!attribute.has_g()) continue;
        std::vector<Error> inner = Sorter(attribute.mutable_g(), visible).Run();
        for (Error& problem : inner)
          problems_.push_back(
              std::move(problem).in(fmt::format("{} of node '{}'", attribute.name(), node.name())));
      }
  }

  onnx::GraphProto* graph_;
  Names outer_;
  std::map<std::string, int> producers_;
  std::vector<std::vector<int>> readers_;
  std::vector<int> missing_;
  std::vector<Error> problems_;
};

}  // namespace

Result<void> SortNodes(onnx::GraphProto* graph) {
  std::vector<Error> problems = Sorter(graph, {}).Run();
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

}  // namespace metadist
