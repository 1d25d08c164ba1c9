// SPDX-License-Identifier: Apache-2.0
// Discovers and prints how every distinct operator call of a model can be split.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/model_flags.h"
#include "cli/rule_files.h"
#include "cli/uncut_dims.h"
#include "metair/ir/suggest.h"
#include "metair/ops/example_call.h"
#include "metair/ops/graph_builder.h"
#include "metair/passes/passes.h"
#include "planner/rules/rule_book.h"

namespace metadist::cli {
namespace {

struct RulesFlags {
  ModelFlags model;
  std::string op;
  std::string rules;  // file
  bool primitive = false;
};

nlohmann::ordered_json AttributesJson(const Attributes& attributes) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, value] : attributes.all()) {
    std::visit(
        [&, &name = name](const auto& v) {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Tensor>)
            out[name] = TypeText(v.type());
          else
            out[name] = v;
        },
        value);
  }
  return out;
}

nlohmann::ordered_json TypeJson(const TensorType& type) {
  return {{"dtype", std::string(Name(type.element))}, {"shape", type.shape}};
}

nlohmann::ordered_json SignatureJson(const SignatureReport& signature) {
  nlohmann::ordered_json out = {{"op", signature.op},
                                {"domain", signature.domain},
                                {"opset", signature.opset},
                                {"attributes", AttributesJson(signature.attributes)}};
  out["inputs"] = nlohmann::ordered_json::array();
  for (const SignatureReport::Input& input : signature.inputs) {
    nlohmann::ordered_json one = nullptr;
    if (input.present) one = TypeJson(input.type);
    if (input.present && !input.values.empty()) one["value"] = input.values;
    out["inputs"].push_back(one);
  }
  out["outputs"] = nlohmann::ordered_json::array();
  for (const TensorType& type : signature.outputs) out["outputs"].push_back(TypeJson(type));
  out["nodes"] = signature.nodes.size();
  out["names"] = signature.nodes;
  out["rule"] = signature.rule;
  out["factors"] = signature.factors;
  out["executions"] = signature.executions;
  out["kernel_runs"] = signature.kernel_runs;
  out["seconds"] = signature.seconds;
  out["reason"] = signature.reason;
  out["uncut"] = UncutJson(signature);
  return out;
}

// The graph with its calls written as in a model that is planned.
Result<Graph> Spelt(const Graph& graph) {
  PassOptions options;
  for (const PassDef* pass : Passes()) options.off.insert(pass->name);
  options.off.erase("spell_defaults");
  options.off.erase("key_random");
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

std::string InputsText(const SignatureReport& signature) {
  std::string out;
  for (const SignatureReport::Input& input : signature.inputs) {
    if (!out.empty()) out += ' ';
    out += !input.present         ? "_"
           : input.values.empty() ? TypeText(input.type)
                                  : fmt::format("{{{}}}", fmt::join(input.values, ","));
  }
  return out;
}

Result<void> Rules(const Session& session, const RulesFlags& flags) {
  if (flags.op.empty() == flags.model.path.empty())
    return Usage("give either MODEL or --op", "see `metadist rules --help`");
  if (flags.primitive && !(flags.rules.empty() && session.output.empty()))
    return Usage("--primitive is for looking only: rule files hold what plans use",
                 "leave out --rules and -o");
  LoadedModel model;
  if (flags.op.empty())
    model = TRY(LoadModel(session, flags.model));
  else
    model.imported.graph = TRY(ExamplesGraph(flags.op));
  const Graph& graph = model.imported.graph;
  if (graph.nodes.empty() && !flags.op.empty())
    session.console.Warn(
        fmt::format("'{}' has no examples: it runs bodies, which models bring", flags.op));
  RuleBook book(model.ops ? *model.ops : OpTable::BuiltIn(),
                {.seed = session.seed, .primitive = flags.primitive},
                session.thread_count());
  TRY(LearnRules(session, flags.rules, book));
  const auto start = std::chrono::steady_clock::now();
  book.Discover(graph);
  const std::vector<SignatureReport> report = book.Report(graph);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  nlohmann::ordered_json document = session.Document();
  document["signatures"] = nlohmann::ordered_json::array();
  Table table({{"operator"}, {"nodes", true}, {"rule"}, {"first call"}});
  int64_t executions = 0;
  for (const SignatureReport& signature : report) {
    document["signatures"].push_back(SignatureJson(signature));
    executions += signature.executions;
    table.Add({signature.op,
               std::to_string(signature.nodes.size()),
               signature.reason.empty() ? signature.rule
                                        : fmt::format("{}: {}", signature.rule, signature.reason),
               InputsText(signature)});
  }
  document["executions"] = executions;
  document["seconds"] = seconds;
  WarnOfMisfits(session, flags.rules, book);
  WarnOfUncut(session, report);
  Result<void> written;
  if (!session.output.empty()) {
    RuleFile file = book.File();
    file.tool_version = METADIST_VERSION;
    written = session.Emit(WriteRules(file));
  }
  session.Report(
      document,
      table.text(0) + fmt::format("{} signatures, {} executions\n", report.size(), executions));
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
                    "what running the operator alone shows: no decomposition is used");
  command->footer(
      "Example:\n  metadist rules gpt2.onnx -o gpt2.rules.json\n  metadist rules --op MatMul "
      "--json");
  session.action = [&session, flags] { return Rules(session, *flags); };
}

}  // namespace metadist::cli
