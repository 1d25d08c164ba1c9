// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/moves/allocation.h"
#include "planner/solvers/moves/block.h"
#include "planner/solvers/moves/forest.h"
#include "planner/solvers/moves/fusion.h"
#include "planner/solvers/moves/price_walk.h"
#include "planner/solvers/moves/primal.h"
#include "planner/solvers/problem/budget.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Information passed from the bound side to the incumbent side.
struct Guide {
  // Prices per kept time, and the bound that they give (in doubles).
  std::vector<double> prices;
  double bound = -1e300;
  // The search ends when the incumbent costs at most this.
  double enough = -static_cast<double>(kInfinite);
  // Start if there is no incumbent.
  Choice start;
};

// The incumbent side of a search. It has its own random generator and does not change its inputs,
// so it can run concurrently with the bound side and exchange incumbent and Guide with it.
class Improver {
 public:
  // All three must outlive the object. tables: used only for its edge entries in doubles.
  Improver(const Reduced& reduced, const Dual& tables, uint64_t seed, Budget& budget);

  // Switches to another reduced problem (after strategies or nodes were deleted), without an
  // incumbent.
  void Rebind(const Reduced& reduced, const Dual& tables);

  // Improve reports better incumbents to `hear`, but not all of them if they follow closely.
  void OnImprovement(std::function<void(const Choice&)> hear) { hear_ = std::move(hear); }

  bool found() const { return incumbent_.has_value(); }
  // Cost of the incumbent; it must exist.
  int64_t cost() const { return cost_; }
  const Choice& incumbent() const { return *incumbent_; }
  // True if the incumbent costs at most `enough`.
  bool Reached(double enough) const { return found() && static_cast<double>(cost_) <= enough; }

  // Takes a feasible choice as incumbent if it is better.
  bool Take(const Choice& choice);
  // Makes a first incumbent from the choice of least memory. May fail.
  void Start();
  // Repairs and polishes a choice and offers it as incumbent. True if it became feasible; `choice`
  // is changed then.
  bool Finish(Choice& choice);
  // Lowers cost plus penalties of a choice by one forest or block move.
  void Step(Choice& choice, const Jagged<double>& penalties);
  // Up to `rounds` rounds of local search; fewer if the budget is spent or the incumbent is proven.
  // Continues where the last call stopped, so many short calls do the same as a long one.
  void Improve(int rounds, const Guide& guide);

 private:
  // Recent gain and work of a kind of move, with exponential decay.
  struct Record {
    double gain = 0;
    double work = 1;
    void Add(double more_gain, double more_work);
  };

  void Report();
  // Gap between incumbent and bound, always positive; an estimate if there is no incumbent.
  double Gap(const Guide& guide) const;
  void Follow(const Guide& guide);
  // Fuses the walker with a choice rounded from messages at the walker's prices.
  void Sweep();
  void WalkRound(const Guide& guide);
  void AllocationRound();
  // Splices the choice with the most recent ones from the other side of the limit and with the
  // incumbent.
  void Mix(const Choice& choice, bool fits);
  // Draws one of several kinds by their rates; every kind keeps a positive probability.
  size_t Draw(std::span<const Record> records);

  const Reduced* reduced_ = nullptr;
  const Dual* tables_ = nullptr;
  Budget& budget_;
  Random random_;
  std::optional<Primal> primal_;
  std::optional<BlockMover> block_;
  std::optional<ForestMover> forest_;
  std::optional<AllocationMover> allocation_;
  std::optional<FusionMover> fusion_;
  int64_t entries_ = 0;
  // Work of computing cost and usage of a choice, and of computing penalties at other prices.
  int64_t look_work_ = 0;
  int64_t price_work_ = 0;
  std::optional<Choice> incumbent_;
  int64_t cost_ = 0;
  std::function<void(const Choice&)> hear_;
  int64_t told_cost_ = kInfinite;
  int64_t told_work_ = -kInfinite;
  // Block and forest moves; gain in priced cost.
  std::array<Record, 2> steps_;
  // Gains of the two kinds of rounds, measured in the incumbent's cost.
  std::array<Record, 2> rounds_;

  // State of the walk over prices.
  PriceWalk prices_;
  double followed_bound_ = -1e300;
  Jagged<double> penalties_;
  Choice walker_;
  // The incumbent side's own messages, at the prices of the walk.
  std::optional<Dual> messages_;
  // The latest choices mixed: one that exceeds the limit, one that fits.
  std::array<std::optional<Choice>, 2> latest_;
  // State of the walk over allocations.
  Choice holder_;
  int64_t holder_cost_ = 0;
};

}  // namespace metadist
