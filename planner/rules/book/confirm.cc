// SPDX-License-Identifier: Apache-2.0
// Confirms rules on the call for which they are used.
//
// A rule is found on a small call that represents all calls of a form; that the real call is one of
// them follows from its sizes alone (SolveAtoms). So before a plan may use a factor, the real call
// is run whole and divided, if that is cheap. A large call is replaced by the largest cheap call of
// the same family: sizes above a limit become the largest below it with the same residue modulo 12,
// all integers that are not sizes are kept, and the sizes of its atoms must follow from it as they
// do from the real call. Dims that another factor cuts go first: if the factor holds on each of
// their pieces, it holds on the whole. The others keep their order: an image that is enlarged must
// not become one that is not. So do dims that share an atom. The arithmetic of the real sizes
// (which index of which dim goes to which rank) is checked for every strategy: cuts must add up to
// the dims (Instantiate), and inference must give every rank the shapes that its strategy promises
// (FitsEverywhere).
//
// An integer of the call that an index may equal (such as a class to ignore) stays below the sizes
// that it is below. Factors of decompositions and recipes are run by composite_check.h.
//
// Pass-throughs are confirmed too: if a small call happens to overwrite all of an input, a partial
// sum passes through that does not in a larger call.
//
// Cost: two runs of the kernel on whole inputs and five on pieces per factor, on some thousand
// elements; four runs per pass-through, on some hundred.
#include "planner/rules/book/confirm.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "metair/ops/index.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/instance/instance.h"
#include "planner/rules/instance/window.h"
#include "planner/rules/probe/arrays.h"
#include "planner/rules/probe/sampler.h"
#include "planner/rules/search/pass_through.h"

namespace metadist {
namespace {

constexpr int64_t kMostElements = 4096;
constexpr int64_t kMostPassElements = 512;
constexpr int64_t kMorePassElements = 1 << 15;  // if no call has so few
constexpr int64_t kMostPassWork = 1 << 22;      // elements, and kPassInput an input, in all runs
constexpr int64_t kPassInput = 32;
constexpr int64_t kMostFlops = 1 << 17;
constexpr int64_t kMostNamedElements = 1 << 20;
// Limits of sizes; the first leaves the call unchanged.
constexpr int64_t kLimits[] = {kMostElements, 256, 96, 48, 24, 12, 6, 3};
constexpr int64_t kPhase = 12;

struct Run {
  int64_t ranks;
  InputMode mode;
};
constexpr Run kRuns[] = {{2, InputMode::kNormal}, {3, InputMode::kIntegers}};

// The factor on a call of its family.
struct Case {
  std::vector<int64_t> values;
  Factor factor;
};

class Trial {
 public:
  Trial(BlackBox& box, uint64_t seed, const Case& one)
      : box_(box), sampler_(box, seed), one_(one) {}

  // Whether the pieces differ from the whole; false if they cannot be run.
  bool Differs(const Run& run) {
    ranks_ = run.ranks;
    std::vector<Tensor> inputs;
    if (!CanShare() || !sampler_.Draw(one_.values, run.mode, {}, inputs) ||
        !box_.Try(one_.values, inputs, whole_))
      return false;
    for (int64_t rank = 0; rank < ranks_; ++rank)
      if (!RunRank(rank, inputs)) return true;
    return !Reduces();
  }

 private:
  bool CanShare() const {
    const Factor& factor = one_.factor;
    if (factor.groups() < ranks_ * std::max<int64_t>(factor.least_piece, 1)) return false;
    for (const std::vector<Cut>* cuts : {&factor.inputs, &factor.outputs})
      for (const Cut& cut : *cuts)
        for (const Cut::Part& part : cut.parts)
          if (factor.even_only && part.size % ranks_ != 0) return false;
    return WindowsFit(factor, ranks_);
  }

  std::vector<int64_t> Held(const Cut& cut, int64_t rank) const {
    return HeldOf(cut, ranks_, rank, /*halo=*/true);
  }

  std::vector<Tensor> InputsOf(int64_t rank, const std::vector<Tensor>& inputs) const {
    std::vector<Tensor> mine = inputs;
    for (const Cut& cut : one_.factor.inputs) {
      Tensor& x = mine[static_cast<size_t>(cut.tensor)];
      x = Take(x, cut.dim, Held(cut, rank));
      if (cut.spare) x = Longer(x, cut.dim);
    }
    for (const int input : one_.factor.partial_inputs) {  // the whole value on the last rank
      Tensor& x = mine[static_cast<size_t>(input)];
      if (rank + 1 < ranks_) x = Tensor::Zeros(x.type());
    }
    for (const CountedIndex& index : one_.factor.indices) {
      Tensor& x = mine[static_cast<size_t>(index.input)];
      const std::vector<int64_t> held = Held(index.view, rank);
      const int64_t columns = index.column < 0 ? 1 : x.dim(x.rank() - 1);
      x = x.Clone();
      int64_t* at = x.mutable_data<int64_t>();
      for (int64_t i = 0; i < x.size(); ++i)
        if (index.column < 0 || i % columns == index.column)
          at[i] = CountedFrom(
              at[i], held.front(), std::ssize(held), index.from_end ? index.view.size() : 0);
    }
    return mine;
  }

