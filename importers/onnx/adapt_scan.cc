// SPDX-License-Identifier: Apache-2.0
//
// Scan of operator set 8 has a batch dim before all others, and the lengths of its sequences as
// first input; from opset 9 on it has neither. The library's converter drops the dim from the types
// of the values but not from the values. Here nodes before and after drop it, which is correct for
// batches of one; the added nodes refuse other batches. Lengths are refused by the library.
#include <fmt/format.h>
#include <onnx/defs/attr_proto_util.h>

#include "importers/onnx/adapt.h"
#include "importers/onnx/model.h"

namespace metadist {
namespace {

void AddReshaping(const char* op,
                  const std::string& from,
                  const std::string& to,
                  onnx::GraphProto* graph) {
  onnx::NodeProto node = NodeOf(op, {from}, to);
  node.set_name(to + "/batch");
  *node.add_attribute() = onnx::MakeAttribute("axes", std::vector<int64_t>{0});
  *graph->add_node() = std::move(node);
}

}  // namespace

void DropScanBatch(onnx::GraphProto* graph) {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  nodes.Swap(graph->mutable_node());
  for (onnx::NodeProto& node : nodes) {
    if (node.op_type() != "Scan" || !node.domain().empty()) {
      *graph->add_node() = std::move(node);
      continue;
    }
    onnx::NodeProto scan = std::move(node);
    for (int i = 1; i < scan.input_size(); ++i) {
      const std::string squeezed = fmt::format("{}/{}/{}", scan.input(i), scan.output(0), i);
      AddReshaping("Squeeze", scan.input(i), squeezed, graph);
      scan.set_input(i, squeezed);
    }
    const std::vector<std::string> outputs(scan.output().begin(), scan.output().end());
    for (int i = 0; i < scan.output_size(); ++i)
      if (!scan.output(i).empty()) scan.set_output(i, scan.output(i) + "/unbatched");
    *graph->add_node() = std::move(scan);
    for (const std::string& output : outputs)
      if (!output.empty()) AddReshaping("Unsqueeze", output + "/unbatched", output, graph);
  }
}

}  // namespace metadist
