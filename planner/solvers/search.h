// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "planner/solvers/bounds/prices.h"
#include "planner/solvers/moves/improve.h"
#include "planner/solvers/problem/budget.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Bound side (prices, pruning) and incumbent side (local search) on the remaining part of a reduced
// problem. They work in epochs and synchronise at barriers.
class Search {
 public:
  // budget: must outlive the object; the work of both sides is added to it.
  Search(Reduced reduced, uint64_t seed, Budget& budget);

  const Reduced& reduced() const { return remainder_->reduced; }
  // Number of pair entries and strategies left.
  int64_t entries() const { return entries_; }

  // `hear` receives better choices of the original problem as the incumbent side finds them, on the
  // thread that calls Epoch, but not all of them: use Original() at the barrier.
  void OnImprovement(const std::function<void(const Choice&)>& hear);
  // Makes a first incumbent from the choice of least memory. May fail.
  void Start();
  // Starts from the choice nearest to the given choice of the original problem.
  void Offer(const Choice& original);
  // Takes a feasible choice of reduced() as incumbent if it is better.
  bool Take(const Choice& choice) { return improver_->Take(choice); }

  // Runs both sides, the bound side for at most `bound_work` units and the incumbent side for about
  // `primal_work`; on two threads if `threads` allows it, else in turn, with the same result.
  struct Share {
    int64_t bound_work = 0;
    int64_t primal_work = 0;
  };
  struct Goal {
    // Cost of the best choice known anywhere, kInfinite if there is none.
    int64_t upper = kInfinite;
    // Each side stops when it reaches its value, because the gap to the other side is then small
    // enough.
    double bound = static_cast<double>(kInfinite);
    double cost = -static_cast<double>(kInfinite);
  };
  void Epoch(const Share& share, const Goal& goal, int threads);

  // Repairs the last few choices that the bound side has rounded and offers them as incumbents, as
  // an epoch of the incumbent side does first. Does not change where the search itself starts.
  void FinishRounded();

  // Reduces the problem to choices of at most `most`. False if too little would be deleted.
  // Afterwards reduced() may be infeasible (there is no such choice) or empty.
  bool Prune(int64_t most);

  // reduced() reduced to choices of at most `most`. nullopt: too little would be deleted.
  std::optional<ReducedAgain> Below(int64_t most);

  bool found() const { return improver_->found(); }
  // Cost of the incumbent of reduced(), which must exist. Better ones may be known elsewhere.
  int64_t cost() const { return improver_->cost(); }
  Choice Original() const { return reduced().Expand(improver_->incumbent()); }
  // Proven bound of the choices of reduced().
  int64_t bound() const { return ascent_->proven(); }
  bool converged() const { return ascent_->converged(); }
  const std::vector<double>& prices() const { return ascent_->prices(); }
  // Kept times at which branch and bound found the limit to be relevant, for its next start.
  std::set<int>& times() { return times_; }

 private:
  // Makes one step with each choice at the prices, then repairs and polishes it, until the
  // incumbent costs at most `enough`.
  void FinishChoices(const std::vector<Choice>& choices,
                     const std::vector<double>& prices,
                     double enough);
  void CountEntries();

  Budget& budget_;
  Budget bound_budget_;
  Budget primal_budget_;
  std::unique_ptr<const ReducedAgain> remainder_;
  std::unique_ptr<PriceAscent> ascent_;
  std::unique_ptr<Improver> improver_;
  int64_t entries_ = 0;
  std::set<int> times_;
};

}  // namespace metadist
