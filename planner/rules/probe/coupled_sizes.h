// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "planner/rules/probe/black_box.h"
#include "planner/rules/probe/family.h"

namespace metadist {

// Finds which slots of a call must change together, through shape inference alone.
class CoupledSizes {
 public:
  using Slots = std::vector<int>;  // ascending
  // Outputs that scaled with a set, and outputs that moved otherwise.
  struct Moved {
    std::vector<OutDim> exact = {};
    std::vector<OutDim> other = {};
  };

  // A literal of which `unit` more is one more of an output dim, and of an input dim where one is
  // named.
  struct Grown {
    int literal = 0;
    int64_t unit = 1;
    OutDim out = {};
    int dim = -1;  // slot
  };

  // Works on box.values().
  explicit CoupledSizes(BlackBox& box);

  // False: the call itself is rejected, or the sizes of its outputs depend on data.
  bool Run();

  // Minimal accepted sets, in order of discovery; they may overlap where products are accepted by
  // accident of arithmetic.
  const std::vector<Slots>& sets() const { return sets_; }
  const Moved& moved(const Slots& set) const { return *seen_.at(set); }
  // Dims that are sums of literals.
  const std::map<int, std::vector<int>>& sums() const { return sums_; }
  // Those that follow dims as the box says; else at most one, of a call without tensors that no set
  // explains: the end of a range.
  const std::vector<Grown>& grown() const { return grown_; }
  const std::vector<Shape>& outputs() const { return outputs_; }

  // The sets as atoms, with their sizes.
  std::vector<Atom> Atoms() const;

 private:
  const Moved* Accepts(Slots set);
  std::optional<Moved> Try(const Slots& set);
  bool ScaledBy(const Slots& set, int64_t factor, std::vector<Shape>& outputs);
  // Whether the operator accepts the set scaled, whatever the outputs do.
  bool Scales(const Slots& set);
  bool OnlyLends(const Slots& set, const std::vector<OutDim>& exact);
  bool LendsFromPart(const Slots& set, const std::vector<OutDim>& exact);
  void Add(const Slots& set);
  void FindEqual(const std::vector<int>& big);
  void FindPairs(const std::vector<int>& big);
  void FindStated();
  void FindBounded(const std::vector<int>& big);
  void FindLarger(int slot, const std::vector<int>& big);
  void FindAmongMany(int slot, const std::vector<int>& big);
  bool FindCombinations(int slot, const std::vector<int>& near, size_t size);
  bool Additive(int slot, const std::vector<int>& big);
  std::optional<Slots> Shrink(int slot, const Slots& others);
  void FindUnequalParts(const std::vector<int>& big);
  void FinishSums();
  void FindGrown();
  void FindFollowing();
  std::optional<OutDim> GrowsBy(int literal, int64_t unit);

  BlackBox& box_;
  std::vector<Shape> outputs_;
  std::map<Slots, std::optional<Moved>> seen_;
  std::vector<Slots> sets_;
  std::set<int> covered_;
  std::set<int> single_;
  std::map<int, std::vector<int>> sums_;
  std::vector<Grown> grown_;
};

}  // namespace metadist
