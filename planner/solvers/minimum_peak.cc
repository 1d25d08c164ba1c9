// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/minimum_peak.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/bounds/elimination.h"
#include "planner/solvers/bounds/marginal.h"
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/moves/primal.h"
#include "planner/solvers/problem/budget.h"
#include "planner/solvers/problem/evaluate.h"

namespace metadist {

// Minimises the peak over all choices without a forbidden pair; costs are set to zero.
//
// Let `lower` be a proven bound (initially the peak if every row is at its least). Times that
// cannot exceed `lower` are irrelevant, so the problem is reduced exactly as if `lower` were the
// limit. Whenever that turns out infeasible because usage that no choice avoids is higher, `lower`
// rises to that usage and the reduction is repeated. Usually there are few forbidden pairs, every
// row is at its least, and this is the answer.
//
// Otherwise weights w[t] >= 0 with sum 1 give  peak >= min over choices of sum w[t] usage[t],  the
// same priced problem as in search.h, so TRW-S bounds it and rounds it; the weights are updated
// multiplicatively by the usage. Choices are lowered step by step by single moves that free memory
// at the peak. The remaining gap is closed by the marginalised program with the peak as its
// objective. A margin covers the rounding of CBC, so the bound may then stay slightly below the
// peak.

namespace {

constexpr int kWeightRounds = 60;
constexpr int64_t kMostPeakEntries = 400'000;

Problem WithoutCosts(const Problem& problem) {
  Problem out = problem;
  auto clear = [](std::vector<int64_t>& costs) {
    for (int64_t& cost : costs) cost = cost >= kForbiddenFrom ? kForbidden : 0;
  };
  for (ProblemNode& node : out.nodes) clear(node.costs);
  // Shared matrices stay shared.
  std::map<CostMatrix, CostMatrix> cleared;
  for (ProblemEdge& edge : out.edges) {
    CostMatrix& matrix = cleared[edge.costs];
    if (!matrix) {
      std::vector<int64_t> costs = *edge.costs;
      clear(costs);
      matrix = std::make_shared<const std::vector<int64_t>>(std::move(costs));
    }
    edge.costs = matrix;
  }
  return out;
}

// Peak if every row were at its least.
int64_t PeakOfMinima(const Problem& problem) {
  Problem least;
  for (const ProblemNode& node : problem.nodes) {
    ProblemNode& copy = least.nodes.emplace_back();
    copy.costs = {0};
    for (const MemoryRow& row : node.rows) {
      copy.rows.push_back(
          {row.lo, row.hi, {*std::min_element(row.usage.begin(), row.usage.end())}});
    }
  }
  return Evaluate(least, Choice(least.nodes.size(), 0)).peak;
}

class PeakSearch {
 public:
  PeakSearch(Problem problem, const SolveOptions& options)
      : problem_(std::move(problem)), options_(options), budget_(options) {}

  Result<MinimumPeakResult> Run() {
    const Reduced free = Reduce(problem_, ReduceMode::kWithoutMemory);
    if (free.infeasible) return MinimumPeakResult{};
    out_.bound = PeakOfMinima(problem_);
    Reduced reduced = ReduceAtBound();
    if (infeasible_) return MinimumPeakResult{};
    if (reduced.count() == 0) {
      Take(reduced.Expand({}));
    } else {
      Search(reduced);
      if (!Closed()) FinishByCbc(reduced);
      if (!out_.feasible && !infeasible_) TakeAny(free);
    }
    if (infeasible_) return MinimumPeakResult{};
    if (out_.feasible) return std::move(out_);
    if (budget_.stopped_by() == "interrupt") {
      return Error{ErrorCode::kInterrupted, "", "interrupted before any choice was found", "", {}};
    }
    constexpr auto kTooLate = "limit reached before any choice without a forbidden pair was found";
    return Error{ErrorCode::kTimeLimit, "", kTooLate, "", {}};
  }

 private:
  bool Closed() const { return out_.feasible && out_.peak <= out_.bound; }

  void Take(const Choice& choice) {
    const Evaluation evaluation = Evaluate(problem_, choice);
    if (evaluation.forbidden > 0 || (out_.feasible && evaluation.peak >= out_.peak)) return;
    out_.feasible = true;
    out_.choice = choice;
    out_.peak = evaluation.peak;
  }

  Reduced ReduceAtBound() {
    while (true) {
      problem_.usage_limit = out_.bound;
      Reduced reduced = Reduce(problem_, ReduceMode::kSoftLimit);
      if (!reduced.infeasible) return reduced;
      const std::vector<int64_t>& base = reduced.graph.base;
      const int64_t peak = base.empty() ? 0 : *std::max_element(base.begin(), base.end());
      if (peak <= out_.bound) {
        infeasible_ = true;
        return reduced;
      }
      out_.bound = peak;
    }
  }