  static Tensor Longer(const Tensor& x, int dim) {
    TensorType type = x.type();
    std::vector<int64_t> all(static_cast<size_t>(type.shape[static_cast<size_t>(dim)]++));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    Tensor longer = Tensor::Zeros(type);
    Put(longer, dim, all, x);
    return longer;
  }

  // Several literals of a factor may change one integer: each changes the result of the one before.
  std::vector<int64_t> ValuesOf(int64_t rank) const {
    std::vector<int64_t> values = one_.values;
    for (const LiteralCut& literal : one_.factor.literals)
      for (size_t s = 0; s < values.size(); ++s) {
        const Slot& slot = box_.slots()[s];
        if (slot.is_literal() && slot.input == literal.input &&
            slot.attribute == literal.attribute && slot.entry == literal.entry)
          values[s] = LocalValueOf(literal, values[s], ranks_, rank);
      }
    return values;
  }

  // Whether the rank makes its pieces of the cut outputs, and the whole of outputs that are neither
  // cut nor reduced.
  bool RunRank(int64_t rank, const std::vector<Tensor>& inputs) {
    std::vector<Tensor> made;
    if (!box_.Try(ValuesOf(rank), InputsOf(rank, inputs), made) || made.size() != whole_.size())
      return false;
    for (size_t o = 0; o < made.size(); ++o) {
      if (const Cut* cut = CutOf(one_.factor.outputs, o)) {
        if (!IsPiece(*cut, rank, made[o], whole_[o])) return false;
      } else if (one_.factor.reductions.count(static_cast<int>(o)) == 0) {
        if (!Close(made[o], whole_[o], SlackOf(whole_[o]))) return false;
      } else if (made[o].type() != whole_[o].type()) {
        return false;
      }
    }
    local_.push_back(std::move(made));
    return true;
  }

  // Elements beyond the piece are dropped. A factor may belong to calls whose output has another
  // size.
  bool IsPiece(const Cut& cut, int64_t rank, const Tensor& made, const Tensor& whole) const {
    if (cut.dim >= whole.rank() || whole.dim(cut.dim) != cut.size()) return false;
    const std::vector<int64_t> held = Held(cut, rank);
    const int64_t size = std::ssize(held) + (cut.spare ? 1 : 0);
    if (cut.dim >= made.rank() || made.dim(cut.dim) != size) return false;
    const std::vector<int64_t> own = HeldOf(cut, ranks_, rank, /*halo=*/false);
    std::vector<int64_t> kept;
    for (const int64_t index : own) {
      const auto at = std::ranges::find(held, index);
      if (at == held.end()) return false;
      kept.push_back(at - held.begin());
    }
    return CloseAt(Take(made, cut.dim, kept), whole, cut.dim, own, SlackOf(whole));
  }

  bool Reduces() const {
    for (const auto& [output, op] : one_.factor.reductions) {
      const size_t o = static_cast<size_t>(output);
      if (CutOf(one_.factor.outputs, o) != nullptr) continue;
      Tensor folded = local_[0][o].Clone();
      double rounding = 1e-14 * Largest(folded);
      for (size_t rank = 1; rank < local_.size(); ++rank) {
        rounding = std::max(rounding, 1e-14 * Largest(local_[rank][o]));
        Fold(op, folded, local_[rank][o]);
      }
      if (!Close(folded, whole_[o], SlackOf(whole_[o]) + rounding)) return false;
    }
    return true;
  }

  static double SlackOf(const Tensor& x) { return 1e-10 * std::max(Largest(x), 1e-300); }

