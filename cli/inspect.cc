// SPDX-License-Identifier: Apache-2.0
// Shows the contents of a model: inputs, outputs, parameters, operators, FLOPs.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/model_flags.h"
#include "cli/model_report.h"
#include "metair/ir/text.h"

namespace metadist::cli {
namespace {

struct InspectFlags {
  ModelFlags model;
  bool ops = false;
  bool text = false;
  std::string node;
};

Result<void> Inspect(const Session& session, const InspectFlags& flags) {
  const LoadedModel model = TRY(LoadModel(session, flags.model));
  if (!flags.node.empty()) {
    const NodeReport report = TRY(NodeReportOf(model, flags.node));
    return session.EmitResult(NodeJson(session, report), NodeReportText(report));
  }
  const ModelReport report = ModelReportOf(model);
  nlohmann::ordered_json document = ModelJson(session, report);
  if (!flags.text) return session.EmitResult(document, ModelText(report, flags.ops));
  const std::string graph = GraphText(model.imported.graph);
  document["graph"] = graph;
  return session.EmitResult(document, graph);
}

}  // namespace

void AddInspect(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("inspect", "what is in a model");
  auto flags = std::make_shared<InspectFlags>();
  AddModelFlags(*command, session, flags->model);
  AddTrainFlags(*command, flags->model.train);
  command->add_flag("--ops", flags->ops, "list the operators");
  command->add_flag("--text", flags->text, "print the graph (MetaIR)");
  command->add_option("--node", flags->node, "print one node")->type_name("NAME");
  command->footer("Example:\n  metadist inspect gpt2.onnx --ops");
  session.action = [&session, flags] { return Inspect(session, *flags); };
}

}  // namespace metadist::cli
