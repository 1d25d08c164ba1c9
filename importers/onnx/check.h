// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "importers/onnx/faults.h"

namespace metadist {

// "node 'name' (Op)", or "node 7 (Op)" by its position in the graph.
std::string NodePlace(const onnx::NodeProto& node, int position);

// Functions defined by a model, by domain, name and overload; "ai.onnx" becomes "".
using FunctionKey = std::array<std::string, 3>;
using FunctionMap = std::map<FunctionKey, const onnx::FunctionProto*>;
FunctionKey KeyOf(const onnx::NodeProto& call);
FunctionKey KeyOf(const onnx::FunctionProto& function);
// The first of several functions with one name counts.
FunctionMap FunctionsOf(const onnx::ModelProto& proto);

// What the nodes of one graph or function are checked against.
struct NodeRules {
  std::map<std::string, int64_t> opsets;   // imported domains; "ai.onnx" becomes ""
  const FunctionMap* functions = nullptr;  // of the model
  std::set<std::string> attributes = {};   // of the function that contains the nodes
  bool in_function = false;
};

// The domains that a model or function imports.
std::map<std::string, int64_t> OpsetsOf(
    const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports);

// Checks a node by itself: its domain, the number of its operands and results, and its attributes,
// against the ONNX schema of its opset or the function it calls. Unknown operators pass. Errors:
// one kBadInput per problem, without a place.
std::vector<Error> CheckNode(const onnx::NodeProto& node, const NodeRules& rules);

// Names of attributes that are not in the schema.
std::vector<std::string> StrayAttributes(const onnx::NodeProto& node, const NodeRules& rules);

// Checks functions: unique names, no recursion, all calls resolve, and the expansion stays small.
// Checks and sorts their nodes.
void CheckFunctions(onnx::ModelProto* proto, Faults* faults);

// Writes the defaults of functions' attributes to the calls that omit them, because the library's
// inliner does not support defaults.
void StateDefaults(onnx::ModelProto* proto);

}  // namespace metadist
