// SPDX-License-Identifier: Apache-2.0
#include "metair/passes/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "metair/ir/canonical.h"
#include "metair/ir/suggest.h"
#include "metair/ir/verify.h"

namespace metadist {

namespace passes {
#define PASS(name) extern const PassDef kPass_##name;
#include "metair/passes/passes.def"
#undef PASS
}  // namespace passes

namespace {

Result<void> CheckNames(const std::set<std::string>& off) {
  std::vector<std::string> known;
  for (const PassDef* pass : Passes()) known.push_back(pass->name);
  std::vector<Error> problems;
  for (const std::string& name : off) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string hint = DidYouMean(name, known);
    if (hint.empty()) hint = fmt::format("passes are: {}", fmt::join(known, " "));
    problems.push_back(Usage(fmt::format("unknown pass '{}'", name), std::move(hint)));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

}  // namespace

const std::vector<const PassDef*>& Passes() {
  static const std::vector<const PassDef*> all = {
#define PASS(name) &passes::kPass_##name,
#include "metair/passes/passes.def"
#undef PASS
  };
  return all;
}

PassOptions OnlyPasses(std::initializer_list<std::string_view> names) {
  PassOptions options;
  for (const PassDef* pass : Passes())
    if (std::find(names.begin(), names.end(), pass->name) == names.end())
      options.off.insert(pass->name);
  return options;
}

Result<PassesDone> RunPasses(const Graph& graph, const PassOptions& options, const OpTable& ops) {
  TRY(CheckNames(options.off));
  PassesDone done;
  done.graph = graph;
  for (const PassDef* pass : Passes()) {
    if (options.off.count(pass->name) > 0) continue;
    const auto start = std::chrono::steady_clock::now();
    PassReport report;
    report.name = pass->name;
    report.nodes_before = static_cast<int64_t>(done.graph.nodes.size());
    auto result = pass->run(done.graph, {ops, options.infer});
    if (!result.ok()) return std::move(result).error().in(fmt::format("pass {}", pass->name));
    done.graph = std::move(result).value();
    report.nodes_after = static_cast<int64_t>(done.graph.nodes.size());
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    done.reports.push_back(std::move(report));
    if (!options.verify) continue;
    auto good = Verify(done.graph);
    if (good.ok()) good = VerifyTypes(done.graph, ops);
    if (!good.ok()) return std::move(good).error().in(fmt::format("after pass {}", pass->name));
  }
  done.graph = Renumbered(std::move(done.graph));
  return done;
}

}  // namespace metadist
