// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "metair/ops/op_table.h"

namespace metadist {

struct RunOptions {
  int warm_up = 0;              // steps that are not measured
  int iterations = 1;           // measured steps, at least
  double min_seconds = 0;       // keep measuring until this much time has passed
  double timeout_seconds = 60;  // the longest that a rank waits for another
  bool trace = false;           // keep the time line of the last step
  bool watch = false;           // keep every step's outputs of one float
  bool fuse = true;             // run the nodes of a fused group as one, block by block
  // Of each rank: 2 runs collectives that overlap nodes beside these, 1 in order with them. 0: 2 if
  // every stream gets a core.
  int streams = 0;
  // Fill parameters and inputs without data with seeded random values.
  bool random_weights = false;
  bool random_inputs = false;
  bool zero_states = false;  // inputs that steps hand on start at zero unless they are given
  // The graph whose operators define the legal values of tensors of equal name and type; nullptr:
  // the program's own graphs.
  const Graph* drawn_for = nullptr;
  uint64_t seed = 0;
  // Perturb inputs, parameters and the fractional numbers of constants by a rounding error
  // (Perturbed); each seed gives another perturbation. 0: none.
  uint64_t perturbation = 0;
  const std::atomic<bool>* interrupted = nullptr;  // polled between steps
  const OpTable* ops = nullptr;                    // nullptr: the built-in operators
};

}  // namespace metadist
