// SPDX-License-Identifier: Apache-2.0
// What a plan says, as JSON and as text.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/format.h"
#include "cli/planning.h"
#include "metair/ir/packing.h"
#include "metair/ops/op_table.h"
#include "planner/solvers/solver.h"

namespace metadist::cli {
namespace {

using Json = nlohmann::ordered_json;

Json TrafficJson(const std::map<std::string, Traffic>& table) {
  Json out = Json::object();
  for (const auto& [name, traffic] : table)
    out[name] = {{"count", traffic.count}, {"bytes", traffic.bytes}};
  return out;
}

std::string ProvenanceText(const Priced& step) {
  std::string out;
  for (Provenance p : {Provenance::kMeasured, Provenance::kBorrowed, Provenance::kAnalytic})
    if (step.share(p) > 0)
      out += fmt::format("{}{:.0f} % {}", out.empty() ? "" : ", ", step.share(p) * 100, Name(p));
  return out.empty() ? "nothing priced" : out;
}

// What kept the solver from more.
std::string EndText(const SolverReport& solver) {
  if (solver.stopped_by == kLowering) return "; cheaper choices need more memory once lowered";
  return StopText(solver.stopped_by);
}

std::string StatusText(const SolverReport& solver) {
  if (solver.status == "optimal") return "optimal, proven";
  if (solver.status == "gap")
    return fmt::format("within {:.2f} % of the proven bound{}", solver.gap * 100, EndText(solver));
  return solver.status;
}

// What is proven, and how far the plan is from what all layers free would allow, where the bound is
// of less. An optimum of less is not called one of everything.
std::string ProofText(const SolverReport& solver) {
  if (solver.problem == kLayersFree || solver.bound <= solver.free_bound)
    return fmt::format("{}; bound of {}", StatusText(solver), solver.problem);
  const double above =
      100 * static_cast<double>(solver.cost - solver.free_bound) / static_cast<double>(solver.cost);
  const bool here = solver.problem == kLayersFreeHere;
  if (solver.status == "optimal")
    return fmt::format("optimal {}, proven; within {:.2f} % of the bound of {}",
                       here ? "on this mesh" : fmt::format("with {}", solver.problem),
                       above,
                       here ? "all meshes" : kLayersFree);
  return fmt::format("{}; bound of {}, within {:.2f} % of that of {}",
                     StatusText(solver),
                     here ? "this mesh" : solver.problem,
                     above,
                     here ? "all meshes" : kLayersFree);
}

int64_t FlopsOf(const OpTable& ops, const Graph& graph, const Node& node) {
  const OpDef* op = ops.Find(node);
  if (op == nullptr) return 0;
  std::vector<TensorType> outputs;
  for (ValueId id : node.outputs)
    outputs.push_back(id == kNone ? TensorType{ElementType::kF32, {0}} : graph.value(id).type);
  return WorkOf(CallOf(*op, graph, node), outputs).flops;
}

// The parameters' shardings that occur most, by bytes.
std::string PlacementText(const Plan& plan) {
  std::map<std::string, std::pair<int64_t, int64_t>> groups;  // sharding -> (bytes, tensors)
  for (ValueId id : plan.graph.OfKind(ValueKind::kParameter)) {
    auto& [bytes, count] =
        groups[ShardingText(plan.assignment.values[static_cast<size_t>(id)], plan.mesh)];
    bytes += PackedBytes(plan.graph.value(id).type);
    ++count;
  }
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [text, sizes] : groups) order.push_back({-sizes.first, text});
  std::sort(order.begin(), order.end());
  Table table({{"parameters lie as"}, {"tensors", true}, {"bytes in all", true}});
  for (size_t i = 0; i < order.size() && i < 8; ++i)
    table.Add({order[i].second,
               std::to_string(groups[order[i].second].second),
               BytesText(groups[order[i].second].first)});
  return table.empty() ? "" : table.text();
}

// How many values of floats narrower than f32 are partial sums, and in what they are reduced; ""
// where none are.
std::string SumsText(const Plan& plan) {
  std::set<ValueId> sums;
  for (size_t n = 0; n < plan.graph.nodes.size(); ++n) {
    const std::vector<ValueId>& outputs = plan.graph.nodes[n].outputs;
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o] == kNone || !IsNarrowFloat(plan.graph.value(outputs[o]).type.element))
        continue;
      for (const Partial& partial : plan.assignment.nodes[n].outputs[o].partial)
        if (partial.op == ReduceOp::kSum || partial.op == ReduceOp::kProd) sums.insert(outputs[o]);
    }
  }
  if (sums.empty()) return "";
  return fmt::format("  sums     {} partial of narrow floats, held and reduced in {}\n",
                     sums.size(),
                     plan.reduce_in == ReduceIn::kF32 ? "f32" : "their own type");
}

}  // namespace

double DividedShare(const OpTable& ops, const Plan& plan) {
  int64_t divided = 0;
  int64_t all = 0;
  for (size_t n = 0; n < plan.graph.nodes.size(); ++n) {
    const int64_t flops = FlopsOf(ops, plan.graph, plan.graph.nodes[n]);
    const std::vector<std::string>& axes = plan.assignment.nodes[n].axes;
    all += flops;
    if (std::any_of(axes.begin(), axes.end(), [](const std::string& a) {
          return !a.empty() && a[0] != '~';
        }))
      divided += flops;
  }
  return all == 0 ? 0 : static_cast<double>(divided) / static_cast<double>(all);
}

