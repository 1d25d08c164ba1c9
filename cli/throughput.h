// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "metair/ops/op_table.h"
#include "planner/plan/plan.h"
#include "profiles/cluster.h"

namespace metadist::cli {

// What a step achieves.
struct Throughput {
  double samples_per_second = 0;            // by the first dim of the model's inputs
  std::optional<double> tokens_per_second;  // of models whose inputs are lists of integers
  // Model FLOPs utilisation: the share of the devices' peak rate that the contractions of the model
  // use, without those that run again. Not known of CPUs.
  // Source: Chowdhery et al. 2022, "PaLM", appendix B.
  std::optional<double> mfu;
};

Throughput ThroughputOf(const Plan& plan, const OpTable& ops, const Cluster& cluster);

}  // namespace metadist::cli
