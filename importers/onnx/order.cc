// SPDX-License-Identifier: Apache-2.0
//
// The ONNX specification requires sorted nodes, and the library relies on it; some writers do not
// sort. Kahn's algorithm with the smallest position first leaves a sorted graph unchanged. A body
// reads values of the enclosing graphs by name, so a node depends on everything its bodies read.
// Nodes in a cycle stay at the end. O((n + e) log n) for a graph and its bodies, times the nesting
// depth.
#include <fmt/format.h>

#include <functional>
#include <queue>
#include <set>
#include <utility>

#include "importers/onnx/check.h"
#include "importers/onnx/model.h"
#include "metair/ir/suggest.h"

namespace metadist {
namespace {

using Names = std::set<std::string>;

constexpr char kUnique[] = "every value must have a unique name: export the model again";
constexpr char kCycle[] = "what repeats must be the body of a control-flow node";

// Names that the node reads, its bodies included.
void AddReads(const onnx::NodeProto& node, Names* reads) {
  for (const std::string& input : node.input())
    if (!input.empty()) reads->insert(input);
  const auto add_body = [&](const onnx::GraphProto& body) {
    Names inner;
    Names own;
    for (const auto& input : body.input()) own.insert(input.name());
    for (const auto& tensor : body.initializer()) own.insert(tensor.name());
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

// Values defined before a node, in its graph and in enclosing graphs.
struct Scope {
  const Scope* outer = nullptr;
  Names names = {};

  bool Has(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer)
      if (scope->names.count(name) > 0) return true;
    return false;
  }
};

class Sorter {
 public:
  Sorter(onnx::GraphProto* graph, const Scope* outer, const NodeRules& rules)
      : graph_(graph), rules_(rules), scope_{outer} {}

  Faults Run() {
    AddInitializers();
    AddInputs();
    FindProducers();
    CountDependencies();
    const std::vector<int> order = Order();
    Reorder(order);
    CheckNodes(static_cast<int>(order.size()));
    return std::move(faults_);
  }

 private:
  void FailNode(int n, Error problem) {
    const onnx::NodeProto& node = graph_->node(n);
    faults_.Add(std::move(problem).in(NodePlace(node, positions_[static_cast<size_t>(n)])));
    faults_.values.insert(node.output().begin(), node.output().end());
  }

  void AddInitializers() {
    for (const auto& tensor : graph_->initializer())
      if (!scope_.names.insert(tensor.name()).second)
        faults_.Add(fmt::format("initializer '{}'", tensor.name()),
                    "two initializers have this name",
                    kUnique);
  }

  void AddInputs() {
    Names seen;
    for (const auto& input : graph_->input()) {
      const std::string where = fmt::format("input '{}'", input.name());
      if (input.name().empty()) faults_.Add("graph inputs", "an input has no name");
      if (!seen.insert(input.name()).second)
        faults_.Add(where, "two inputs have this name", kUnique);
      scope_.names.insert(input.name());
    }
  }

  void FindProducers() {
    for (int n = 0; n < graph_->node_size(); ++n) {
      positions_.push_back(n);
      for (const std::string& output : graph_->node(n).output()) {
        if (output.empty()) continue;
        const bool given = scope_.names.count(output) > 0;
        if (given || !producers_.emplace(output, n).second)
          FailNode(n, BadInput("", fmt::format("value '{}' is made twice", output), kUnique));
      }
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
        if (made == producers_.end()) continue;
        readers_[static_cast<size_t>(made->second)].push_back(n);
        ++missing_[static_cast<size_t>(n)];
      }
      for (const std::string& name : graph_->node(n).input())
        if (!name.empty() && producers_.count(name) == 0 && !scope_.Has(name))
          FailNode(n, Undefined(fmt::format("value '{}' is undefined", name), name));
    }
    for (const auto& output : graph_->output()) {
      if (producers_.count(output.name()) > 0 || scope_.Has(output.name())) continue;
      Error problem = Undefined("the value is undefined", output.name());
      faults_.Add(std::move(problem).in(fmt::format("output '{}'", output.name())));
    }
  }

  // The nearest name is searched only a few times, because each search compares all names.
  Error Undefined(std::string message, const std::string& name) {
    constexpr int kGuesses = 10;
    if (name.size() < 3 || ++guesses_ > kGuesses) return BadInput("", std::move(message));
    std::vector<std::string> known(scope_.names.begin(), scope_.names.end());
    for (const auto& [made, node] : producers_) known.push_back(made);
    return BadInput("", std::move(message), DidYouMean(name, known));
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
    if (static_cast<int>(order.size()) < graph_->node_size()) ReportCycle(order);
    return order;
  }

  // Walks back from an unsorted node along unsorted inputs until a node repeats.
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
      names += (i == 0 ? "" : ", ") + NodePlace(graph_->node(path[i]), path[i]);
    if (path.size() > kShown) names += ", ...";
    if (path.size() == 1)
      faults_.Add(names, "the node depends on its own result", kCycle);
    else
      faults_.Add("",
                  fmt::format("{} nodes depend on each other in a cycle: {}", path.size(), names),
                  kCycle);
  }

