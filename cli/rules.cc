// SPDX-License-Identifier: Apache-2.0
// Discovers and prints how every distinct operator call of a model can be split.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/model_flags.h"
#include "cli/rule_files.h"
#include "cli/rules_report.h"
#include "cli/uncut_dims.h"
#include "metair/ir/suggest.h"
#include "metair/ops/example_call.h"
#include "metair/ops/graph_builder.h"
#include "metair/passes/passes.h"
#include "planner/rules/book/rule_book.h"

namespace metadist::cli {
namespace {

struct RulesFlags {
  ModelFlags model;
  std::string op;
  std::string rules;  // file
  bool primitive = false;
};

// The graph with its calls normalised like those of a planned model.
Result<Graph> Spelt(const Graph& graph) {
  const PassOptions options = OnlyPasses({"spell_defaults", "key_random"});
  return TRY(RunPasses(graph, options, OpTable::BuiltIn())).graph;
}

// A graph with one node per example of the operator.
Result<Graph> ExamplesGraph(const std::string& name) {
  std::vector<std::string> names;
  for (const OpDef* op : OpTable::BuiltIn().all()) {
    names.push_back(op->name);
    if (op->name != name || op->examples == nullptr) continue;
    GraphBuilder b(name);
    for (const OpExample& example : op->examples()) {
      const std::vector<Tensor> constants = ConstantsOf(example);
      const std::string node = fmt::format("{}_{}", name, b.graph().nodes.size());
      for (const ValueId output : b.AddCall(CallOf(*op, example, constants), node))
        b.Output(output);
    }
    return Spelt(TRY(b.Done()));
  }
  return Usage(fmt::format("no operator '{}'", name), DidYouMean(name, names));
}

Result<void> Rules(const Session& session, const RulesFlags& flags) {
  if (flags.op.empty() == flags.model.path.empty())
    return Usage("give either MODEL or --op", "see `metadist rules --help`");
  if (flags.primitive && !(flags.rules.empty() && session.output.empty()))
    return Usage("--primitive is for inspection only: rule files hold the rules that plans use",
                 "omit --rules and -o");
  LoadedModel model;
  if (flags.op.empty())
    model = TRY(LoadModel(session, flags.model));
  else
    model.imported.graph = TRY(ExamplesGraph(flags.op));
  const Graph& graph = model.imported.graph;
  if (graph.nodes.empty() && !flags.op.empty())
    session.console.Warn(
        fmt::format("'{}' has no examples: it runs bodies, which only models have", flags.op));
  RuleBook book(model.ops ? *model.ops : OpTable::BuiltIn(),
                {.seed = session.seed, .primitive = flags.primitive},
                session.thread_count());
  TRY(LearnRules(session, flags.rules, book));
  const auto start = std::chrono::steady_clock::now();
  book.Discover(graph);
  RulesReport report = RulesReportOf(book.Report(graph));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  WarnOfMisfits(session, flags.rules, book);
  WarnOfUncut(session, report.signatures);
  if (model.ops) WarnOfUnanswered(session, *model.ops, report.signatures);
  Result<void> written;
  if (!session.output.empty()) {
    RuleFile file = book.File();
    file.tool_version = METADIST_VERSION;
    written = session.Emit(WriteRules(file));
  }
  session.Report(RulesJson(session, report), RulesText(report));
  return written;
}

}  // namespace

void AddRules(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("rules", "discover how every operator of a model can be split");
  auto flags = std::make_shared<RulesFlags>();
  AddModelFlags(*command, session, flags->model, /*optional=*/true);
  command->add_option("--op", flags->op, "the rules of one operator's examples")->type_name("OP");
  AddRulesFlag(*command, flags->rules);
  command->add_flag("--primitive",
                    flags->primitive,
                    "only what running the operator itself shows, without decompositions");
  command->footer(
      "Example:\n  metadist rules gpt2.onnx -o gpt2.rules.json\n  metadist rules --op MatMul "
      "--json");
  session.action = [&session, flags] { return Rules(session, *flags); };
}

}  // namespace metadist::cli
