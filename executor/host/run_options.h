// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "metair/ops/op_table.h"

namespace metadist {

struct RunOptions {
  int warm_up = 0;              // steps that are not measured
  int iterations = 1;           // measured steps, at least
  double min_seconds = 0;       // measure on until this much time has passed
  double timeout_seconds = 60;  // longest a rank waits for another
  bool trace = false;           // keep the events of the last step
  bool fuse = true;             // run the nodes of a fused group as one, block by block
  // Fill parameters and inputs that have no data with seeded random values.
  bool random_weights = false;
  bool random_inputs = false;
  // Whose operators say what is legal, for values of that name and type; else the program's own.
  const Graph* drawn_for = nullptr;
  uint64_t seed = 0;
  // Inputs, parameters and what is no whole number of constants are moved by a rounding (Shaken),
  // each time another way; 0: not at all.
  uint64_t shake = 0;
  const std::atomic<bool>* interrupted = nullptr;  // looked at between steps
  const OpTable* ops = nullptr;                    // nullptr: the built-in operators
};

}  // namespace metadist