  // Moves unsorted nodes to the end; their results are faulty.
  void Reorder(std::vector<int> order) {
    const std::set<int> sorted(order.begin(), order.end());
    for (int n = 0; n < graph_->node_size(); ++n) {
      if (sorted.count(n) > 0) continue;
      order.push_back(n);
      const auto& outputs = graph_->node(n).output();
      faults_.values.insert(outputs.begin(), outputs.end());
    }
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Reserve(graph_->node_size());
    for (int n : order) *nodes.Add() = std::move(*graph_->mutable_node(n));
    graph_->mutable_node()->Swap(&nodes);
    positions_ = std::move(order);
  }

  // Checks each node by itself and its bodies. A body may redefine names that are defined later in
  // an enclosing graph, but not those that it can read. A body of a node in a cycle is checked as
  // if its node came last.
  void CheckNodes(int sorted) {
    for (int n = sorted; n < graph_->node_size(); ++n) AddResults(n);
    for (int n = 0; n < graph_->node_size(); ++n) {
      for (Error& problem : CheckNode(graph_->node(n), rules_)) FailNode(n, std::move(problem));
      const std::string name = NodePlace(graph_->node(n), positions_[static_cast<size_t>(n)]);
      for (auto& attribute : *graph_->mutable_node(n)->mutable_attribute())
        if (attribute.has_g())
          CheckBody(n, fmt::format("{} of {}", attribute.name(), name), attribute.mutable_g());
      if (n < sorted) AddResults(n);
    }
  }

  void AddResults(int n) {
    for (const std::string& output : graph_->node(n).output())
      if (!output.empty()) scope_.names.insert(output);
  }

  void CheckBody(int n, const std::string& where, onnx::GraphProto* body) {
    Faults inner;
    for (const auto& tensor : body->sparse_initializer())
      inner.Add(fmt::format("initializer '{}'", tensor.values().name()),
                "sparse tensors are not supported",
                "store it as a dense initializer");
    for (const auto& node : body->node())
      for (const std::string& output : node.output())
        if (!output.empty() && scope_.Has(output))
          inner.Add("",
                    fmt::format("value '{}' is defined twice: the enclosing graph defines it too",
                                output),
                    kUnique);
    for (Error& problem : Sorter(body, &scope_, rules_).Run().problems)
      inner.problems.push_back(std::move(problem));
    if (inner.problems.empty()) return;
    for (Error& problem : inner.problems) faults_.Add(std::move(problem).in(where));
    const auto& outputs = graph_->node(n).output();
    faults_.values.insert(outputs.begin(), outputs.end());
  }

  onnx::GraphProto* graph_;
  const NodeRules& rules_;
  Scope scope_;
  std::map<std::string, int> producers_;
  std::vector<int> positions_;  // position in the file, by current position
  std::vector<std::vector<int>> readers_;
  std::vector<int> missing_;
  int guesses_ = 0;
  Faults faults_;
};

bool CallsFunction(const onnx::NodeProto& node, const FunctionMap& functions) {
  if (functions.count(KeyOf(node)) > 0) return true;
  for (const auto& attribute : node.attribute())
    for (const auto& inner : attribute.g().node())
      if (CallsFunction(inner, functions)) return true;
  return false;
}

}  // namespace

void SortNodes(onnx::GraphProto* graph, const NodeRules& rules, Faults* faults) {
  const Scope faulty{nullptr, faults->values};
  Faults found = Sorter(graph, &faulty, rules).Run();
  for (Error& problem : found.problems) faults->Add(std::move(problem));
  faults->values.merge(found.values);
}

void RemoveFaulty(onnx::ModelProto* proto, const FunctionMap& functions, const Faults& faults) {
  onnx::GraphProto* graph = proto->mutable_graph();
  Names defined;
  const auto define = [&](const std::string& name) {
    if (!name.empty() && faults.values.count(name) == 0) defined.insert(name);
  };
  for (const auto& tensor : graph->initializer()) define(tensor.name());
  auto* inputs = graph->mutable_input();
  int kept = 0;
  for (int i = 0; i < inputs->size(); ++i) {
    if (faults.values.count(inputs->Get(i).name()) > 0) continue;
    define(inputs->Get(i).name());
    inputs->SwapElements(kept++, i);
  }
  inputs->DeleteSubrange(kept, inputs->size() - kept);

  auto* nodes = graph->mutable_node();
  kept = 0;
  for (int n = 0; n < nodes->size(); ++n) {
    const onnx::NodeProto& node = nodes->Get(n);
    bool good = !CallsFunction(node, functions) && !node.output().empty();
    for (const std::string& output : node.output()) good = good && faults.values.count(output) == 0;
    Names reads;
    AddReads(node, &reads);
    for (const std::string& name : reads) good = good && defined.count(name) > 0;
    if (!good) continue;
    for (const std::string& output : node.output()) define(output);
    nodes->SwapElements(kept++, n);
  }
  nodes->DeleteSubrange(kept, nodes->size() - kept);

  auto* outputs = graph->mutable_output();
  kept = 0;
  for (int i = 0; i < outputs->size(); ++i)
    if (defined.count(outputs->Get(i).name()) > 0) outputs->SwapElements(kept++, i);
  outputs->DeleteSubrange(kept, outputs->size() - kept);
  proto->clear_functions();
}

}  // namespace metadist
