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

// Bound side (prices, pruning) and incumbent side (local search) over what is left of a reduced
// problem. They work in epochs and meet at barriers.
class Search {
 public:
  // budget: must outlive the object; what both sides do counts there.
  Search(Reduced reduced, uint64_t seed, Budget& budget);

  const Reduced& reduced() const { return remainder_->reduced; }
  // Pair entries and strategies left.
  int64_t entries() const { return entries_; }

  // The incumbent side tells of better choices of the original problem as it finds them, on the
  // thread that calls Epoch. Not of all: look at Original() at the barrier.
  void TellOf(const std::function<void(const Choice&)>& hear);
  // First incumbent from the choice of least memory. May fail.
  void Start();
  // Starts from the nearest choice to one of the original problem.
  void Offer(const Choice& original);
  // Takes a feasible choice of reduced() as incumbent if it is better.
  bool Take(const Choice& choice) { return improver_->Take(choice); }

  // Both sides work: the bound side at most `bound_work` units, the incumbent side about
  // `primal_work`, on two threads if there are two, else in turn, with the same result.
  struct Share {
    int64_t bound_work = 0;
    int64_t primal_work = 0;
  };
  struct Goal {
    // Cost of the best choice known anywhere, kInfinite if there is none.
    int64_t upper = kInfinite;
    // Each side rests once it is there, as the gap to the other's present state is small enough.
    double bound = static_cast<double>(kInfinite);
    double cost = -static_cast<double>(kInfinite);
  };
  void Epoch(const Share& share, const Goal& goal, int threads);

  // Makes the last few choices that the bound side has rounded fit and offers them as incumbents,
  // as an epoch of the incumbent side does first. The search itself begins where it would have.
  void FinishRounded();

  // Leaves only what a choice of at most `most` may take, and reduces that exactly. False if too
  // little would go. Afterwards reduced() may be infeasible (there is no such choice) or empty.
  bool Prune(int64_t most);

  // What would be left of reduced() if only choices of at most `most` were wanted. nullopt: no
  // less.
  std::optional<ReducedAgain> Below(int64_t most);

  bool found() const { return improver_->found(); }
  // Cost of the incumbent of reduced(); it must exist. Better ones may be known elsewhere.
  int64_t cost() const { return improver_->cost(); }
  Choice Original() const { return reduced().Expand(improver_->incumbent()); }
  // Proven for the choices of reduced().
  int64_t bound() const { return ascent_->proven(); }
  bool converged() const { return ascent_->converged(); }
  const std::vector<double>& prices() const { return ascent_->prices(); }
  // Kept times at which branch and bound found the limit to matter, for its next start.
  std::set<int>& times() { return times_; }

 private:
  // One step of choices at the prices, then repair and polish, until the incumbent costs no more
  // than is enough.
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
