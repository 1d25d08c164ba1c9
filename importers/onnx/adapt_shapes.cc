// SPDX-License-Identifier: Apache-2.0
//
// The library gives the result of ConstantOfShape as many dims as its input has elements, however
// many: a file of a hundred bytes may ask for billions. So these nodes are hidden from it until the
// lengths of their inputs are known to be small. It divides by the constant pieces of
// SplitToSequence, so these nodes stay hidden if one is 0.
#include "importers/onnx/adapt_shapes.h"

#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace metadist {
namespace {

constexpr char kWaiting[] = "metadist.waiting";
constexpr int64_t kMostDims = 64;
constexpr int kMostRounds = 8;  // each infers all shapes again

void ForEachGraph(onnx::GraphProto* graph, const std::function<void(onnx::GraphProto*)>& visit) {
  visit(graph);
  for (onnx::NodeProto& node : *graph->mutable_node())
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) ForEachGraph(attribute.mutable_g(), visit);
      for (onnx::GraphProto& body : *attribute.mutable_graphs()) ForEachGraph(&body, visit);
    }
}

void TryToInfer(onnx::ModelProto* proto) {
  try {
    onnx::shape_inference::InferShapes(*proto);
  } catch (const std::exception&) {
    // Errors in the model are found by our own inference.
  }
}

bool HasZero(const onnx::TensorProto& tensor) {
  const auto zero = [](int64_t x) { return x == 0; };
  const std::string& raw = tensor.raw_data();
  const bool wide = tensor.data_type() == onnx::TensorProto::INT64;
  if (!wide && tensor.data_type() != onnx::TensorProto::INT32) return false;
  const size_t size = wide ? sizeof(int64_t) : sizeof(int32_t);
  for (size_t at = 0; at + size <= raw.size(); at += size)
    if (raw.find_first_not_of('\0', at) >= at + size) return true;
  return std::ranges::any_of(tensor.int64_data(), zero) ||
         std::ranges::any_of(tensor.int32_data(), zero);
}

// Names of constants that hold a zero.
std::set<std::string> Zeros(onnx::ModelProto* proto) {
  std::set<std::string> names;
  ForEachGraph(proto->mutable_graph(), [&](onnx::GraphProto* graph) {
    for (const onnx::TensorProto& tensor : graph->initializer())
      if (HasZero(tensor)) names.insert(tensor.name());
    for (const onnx::NodeProto& node : graph->node())
      for (const onnx::AttributeProto& value : node.attribute())
        if (node.output_size() == 1 && node.input_size() == 0 &&
            (HasZero(value.t()) || (value.has_i() && value.i() == 0) ||
             std::ranges::count(value.ints(), 0) > 0))
          names.insert(node.output(0));
  });
  return names;
}

// Moves nodes that may make too many dims, or divide by 0, to the other domain; returns how many.
int Hide(onnx::ModelProto* proto) {
  std::optional<std::set<std::string>> zeros;
  const auto is_zero = [&](const std::string& name) {
    if (!zeros) zeros = Zeros(proto);
    return zeros->count(name) > 0;
  };
  int hidden = 0;
  ForEachGraph(proto->mutable_graph(), [&](onnx::GraphProto* graph) {
    for (onnx::NodeProto& node : *graph->mutable_node()) {
      const bool divides =
          node.op_type() == "SplitToSequence" && node.input_size() > 1 && is_zero(node.input(1));
      if (!node.domain().empty() || (node.op_type() != "ConstantOfShape" && !divides)) continue;
      node.set_domain(kWaiting);
      ++hidden;
    }
  });
  return hidden;
}

// Known lengths of lists, by name; of lists of one name, the longest.
std::map<std::string, int64_t> Lengths(onnx::ModelProto* proto) {
  std::map<std::string, int64_t> lengths;
  const auto add = [&](const std::string& name, int64_t length) {
    int64_t& longest = lengths[name];
    longest = std::max(longest, length);
  };
  ForEachGraph(proto->mutable_graph(), [&](onnx::GraphProto* graph) {
    for (const auto* values : {&graph->value_info(), &graph->input(), &graph->output()})
      for (const onnx::ValueInfoProto& value : *values) {
        const auto& shape = value.type().tensor_type().shape();
        if (shape.dim_size() == 1 && shape.dim(0).has_dim_value())
          add(value.name(), shape.dim(0).dim_value());
      }
    for (const onnx::TensorProto& tensor : graph->initializer())
      if (tensor.dims_size() == 1) add(tensor.name(), tensor.dims(0));
  });
  return lengths;
}

// Moves nodes back that make few dims, or all; returns how many.
int Show(onnx::ModelProto* proto, bool all) {
  const std::map<std::string, int64_t> lengths = Lengths(proto);
  int shown = 0;
  ForEachGraph(proto->mutable_graph(), [&](onnx::GraphProto* graph) {
    for (onnx::NodeProto& node : *graph->mutable_node()) {
      if (node.domain() != kWaiting || (!all && node.op_type() != "ConstantOfShape")) continue;
      const auto length = lengths.find(node.input_size() > 0 ? node.input(0) : "");
      if (!all && (length == lengths.end() || length->second > kMostDims)) continue;
      node.clear_domain();
      ++shown;
    }
  });
  return shown;
}

}  // namespace

void InferShapes(onnx::ModelProto* proto) {
  if (Hide(proto) == 0) return TryToInfer(proto);
  auto* import = proto->add_opset_import();
  import->set_domain(kWaiting);
  import->set_version(1);
  for (int round = 0; round < kMostRounds; ++round) {
    TryToInfer(proto);
    if (Show(proto, /*all=*/false) == 0) break;
  }
  Show(proto, /*all=*/true);
  proto->mutable_opset_import()->RemoveLast();
}

}  // namespace metadist
