// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "planner/solvers/bounds/cbc.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// The marginalised integer program of a reduced problem; memory rows are added as needed.
class MarginalProgram {
 public:
  enum class Objective { kCost, kPeak };

  // kPeak: minimises the largest usage over the added times, in units of `peak_unit` (> 0),
  // ignoring costs. kCost: minimises cost, in units of objective_unit().
  MarginalProgram(const Reduced& reduced, Objective objective, int64_t peak_unit);

  // Limits the usage at a kept time (kCost: to the limit, kPeak: to the peak that is minimised).
  // False if it is limited already.
  bool AddTime(int time);
  // Excludes all choices in which every node uses at least as much at `time` as in `choice`, which
  // must exceed the limit there.
  void AddCover(const Choice& choice, int time);
  const std::set<int>& times() const { return times_; }

  // The strategy with the largest value per node.
  Choice Read(const std::vector<double>& solution) const;

  const LinearModel& model() const { return model_; }
  // cost = objective * objective_unit() + offset() + the reduced problem's constant.
  double objective_unit() const { return unit_; }
  int64_t offset() const { return offset_; }

 private:
  void AddEdge(const Reduced::Edge& edge);

  const Reduced& reduced_;
  Objective objective_;
  double unit_ = 1;
  int64_t offset_ = 0;
  double peak_unit_ = 1;
  LinearModel model_;
  // First column of each node.
  std::vector<int> first_;
  int peak_column_ = -1;
  std::set<int> times_;
};

}  // namespace metadist
