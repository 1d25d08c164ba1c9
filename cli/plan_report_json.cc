// SPDX-License-Identifier: Apache-2.0
// The JSON form of a plan's report.
#include <nlohmann/json.hpp>

#include "cli/plan_report.h"

namespace metadist::cli {
namespace {

using Json = nlohmann::ordered_json;

double CostSeconds(int64_t picoseconds) { return static_cast<double>(picoseconds) * 1e-12; }

Json TrafficJson(const std::map<std::string, Traffic>& table) {
  Json out = Json::object();
  for (const auto& [name, traffic] : table)
    out[name] = {{"count", traffic.count}, {"bytes", traffic.bytes}};
  return out;
}

void AddSolver(const PlanReport& report, Json& out) {
  const SolverReport& solver = report.solver;
  out["cost"] = CostSeconds(solver.cost);
  out["bound"] = CostSeconds(solver.bound);
  out["gap"] = solver.gap;
  out["bound_of"] = solver.problem;
  out["free_bound"] = CostSeconds(solver.free_bound);
  out["unrestricted"] = {{"bound", CostSeconds(solver.free_bound)}, {"gap", report.free_gap}};
  out["solver"] = solver.solver;
  out["stopped_by"] = solver.stopped_by;
}

void AddMemory(const PlanReport& report, Json& out) {
  out["peak_bytes"] = report.memory.peak_bytes();
  out["memory"] = {{"parameters", report.memory.parameters},
                   {"gradients", report.memory.gradients},
                   {"optimizer", report.memory.optimizer},
                   {"activations", report.memory.activations},
                   {"buffers", report.memory.buffers}};
  out["memory_limit_bytes"] = report.memory_limit_bytes;
}

Json ParametersJson(const PlanReport& report) {
  Json out = Json::array();
  for (const PlanReport::Placement& row : report.parameters)
    out.push_back({{"sharding", row.sharding}, {"tensors", row.tensors}, {"bytes", row.bytes}});
  return out;
}

Json SecondsJson(const PlanReport& report) {
  const PhaseSeconds& s = report.seconds;
  return {{"import", report.import_seconds},
          {"discover", s.discover},
          {"formulate", s.formulate},
          {"solve", s.solve},
          {"improve", s.improve},
          {"alternatives", s.alternatives},
          {"lower", s.lower},
          {"total", report.total_seconds}};
}

Json AlternativesJson(const PlanReport& report) {
  Json out = Json::array();
  for (const Alternative& a : report.alternatives) {
    const bool priced = a.note.empty();
    out.push_back({{"name", a.name},
                   {"step_seconds", priced ? Json(a.step_seconds) : Json()},
                   {"overlapped_seconds", priced ? Json(a.overlapped_seconds) : Json()},
                   {"peak_bytes", priced ? Json(a.peak_bytes) : Json()},
                   {"feasible", a.feasible},
                   {"note", a.note}});
  }
  return out;
}

}  // namespace

Json PlanReportJson(const Session& session, const PlanReport& report) {
  Json out = session.Document();
  out["model_hash"] = report.origin.model_hash;
  out["cluster"] = report.origin.cluster;
  out["mesh"] = report.mesh;
  out["status"] = report.solver.status;
  out["step_seconds"] = report.step.seconds;
  out["compute_seconds"] = report.compute.seconds;
  out["communication_seconds"] = report.communication.seconds;
  out["communication_share"] = report.communication_share;
  out["overlaps"] = report.overlaps;
  out["overlapped"] = {{"step_seconds", report.overlap.step_seconds},
                       {"exposed_seconds", report.overlap.exposed_seconds},
                       {"hidden_seconds", report.overlap.hidden_seconds}};
  out["band"] = report.step.band;
  out["samples_per_second"] = report.throughput.samples_per_second;
  out["tokens_per_second"] = OrNull(report.throughput.tokens_per_second);
  out["mfu"] = OrNull(report.throughput.mfu);
  if (report.origin.training) {
    out["recompute"] = report.origin.training->recompute;
    out["micro_batches"] = report.origin.training->micro_batches;
  }
  AddSolver(report, out);
  AddMemory(report, out);
  out["reduce_in"] = report.reduce_in;
  out["narrow_partials"] = report.narrow_partials;
  out["collectives"] = TrafficJson(report.collectives);
  out["collectives_by_axis"] = TrafficJson(report.collectives_by_axis);
  out["divided_flops"] = report.parallel_flops;
  out["parameter_shardings"] = ParametersJson(report);
  out["seconds"] = SecondsJson(report);
  out["redistributions_priced"] = {{"count", report.routes.priced},
                                   {"seconds", report.routes.seconds}};
  out["nodes"] = report.solver.nodes;
  out["strategies"] = report.solver.strategies;
  out["reduced"] = {{"nodes", report.solver.reduced_nodes},
                    {"edges", report.solver.reduced_edges},
                    {"entries", report.solver.reduced_entries}};
  out["deletions"] = report.solver.deletions;
  out["alternatives"] = AlternativesJson(report);
  out["provenance"] = {{"measured", report.step.share(Provenance::kMeasured)},
                       {"borrowed", report.step.share(Provenance::kBorrowed)},
                       {"analytic", report.step.share(Provenance::kAnalytic)}};
  return out;
}

}  // namespace metadist::cli
