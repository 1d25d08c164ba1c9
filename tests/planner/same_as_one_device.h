// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "executor/host/random_data.h"
#include "executor/run/run.h"

namespace metadist {

// The program's outputs equal those of one device.
inline void ExpectSameAsOneDevice(const Graph& graph, const Program& program) {
  const NamedTensors inputs = RandomInputs(graph, 1, OpTable::BuiltIn());
  RunOptions options;
  options.random_weights = true;
  const auto one = RunProgram(SingleDevice(graph), {}, inputs, options);
  ASSERT_TRUE(one.ok()) << one.error().text();
  const auto many = RunProgram(program, {}, inputs, options);
  ASSERT_TRUE(many.ok()) << many.error().text();
  ASSERT_EQ(one.value().outputs.size(), many.value().outputs.size());
  for (size_t i = 0; i < one.value().outputs.size(); ++i) {
    const auto expected = one.value().outputs[i].second.ToDoubles();
    const auto actual = many.value().outputs[i].second.ToDoubles();
    ASSERT_EQ(expected.size(), actual.size());
    for (size_t j = 0; j < expected.size(); ++j)
      ASSERT_NEAR(actual[j], expected[j], 1e-4 + 1e-3 * std::abs(expected[j]))
          << "output " << i << ", element " << j;
  }
}

}  // namespace metadist
