// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "profiles/profile.h"

// The published data in profiles/data, and the errors of a rule against them.
namespace metadist::published {

// profiles/data/NAME.json.
const nlohmann::json& Data(const std::string& name);

// (bytes, us) of one sweep.
using Rows = std::vector<std::pair<int64_t, double>>;

// Every fp16 sweep of one node, of all systems but l40s.
std::vector<Rows> SweepsOfOneNode();
// The sweeps of nccl_measurements.json that are not negative examples, from 512 bytes up. derived:
// includes those whose times were computed from rounded bandwidths.  least: minimum number of rows.
// in_place: uses the shorter of the two times if there are two.
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

// Published values, which are rounded: mean, median and p90 to 0.1, max to 1. A negative number
// means that there is none.
struct Bound {
  size_t points = 0;
  double mean = -1;
  double median = -1;
  double p90 = -1;
  double max = -1;
  double unit = 0.1;
};
// Succeeds if there are as many points as published and no error exceeds the published one. Prints
// one line of the table.
testing::AssertionResult Within(const std::string& rule, const Errors& errors, const Bound& bound);

}  // namespace metadist::published
