// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <compare>
#include <optional>
#include <unordered_map>

#include "planner/solvers/bounds/links.h"
#include "planner/solvers/bounds/prices.h"
#include "planner/solvers/moves/primal.h"
#include "planner/solvers/outcome.h"
#include "planner/solvers/solver.h"

namespace metadist {

// The beam search of the MetaDist paper (EasyDist's auto-parallel solver), a baseline for
// comparison: nodes are decided in program order, and the kWidth cheapest partial choices are kept.
// Partial choices that agree on the open frontier (decided nodes with an undecided neighbour) can
// be completed in the same ways, so only the cheapest of them is kept. On inference graphs the
// result is 1.2 to 2.2 % above the integer program; memory is ignored.
//
// It runs on classes of nodes: the reduction rules that keep every feasible choice merge dependent
// nodes and delete strategies without partner, like the paper's clusters. If no kept choice has an
// allowed successor, the search restarts ten times as wide. In the end the choice is checked
// against the limit and, if necessary, repaired by cheapest single moves; if that fails too, the
// choice of least peak is taken.
//
// Complexity: nodes x width x (strategies x neighbours + frontier).
//
// If no partial choice was ever cut off, this was dynamic programming over frontiers, and its cost
// is the optimum without the limit. Otherwise the method has no bound; to report the gap, one is
// computed by message passing with priced memory (prices.h).

namespace {

constexpr size_t kWidth = 100;
constexpr size_t kLargestWidth = 10'000;
constexpr int kBoundRounds = 500;

class Beam {
 public:
  Beam(const Reduced& reduced, size_t width, Budget& budget)
      : reduced_(reduced), links_(MakeLinks(reduced)), width_(width), budget_(budget) {
    PlaceNodes();
    ignored_.assign(places_, 0);
    states_.push_back({0, 0, std::vector<uint16_t>(places_, 0)});
  }

  // The cheapest choice found; nullopt if no partial choice has a successor at some node, or if the
  // budget is spent.
  std::optional<Choice> Run() {
    for (int i = 0; i < reduced_.count(); ++i) {
      if (budget_.Spent()) return std::nullopt;
      Decide(i);
      if (states_.empty()) return std::nullopt;
    }
    Choice out(reduced_.count());
    int state = 0;
    for (int i = reduced_.count(); i-- > 0;) {
      out[i] = history_[i][state].strategy;
      state = history_[i][state].parent;
    }
    return out;
  }

  // True if some partial choice was cut off because of its cost.
  bool cut() const { return cut_; }

 private:
  struct State {
    int64_t cost = 0;
    // Exclusive or of the hashes of the frontier's entries.
    uint64_t hash = 0;
    // Strategies of the open nodes, by place; 0 where there is no node.
    std::vector<uint16_t> frontier;
  };
  struct Step {
    int parent = 0;
    int strategy = 0;
  };
  struct Candidate {
    int64_t cost;
    int parent;
    int strategy;
    auto operator<=>(const Candidate&) const = default;
  };

  // A node occupies a place of the frontier from its own decision to that of its last neighbour.
  void PlaceNodes() {
    const int count = reduced_.count();
    place_.assign(count, -1);
    closes_.resize(count);
    std::vector<int> free;
    for (int i = 0; i < count; ++i) {
      int last = i;
      for (const Link& link : links_[i]) last = std::max(last, link.other);
      if (last > i) {
        if (free.empty()) free.push_back(places_++);
        place_[i] = free.back();
        free.pop_back();
        closes_[last].push_back(place_[i]);
      }
      free.insert(free.end(), closes_[i].begin(), closes_[i].end());
    }
  }

  void Decide(int node) {
    std::vector<Candidate> candidates;
    std::vector<int64_t> costs;
    for (size_t s = 0; s < states_.size(); ++s) {
      costs.assign(reduced_.costs[node].begin(), reduced_.costs[node].end());
      for (const Link& link : links_[node]) {
        if (link.other > node) continue;
        AddLinkCosts(reduced_, link, states_[s].frontier[place_[link.other]], costs);
      }
      budget_.AddWork(static_cast<int64_t>(costs.size() * (links_[node].size() + 1)));
      for (size_t p = 0; p < costs.size(); ++p) {
        if (IsInfinite(costs[p])) continue;
        candidates.push_back(
            {states_[s].cost + costs[p], static_cast<int>(s), static_cast<int>(p)});
      }
    }
    std::ranges::sort(candidates);
    Keep(node, candidates);
  }

