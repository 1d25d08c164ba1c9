// SPDX-License-Identifier: Apache-2.0
#include "cli/model_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/format.h"
#include "cli/node_work.h"
#include "metair/ir/packing.h"
#include "metair/ir/suggest.h"
#include "metair/ir/text.h"

namespace metadist::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string OperatorName(const Node& node) {
  return node.domain.empty() ? node.op : node.domain + "." + node.op;
}

ModelReport::NamedTypes TypesOf(const Graph& graph, const std::vector<ValueId>& ids) {
  ModelReport::NamedTypes out;
  for (const ValueId id : ids)
    if (id != kNone) out.emplace_back(graph.value(id).name, graph.value(id).type);
  return out;
}

Json TypesJson(const ModelReport::NamedTypes& values) {
  Json list = Json::array();
  for (const auto& [name, type] : values)
    list.push_back(
        {{"name", name}, {"dtype", std::string(Name(type.element))}, {"shape", type.shape}});
  return list;
}

// The label is printed only before the first value.
std::string TypesText(const char* label, const ModelReport::NamedTypes& values) {
  std::string out;
  for (const auto& [name, type] : values) {
    out += fmt::format("  {:<10} {}  {}\n", label, name, TypeText(type));
    label = "";
  }
  return out;
}

}  // namespace

ModelReport ModelReportOf(const LoadedModel& model) {
  const Graph& graph = model.imported.graph;
  ModelReport out;
  out.hash = model.imported.hash;
  out.format = model.imported.format;
  out.version = model.imported.version;
  out.producer = model.imported.producer;
  out.inputs = TypesOf(graph, graph.inputs);
  out.outputs = TypesOf(graph, graph.outputs);
  for (const ValueId id : graph.OfKind(ValueKind::kParameter)) {
    out.parameters += NumElements(graph.value(id).type.shape);
    out.parameter_bytes += PackedBytes(graph.value(id).type);
    ++out.parameter_tensors;
  }
  out.absent_bytes = model.imported.absent_bytes;
  out.nodes = static_cast<int64_t>(graph.nodes.size());
  out.nodes_in_file = model.imported.nodes;
  for (const Node& node : graph.nodes) {
    ModelReport::Operator& op = out.operators[OperatorName(node)];
    const int64_t flops = WorkOfNode(*model.ops, graph, node).flops;
    ++op.nodes;
    op.flops += flops;
    op.known = model.ops->Find(node) != nullptr;
    out.flops += flops;
  }
  return out;
}

Json ModelJson(const Session& session, const ModelReport& report) {
  Json out = session.Document();
  out["model_hash"] = report.hash;
  out["format"] = report.format;
  out["version"] = report.version;
  out["producer"] = report.producer;
  out["inputs"] = TypesJson(report.inputs);
  out["outputs"] = TypesJson(report.outputs);
  out["parameters"] = {{"count", report.parameters},
                       {"bytes", report.parameter_bytes},
                       {"tensors", report.parameter_tensors},
                       {"absent_bytes", report.absent_bytes}};
  out["nodes"] = report.nodes;
  out["nodes_in_file"] = report.nodes_in_file;
  out["operators"] = Json::object();
  out["flops_by_operator"] = Json::object();
  out["unsupported"] = Json::array();
  for (const auto& [name, op] : report.operators) {
    out["operators"][name] = op.nodes;
    out["flops_by_operator"][name] = op.flops;
    if (!op.known) out["unsupported"].push_back(name);
  }
  out["flops"] = report.flops;
  return out;
}

std::string ModelText(const ModelReport& report, bool operators) {
  std::string out = fmt::format("{} {}\n", report.format, report.version);
  out += TypesText("inputs", report.inputs) + TypesText("outputs", report.outputs);
  out += fmt::format("  {:<10} {} in {} tensors, {}{}\n",
                     "parameters",
                     CountText(static_cast<double>(report.parameters)),
                     report.parameter_tensors,
                     BytesText(report.parameter_bytes),
                     report.absent_bytes == 0
                         ? ""
                         : fmt::format(" ({} not in the file)", BytesText(report.absent_bytes)));
  out += fmt::format("  {:<10} {} ({} in the file), {} operators\n",
                     "nodes",
                     report.nodes,
                     report.nodes_in_file,
                     report.operators.size());
  out += fmt::format("  {:<10} {}\n", "FLOPs", CountText(static_cast<double>(report.flops)));
  for (const auto& [name, op] : report.operators)
    if (!op.known) out += fmt::format("  unknown    {} ({} nodes), replicated\n", name, op.nodes);
  if (!operators) return out;
  Table table({{"operator"}, {"nodes", true}, {"FLOPs", true}});
  for (const auto& [name, op] : report.operators)
    table.Add({name, std::to_string(op.nodes), CountText(static_cast<double>(op.flops))});
  return out + "\n" + table.text();
}

Result<NodeReport> NodeReportOf(const LoadedModel& model, const std::string& name) {
  const Graph& graph = model.imported.graph;
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    names.push_back(node.name);
    if (node.name != name) continue;
    const Work work = WorkOfNode(*model.ops, graph, node);
    return NodeReport{NodeText(graph, node),
                      TypesOf(graph, node.inputs),
                      TypesOf(graph, node.outputs),
                      work.flops,
                      work.bytes};
  }
  return Usage(fmt::format("no node '{}'", name), DidYouMean(name, names));
}

Json NodeJson(const Session& session, const NodeReport& report) {
  Json out = session.Document();
  out["node"] = NodeReportText(report);
  out["inputs"] = TypesJson(report.inputs);
  out["outputs"] = TypesJson(report.outputs);
  out["flops"] = report.flops;
  out["bytes"] = report.bytes;
  return out;
}

std::string NodeReportText(const NodeReport& report) {
  std::string out = report.line + "\n";
  for (const auto& [name, type] : report.inputs)
    out += fmt::format("  input   {}  {}\n", name, TypeText(type));
  for (const auto& [name, type] : report.outputs)
    out += fmt::format("  output  {}  {}\n", name, TypeText(type));
  return out + fmt::format("  FLOPs   {}, {} moved\n",
                           CountText(static_cast<double>(report.flops)),
                           BytesText(report.bytes));
}

}  // namespace metadist::cli
