// SPDX-License-Identifier: Apache-2.0
// What is in a model: inputs, outputs, parameters, operators, FLOPs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/model_flags.h"
#include "metair/ir/packing.h"
#include "metair/ir/suggest.h"
#include "metair/ir/text.h"

namespace metadist::cli {
namespace {

struct InspectFlags {
  ModelFlags model;
  bool ops = false;
  bool text = false;
  std::string node;
};

struct OperatorCount {
  int64_t nodes = 0;
  int64_t flops = 0;
  bool known = false;
};

std::string OperatorName(const Node& node) {
  return node.domain.empty() ? node.op : node.domain + "." + node.op;
}

Work WorkOfNode(const LoadedModel& model, const Node& node) {
  const Graph& graph = model.imported.graph;
  const OpDef* op = model.ops->Find(node);
  if (op == nullptr) return {};
  std::vector<TensorType> outputs;
  for (ValueId id : node.outputs)
    outputs.push_back(id == kNone ? TensorType{ElementType::kF32, {0}} : graph.value(id).type);
  return WorkOf(CallOf(*op, graph, node), outputs);
}

std::map<std::string, OperatorCount> CountOperators(const LoadedModel& model) {
  std::map<std::string, OperatorCount> counts;
  for (const Node& node : model.imported.graph.nodes) {
    OperatorCount& count = counts[OperatorName(node)];
    ++count.nodes;
    count.flops += WorkOfNode(model, node).flops;
    count.known = model.ops->Find(node) != nullptr;
  }
  return counts;
}

nlohmann::ordered_json ValuesJson(const Graph& graph, const std::vector<ValueId>& ids) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (ValueId id : ids) {
    const Value& value = graph.value(id);
    list.push_back({{"name", value.name},
                    {"dtype", std::string(Name(value.type.element))},
                    {"shape", value.type.shape}});
  }
  return list;
}

nlohmann::ordered_json ToJson(const Session& session, const LoadedModel& model) {
  const Graph& graph = model.imported.graph;
  nlohmann::ordered_json out = session.Document();
  out["model_hash"] = model.imported.hash;
  out["format"] = model.imported.format;
  out["version"] = model.imported.version;
  out["producer"] = model.imported.producer;
  out["inputs"] = ValuesJson(graph, graph.inputs);
  out["outputs"] = ValuesJson(graph, graph.outputs);
  int64_t elements = 0;
  int64_t bytes = 0;
  for (ValueId id : graph.OfKind(ValueKind::kParameter)) {
    elements += NumElements(graph.value(id).type.shape);
    bytes += PackedBytes(graph.value(id).type);
  }
  out["parameters"] = {{"count", elements},
                       {"bytes", bytes},
                       {"tensors", graph.OfKind(ValueKind::kParameter).size()},
                       {"absent_bytes", model.imported.absent_bytes}};
  out["nodes"] = graph.nodes.size();
  out["nodes_in_file"] = model.imported.nodes;
  out["operators"] = nlohmann::ordered_json::object();
  out["flops_by_operator"] = nlohmann::ordered_json::object();
  out["unsupported"] = nlohmann::ordered_json::array();
  int64_t flops = 0;
  for (const auto& [name, count] : CountOperators(model)) {
    out["operators"][name] = count.nodes;
    out["flops_by_operator"][name] = count.flops;
    if (!count.known) out["unsupported"].push_back(name);
    flops += count.flops;
  }
  out["flops"] = flops;
  return out;
}

std::string ToText(const nlohmann::ordered_json& facts, const LoadedModel& model, bool ops) {
  std::string out = fmt::format("{} {}\n", model.imported.format, model.imported.version);
  const auto list = [&](const char* what, const std::vector<ValueId>& ids) {
    for (ValueId id : ids) {
      const Value& value = model.imported.graph.value(id);
      out += fmt::format("  {:<10} {}  {}\n", what, value.name, TypeText(value.type));
      what = "";
    }
  };
  list("inputs", model.imported.graph.inputs);
  list("outputs", model.imported.graph.outputs);
  const int64_t absent = model.imported.absent_bytes;
  out += fmt::format("  {:<10} {} in {} tensors, {}{}\n",
                     "parameters",
                     CountText(facts["parameters"]["count"].get<double>()),
                     facts["parameters"]["tensors"].get<int64_t>(),
                     BytesText(facts["parameters"]["bytes"].get<int64_t>()),
                     absent == 0 ? "" : fmt::format(" ({} not in the file)", BytesText(absent)));
  out += fmt::format("  {:<10} {} ({} in the file), {} kinds\n",
                     "nodes",
                     facts["nodes"].get<int64_t>(),
                     facts["nodes_in_file"].get<int64_t>(),
                     facts["operators"].size());
  out += fmt::format("  {:<10} {}\n", "FLOPs", CountText(facts["flops"].get<double>()));
  for (const auto& name : facts["unsupported"])
    out += fmt::format("  unknown    {} ({} nodes), replicated\n",
                       name.get<std::string>(),
                       facts["operators"][name.get<std::string>()].get<int64_t>());
  if (!ops) return out;
  Table table({{"operator"}, {"nodes", true}, {"FLOPs", true}});
  for (const auto& [name, count] : CountOperators(model))
    table.Add({name, std::to_string(count.nodes), CountText(static_cast<double>(count.flops))});
  return out + "\n" + table.text();
}

Result<std::string> OneNode(const LoadedModel& model, const std::string& name) {
  const Graph& graph = model.imported.graph;
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    names.push_back(node.name);
    if (node.name != name) continue;
    std::string out = NodeText(graph, node) + "\n";
    const Work work = WorkOfNode(model, node);
    for (ValueId id : node.inputs)
      if (id != kNone)
        out +=
            fmt::format("  input   {}  {}\n", graph.value(id).name, TypeText(graph.value(id).type));
    for (ValueId id : node.outputs)
      if (id != kNone)
        out +=
            fmt::format("  output  {}  {}\n", graph.value(id).name, TypeText(graph.value(id).type));
    return out + fmt::format("  FLOPs   {}, {} moved\n",
                             CountText(static_cast<double>(work.flops)),
                             BytesText(work.bytes));
  }
  return Usage(fmt::format("no node '{}'", name), DidYouMean(name, names));
}

Result<void> Inspect(const Session& session, const InspectFlags& flags) {
  const LoadedModel model = TRY(LoadModel(session, flags.model));
  if (!flags.node.empty()) {
    const std::string text = TRY(OneNode(model, flags.node));
    nlohmann::ordered_json document = session.Document();
    document["node"] = text;
    return session.EmitResult(document, text);
  }
  nlohmann::ordered_json facts = ToJson(session, model);
  if (!flags.text) return session.EmitResult(facts, ToText(facts, model, flags.ops));
  facts["graph"] = GraphText(model.imported.graph);
  return session.EmitResult(facts, facts["graph"].get<std::string>());
}

}  // namespace

void AddInspect(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("inspect", "what is in a model");
  auto flags = std::make_shared<InspectFlags>();
  AddModelFlags(*command, session, flags->model);
  command->add_flag("--ops", flags->ops, "list the operators");
  command->add_flag("--text", flags->text, "print the graph (MetaIR)");
  command->add_option("--node", flags->node, "print one node")->type_name("NAME");
  command->footer("Example:\n  metadist inspect gpt2.onnx --ops");
  session.action = [&session, flags] { return Inspect(session, *flags); };
}

}  // namespace metadist::cli