  void Keep(int node, const std::vector<Candidate>& candidates) {
    std::vector<State> next;
    std::vector<Step>& steps = history_.emplace_back();
    // Maps the hash of a frontier to the indices in `next` that have it.
    std::unordered_map<uint64_t, std::vector<int>> known;
    for (const Candidate& candidate : candidates) {
      const uint64_t hash = HashAfter(node, candidate);
      std::vector<int>& same = known[hash];
      const bool seen = std::any_of(
          same.begin(), same.end(), [&](int s) { return SameAfter(node, candidate, steps[s]); });
      if (seen) continue;
      if (next.size() == width_) {
        cut_ = true;
        break;
      }
      same.push_back(static_cast<int>(next.size()));
      State& state = next.emplace_back();
      state = {candidate.cost, hash, states_[candidate.parent].frontier};
      for (int place : closes_[node]) state.frontier[place] = 0;
      if (place_[node] >= 0) {
        state.frontier[place_[node]] = static_cast<uint16_t>(candidate.strategy);
      }
      steps.push_back({candidate.parent, candidate.strategy});
      budget_.AddWork(places_ / 4 + 1);
    }
    states_ = std::move(next);
  }

  static uint64_t Name(int place, int strategy) {
    if (strategy == 0) return 0;  // like an empty place
    uint64_t name = (static_cast<uint64_t>(place) << 16 | static_cast<uint64_t>(strategy)) + 1;
    name = (name ^ name >> 30) * 0xBF58476D1CE4E5B9ull;
    name = (name ^ name >> 27) * 0x94D049BB133111EBull;
    return name ^ name >> 31;
  }

  uint64_t HashAfter(int node, const Candidate& candidate) const {
    const State& parent = states_[candidate.parent];
    uint64_t hash = parent.hash;
    for (int place : closes_[node]) hash ^= Name(place, parent.frontier[place]);
    if (place_[node] >= 0) hash ^= Name(place_[node], candidate.strategy);
    return hash;
  }

  // True if two successors have the same frontier.
  bool SameAfter(int node, const Candidate& x, const Step& y) const {
    if (place_[node] >= 0 && x.strategy != y.strategy) return false;
    if (x.parent == y.parent) return true;
    for (int place : closes_[node]) ignored_[place] = 1;
    const std::vector<uint16_t>& a = states_[x.parent].frontier;
    const std::vector<uint16_t>& b = states_[y.parent].frontier;
    bool same = true;
    for (size_t k = 0; k < a.size() && same; ++k) same = a[k] == b[k] || ignored_[k];
    for (int place : closes_[node]) ignored_[place] = 0;
    return same;
  }

  const Reduced& reduced_;
  const Jagged<Link> links_;
  const size_t width_;
  Budget& budget_;
  int places_ = 0;
  // Place of each node, -1 if it has no later neighbour.
  std::vector<int> place_;
  // Places that become free after each node.
  std::vector<std::vector<int>> closes_;
  std::vector<State> states_;
  std::vector<std::vector<Step>> history_;
  bool cut_ = false;
  mutable std::vector<char> ignored_;
};

class BeamSolver {
 public:
  BeamSolver(const Problem& problem, const SolveOptions& options)
      : problem_(problem), out_(problem, options) {}

  Result<SolveResult> Run() {
    const Reduced reduced = out_.Reduce(ReduceMode::kKeepAllChoices);
    if (reduced.infeasible) return out_.Finish();
    std::optional<Choice> choice;
    bool cut = true;
    for (size_t width = kWidth; !choice && cut && width <= kLargestWidth; width *= 10) {
      if (out_.budget().Spent()) return out_.Finish();
      Beam beam(reduced, width, out_.budget());
      choice = beam.Run();
      if (out_.budget().Spent()) break;
      cut = beam.cut();
      if (!choice && !cut) out_.SetInfeasible(0);
    }
    out_.EndPhase("beam");
    if (choice) {
      if (!cut) out_.RaiseBound(ReducedCost(reduced, *choice));
      if (!out_.Take(reduced.Expand(*choice))) Repair(reduced, *choice);
    }
    if (!out_.found() && !out_.Done()) out_.TakeLeastPeak();
    out_.EndPhase("fit");
    if (out_.found() && !out_.Done()) Bound();
    out_.EndPhase("bound");
    return out_.Finish();
  }

 private:
  void Bound() {
    const Reduced reduced = Reduce(problem_, ReduceMode::kFull);
    if (reduced.count() == 0) return out_.RaiseBound(reduced.constant);
    PriceAscent ascent(reduced, out_.budget());
    ascent.Climb(kBoundRounds, out_.cost());
    out_.RaiseBound(ascent.proven());
  }

  void Repair(const Reduced& reduced, Choice choice) {
    const Dual tables(reduced);
    Primal primal(reduced, tables);
    const bool fits = primal.Repair(choice, 600);
    out_.budget().AddWork(primal.work());
    if (fits) out_.Take(reduced.Expand(choice));
  }

  const Problem& problem_;
  Outcome out_;
};

}  // namespace

const SolverDef kBeamSolver = {
    "beam",
    "baseline: the beam search of the MetaDist paper, width 100; memory is repaired at the end",
    SolveWith<BeamSolver>,
};

}  // namespace metadist
