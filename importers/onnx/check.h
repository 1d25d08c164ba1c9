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

// Functions that a model defines, by domain, name and overload; "ai.onnx" reads "".
using FunctionKey = std::array<std::string, 3>;
using FunctionMap = std::map<FunctionKey, const onnx::FunctionProto*>;
FunctionKey KeyOf(const onnx::NodeProto& call);
FunctionKey KeyOf(const onnx::FunctionProto& function);
// Of several of one name the first.
FunctionMap FunctionsOf(const onnx::ModelProto& proto);

// What the nodes of one graph or function are held against.
struct NodeRules {
  std::map<std::string, int64_t> opsets;   // domains imported; "ai.onnx" reads ""
  const FunctionMap* functions = nullptr;  // of the model
  std::set<std::string> attributes = {};   // of the function that the nodes are in
  bool in_function = false;
};

// The domains that a model or function imports.
std::map<std::string, int64_t> OpsetsOf(
    const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports);

// What a node says by itself: its domain, the number of its operands and results, its attributes;
// against the ONNX schema of its opset or the function it calls. Unknown operators pass.
// Errors: one kBadInput for each problem, without a place.
std::vector<Error> CheckNode(const onnx::NodeProto& node, const NodeRules& rules);

// Names of attributes that the schema does not have.
std::vector<std::string> StrayAttributes(const onnx::NodeProto& node, const NodeRules& rules);

// Functions: no two of one name, none that calls itself, calls that resolve, an expansion that
// stays small; their nodes are checked and sorted.
void CheckFunctions(onnx::ModelProto* proto, Faults* faults);

// Writes the defaults of functions' attributes to the calls that do not give them: the library's
// inliner does not know them.
void StateDefaults(onnx::ModelProto* proto);

}  // namespace metadist
