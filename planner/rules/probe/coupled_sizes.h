// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "planner/rules/probe/black_box.h"
#include "planner/rules/probe/family.h"

namespace metadist {

// Finds which slots of a call must change together, using shape inference alone.
class CoupledSizes {
 public:
  using Slots = std::vector<int>;  // ascending
  // Output dims that scaled with a set of slots, and output dims that changed otherwise.
  struct Moved {
    std::vector<OutDim> exact = {};
    std::vector<OutDim> other = {};
  };

  // A literal: adding `unit` to it adds one to an output dim, and to an input dim if one is named.
  struct Grown {
    int literal = 0;
    int64_t unit = 1;
    OutDim out = {};
    int dim = -1;  // slot
  };

  // Works on box.values().
  explicit CoupledSizes(BlackBox& box) : box_(box) {}

  // False: the call itself is rejected, or the sizes of its outputs depend on data.
  bool Run();

  // Minimal accepted sets, in order of discovery; they may overlap if a product is accepted by
  // arithmetic coincidence.
  const std::vector<Slots>& sets() const { return sets_; }
  const Moved& moved(const Slots& set) const { return *seen_.at(set); }
  // Dims that are sums of literals: dim slot -> literal slots.
  const std::map<int, std::vector<int>>& sums() const { return sums_; }
  // Literals that depend on dims as the box states; otherwise at most one, for a call without
  // tensors that no set explains: the end of a range.
  const std::vector<Grown>& grown() const { return grown_; }
  const std::vector<Shape>& outputs() const { return outputs_; }

  // The sets as atoms, with their sizes.
  std::vector<Atom> Atoms() const;

 private:
  const Moved* Accepts(Slots set);
  std::optional<Moved> Try(const Slots& set);
  // The output dims that differ from those of the call; nullopt: rejected, or another form.
  std::optional<std::vector<OutDim>> ChangedAt(std::span<const int64_t> values,
                                               std::vector<Shape>& outputs);
  std::optional<std::vector<OutDim>> ScaledBy(const Slots& set,
                                              int64_t factor,
                                              std::vector<Shape>& outputs);
  // Whether the operator accepts the set scaled, whatever happens to the outputs.
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
  bool AddsUp(int dim) const;
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