nlohmann::ordered_json PlanJson(const Session& session, const PlannedModel& result) {
  const Plan& plan = result.planned.plan;
  const Prediction& p = plan.prediction;
  Json out = session.Document();
  out["model_hash"] = plan.origin.model_hash;
  out["cluster"] = plan.origin.cluster;
  out["mesh"] = MeshText(plan.mesh);
  out["status"] = plan.solver.status;
  out["step_seconds"] = p.step.seconds;
  out["compute_seconds"] = p.compute.seconds;
  out["communication_seconds"] = p.communication.seconds;
  out["band"] = p.step.band;
  out["cost"] = static_cast<double>(plan.solver.cost) * 1e-12;
  out["bound"] = static_cast<double>(plan.solver.bound) * 1e-12;
  out["gap"] = plan.solver.gap;
  out["bound_of"] = plan.solver.problem;
  out["free_bound"] = static_cast<double>(plan.solver.free_bound) * 1e-12;
  out["solver"] = plan.solver.solver;
  out["stopped_by"] = plan.solver.stopped_by;
  out["peak_bytes"] = plan.peak_bytes();
  out["memory"] = {{"parameters", p.memory.parameters},
                   {"gradients", 0},
                   {"optimizer", 0},
                   {"activations", p.memory.activations},
                   {"buffers", p.memory.buffers}};
  out["memory_limit_bytes"] = plan.memory_limit_bytes;
  out["reduce_in"] = plan.reduce_in == ReduceIn::kF32 ? "f32" : "type";
  out["collectives"] = TrafficJson(p.collectives);
  out["collectives_by_axis"] = TrafficJson(p.by_axis);
  out["divided_flops"] = DividedShare(*result.model.ops, plan);
  const PhaseSeconds& s = result.planned.seconds;
  out["seconds"] = {{"import", result.model.seconds},
                    {"discover", s.discover},
                    {"formulate", s.formulate},
                    {"solve", s.solve},
                    {"improve", s.improve},
                    {"alternatives", s.alternatives},
                    {"lower", s.lower},
                    {"total", result.total_seconds}};
  out["redistributions_priced"] = {{"count", result.planned.routes.priced},
                                   {"seconds", result.planned.routes.seconds}};
  out["nodes"] = plan.solver.nodes;
  out["strategies"] = plan.solver.strategies;
  out["reduced"] = {{"nodes", plan.solver.reduced_nodes},
                    {"edges", plan.solver.reduced_edges},
                    {"entries", plan.solver.reduced_entries}};
  out["deletions"] = plan.solver.deletions;
  out["alternatives"] = Json::array();
  for (const Alternative& a : plan.alternatives) {
    const bool priced = a.note.empty();
    out["alternatives"].push_back({{"name", a.name},
                                   {"step_seconds", priced ? Json(a.step_seconds) : Json()},
                                   {"peak_bytes", priced ? Json(a.peak_bytes) : Json()},
                                   {"feasible", a.feasible},
                                   {"note", a.note}});
  }
  out["provenance"] = {{"measured", p.step.share(Provenance::kMeasured)},
                       {"borrowed", p.step.share(Provenance::kBorrowed)},
                       {"analytic", p.step.share(Provenance::kAnalytic)}};
  return out;
}

std::string PlanReport(const PlannedModel& result) {
  const Plan& plan = result.planned.plan;
  const Prediction& p = plan.prediction;
  std::string out = fmt::format(
      "{} on {}, mesh {}\n", plan.origin.model_path, plan.origin.cluster, MeshText(plan.mesh));
  out += fmt::format("  step     {} (+-{:.0f} %), {} of it communication; {}\n",
                     SecondsText(p.step.seconds),
                     p.step.band * 100,
                     SecondsText(p.communication.seconds),
                     ProvenanceText(p.step));
  out += fmt::format("  memory   {} a rank: parameters {}, activations {}, buffers {}\n",
                     BytesText(plan.peak_bytes()),
                     BytesText(p.memory.parameters),
                     BytesText(p.memory.activations),
                     BytesText(p.memory.buffers));
  out += fmt::format("  solver   {} ({}): {}\n",
                     plan.solver.solver,
                     SecondsText(result.planned.seconds.solve),
                     ProofText(plan.solver));
  out += fmt::format("  divided  {} of the FLOPs\n",
                     PercentText(DividedShare(*result.model.ops, plan)));
  out += SumsText(plan);
  if (!p.collectives.empty()) {
    Table table({{"collective"}, {"count", true}, {"received a rank", true}});
    for (const auto& [kind, traffic] : p.collectives)
      table.Add({kind, std::to_string(traffic.count), BytesText(traffic.bytes)});
    out += "\n" + table.text();
  }
  out += "\n" + PlacementText(plan);
  if (!plan.alternatives.empty()) {
    Table table({{"alternative"}, {"step", true}, {"memory", true}, {"fits"}});
    table.Add({"this plan", SecondsText(p.step.seconds), BytesText(plan.peak_bytes()), "yes"});
    for (const Alternative& a : plan.alternatives)
      table.Add({a.name,
                 a.note.empty() ? SecondsText(a.step_seconds) : "-",
                 a.note.empty() ? BytesText(a.peak_bytes) : "-",
                 a.note.empty() ? (a.feasible ? "yes" : "no") : a.note});
    out += "\n" + table.text();
  }
  return out;
}

}  // namespace metadist::cli
