// SPDX-License-Identifier: Apache-2.0
// The text form of a plan's report.
#include <fmt/format.h>

#include <algorithm>

#include "cli/format.h"
#include "cli/plan_report.h"
#include "planner/solvers/solver.h"

namespace metadist::cli {
namespace {

constexpr size_t kMostPlacements = 8;  // in the table

std::string ProvenanceText(const Priced& step) {
  std::string out;
  for (Provenance p : {Provenance::kMeasured, Provenance::kBorrowed, Provenance::kAnalytic})
    if (step.share(p) > 0)
      out += fmt::format("{}{:.0f} % {}", out.empty() ? "" : ", ", step.share(p) * 100, Name(p));
  return out.empty() ? "nothing priced" : out;
}

// What stopped the solver.
std::string EndText(const SolverReport& solver) {
  if (solver.stopped_by == kLowering)
    return "; cheaper choices exceed the memory limit once lowered";
  return StopText(solver.stopped_by);
}

std::string PlanStatusText(const SolverReport& solver) {
  if (solver.status == "optimal") return "optimal, proven";
  if (solver.status == "gap")
    return fmt::format("within {:.2f} % of the proven bound{}", solver.gap * 100, EndText(solver));
  return solver.status;
}

// The scope of the bound, by SolverReport::problem.
std::string_view ScopeText(const SolverReport& solver) {
  if (solver.problem == kLayersAlike) return "if identical layers share one sharding";
  return solver.problem == kLayersFreeHere ? "on this mesh" : "over all shardings";
}

// States what is proven and, if the bound covers only a part, how far the plan is from the bound
// over all shardings on all meshes. An optimum over a part is not called an overall optimum.
std::string ProofText(const PlanReport& report) {
  const SolverReport& solver = report.solver;
  const std::string_view scope = ScopeText(solver);
  if (solver.status == "heuristic") return solver.status;
  if (solver.problem == kLayersFree || solver.bound <= solver.free_bound)
    return fmt::format("{}; bound {}", PlanStatusText(solver), scope);
  const std::string free = fmt::format("within {:.2f} % of the bound over all {}",
                                       report.free_gap * 100,
                                       solver.problem == kLayersFreeHere ? "meshes" : "shardings");
  if (solver.status == "optimal") return fmt::format("optimal {}, proven; {}", scope, free);
  return fmt::format("{}; bound {}, {}", PlanStatusText(solver), scope, free);
}

// Of inference there are no gradients and no optimizer states.
std::string MemoryText(const MemoryUse& memory) {
  std::string out = fmt::format("  memory   {} per rank: parameters {}",
                                BytesText(memory.peak_bytes()),
                                BytesText(memory.parameters));
  if (memory.gradients > 0) out += ", gradients " + BytesText(memory.gradients);
  if (memory.optimizer > 0) out += ", optimizer " + BytesText(memory.optimizer);
  return out + fmt::format(", activations {}, buffers {}\n",
                           BytesText(memory.activations),
                           BytesText(memory.buffers));
}

std::string RateText(double rate) {
  return rate < 100 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate);
}

std::string ThroughputText(const Throughput& throughput) {
  std::string out = fmt::format("  speed    {} samples/s", RateText(throughput.samples_per_second));
  if (throughput.tokens_per_second)
    out += fmt::format(", {} tokens/s", RateText(*throughput.tokens_per_second));
  if (throughput.mfu) out += fmt::format(", MFU {}", PercentText(*throughput.mfu));
  return out + "\n";
}

// How many blocks run again; "" if none do.
std::string RecomputeText(const PlanOrigin& origin) {
  if (!origin.training || origin.training->recompute == "none") return "";
  const std::string& blocks = origin.training->recompute;
  const bool number = blocks.find_first_not_of("0123456789") == std::string::npos;
  return fmt::format("  rerun    {}, in the backward pass\n",
                     blocks == "full" ? "all blocks"
                     : blocks == "1"  ? "the first block"
                     : number         ? fmt::format("the first {} blocks", blocks)
                                      : fmt::format("the blocks of '{}'", blocks));
}

std::string MicroBatchesText(const PlanOrigin& origin) {
  if (!origin.training || origin.training->micro_batches == 1) return "";
  return fmt::format("  batches  {} micro-batches a step, one after the other\n",
                     origin.training->micro_batches);
}

// "" where overlap is no gain.
std::string OverlapText(const PlanReport& report) {
  if (!report.overlaps && report.overlap.step_seconds >= report.step.seconds) return "";
  const std::string parts = fmt::format("{} exposed, {} hidden",
                                        SecondsText(report.overlap.exposed_seconds),
                                        SecondsText(report.overlap.hidden_seconds));
  if (report.overlaps) return fmt::format("  overlap  collectives beside compute: {}\n", parts);
  return fmt::format(
      "  overlap  {} with --overlap: {}\n", SecondsText(report.overlap.step_seconds), parts);
}

std::string SummaryText(const PlanReport& report) {
  std::string out = fmt::format(
      "{} on {}, mesh {}\n", report.origin.model_path, report.origin.cluster, report.mesh);
  out += fmt::format("  step     {} (+-{:.0f} %), communication {}, {:.0f} %; {}\n",
                     SecondsText(report.step.seconds),
                     report.step.band * 100,
                     SecondsText(report.communication.seconds),
                     report.communication_share * 100,
                     ProvenanceText(report.step));
  out += OverlapText(report);
  if (report.origin.training) out += ThroughputText(report.throughput);
  out += MemoryText(report.memory);
  out += RecomputeText(report.origin);
  out += MicroBatchesText(report.origin);
  out += fmt::format("  solver   {} ({}): {}{}\n",
                     report.solver.solver,
                     SecondsText(report.seconds.solve),
                     ProofText(report),
                     report.overlaps ? "; of steps without overlap" : "");
  out += fmt::format("  FLOPs    {} parallelised\n", PercentText(report.parallel_flops));
  if (report.narrow_partials > 0)
    out += fmt::format(
        "  sums     {} partial sums of floats narrower than f32, held and reduced in {}\n",
        report.narrow_partials,
        report.reduce_in == "f32" ? "f32" : "their own type");
  return out;
}

std::string CollectivesText(const PlanReport& report) {
  Table table({{"collective"}, {"count", true}, {"received per rank", true}});
  for (const auto& [kind, traffic] : report.collectives)
    table.Add({kind, std::to_string(traffic.count), BytesText(traffic.bytes)});
  return table.empty() ? "" : "\n" + table.text();
}

std::string PlacementText(const PlanReport& report) {
  Table table({{"parameter sharding"}, {"tensors", true}, {"total bytes", true}});
  for (size_t i = 0; i < std::min(kMostPlacements, report.parameters.size()); ++i) {
    const PlanReport::Placement& row = report.parameters[i];
    table.Add({row.sharding, std::to_string(row.tensors), BytesText(row.bytes)});
  }
  return table.empty() ? "\n" : "\n" + table.text();
}

// Whether some row would gain from overlap.
bool SomeGain(const PlanReport& report) {
  const auto gains = [](const Alternative& a) { return a.overlapped_seconds < a.step_seconds; };
  return report.overlap.step_seconds < report.step.seconds ||
         std::ranges::any_of(report.alternatives, gains);
}

std::string AlternativesText(const PlanReport& report) {
  if (report.alternatives.empty()) return "";
  const bool gain = SomeGain(report);
  Table table = gain ? Table({{"alternative"},
                              {"step", true},
                              {"with --overlap", true},
                              {"memory", true},
                              {"fits"}})
                     : Table({{"alternative"}, {"step", true}, {"memory", true}, {"fits"}});
  const auto add = [&](const std::string& name,
                       const std::string& step,
                       const std::string& overlapped,
                       const std::string& memory,
                       const std::string& fits) {
    table.Add(gain ? std::vector<std::string>{name, step, overlapped, memory, fits}
                   : std::vector<std::string>{name, step, memory, fits});
  };
  add("this plan",
      SecondsText(report.step.seconds),
      SecondsText(report.overlap.step_seconds),
      BytesText(report.memory.peak_bytes()),
      "yes");
  for (const Alternative& a : report.alternatives) {
    if (a.note.empty())
      add(a.name,
          SecondsText(a.step_seconds),
          SecondsText(a.overlapped_seconds),
          BytesText(a.peak_bytes),
          a.feasible ? "yes" : "no");
    else
      add(a.name, "-", "-", "-", a.note);
  }
  return "\n" + table.text();
}

}  // namespace

std::string PlanReportText(const PlanReport& report) {
  return SummaryText(report) + CollectivesText(report) + PlacementText(report) +
         AlternativesText(report);
}

}  // namespace metadist::cli
