// SPDX-License-Identifier: Apache-2.0
//
// Converts to the canonical operator set with the library's converter, and works around its
// limitations:
//  * it drops model functions and node metadata: functions are inlined before;
//  * it throws for operators that its registry lacks: they are moved to a separate domain
//    meanwhile;
//  * several adapters need shapes: the library infers them before;
//  * nodes created by an adapter have no name: they get that of the node that made their result;
//  * it mishandles a few operators: importers/onnx/adapt.cc;
//  * its time is quadratic in the number of nodes (every new name is compared with all others),
//    so it is skipped if it would leave every node unchanged;
//  * it keeps the IR version, and below IR 4 initializers must be inputs: the IR version is
//    raised before.
#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/defs/schema.h>
#include <onnx/inliner/inliner.h>
#include <onnx/version_converter/adapters/compatible.h>
#include <onnx/version_converter/convert.h>

#include <functional>
#include <set>
#include <string>

#include "importers/onnx/adapt.h"
#include "importers/onnx/adapt_shapes.h"
#include "importers/onnx/model.h"

namespace metadist {
namespace {

constexpr char kHidden[] = "metadist.hidden";

void ForEachNode(onnx::GraphProto* graph, const std::function<void(onnx::NodeProto*)>& visit) {
  for (onnx::NodeProto& node : *graph->mutable_node()) {
    visit(&node);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) ForEachNode(attribute.mutable_g(), visit);
      for (onnx::GraphProto& body : *attribute.mutable_graphs()) ForEachNode(&body, visit);
    }
  }
}

void UseShortDomainName(onnx::ModelProto* model) {
  const auto shorten = [](std::string* domain) {
    if (*domain == "ai.onnx") domain->clear();
  };
  bool stated = false;
  for (auto& import : *model->mutable_opset_import()) {
    shorten(import.mutable_domain());
    stated = stated || import.domain().empty();
  }
  if (!stated) model->add_opset_import()->set_version(1);
  ForEachNode(model->mutable_graph(),
              [&](onnx::NodeProto* node) { shorten(node->mutable_domain()); });
}

void HideUnknown(onnx::ModelProto* model, int64_t opset) {
  bool any = false;
  ForEachNode(model->mutable_graph(), [&](onnx::NodeProto* node) {
    if (!node->domain().empty()) return;
    if (onnx::OpSchemaRegistry::Schema(node->op_type(), static_cast<int>(opset), "") != nullptr)
      return;
    node->set_domain(kHidden);
    any = true;
  });
  if (!any) return;
  auto* import = model->add_opset_import();
  import->set_domain(kHidden);
  import->set_version(1);
}

void ShowHidden(onnx::ModelProto* model) {
  ForEachNode(model->mutable_graph(), [](onnx::NodeProto* node) {
    if (node->domain() == kHidden) node->clear_domain();
  });
}

// Node names by the name of their first result.
std::map<std::string, std::string> NodeNames(onnx::GraphProto* graph) {
  std::map<std::string, std::string> names;
  ForEachNode(graph, [&](onnx::NodeProto* node) {
    for (const std::string& output : node->output())
      if (!output.empty() && !node->name().empty()) names.emplace(output, node->name());
  });
  return names;
}

void RestoreNames(onnx::GraphProto* graph, const std::map<std::string, std::string>& names) {
  ForEachNode(graph, [&](onnx::NodeProto* node) {
    if (!node->name().empty()) return;
    for (const std::string& output : node->output()) {
      const auto found = names.find(output);
      if (found == names.end()) continue;
      node->set_name(found->second);
      return;
    }
  });
}

// Finds out how the library's converter changes an operator between two operator sets.
class Adapters : public onnx::version_conversion::DefaultVersionConverter {
 public:
  // True if it leaves every node unchanged.
  bool AllLeave(onnx::GraphProto* graph, int64_t opset) const {
    std::set<std::string> seen;
    bool all = true;
    ForEachNode(graph, [&](onnx::NodeProto* node) {
      if (node->domain().empty() && seen.insert(node->op_type()).second)
        all = all && Leaves(node->op_type(), opset);
    });
    return all;
  }

 private:
  bool Leaves(const std::string& op, int64_t opset) const {
    const auto schemas = all_schemas.find(op);
    if (schemas == all_schemas.end()) return false;
    const auto versions = schemas->second.find("");
    if (versions == schemas->second.end()) return false;
    for (int64_t from = opset; from < kCanonicalOpset; ++from)
      if (versions->second.count(from + 1) > 0 && !Leaves(op, OpSet(from), OpSet(from + 1)))
        return false;
    return true;
  }

  static std::string OpSet(int64_t version) { return onnx::OpSetID(version).toString(); }

  bool Leaves(const std::string& op, const std::string& from, const std::string& to) const {
    const auto of_op = adapters.find(op);
    if (of_op == adapters.end()) return false;
    const auto starts = of_op->second.find(from);
    if (starts == of_op->second.end()) return false;
    const auto found = starts->second.find(to);
    return found != starts->second.end() &&
           dynamic_cast<const onnx::version_conversion::CompatibleAdapter*>(found->second.get()) !=
               nullptr;
  }
};

void StateOpset(onnx::ModelProto* model, int64_t opset) {
  for (auto& import : *model->mutable_opset_import())
    if (import.domain().empty()) import.set_version(opset);
}

Result<void> Convert(onnx::ModelProto* model, int64_t opset) {
  const std::map<std::string, std::string> names = NodeNames(model->mutable_graph());
  const OldResizes resizes = AdaptOld(model, opset);
  HideUnknown(model, opset);
  InferShapes(model);
  if (Adapters().AllLeave(model->mutable_graph(), opset)) {
    StateOpset(model, kCanonicalOpset);
  } else {
    try {
      *model = onnx::version_conversion::ConvertVersion(*model, static_cast<int>(kCanonicalOpset));
    } catch (const std::exception& error) {
      return BadInput("",
                      fmt::format("conversion from opset {} to {} failed: {}",
                                  opset,
                                  kCanonicalOpset,
                                  LibraryText(error)));
    }
  }
  AdaptNew(model, opset, resizes);
  ShowHidden(model);
  RestoreNames(model->mutable_graph(), names);
  return {};
}

}  // namespace

Result<void> Normalize(OnnxModel* model) {
  onnx::ModelProto& proto = model->proto;
  const int64_t opset = OpsetOf(proto);
  proto.set_ir_version(kNewestIr);
  UseShortDomainName(&proto);
  if (proto.functions_size() > 0) {
    const FunctionMap none;
    NodeRules rules{{}, &none};
    for (const auto& function : proto.functions())
      rules.opsets.merge(OpsetsOf(function.opset_import()));
    StateDefaults(&proto);
    try {
      onnx::inliner::InlineLocalFunctions(proto, /*convert_version=*/true);
    } catch (const std::exception& error) {
      return BadInput("",
                      fmt::format("the model's functions do not inline: {}", LibraryText(error)));
    }
    rules.opsets.merge(OpsetsOf(proto.opset_import()));
    Faults faults;
    SortNodes(proto.mutable_graph(), rules, &faults);
    if (!faults.problems.empty()) return Join(std::move(faults.problems));
  }
  // Shapes and types written by the exporter may be wrong or of another operator set; only ours are
  // used.
  if (opset <= 8) DropScanBatch(proto.mutable_graph());
  if (opset < kCanonicalOpset) TRY(Convert(&proto, opset));
  return {};
}

}  // namespace metadist
