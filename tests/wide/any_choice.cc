// SPDX-License-Identifier: Apache-2.0
// Every choice gives right results: plans drawn at random are lowered, run on thread ranks and
// compared with one rank. With --all-factors every discovered factor must have been executed at
// least once in total.
//
// usage: any_choice [--all-factors] FOLDER SEEDS MESH,MESH,... MODEL...   (without folder and
// .onnx)
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "executor/run/run.h"
#include "importers/arrays/npz.h"
#include "importers/importer.h"
#include "metair/passes/passes.h"
#include "planner/planner.h"
#include "profiles/cluster.h"

namespace metadist {
namespace {

struct Coverage {
  std::set<std::string> found;  // "op rule-text: factor"
  std::set<std::string> executed;
};

std::string KeyOf(const Node& node, const Rule& rule, const std::string& factor) {
  return fmt::format("{} {}: {}", node.op, rule.text, factor);
}

bool Close(const Tensor& got, const Tensor& want) {
  if (got.type() != want.type()) return false;
  const std::vector<double> a = got.ToDoubles();
  const std::vector<double> b = want.ToDoubles();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (!(std::abs(a[i] - b[i]) <= 1e-4 + 1e-3 * std::abs(b[i]))) return false;
  }
  return true;
}

Result<Graph> Load(const std::string& path, const NamedTensors& inputs) {
  int64_t batch = 1;
  for (const auto& [name, tensor] : inputs) batch = tensor.shape().empty() ? 1 : tensor.shape()[0];
  ImportOptions options;
  options.binds["batch"] = batch;
  auto imported = ImportModel(path, options);
  if (!imported.ok()) {
    options.binds.clear();  // no symbolic size
    imported = ImportModel(path, options);
  }
  if (!imported.ok()) return std::move(imported).failure();
  return TRY(RunPasses(imported.value().graph, {}, OpTable::BuiltIn())).graph;
}

struct Suite {
  std::string folder;
  int seeds = 1;
  std::vector<Mesh> meshes;
  int passed = 0;
  int failed = 0;
  int expanded = 0;  // plans in which some node runs as its decomposition
  Coverage coverage;

  Result<void> RunModel(const std::string& name) {
    const std::string stem = name.substr(0, name.find('.'));
    const NamedTensors inputs = TRY(ReadArrays(fmt::format("{}/{}.inputs.npz", folder, stem)));
    const Graph graph = TRY(Load(fmt::format("{}/{}.onnx", folder, name), inputs));
    RuleBook rules(OpTable::BuiltIn(), {}, 2);
    rules.Discover(graph);
    for (const Node& node : graph.nodes) {
      const Rule& rule = rules.For(graph, node);
      for (const Factor& factor : rule.factors)
        if (!factor.composite && Fits(factor))
          coverage.found.insert(KeyOf(node, rule, factor.name));
    }
    const RunResult whole = TRY(RunProgram(SingleDevice(graph), {}, inputs));
    const int before = failed;
    for (const Mesh& mesh : meshes)
      for (int seed = 0; seed < seeds; ++seed) TRY(RunOne(graph, rules, mesh, seed, inputs, whole));
    fmt::print("{}: {} plans, {} failed\n",
               name,
               meshes.size() * static_cast<size_t>(seeds),
               failed - before);
    std::fflush(stdout);
    return {};
  }

  // True if some axis of some mesh can use the factor.
  bool Fits(const Factor& factor) const {
    for (const Mesh& mesh : meshes)
      for (const MeshAxis& axis : mesh.axes)
        if (factor.groups() >= axis.size * factor.least_piece &&
            (!factor.even_only || factor.groups() % axis.size == 0))
          return true;
    return false;
  }

  Result<void> RunOne(const Graph& graph,
                      RuleBook& rules,
                      const Mesh& mesh,
                      int seed,
                      const NamedTensors& inputs,
                      const RunResult& whole) {
    PlanRequest request;
    request.graph = &graph;
    request.ops = &OpTable::BuiltIn();
    request.rules = &rules;
    request.cluster =
        MakeCluster("8xh100", TRY(BuiltinProfile("h100")), 1, static_cast<int>(mesh.ranks()));
    request.mesh = mesh;
    request.solver = "random";
    request.seed = static_cast<uint64_t>(seed);
    request.alternatives = false;
    const Plan plan = TRY(MakePlan(request)).plan;
    // Nodes of decompositions have their own rules.
    for (size_t n = 0; n < plan.graph.nodes.size(); ++n) {
      const Node& node = plan.graph.nodes[n];
      for (const std::string& factor : plan.assignment.nodes[n].axes)
        if (!factor.empty() && factor[0] != '~')
          coverage.executed.insert(KeyOf(node, rules.For(plan.graph, node), factor));
    }
    expanded += static_cast<int>(plan.graph.nodes.size() > graph.nodes.size());
    const RunResult result = TRY(RunProgram(TRY(Lower(plan)), {}, inputs));
    bool equal = result.outputs.size() == whole.outputs.size();
    for (size_t i = 0; equal && i < whole.outputs.size(); ++i)
      equal = Close(result.outputs[i].second, whole.outputs[i].second);
    if (!equal) fmt::print("  differs: mesh {}, seed {}\n", MeshText(mesh), seed);
    ++(equal ? passed : failed);
    return {};
  }
};

int Main(int argc, char** argv) {
  const bool all_factors = argc > 1 && std::string(argv[1]) == "--all-factors";
  if (all_factors) {
    ++argv;
    --argc;
  }
  if (argc < 5) {
    fmt::print(stderr, "usage: any_choice [--all-factors] FOLDER SEEDS MESH,... MODEL...\n");
    return 2;
  }
  Suite suite;
  suite.folder = argv[1];
  suite.seeds = std::atoi(argv[2]);
  std::string meshes = argv[3];
  for (size_t at = 0; at != std::string::npos;) {
    const size_t end = meshes.find(',', at);
    suite.meshes.push_back(ParseMesh(meshes.substr(at, end - at)).value());
    at = end == std::string::npos ? end : end + 1;
  }
  bool errors = false;
  for (int i = 4; i < argc; ++i) {
    const auto done = suite.RunModel(argv[i]);
    if (!done.ok()) fmt::print("{}: {}\n", argv[i], done.error().text());
    errors = errors || !done.ok();
  }
  std::vector<std::string> missing;
  for (const std::string& key : suite.coverage.found)
    if (suite.coverage.executed.count(key) == 0) missing.push_back(key);
  if (all_factors)
    for (const std::string& key : missing) fmt::print("never executed: {}\n", key);
  fmt::print("factors: {} found, {} executed\n",
             suite.coverage.found.size(),
             suite.coverage.found.size() - missing.size());
  fmt::print("{} passed, {} failed\n", suite.passed, suite.failed);
  return errors || suite.failed > 0 || (all_factors && !missing.empty()) ? 1 : 0;
}

}  // namespace
}  // namespace metadist

int main(int argc, char** argv) { return metadist::Main(argc, argv); }
