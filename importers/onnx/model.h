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

// Data passed between the parts of the ONNX importer.
namespace metadist {

// A model without its weights, so that the library copies, checks and converts only kilobytes.
// Large initializers are graph inputs of the proto; small ones stay in it, since shape inference
// and conversion read them.
struct OnnxModel {
  onnx::ModelProto proto;
  // Every initializer of the main graph, in file order, by name.
  std::vector<std::pair<std::string, Tensor>> weights;
  std::map<std::string, size_t> weight_index;
  std::set<std::string> known;  // weights that are constants, whatever their size
};

// The version of the ONNX domain's operator set that a model states; 1 if it states none.
int64_t OpsetOf(const onnx::ModelProto& proto);

// Turns inputs with known elements into initializers. Errors: kUsage for names that no input has,
// kBadInput for elements of another type; all problems joined.
Result<void> StoreInputs(onnx::GraphProto* graph, const NamedTensors& constants);

// Moves the initializers out of the proto. Problems are added to `faults`. An initializer with bad
// external data keeps its type; any other bad one is omitted and becomes a faulty value.
OnnxModel TakeWeights(onnx::ModelProto proto, ExternalData* external, Faults* faults);

// Sorts nodes so that every value is defined before its uses, keeping their order if it is valid,
// and checks them, bodies included: values defined twice, undefined values, cycles, CheckNode.
// Nodes of a cycle are placed at the end.
void SortNodes(onnx::GraphProto* graph, const NodeRules& rules, Faults* faults);

// Replaces symbolic sizes of inputs, outputs and value infos by numbers; sizes of values that stay
// unknown are removed. Problems: kUsage listing all unbound sizes of inputs, or binds and shapes
// that no input uses; kBadInput for inputs that are not tensors, do not match the given shape, or
// have invalid sizes.
void BindSizes(OnnxModel* model, const ImportOptions& options, Faults* faults);

// Removes from a sorted model what is faulty, what depends on it, and all calls of functions.
void RemoveFaulty(onnx::ModelProto* proto, const FunctionMap& functions, const Faults& faults);

// Inlines model functions and converts to the canonical operator set (models of a newer one are not
// converted). Nodes that the ONNX registry does not know are left unchanged. Errors: kBadInput with
// the library's message.
Result<void> Normalize(OnnxModel* model);

// Removes the batch dim from Scans of operator set 8, so that the library can convert them.
void DropScanBatch(onnx::GraphProto* graph);

// The operator set that MetaIR's operators follow, the newest one accepted, and the newest IR
// version.
inline constexpr int64_t kCanonicalOpset = 26;
inline constexpr int64_t kNewestOpset = 27;
inline constexpr int64_t kNewestIr = 13;

// A graph in which only inputs and stored values have types, and information on nodes with unknown
// operators. The nodes belong to the model's proto.
struct BuiltGraph {
  Graph graph;
  std::map<std::string, const onnx::NodeProto*> unknown;  // by node name, of the main graph
  std::map<std::string, TensorType> stated;               // result types stated by the model
};

// The graph of a normalised model. Fills imported->opaque and ->nodes. Errors: kBadInput, all
// problems joined.
Result<BuiltGraph> BuildGraph(OnnxModel* model,
                              ExternalData* external,
                              const OpTable& ops,
                              Imported* imported);

// Types of the results of a node with an unknown operator: by the library's inference for this node
// alone, else as the model states them. Errors: kBadInput if neither is available.
Result<std::vector<TensorType>> InferUnknown(const BuiltGraph& built,
                                             const onnx::ModelProto& proto,
                                             const Graph& graph,
                                             const Node& node);

// The type of a ValueInfoProto or similar; nothing unless it is a tensor with a shape and an
// element type that metadist supports. Sizes without a number become kRunTimeSize.
std::optional<TensorType> TypeOfProto(const onnx::TypeProto& proto);

// Infers the types in the bodies of unknown control-flow nodes from the captured values. Returns
// the names of nodes whose bodies could not be typed.
std::vector<std::string> TypeBodies(Graph* graph, const OpTable& ops);

// The model in a file, unchecked. Errors: kUsage if the file does not exist, kBadInput if it is not
// a model.
Result<onnx::ModelProto> ParseModel(const std::string& path);

}  // namespace metadist