  // Takes the choice and lowers its peak by single moves as far as possible.
  void Lower(const Reduced& reduced, Primal& primal, Choice choice) {
    if (IsInfinite(ReducedCost(reduced, choice))) return;
    Take(reduced.Expand(choice));
    while (!Closed() && !budget_.Spent()) {
      const int64_t peak = PeakOf(reduced, choice);
      const int64_t before = primal.work();
      const bool lowered = peak > *reduced.limit && primal.Repair(choice, 200);
      budget_.AddWork(1 + primal.work() - before);
      Take(reduced.Expand(choice));
      if (lowered || PeakOf(reduced, choice) >= peak) return;
    }
  }

  void Search(const Reduced& reduced) {
    if (!reduced.limit) return TakeAny(reduced);
    Dual dual(reduced);
    Primal primal(reduced, dual);
    Lower(reduced, primal, LeastMemoryChoice(reduced));
    if (Closed()) return;
    std::vector<double> weights(reduced.base.size(), 1);
    for (int round = 0; round < kWeightRounds && !Closed() && !budget_.Spent(); ++round) {
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (double& weight : weights) weight /= sum * (1 + 1e-12);
      dual.SetPrices(weights);
      for (int k = 0; k < 3; ++k) dual.Sweep();
      budget_.AddWork(6 * reduced.counts().entries + reduced.count());
      const int64_t above = dual.SafeBound();
      if (above > 0 && !IsInfinite(above)) {
        out_.bound = std::max(out_.bound, *reduced.limit + above);
      }
      const Choice rounded = dual.Round();
      const std::vector<int64_t> usage = UsageOf(reduced, rounded);
      const auto peak = std::max_element(usage.begin(), usage.end());
      Lower(reduced, primal, rounded);
      const double rate = 2.0 / std::sqrt(1.0 + round);
      for (size_t t = 0; t < weights.size(); ++t) {
        const double ratio =
            static_cast<double>(usage[t]) / static_cast<double>(std::max<int64_t>(1, *peak));
        weights[t] = std::max(1e-9, weights[t] * std::exp(rate * (ratio - 1)));
      }
    }
  }

  void FinishByCbc(const Reduced& reduced) {
    if (infeasible_ || reduced.counts().entries > kMostPeakEntries) return;
    const int64_t unit = std::max<int64_t>(1, out_.feasible ? out_.peak : out_.bound);
    MarginalProgram program(reduced, MarginalProgram::Objective::kPeak, unit);
    while (!budget_.Spent() && !Closed()) {
      MipOptions options;
      options.seconds = budget_.seconds_left();
      if (options_.work_limit > 0) options.work = budget_.work_left();
      options.interrupted = options_.interrupted;
      const MipResult answer = SolveMip(program.model(), options);
      budget_.AddWork(answer.work);
      if (answer.status == MipResult::Status::kInfeasible) {
        infeasible_ = true;
        return;
      }
      const double proven = answer.bound * static_cast<double>(unit);
      if (proven > 0) {
        const double margin = 1e-6 * proven + 1e-6;
        out_.bound = std::max(out_.bound, static_cast<int64_t>(std::ceil(proven - margin)));
        if (out_.feasible) out_.bound = std::min(out_.bound, out_.peak);
      }
      if (answer.solution.empty()) return;
      const Choice choice = program.Read(answer.solution);
      if (!IsInfinite(ReducedCost(reduced, choice))) Take(reduced.Expand(choice));
      const std::vector<int64_t> usage = UsageOf(reduced, choice);
      const auto peak = std::ranges::max_element(usage) - usage.begin();
      bool added = !usage.empty() && program.AddTime(static_cast<int>(peak));
      for (int t : ViolatedPeaks(usage, out_.bound)) added |= program.AddTime(t);
      if (!added) return;
    }
  }

  void TakeAny(const Reduced& free) {
    const std::optional<ExactOptimum> any = MinimizeWithoutMemory(free);
    if (!any) return;
    if (IsInfinite(any->cost)) {
      infeasible_ = true;
    } else {
      Take(free.Expand(any->choice));
    }
  }

  Problem problem_;
  const SolveOptions& options_;
  Budget budget_;
  MinimumPeakResult out_;
  bool infeasible_ = false;
};

}  // namespace

Result<MinimumPeakResult> MinimumPeak(const Problem& problem, const SolveOptions& options) {
  return PeakSearch(WithoutCosts(problem), options).Run();
}

}  // namespace metadist