  BlackBox& box_;
  Sampler sampler_;
  const Case& one_;
  int64_t ranks_ = 0;
  std::vector<Tensor> whole_;
  std::vector<std::vector<Tensor>> local_;
};

// The size, or if it is above the limit a smaller one of the same phase. One above an integer that
// an index may equal stays above it.
int64_t Below(int64_t limit, int64_t named, int64_t size) {
  if (size <= limit) return size;
  const bool above = named > 0 && size > named;
  const int64_t to = above ? std::min(std::max(limit, named + 2 * kPhase), size) : limit;
  const int64_t in_phase = to - ((to - size) % kPhase + kPhase) % kPhase;
  return in_phase > 1 ? in_phase : to;
}

// By size: the size below the limit that it becomes. Larger ones become larger ones.
std::map<int64_t, int64_t> InOrderBelow(int64_t limit,
                                        int64_t named,
                                        const std::set<int64_t>& sizes) {
  std::map<int64_t, int64_t> below;
  int64_t last = 0;
  for (const int64_t size : sizes) {
    int64_t to = Below(limit, named, size);
    if (to <= last && limit > kPhase) to += (last - to + kPhase) / kPhase * kPhase;
    last = std::min(std::max(to, last + 1), size);
    below[size] = last;
  }
  return below;
}

// The largest integer of the call that is below some size: an index below that size may equal it.
int64_t LargestNamed(const BlackBox& box, std::span<const int64_t> sizes) {
  const int64_t most = sizes.empty() ? 0 : *std::ranges::max_element(sizes);
  int64_t largest = 0;
  for (size_t s = box.first_literal(); s < box.values().size(); ++s)
    if (box.values()[s] < most) largest = std::max(largest, box.values()[s]);
  return largest;
}

// Whether there is a cheap call of the family with these sizes. few: a number of elements that is
// cheap. named: an integer that one dim must exceed.
bool IsCheapCall(const SymbolicRule& found,
                 BlackBox& box,
                 const std::vector<int64_t>& sizes,
                 int64_t few,
                 int64_t named) {
  const std::vector<int64_t> values = ValuesAt(found, box, sizes);
  auto types = box.InferOutputs(values);
  if (!types.ok()) return false;
  const OpCall& call = box.CallAt(values);
  const int64_t most = std::max(few, std::min(32 * named, kMostNamedElements));
  int64_t elements = 0;
  const auto add = [&](const Shape& shape) {
    for (const int64_t size : shape)
      if (size < 0 || size > most) elements = most + 1;
    if (elements <= most) elements += NumElements(shape);
  };
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (box.is_tensor(i)) add(call.shape(i));
  for (const TensorType& type : types.value()) add(type.shape);
  const int64_t flops = std::max(kMostFlops, 2 * most);
  if (elements > most || WorkOf(call, types.value()).flops > flops) return false;
  const std::vector<int64_t> real = box.values();
  box.set_values(values);
  const bool solved = SolveAtoms(found, box) == sizes;
  box.set_values(real);
  return solved;
}

// Whether of dims that share an atom larger ones stay larger at the small sizes: a cache must not
// become as short as what is written into it.
bool KeepsOrder(const SymbolicRule& found,
                std::span<const int64_t> sizes,
                std::span<const int64_t> small) {
  std::map<int, std::set<std::pair<int64_t, int64_t>>> by_atom;  // real sizes, and small ones
  for (const SymbolicInput& input : found.dims)
    for (const SymbolicSize& size : input.sizes)
      for (const Product& term : size.terms)
        for (const int atom : term.atoms) by_atom[atom].insert({size.At(sizes), size.At(small)});
  return std::ranges::all_of(by_atom, [](const auto& entry) {
    int64_t real = 0, most = 0, below = 0;  // below: the largest small size of a smaller dim
    for (const auto& [next, now] : entry.second) {
      if (next > real) below = std::max(below, most);
      if (now <= below) return false;
      real = next;
      most = std::max(most, now);
    }
    return true;
  });
}

// Makes the sizes of a real call smaller until a call of its family is cheap.
class Shrinking {
 public:
  // apart: atoms that may become smaller than others. fixed: atoms that stay as they are.
  Shrinking(const SymbolicRule& found,
            BlackBox& box,
            std::span<const int64_t> sizes,
            std::set<int> apart,
            std::map<int, int64_t> fixed)
      : found_(found),
        box_(box),
        sizes_(sizes),
        apart_(std::move(apart)),
        fixed_(std::move(fixed)) {}

  // Sizes of the largest call with few elements that is not above the real one; nullopt if there is
  // none. in_order: of atoms that are not apart, larger ones stay larger, and so do dims that share
  // an atom.
  std::optional<std::vector<int64_t>> Nearest(int64_t few, bool in_order) const {
    const int64_t named = LargestNamed(box_, sizes_);
    for (const int64_t limit : kLimits)
      for (const int64_t apart : kLimits) {
        if (apart > limit || (apart < limit && apart_.empty())) continue;
        std::vector<int64_t> at = At(limit, apart, named, in_order);
        if (in_order && !KeepsOrder(found_, sizes_, at)) continue;
        if (IsCheapCall(found_, box_, at, few, named)) return at;
      }
    return std::nullopt;
  }

