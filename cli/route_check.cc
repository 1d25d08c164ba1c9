// SPDX-License-Identifier: Apache-2.0
#include "cli/route_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/format.h"
#include "executor/host/operand_pattern.h"
#include "executor/measure/stopwatch.h"
#include "executor/run/route_run.h"

namespace metadist::cli {
namespace {

constexpr int64_t kMostRunRanks = 1024;
constexpr double kMinSeconds = 0.05;  // minimum measuring time

// Checks that memory suffices for each rank's source, two buffers for the steps, result and
// expected result, and for the integers of one of them while it is made.
Result<void> CheckSize(const PlannedRoute& route, const Mesh& mesh) {
  if (mesh.ranks() > kMostRunRanks)
    return Usage(fmt::format("--run takes at most {} ranks, got {}", kMostRunRanks, mesh.ranks()));
  const double bytes =
      static_cast<double>(route.peak_elements) *
      (5.0 * static_cast<double>(ByteSize(route.type.element) * mesh.ranks()) + 16);
  const double here =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (bytes <= here) return {};
  return Usage(fmt::format("--run needs {} for {} ranks, this machine has {}",
                           BytesText(static_cast<int64_t>(std::min(bytes, 0x1p62))),
                           mesh.ranks(),
                           BytesText(static_cast<int64_t>(here))),
               "use a smaller --shape: the route is the same");
}

std::string NumberText(const Tensor& tensor, int64_t at) {
  const std::byte* bytes = tensor.bytes() + at * ByteSize(tensor.element());
  const Tensor one = Tensor::Mapped({tensor.element(), {}}, nullptr, bytes);
  return fmt::format("{:g}", one.ToDoubles()[0]);
}

std::string Difference(int64_t rank, const Tensor& got, const Tensor& wanted) {
  if (got.type() != wanted.type())
    return fmt::format(
        "rank {}: expected {}, got {}", rank, TypeText(wanted.type()), TypeText(got.type()));
  const int64_t item = ByteSize(got.element());
  int64_t at = 0;
  while (std::equal(
      got.bytes() + at * item, got.bytes() + (at + 1) * item, wanted.bytes() + at * item))
    ++at;
  Shape place(got.shape().size());
  int64_t rest = at;
  for (size_t d = place.size(); d-- > 0; rest /= got.shape()[d]) place[d] = rest % got.shape()[d];
  return fmt::format("rank {}, element {}: expected {}, got {}",
                     rank,
                     ShapeText(place),
                     NumberText(wanted, at),
                     NumberText(got, at));
}

}  // namespace

Result<RouteCheck> RunAndCheck(const PlannedRoute& route, const Shape& extent, const Mesh& mesh) {
  TRY(CheckSize(route, mesh));
  std::vector<CollectiveStep> steps;
  for (const RouteStep& step : route.steps) steps.push_back(step.step);
  const OperandPattern pattern(route.type, mesh, route.from.partial, extent);
  RouteCheck check;
  check.threads = mesh.ranks() <= kMostThreadRanks;
  std::vector<Tensor> held = pattern.Locals(route.from);
  for (const Tensor& tensor : held)
    check.peak_elements = std::max(check.peak_elements, tensor.size());
  RouteRun run;
  if (check.threads)
    run = TRY(RunRoute(
        steps, route.type, mesh, std::move(held), {.iterations = 5, .min_seconds = kMinSeconds}));
  else
    run = TRY(RunRouteInTurn(steps, route.type, mesh, std::move(held)));
  check.elements = run.elements;
  for (int64_t elements : run.elements)
    check.peak_elements = std::max(check.peak_elements, elements);
  check.step_seconds = run.step_seconds;
  check.seconds = Quantile(std::move(run.round_seconds), 0.5);
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    const Tensor wanted = pattern.Local(route.to, rank);
    const Tensor& got = run.held[static_cast<size_t>(rank)];
    if (Identical(got, wanted)) continue;
    if (check.wrong_ranks.empty()) check.first_difference = Difference(rank, got, wanted);
    check.wrong_ranks.push_back(rank);
  }
  check.passed = check.wrong_ranks.empty() && check.peak_elements <= route.peak_elements;
  for (size_t s = 0; s < run.elements.size(); ++s)
    check.passed = check.passed && run.elements[s] <= route.steps[s].elements;
  return check;
}

}  // namespace metadist::cli
