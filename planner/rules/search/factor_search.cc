// SPDX-License-Identifier: Apache-2.0
// A candidate is a set of dims to cut; a variant is what else changes in a rank's call. Variants
// are tried from simple to complex: literals at the shard's size; literals unchanged; one or two
// uncut float inputs in which the operator may be affine (affine.h) as partial sums. If all of them
// fail: literals and indices that depend on where the piece begins (offset_trials). Windows have a
// separate search (window_search).
#include "planner/rules/search/factor_search.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "planner/rules/factor/pieces.h"
#include "planner/rules/search/offset_trials.h"

namespace metadist {
namespace {

constexpr size_t kMostPartialPairs = 6;
constexpr size_t kMostOffsetCandidates = 8;

bool Disjoint(const SymbolicCut& a, const SymbolicCut& b, const std::vector<int64_t>& sizes) {
  if (a.tensor != b.tensor || a.dim != b.dim) return true;
  if (a.parts.size() > 1 || b.parts.size() > 1) return true;  // these already exclude each other
  const auto range = [&](const SymbolicCut& cut) {
    const int64_t unit = cut.parts[0].unit.At(sizes);
    return Interval{unit, unit * sizes[static_cast<size_t>(cut.parts[0].atom)]};
  };
  const Interval x = range(a);
  const Interval y = range(b);
  return x.end <= y.begin || y.end <= x.begin;
}

// Where the factor first appears in the notation.
std::tuple<bool, int, int, int64_t> Place(const SymbolicFactor& factor,
                                          const std::vector<int64_t>& sizes) {
  const bool made = factor.inputs.empty();
  const std::vector<SymbolicCut>& cuts = made ? factor.outputs : factor.inputs;
  if (cuts.empty()) return {true, 0, 0, 0};
  const SymbolicCut& first = cuts.front();
  return {made, first.tensor, first.dim, first.repeat.At(sizes)};
}

}  // namespace

bool IsCut(const std::vector<SymbolicFactor>& factors, const Slot& dim) {
  return std::ranges::any_of(factors, [&](const SymbolicFactor& factor) {
    return std::ranges::any_of(factor.inputs, [&](const SymbolicCut& cut) {
      return cut.tensor == dim.input && cut.dim == dim.entry;
    });
  });
}

std::vector<std::vector<int>> FactorSearch::AtomSets() const {
  std::vector<std::vector<int>> summed;
  std::vector<uint8_t> in_sum(family_.atoms.size(), 0);
  for (const auto& [dim, literals] : family_.sums) {
    std::vector<int> set;
    for (size_t a = 0; a < family_.atoms.size(); ++a)
      if (std::ranges::any_of(literals,
                              [&](int literal) { return family_.atoms[a].has(literal); })) {
        set.push_back(static_cast<int>(a));
        in_sum[a] = 1;
      }
    if (!set.empty()) summed.push_back(std::move(set));
  }
  std::map<OutDim, std::vector<int>> meet;
  std::vector<std::vector<int>> sets;
  for (size_t a = 0; a < family_.atoms.size(); ++a) {
    if (in_sum[a] == 0) sets.push_back({static_cast<int>(a)});
    for (const OutDim& out : family_.atoms[a].other) meet[out].push_back(static_cast<int>(a));
  }
  sets.insert(sets.end(), summed.begin(), summed.end());
  for (auto& [out, set] : meet)
    if (set.size() > 1 && std::ranges::find(sets, set) == sets.end())
      sets.push_back(std::move(set));
  return sets;
}

std::vector<SymbolicFactor> FactorSearch::Run() {
  for (const std::vector<int>& atoms : AtomSets()) Search(atoms);
  return std::move(found_);
}

void FactorSearch::Search(const std::vector<int>& atoms) {
  std::vector<Trial> tried;
  search_.ForEach(family_, atoms, [&](const Candidate& candidate) {
    tried.push_back(PlainTrial(atoms, candidate));
    return TryVariants(tried.back()) && Covered(atoms);
  });
  if (!Divided(atoms)) TryOffsets(tried);
}

void FactorSearch::TryOffsets(const std::vector<Trial>& plain) {
  const OffsetTrials offsets(box_, family_, test_);
  for (size_t i = 0; i < plain.size() && i < kMostOffsetCandidates; ++i) {
    Trial local = plain[i];
    const bool grows = Grows(local.atoms);
    local.local_literals = grows || HasLiteral(local.atoms);
    for (const Trial& trial : offsets.Of(local)) {
      if (grows && trial.local_literals) continue;  // the integers that grow are not sizes
      auto factor = test_.Run(trial);
      if (factor && Keep(std::move(*factor)) && Divided(trial.atoms)) return;
    }
  }
}

// Whether some factor already cuts every input dim that changes with the atoms; for a result made
// from literals alone, whether some factor divides the atoms.
bool FactorSearch::Divided(const std::vector<int>& atoms) const {
  if (!DimsOf(atoms).empty()) return Covered(atoms);
  return std::ranges::any_of(found_, [&](const auto& factor) { return factor.atoms == atoms; });
}

// Whether some factor already cuts every input dim that changes with the atoms.
bool FactorSearch::Covered(const std::vector<int>& atoms) const {
  const std::vector<Slot> dims = DimsOf(atoms);
  return !dims.empty() &&
         std::ranges::all_of(dims, [&](const Slot& dim) { return IsCut(found_, dim); });
}

std::vector<Slot> FactorSearch::DimsOf(const std::vector<int>& atoms) const {
  std::vector<Slot> dims;
  for (const int a : atoms)
    for (const int s : family_.atom(a).slots)
      if (box_.slot(s).is_dim) dims.push_back(box_.slot(s));
  return dims;
}

// Whether an integer of the call grows with the atoms without being a multiple of them.
bool FactorSearch::Grows(const std::vector<int>& atoms) const {
  return std::ranges::any_of(family_.grown, [&](const auto& grown) {
    return std::ranges::find(atoms, grown.second.atom) != atoms.end();
  });
}

bool FactorSearch::HasLiteral(const std::vector<int>& atoms) const {
  for (const int a : atoms)
    for (const int s : family_.atom(a).slots)
      if (box_.slot(s).is_literal()) return true;
  return false;
}

Trial FactorSearch::PlainTrial(const std::vector<int>& atoms, const Candidate& candidate) const {
  Trial plain;
  plain.atoms = atoms;
  const Relation& relation = search_.relation();
  for (const auto& [tensor, cut] : candidate.inputs) {
    plain.inputs.push_back(Pack(tensor, cut, atoms, /*is_input=*/true));
    const int slot = box_.dim_slot(tensor, cut.dim);
    for (size_t x = 0; x < relation.inputs.size(); ++x)
      if (relation.inputs[x] == slot)
        plain.reached.insert(relation.touched[x].begin(), relation.touched[x].end());
  }
  for (const auto& [tensor, cut] : candidate.outputs)
    plain.outputs.push_back(Pack(tensor, cut, atoms, /*is_input=*/false));
  return plain;
}

bool FactorSearch::TryVariants(const Trial& plain) {
  Trial local = plain;
  local.local_literals = HasLiteral(plain.atoms);
  if (plain.inputs.empty() && !local.local_literals) return false;
  if (auto factor = test_.Run(local)) return Keep(std::move(*factor));
  if (local.local_literals && !plain.inputs.empty())
    if (auto factor = test_.Run(plain)) return Keep(std::move(*factor));
  for (const Trial& trial : PartialVariants(local))
    if (auto factor = test_.Run(trial)) return Keep(std::move(*factor));
  return false;
}

std::vector<Trial> FactorSearch::PartialVariants(const Trial& plain) {
  if (plain.outputs.size() == search_.relation().outputs.size()) return {};
  std::vector<Trial> trials;
  std::vector<int> whole;  // uncut inputs that may be partial sums
  for (size_t i = 0; i < box_.num_inputs(); ++i) {
    if (box_.is_tensor(i) && box_.element_class(i) == ElementClass::kFloat &&
        CutOf(plain.inputs, i) == nullptr && affine_.MayBe(static_cast<int>(i)))
      whole.push_back(static_cast<int>(i));
  }
  const auto add = [&](std::vector<int> partial) {
    trials.push_back(plain);
    trials.back().partial_inputs = std::move(partial);
  };
  for (const int input : whole) add({input});
  if (whole.size() <= kMostPartialPairs)
    for (size_t i = 0; i < whole.size(); ++i)
      for (size_t j = i + 1; j < whole.size(); ++j) add({whole[i], whole[j]});
  return trials;
}

// A factor whose cut of a dim overlaps that of an earlier factor is an alternative to it. The
// earlier one is kept, so that factors of one rule always nest.
bool FactorSearch::Keep(SymbolicFactor factor) {
  const std::vector<int64_t>& sizes = family_.surrogate;
  for (const SymbolicFactor& other : found_)
    for (const bool input : {true, false})
      for (const SymbolicCut& a : input ? other.inputs : other.outputs)
        for (const SymbolicCut& b : input ? factor.inputs : factor.outputs)
          if (!Disjoint(a, b, sizes)) return false;
  found_.push_back(std::move(factor));
  return true;
}

// The other atoms of the dim are identified by their distinct primes.
Product FactorSearch::Symbolic(int64_t value, const std::vector<int>& among) const {
  Product product{value, {}};
  for (const int a : among) {
    const size_t atom = static_cast<size_t>(a);
    if (family_.distinct[atom] == 0 || product.constant % family_.surrogate[atom] != 0) continue;
    product.constant /= family_.surrogate[atom];
    product.atoms.push_back(a);
  }
  return product;
}

SymbolicCut FactorSearch::Pack(int tensor,
                               const Candidate::DimBlocks& cut,
                               const std::vector<int>& atoms,
                               bool is_input) const {
  std::vector<int> among;
  for (size_t a = 0; a < family_.atoms.size(); ++a) {
    const std::vector<OutDim>& exact = family_.atoms[a].exact;
    const bool here = is_input ? family_.atoms[a].has(box_.dim_slot(tensor, cut.dim))
                               : std::ranges::find(exact, OutDim{tensor, cut.dim}) != exact.end();
    if (here && std::ranges::find(atoms, static_cast<int>(a)) == atoms.end())
      among.push_back(static_cast<int>(a));
  }
  const size_t count = cut.blocks.size();
  size_t period = 1;  // of the blocks
  while (count % period != 0 || !std::ranges::equal(std::span(cut.blocks).subspan(period),
                                                    std::span(cut.blocks).first(count - period)))
    ++period;
  SymbolicCut packed{tensor, cut.dim, Symbolic(static_cast<int64_t>(count / period), among), {}};
  for (size_t i = 0; i < period; ++i)
    packed.parts.push_back({cut.blocks[i].atom, Symbolic(cut.blocks[i].unit, among)});
  return packed;
}

void SortFactors(const Family& family, std::vector<SymbolicFactor>& factors) {
  const std::vector<int64_t>& sizes = family.surrogate;
  std::ranges::stable_sort(
      factors, [&](const auto& a, const auto& b) { return Place(a, sizes) < Place(b, sizes); });
}

}  // namespace metadist