 private:
  std::vector<int64_t> At(int64_t limit, int64_t apart, int64_t named, bool in_order) const {
    const auto is_apart = [&](size_t a) { return apart_.count(static_cast<int>(a)) > 0; };
    const auto is_fixed = [&](size_t a) { return fixed_.count(static_cast<int>(a)) > 0; };
    std::set<int64_t> ordered;
    for (size_t a = 0; in_order && a < sizes_.size(); ++a)
      if (!is_apart(a) && !is_fixed(a)) ordered.insert(sizes_[a]);
    const std::map<int64_t, int64_t> below = InOrderBelow(limit, named, ordered);
    std::vector<int64_t> at(sizes_.begin(), sizes_.end());
    for (size_t a = 0; a < at.size(); ++a) {
      if (is_fixed(a)) continue;
      at[a] = is_apart(a) ? Below(apart, /*named=*/0, at[a])
              : in_order  ? below.at(at[a])
                          : Below(limit, named, at[a]);
    }
    return at;
  }

  const SymbolicRule& found_;
  BlackBox& box_;
  std::span<const int64_t> sizes_;
  const std::set<int> apart_;
  const std::map<int, int64_t> fixed_;
};

// Sizes of a cheap call of the family in the same order as the real ones: equal ones stay equal,
// larger ones larger. nullopt if there is no such call.
std::optional<std::vector<int64_t>> SmallestInSameOrder(const SymbolicRule& found,
                                                        BlackBox& box,
                                                        std::span<const int64_t> sizes,
                                                        int64_t few) {
  constexpr int64_t kLeast = 3;
  if (LargestNamed(box, sizes) > kLeast) return std::nullopt;
  const std::set<int64_t> different(sizes.begin(), sizes.end());
  std::vector<int64_t> at;
  for (const int64_t size : sizes)
    at.push_back(std::min(size, kLeast + std::distance(different.begin(), different.find(size))));
  if (!KeepsOrder(found, sizes, at) || !IsCheapCall(found, box, at, few, /*named=*/0))
    return std::nullopt;
  return at;
}

}  // namespace

bool Confirmation::Refutes(const SymbolicFactor& factor, std::span<const int64_t> sizes) {
  const Shrinking shrinking(found_, box_, sizes, AtomsApart(found_, factor), factor.fixed);
  auto nearest = shrinking.Nearest(kMostElements, /*in_order=*/true);
  if (!nearest) nearest = shrinking.Nearest(kMostElements, /*in_order=*/false);
  if (!nearest) return false;
  if (factor.composite || !factor.inner.recipe.empty()) {
    if (!composites_) composites_.emplace(tested_, found_);
    return composites_->Refutes(factor, *nearest);
  }
  std::optional<Factor> real = FactorOn(found_, factor, box_, *nearest);
  if (!real) return false;
  const Case one{ValuesAt(found_, box_, *nearest), std::move(*real)};
  return std::ranges::any_of(
      kRuns, [&](const Run& run) { return Trial(box_, tested_.seed, one).Differs(run); });
}

// Every run draws all inputs, so that to run all pass-throughs of an operator of thousands of
// inputs would take as long as the square of their number: of so many, only some are run.
Confirmation::PassRuns Confirmation::PlanPassRuns(std::span<const int64_t> sizes) const {
  const Shrinking shrinking(found_, box_, sizes, {}, {});
  auto nearest = shrinking.Nearest(kMostPassElements, /*in_order=*/true);
  if (!nearest) nearest = SmallestInSameOrder(found_, box_, sizes, 2 * kMostPassElements);
  if (!nearest) nearest = shrinking.Nearest(kMorePassElements, /*in_order=*/true);
  if (!nearest) nearest = shrinking.Nearest(kMostPassElements, /*in_order=*/false);
  if (!nearest) return {};
  PassRuns runs{ValuesAt(found_, box_, *nearest)};
  int64_t work = 0;
  for (size_t i = 0; i < box_.num_inputs(); ++i)
    if (box_.is_tensor(i)) work += kPassInput + NumElements(box_.ShapeOf(i, *runs.values));
  runs.every = 1 + std::ssize(found_.pass_through) * work / kMostPassWork;
  return runs;
}

bool Confirmation::Refutes(const PassThrough& pass, std::span<const int64_t> sizes) {
  if (!pass_runs_) pass_runs_ = PlanPassRuns(sizes);
  if (!pass_runs_->values || pass_runs_->asked++ % pass_runs_->every != 0) return false;
  Sampler sampler(box_, tested_.seed);
  return PassDiffers(box_, sampler, pass, *pass_runs_->values);
}

}  // namespace metadist
