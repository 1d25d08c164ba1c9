// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "importers/arrays/external_data.h"
#include "importers/importer.h"
#include "importers/onnx/check.h"
#include "metair/ir/tensor.h"

// What the parts of the ONNX importer pass on.
namespace metadist {

// A model without its weights: the library then copies, checks and converts kilobytes. Large
// initializers are graph inputs of the proto; small ones stay in it, since shape inference and
// conversion read them.
struct OnnxModel {
  onnx::ModelProto proto;
  // Every initializer of the main graph, in file order, by name.
  std::vector<std::pair<std::string, Tensor>> weights;
  std::map<std::string, size_t> weight_index;
  std::set<std::string> known;  // weights that are constants, whatever their size
};

// The operator set version of the ONNX domain that a model states; 1 if it states none.
int64_t OpsetOf(const onnx::ModelProto& proto);

// Makes inputs of known elements initializers. Errors: kUsage for names that no input has,
// kBadInput for elements of another type; all problems joined.
Result<void> StoreInputs(onnx::GraphProto* graph, const NamedTensors& constants);

// Moves the initializers out of the proto. Problems go to `faults`; an initializer whose external
// data are bad keeps its type, any other bad one is left out and is a faulty value.
OnnxModel TakeWeights(onnx::ModelProto proto, ExternalData* external, Faults* faults);

// Sorts nodes so that every value is made before its uses, keeping their order where it is right,
// and checks them, bodies included: values made twice, undefined values, cycles, CheckNode. Nodes
// of a cycle go to the end.
void SortNodes(onnx::GraphProto* graph, const NodeRules& rules, Faults* faults);

// Replaces symbolic sizes of inputs, outputs and value infos by numbers; sizes of values that stay
// unknown are removed. Problems: kUsage listing all unbound sizes of inputs, or binds and shapes
// that no input uses; kBadInput for inputs that are no tensors, are of another shape than is given,
// or have sizes that mean nothing.
void BindSizes(OnnxModel* model, const ImportOptions& options, Faults* faults);

// Takes out of a sorted model what is faulty, what depends on it, and all calls of functions.
void RemoveFaulty(onnx::ModelProto* proto, const FunctionMap& functions, const Faults& faults);

// Inlines model functions and converts to the canonical operator set (models above it stay as they
// are). Nodes that the ONNX registry does not know are kept untouched.
// Errors: kBadInput with what the library says.
Result<void> Normalize(OnnxModel* model);

// Scans of operator set 8 without their batch dim, for the library to convert.
void DropScanBatch(onnx::GraphProto* graph);

// The operator set that MetaIR's operators follow, the newest that is read, and the newest IR.
inline constexpr int64_t kCanonicalOpset = 26;
inline constexpr int64_t kNewestOpset = 27;
inline constexpr int64_t kNewestIr = 13;

// A graph not typed but for inputs and stored values, and what is known of nodes with unknown
// operators. The nodes belong to the model's proto.
struct BuiltGraph {
  Graph graph;
  std::map<std::string, const onnx::NodeProto*> unknown;  // by node name, of the main graph
  std::map<std::string, TensorType> stated;               // types of results that the model states
};

// The graph of a normalised model. Fills imported->opaque and ->nodes. Errors: kBadInput, all
// problems joined.
Result<BuiltGraph> BuildGraph(OnnxModel* model,
                              ExternalData* external,
                              const OpTable& ops,
                              Imported* imported);

// Types of the results of a node with an unknown operator: by the library's inference for this node
// alone, else as the model states them. Errors: kBadInput if neither knows.
Result<std::vector<TensorType>> InferUnknown(const BuiltGraph& built,
                                             const onnx::ModelProto& proto,
                                             const Graph& graph,
                                             const Node& node);

// The type of a ValueInfoProto or so; nothing unless it is a tensor of a shape and an element type
// that metadist has. Sizes without a number are kRunTimeSize.
std::optional<TensorType> TypeOfProto(const onnx::TypeProto& proto);

// Types the bodies of unknown control-flow nodes from the values they capture. Returns the names of
// nodes whose bodies could not be typed.
std::vector<std::string> TypeBodies(Graph* graph, const OpTable& ops);

}  // namespace metadist
