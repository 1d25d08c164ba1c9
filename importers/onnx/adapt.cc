// SPDX-License-Identifier: Apache-2.0
//
// Corrects what the library's converter gets wrong, before and after it runs:
//  * Resize and its predecessor Upsample, up to opset 10: sizes are mapped by the plain quotient,
//    and the nearest element is the one below (above if all scales shrink). From opset 11 on an
//    attribute specifies this, with other defaults; the converter leaves the defaults.
//  * Hardmax, up to opset 12: it runs over all dims from its axis on, which is 1 by default; the
//    converter treats it as that of opset 13, which runs over one dim, by default the last.
//  * RoiAlign, up to opset 15: coordinates are not shifted by half an element. From opset 16 on
//    an attribute specifies this, whose default shifts them.
//  * PRelu, up to opset 6: a list of slopes has one for each channel (dim 1); from opset 7 on it
//    broadcasts from the right.
//
// Source: ONNX operator changelog; onnxruntime's kernels of the old operators.
#include "importers/onnx/adapt.h"

#include <onnx/defs/attr_proto_util.h>
#include <onnx/defs/tensor_proto_util.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace metadist {
namespace {

using onnx::AttributeProto;
using onnx::NodeProto;

// Scales from an attribute or an initializer; empty if they are computed.
std::vector<float> ScalesOf(const NodeProto& node, const onnx::GraphProto& graph) {
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.name() == "scales") return {attribute.floats().begin(), attribute.floats().end()};
  if (node.input_size() < 2) return {};
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    if (tensor.name() != node.input(1)) continue;
    if (!tensor.has_raw_data()) return {tensor.float_data().begin(), tensor.float_data().end()};
    std::vector<float> scales(tensor.raw_data().size() / sizeof(float));
    std::memcpy(scales.data(), tensor.raw_data().data(), scales.size() * sizeof(float));
    return scales;
  }
  return {};
}

bool Shrinks(const NodeProto& node, const onnx::GraphProto& graph) {
  const std::vector<float> scales = ScalesOf(node, graph);
  return !scales.empty() &&
         std::all_of(scales.begin(), scales.end(), [](float s) { return s <= 1; }) &&
         std::any_of(scales.begin(), scales.end(), [](float s) { return s < 1; });
}

// Flattens the input to a matrix, applies Hardmax to its rows and restores the shape.
void AppendHardmax(NodeProto node, google::protobuf::RepeatedPtrField<NodeProto>* nodes) {
  int64_t axis = 1;
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.name() == "axis") axis = attribute.i();
  const std::string x = node.input(0);
  const std::string y = node.output(0);
  *nodes->Add() = NodeOf("Shape", {x}, y + "/shape");
  NodeProto flatten = NodeOf("Flatten", {x}, y + "/rows");
  *flatten.add_attribute() = onnx::MakeAttribute("axis", axis);
  *nodes->Add() = std::move(flatten);
  node.set_input(0, y + "/rows");
  node.set_output(0, y + "/of_rows");
  node.clear_attribute();
  *node.add_attribute() = onnx::MakeAttribute("axis", 1);
  *nodes->Add() = std::move(node);
  *nodes->Add() = NodeOf("Reshape", {y + "/of_rows", y + "/shape"}, y);
}

bool IsList(const std::string& name, const onnx::GraphProto& graph) {
  return std::any_of(
      graph.initializer().begin(), graph.initializer().end(), [&](const onnx::TensorProto& tensor) {
        return tensor.name() == name && tensor.dims_size() == 1;
      });
}

// Computes with x as [batch, channels, the rest] and the slopes as [channels, 1].
void AppendPRelu(NodeProto node, google::protobuf::RepeatedPtrField<NodeProto>* nodes) {
  const std::string x = node.input(0);
  const std::string y = node.output(0);
  *nodes->Add() = NodeOf("Shape", {x}, y + "/shape");
  NodeProto seen = NodeOf("Constant", {}, y + "/seen");
  *seen.add_attribute() = onnx::MakeAttribute("value", ListOf({0, 0, -1}));
  *nodes->Add() = std::move(seen);
  *nodes->Add() = NodeOf("Reshape", {x, y + "/seen"}, y + "/channels");
  NodeProto slopes = NodeOf("Unsqueeze", {node.input(1)}, y + "/slopes");
  *slopes.add_attribute() = onnx::MakeAttribute("axes", std::vector<int64_t>{1});
  *nodes->Add() = std::move(slopes);
  node.set_input(0, y + "/channels");
  node.set_input(1, y + "/slopes");
  node.set_output(0, y + "/of_channels");
  *nodes->Add() = std::move(node);
  *nodes->Add() = NodeOf("Reshape", {y + "/of_channels", y + "/shape"}, y);
}

void AdaptGraph(onnx::GraphProto* graph, int64_t opset, OldResizes* resizes) {
  google::protobuf::RepeatedPtrField<NodeProto> nodes;
  nodes.Reserve(graph->node_size());
  for (NodeProto& node : *graph->mutable_node()) {
    for (AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) AdaptGraph(attribute.mutable_g(), opset, resizes);
    const bool ours = node.domain().empty();
    const std::string& op = node.op_type();
    if (ours && opset <= 10 && node.output_size() == 1 && (op == "Resize" || op == "Upsample"))
      resizes->emplace(node.output(0), Shrinks(node, *graph));
    if (ours && opset <= 12 && op == "Hardmax" && node.input_size() == 1 && node.output_size() == 1)
      AppendHardmax(std::move(node), &nodes);
    else if (ours && opset <= 6 && op == "PRelu" && node.input_size() == 2 &&
             node.output_size() == 1 && IsList(node.input(1), *graph))
      AppendPRelu(std::move(node), &nodes);
    else
      *nodes.Add() = std::move(node);
  }
  graph->mutable_node()->Swap(&nodes);
}

void AdaptNewGraph(onnx::GraphProto* graph, int64_t opset, const OldResizes& resizes) {
  for (NodeProto& node : *graph->mutable_node()) {
    for (AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) AdaptNewGraph(attribute.mutable_g(), opset, resizes);
    if (node.domain().empty() && opset <= 15 && node.op_type() == "RoiAlign")
      *node.add_attribute() =
          onnx::MakeAttribute("coordinate_transformation_mode", "output_half_pixel");
    if (node.op_type() != "Resize" || node.output_size() != 1) continue;
    const auto found = resizes.find(node.output(0));
    if (found == resizes.end()) continue;
    *node.add_attribute() = onnx::MakeAttribute("coordinate_transformation_mode", "asymmetric");
    *node.add_attribute() = onnx::MakeAttribute("nearest_mode", found->second ? "ceil" : "floor");
  }
}

}  // namespace

NodeProto NodeOf(const char* op,
                 const std::vector<std::string>& inputs,
                 const std::string& output) {
  NodeProto node;
  node.set_op_type(op);
  node.mutable_input()->Assign(inputs.begin(), inputs.end());
  node.add_output(output);
  return node;
}

onnx::TensorProto ListOf(const std::vector<int64_t>& values) {
  onnx::TensorProto list = onnx::ToTensor(values);
  list.add_dims(static_cast<int64_t>(values.size()));
  return list;
}

OldResizes AdaptOld(onnx::ModelProto* proto, int64_t opset) {
  OldResizes resizes;
  if (opset <= 12) AdaptGraph(proto->mutable_graph(), opset, &resizes);
  return resizes;
}

void AdaptNew(onnx::ModelProto* proto, int64_t opset, const OldResizes& resizes) {
  if (opset <= 15) AdaptNewGraph(proto->mutable_graph(), opset, resizes);
}

}  // namespace metadist
