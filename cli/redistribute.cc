// SPDX-License-Identifier: Apache-2.0
// Plans one redistribution: the steps that take an array from one sharding to another; executes and
// checks it.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/cpu_profile.h"
#include "cli/options.h"
#include "cli/route_report.h"

namespace metadist::cli {
namespace {

Result<Cluster> ClusterFor(Session& session, const RouteFlags& flags, const Mesh& mesh) {
  Cluster cluster = TRY(FindCluster(session, flags.cluster));
  if (mesh.ranks() == cluster.devices()) return cluster;
  return Usage(fmt::format("--mesh {} has {} ranks, cluster {} has {} devices",
                           flags.mesh,
                           mesh.ranks(),
                           flags.cluster,
                           cluster.devices()),
               "make them equal, or omit --cluster");
}

Result<void> Redistribute(Session& session, const RouteFlags& flags) {
  RouteResult result;
  result.ends = TRY(ReadRouteEnds(flags));
  RouteRequest request;
  request.type = result.ends.type;
  request.mesh = &result.ends.mesh;
  request.from = result.ends.from;
  request.to = result.ends.to;
  if (flags.algo != kBestMethod) request.algo = flags.algo;
  request.uneven = result.ends.uneven;
  request.allow_p2p = flags.allow_p2p || request.uneven == Uneven::kP2p;
  Cluster cluster;
  if (!flags.cluster.empty()) {
    cluster = TRY(ClusterFor(session, flags, result.ends.mesh.whole));
    request.cluster = &cluster;
  }
  const auto start = std::chrono::steady_clock::now();
  result.route = TRY(PlanRoute(request));
  result.planning_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (flags.run)
    result.check = TRY(RunAndCheck(result.route, result.ends.type.shape, result.ends.mesh.fine));
  const RouteReport report = RouteReportOf(result);
  TRY(session.EmitResult(RouteJson(session, report), RouteText(report)));
  if (!result.check || result.check->passed) return {};
  return Error{.code = ErrorCode::kMismatch,
               .message = result.check->wrong_ranks.empty()
                              ? "a step holds more elements than planned"
                              : "the result differs from direct placement: " +
                                    result.check->first_difference};
}

std::string MethodsHelp() {
  std::string out = "Methods:\n  auto            the cheapest that keeps the memory bound\n";
  for (const RouteAlgorithm& algorithm : RouteAlgorithms())
    out += fmt::format("  {:<15} {}\n", algorithm.name, algorithm.help);
  return out;
}

}  // namespace

void AddRedistribute(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "redistribute", "the steps that take an array from one sharding to another");
  auto flags = std::make_shared<RouteFlags>();
  const auto add = OptionsOf(*command);
  session.required = {
      add("--mesh M", flags->mesh, "the devices, e.g. x=4,y=2 or 4x2"),
      add("--shape SHAPE", flags->shape, "the array's sizes, e.g. 16x16"),
      add("--from S",
          flags->from,
          "its sharding: the axes of each dim, e.g. [x,y][]; part "
          "of an axis is x@BEFORE.SIZE; [][] partial{sum: x}"),
      add("--to S",
          flags->to,
          "the sharding wanted; [x~1,2] is the piece with a halo of 1 before and 2 after it")};
  add("--dtype TYPE", flags->dtype, "element type (default f32)");
  add("--algo NAME", flags->algo, "the method, see below (default auto)");
  add("--cluster C",
      flags->cluster,
      "choose by time on this cluster, as in `plan` (default: by elements received)");
  add("--order ORDER", flags->order, "axes of a dim: major or minor first (default major)");
  add("--uneven HOW",
      flags->uneven,
      "for sizes that do not divide evenly: p2p = balanced pieces, pad = dims rounded up");
  command->add_flag(
      "--allow-p2p",
      flags->allow_p2p,
      "let auto use point-to-point transfers, by which every rank fetches what it lacks");
  command->add_flag("--run",
                    flags->run,
                    "execute it, with one thread per rank up to 16 ranks, and check the result");
  command->footer(MethodsHelp() +
                  "\nExample:\n  metadist redistribute --mesh x=2,y=4 --shape 16x16 "
                  "--from '[x][y]' --to '[y][x]' --run");
  session.action = [&session, flags] { return Redistribute(session, *flags); };
}

}  // namespace metadist::cli
