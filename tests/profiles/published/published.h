// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "profiles/profile.h"

// The published figures in profiles/data, and how far a rule is from them.
namespace metadist::published {

// profiles/data/NAME.json.
const nlohmann::json& Data(const std::string& name);

// (bytes, us) of one sweep.
using Rows = std::vector<std::pair<int64_t, double>>;

// Every fp16 sweep of one node, of all systems but l40s.
std::vector<Rows> SweepsOfOneNode();
// The sweeps of nccl_measurements.json that are no negative examples, from 512 bytes up. derived:
// those too whose times were computed from rounded bandwidths.  least: fewest rows.  in_place: the
// shorter of the two times where there are two.
std::vector<Rows> Sweeps(bool derived, size_t least, bool in_place);

// A profile without tables, for the functions that need one, and its rows.
Profile Empty();
Series ToSeries(const Rows& rows);

// Absolute errors in percent.
struct Errors {
  size_t points = 0;
  double mean = 0;
  double median = 0;
  double p90 = 0;
  double max = 0;
};
Errors Summarize(std::vector<double> percent);
double PercentOff(double predicted, double truth);

// What was published, which is rounded: mean, median and p90 to 0.1, max to 1. A negative figure
// means that there is none.
struct Bound {
  size_t points = 0;
  double mean = -1;
  double median = -1;
  double p90 = -1;
  double max = -1;
  double unit = 0.1;
};
// Whether there are as many points as published and no error is above the published one. Prints
// one line of the table.
testing::AssertionResult Within(const std::string& rule, const Errors& errors, const Bound& bound);

}  // namespace metadist::published
