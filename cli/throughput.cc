// SPDX-License-Identifier: Apache-2.0
#include "cli/throughput.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cli/node_work.h"
#include "metair/training/recompute.h"
#include "metair/training/value_roles.h"
#include "profiles/contraction_cost.h"

namespace metadist::cli {
namespace {

// Seconds that the contractions take on all devices together at their peak rates.
double SecondsAtPeak(const Plan& plan, const OpTable& ops, const Profile& profile) {
  double seconds = 0;
  for (const Node& node : plan.graph.nodes) {
    const Work work = WorkOfNode(ops, plan.graph, node);
    if (work.batch == 0 || RunsAgain(node)) continue;
    const double peak = PeakFlops(profile, plan.graph.value(node.inputs[0]).type.element);
    if (peak > 0) seconds += static_cast<double>(work.flops) / peak;
  }
  return seconds;
}

}  // namespace

Throughput ThroughputOf(const Plan& plan, const OpTable& ops, const Cluster& cluster) {
  // Of one micro-batch.
  const double step = plan.prediction.step.seconds / static_cast<double>(plan.graph.micro_batches);
  if (step <= 0) return {};
  const std::vector<ValueRole> roles = RolesOf(plan.graph);
  Throughput out;
  int64_t tokens = 0;
  for (const ValueId id : plan.graph.inputs) {
    const TensorType& type = plan.graph.value(id).type;
    if (roles[static_cast<size_t>(id)] != ValueRole::kData || type.shape.empty()) continue;
    if (out.samples_per_second == 0)
      out.samples_per_second = static_cast<double>(type.shape[0]) / step;
    if (type.shape.size() == 2 && ClassOf(type.element) == ElementClass::kInt)
      tokens = std::max(tokens, NumElements(type.shape));
  }
  if (tokens > 0) out.tokens_per_second = static_cast<double>(tokens) / step;
  const Profile& profile = *cluster.profile;
  if (profile.header.cores == 0)
    out.mfu = SecondsAtPeak(plan, ops, profile) / (step * static_cast<double>(cluster.devices()));
  return out;
}

}  // namespace metadist::cli
