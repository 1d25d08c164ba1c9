// SPDX-License-Identifier: Apache-2.0
//
// Checks of model functions before they are inlined. The library's inliner copies a body for each
// call and recurses with the depth of calls: fifty small functions that each call the next one
// twice amount to 2^50 nodes. So the calls are traversed first, with an explicit stack, and the
// sizes that inlining would produce are added up with saturation. Linear in the number of calls.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "importers/onnx/check.h"
#include "importers/onnx/model.h"

namespace metadist {
namespace {

// Exporters nest functions a few levels deep, and the largest known model has some 10,000 nodes.
constexpr int64_t kMostNodes = 1000000;
constexpr int64_t kDeepestCalls = 200;

std::string Name(const onnx::FunctionProto& function) {
  return function.domain() + "." + function.name() +
         (function.overload().empty() ? "" : ":" + function.overload());
}
std::string Place(const onnx::FunctionProto& function) {
  return fmt::format("function '{}'", Name(function));
}

void ForEachNode(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                 const std::function<void(const onnx::NodeProto&)>& visit) {
  for (const onnx::NodeProto& node : nodes) {
    visit(node);
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) ForEachNode(attribute.g().node(), visit);
      for (const auto& body : attribute.graphs()) ForEachNode(body.node(), visit);
    }
  }
}

int64_t SumOf(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

// The result of inlining a function's calls.
struct Expansion {
  int64_t nodes = 0;
  int64_t depth = 0;
};

class Calls {
 public:
  Calls(const onnx::ModelProto& proto, const FunctionMap& functions, Faults* faults)
      : proto_(proto), functions_(functions), faults_(faults) {}

  void Run() {
    for (const auto& [key, function] : functions_) Visit(key);
    Expansion whole = Expand(proto_.graph().node());
    if (whole.nodes > kMostNodes)
      faults_->Add("",
                   fmt::format("its functions expand to {} nodes, more than {}",
                               whole.nodes == std::numeric_limits<int64_t>::max()
                                   ? std::string("2^63")
                                   : std::to_string(whole.nodes),
                               kMostNodes),
                   "inline the functions where the model is exported");
    for (const auto& [key, expansion] : done_) whole.depth = std::max(whole.depth, expansion.depth);
    if (whole.depth > kDeepestCalls)
      faults_->Add(
          "",
          fmt::format(
              "its functions call each other {} deep, more than {}", whole.depth, kDeepestCalls),
          "inline the functions where the model is exported");
  }

 private:
  struct Frame {
    FunctionKey key;
    std::vector<FunctionKey> callees;
    size_t next = 0;
  };

  Frame Enter(const FunctionKey& key) {
    Frame frame{key, {}, 0};
    ForEachNode(functions_.at(key)->node(), [&](const onnx::NodeProto& node) {
      if (functions_.count(KeyOf(node)) > 0) frame.callees.push_back(KeyOf(node));
    });
    open_.insert(key);
    return frame;
  }

  // Depth first, callees before callers.
  void Visit(const FunctionKey& start) {
    if (done_.count(start) > 0) return;
    std::vector<Frame> path;
    path.push_back(Enter(start));
    while (!path.empty()) {
      Frame& top = path.back();
      if (top.next == top.callees.size()) {
        done_[top.key] = Expand(functions_.at(top.key)->node());
        open_.erase(top.key);
        path.pop_back();
        continue;
      }
      const FunctionKey callee = top.callees[top.next++];
      if (open_.count(callee) > 0)
        ReportRecursion(path, callee);
      else if (done_.count(callee) == 0)
        path.push_back(Enter(callee));
    }
  }

  void ReportRecursion(const std::vector<Frame>& path, const FunctionKey& again) {
    size_t from = 0;
    while (path[from].key != again) ++from;
    constexpr size_t kShown = 8;
    std::string names;
    for (size_t i = from; i < path.size() && i < from + kShown; ++i)
      names += fmt::format("'{}' calls ", Name(*functions_.at(path[i].key)));
    if (path.size() - from > kShown) names += "... calls ";
    faults_->Add(Place(*functions_.at(again)),
                 fmt::format("it calls itself: {}'{}'", names, Name(*functions_.at(again))),
                 "ONNX functions cannot be recursive: they are copied to where they are called");
  }

  Expansion Expand(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) const {
    Expansion sum;
    ForEachNode(nodes, [&](const onnx::NodeProto& node) {
      const auto callee = done_.find(KeyOf(node));
      const bool call = callee != done_.end();
      sum.nodes = SumOf(sum.nodes, call ? callee->second.nodes : 1);
      if (call) sum.depth = std::max(sum.depth, callee->second.depth + 1);
    });
    return sum;
  }

  const onnx::ModelProto& proto_;
  const FunctionMap& functions_;
  Faults* faults_;
  std::map<FunctionKey, Expansion> done_;
  std::set<FunctionKey> open_;
};

// Checks the nodes of a function like those of a graph: every value defined once, none undefined.
void CheckBody(onnx::FunctionProto* function, const FunctionMap& functions, Faults* faults) {
  NodeRules rules{OpsetsOf(function->opset_import()), &functions, {}, /*in_function=*/true};
  rules.attributes.insert(function->attribute().begin(), function->attribute().end());
  for (const auto& attribute : function->attribute_proto())
    rules.attributes.insert(attribute.name());
  onnx::GraphProto graph;
  for (const std::string& input : function->input()) graph.add_input()->set_name(input);
  for (const std::string& output : function->output()) graph.add_output()->set_name(output);
  graph.mutable_node()->Swap(function->mutable_node());
  Faults inner;
  SortNodes(&graph, rules, &inner);
  graph.mutable_node()->Swap(function->mutable_node());
  for (Error& problem : inner.problems) faults->Add(std::move(problem).in(Place(*function)));
}

void StateDefaultsOf(google::protobuf::RepeatedPtrField<onnx::NodeProto>* nodes,
                     const FunctionMap& functions) {
  for (onnx::NodeProto& node : *nodes) {
    const auto function = functions.find(KeyOf(node));
    std::set<std::string> given;
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      given.insert(attribute.name());
      if (attribute.has_g()) StateDefaultsOf(attribute.mutable_g()->mutable_node(), functions);
    }
    if (function == functions.end()) continue;
    for (const auto& attribute : function->second->attribute_proto())
      if (given.count(attribute.name()) == 0) *node.add_attribute() = attribute;
  }
}

}  // namespace

void StateDefaults(onnx::ModelProto* proto) {
  const FunctionMap functions = FunctionsOf(*proto);
  StateDefaultsOf(proto->mutable_graph()->mutable_node(), functions);
  for (onnx::FunctionProto& function : *proto->mutable_functions())
    StateDefaultsOf(function.mutable_node(), functions);
}

void CheckFunctions(onnx::ModelProto* proto, Faults* faults) {
  const FunctionMap functions = FunctionsOf(*proto);
  for (const onnx::FunctionProto& function : proto->functions())
    if (functions.at(KeyOf(function)) != &function)
      faults->Add(Place(function),
                  "two functions have this name",
                  "those that differ need an overload each");
  Calls(*proto, functions, faults).Run();
  for (onnx::FunctionProto& function : *proto->mutable_functions())
    CheckBody(&function, functions, faults);
}

}  // namespace metadist
