// SPDX-License-Identifier: Apache-2.0
#include "cli/model_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/train_flags.h"
#include "cli/values.h"
#include "metair/ir/text_file.h"
#include "metair/ops/op_guard.h"
#include "metair/ops/op_library.h"
#include "metair/training/precision.h"
#include "metair/training/recompute.h"

namespace metadist::cli {

void AddModelFlags(CLI::App& command, Session& session, ModelFlags& flags, bool optional) {
  const auto add = OptionsOf(command);
  CLI::Option* model =
      add("MODEL FILE", flags.path, "a model; the format is detected from its content");
  if (!optional) session.required.push_back(model);
  add("--bind NAME=SIZE", flags.binds, "size of a symbolic dim, e.g. batch=8; repeatable")
      ->take_all();
  command.add_flag("--strict", flags.strict, "refuse unknown operators (default: replicate them)");
  add("--no-pass NAME", flags.passes_off, "skip a graph pass; repeatable")->take_all();
  add("--op-library FILE",
      flags.op_libraries,
      "a shared library of custom operators (metadist_op.h); repeatable")
      ->take_all();
}

namespace {

// The built-in operators and those of shared libraries, which may not replace any. guarded: the
// libraries' code runs in separate processes.
Result<std::shared_ptr<const OpTable>> LoadOperators(const std::vector<std::string>& libraries,
                                                     bool guarded) {
  auto table = std::make_shared<OpTable>(OpTable::BuiltIn());
  std::vector<Error> problems;
  for (const std::string& library : libraries) {
    if (access(library.c_str(), R_OK) != 0) {
      problems.push_back(CannotOpen(library));
      continue;
    }
    auto ops = guarded ? GuardOpLibrary(library) : OpenOpLibrary(library);
    if (!ops.ok()) {
      problems.push_back(std::move(ops).error());
      continue;
    }
    for (OpDef& op : ops.value()) {
      if (table->Find(op.domain, op.name) != nullptr)
        problems.push_back(
            BadInput(library,
                     fmt::format("operator {}.{} exists already", op.domain, op.name),
                     "use another domain"));
      else
        table->Add(std::move(op));
    }
  }
  if (!problems.empty()) return Join(std::move(problems));
  return std::shared_ptr<const OpTable>(std::move(table));
}

void TellOfTiedWeights(const TiedWeights& tied, const Console& console) {
  if (!tied.transposed.empty())
    console.Log(fmt::format("transposed copies tied to their weights: {}", tied.transposed.size()));
  for (const auto& [copy, weight] : tied.transposed)
    console.Detail(fmt::format("'{}' is '{}' transposed", copy, weight));
  if (!tied.equal.empty())
    console.Warn(fmt::format(
        "parameters that equal others, as '{}' equals '{}': {}; they are trained apart, "
        "though the model may share them",
        tied.equal[0].first,
        tied.equal[0].second,
        tied.equal.size()));
}

}  // namespace

Result<std::shared_ptr<const OpTable>> OperatorsToRun(const std::vector<std::string>& libraries) {
  return LoadOperators(libraries, /*guarded=*/false);
}

Result<std::map<std::string, int64_t>> ParseBinds(const std::vector<std::string>& binds) {
  std::map<std::string, int64_t> out;
  std::vector<Error> problems;
  for (const std::string& bind : binds) {
    const size_t at = bind.rfind('=');
    auto size = at == std::string::npos || at == 0 ? Result<int64_t>(Usage("expected NAME=SIZE"))
                                                   : ParseCount(bind.substr(at + 1));
    if (!size.ok() || size.value() < 1)
      problems.push_back(
          Usage(fmt::format("--bind '{}': expected NAME=SIZE with a size of at least 1", bind)));
    else if (!out.emplace(bind.substr(0, at), size.value()).second)
      problems.push_back(Usage(fmt::format("--bind '{}': bound twice", bind.substr(0, at))));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return out;
}

Result<LoadedModel> LoadModel(const Session& session,
                              const ModelFlags& flags,
                              std::optional<TrainingOptions> training) {
  const auto start = std::chrono::steady_clock::now();
  TRY(CheckDistinct({{"the model", flags.path}, {"--output", session.output}}));
  LoadedModel model;
  model.binds = TRY(ParseBinds(flags.binds));
  model.training = training ? std::move(training) : TRY(ParseTraining(flags.train));
  ImportOptions options;
  if (model.training) options.trainable = model.training->trainable;
  options.binds = model.binds;
  options.strict = flags.strict;
  model.ops = TRY(LoadOperators(flags.op_libraries, /*guarded=*/true));
  options.ops = model.ops.get();
  model.op_libraries = flags.op_libraries;
  model.imported = TRY(ImportModel(flags.path, options));
  for (const std::string& warning : model.imported.warnings) session.console.Warn(warning);
  PassOptions passes;
  passes.off.insert(flags.passes_off.begin(), flags.passes_off.end());
  PassesDone done = TRY(RunPasses(model.imported.graph, passes, *model.ops));
  if (model.training) {
    if (!model.training->precision.empty())
      done.graph = TRY(
          InPrecision(done.graph, ParseElementType(model.training->precision).value(), *model.ops));
    TrainingStep step =
        TRY(MakeTrainingStep(done.graph, *model.training, *model.ops).in(flags.path));
    for (const std::string& name : step.without_effect)
      session.console.Warn(
          fmt::format("the loss does not depend on '{}': it is not trained", name));
    TellOfTiedWeights(step.tied, session.console);
    int64_t elements = 0;
    for (const Trained& trained : step.trained) {
      model.trained.push_back(trained.name);
      elements += NumElements(step.graph.value(trained.parameter).type.shape);
    }
    session.console.Log(fmt::format("trains {} of {} parameters, {} elements (--trainable)",
                                    model.trained.size(),
                                    done.graph.OfKind(ValueKind::kParameter).size(),
                                    elements));
    session.console.Detail(fmt::format("trains {}", fmt::join(model.trained, ", ")));
    done = TRY(RunPasses(step.graph, passes, *model.ops));
    done.graph = TRY(Recomputed(done.graph, model.training->recompute));
  }
  model.imported.graph = std::move(done.graph);
  model.passes = std::move(done.reports);
  for (const PassReport& pass : model.passes)
    session.console.Debug(
        fmt::format("pass {}: {} -> {} nodes", pass.name, pass.nodes_before, pass.nodes_after));
  model.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  session.console.Detail(fmt::format("imported {}: {}, {} nodes",
                                     flags.path,
                                     model.imported.version,
                                     model.imported.graph.nodes.size()));
  return model;
}

}  // namespace metadist::cli
