// SPDX-License-Identifier: Apache-2.0
// Dividing a dim along which a window slides (convolution, pooling, padding, interpolation).
//
// A kernel of extent r that moves by s and starts p before the dim needs for the outputs [g, e) the
// inputs [g * s - p, (e - 1) * s + r - p): the piece [g * s, e * s), p elements before it and r - s
// - p behind it. These numbers are measured (window_probe). How a rank treats its piece is then
// tried, from simple to complex:
//
//   0. if the call takes a range of the dim (a slice), a rank takes the part of it that makes its
//      own piece of the output: the positions where the range begins and ends are counted from the
//      start of what the rank holds;
//   1. integers of the call that are padding (one less of it and one more of the dim changes no
//      output) are kept by the ranks with the first and the last piece and are 0 on the others.
//      Since a halo ends where the dim ends, this is exact for padding with zeros, with -infinity
//      and for padding that is not counted;
//   2. as 1, but including the elements that a stride skips: then the piece of a dim that is a
//      multiple of the stride is contiguous and needs nothing from its neighbours. What a rank's
//      call drops (slices, negative padding) is added to the halo behind;
//   3. no integer changes: the halo is rounded up to whole groups, so that the ends of a piece,
//      where the kernel pads although the dim continues, only affect outputs that are dropped;
//   4. as 1 and 3, with the halo of the first and the last piece taken from the other end of the
//      dim (a rotation, circular padding): outputs at the ends of a piece are dropped on every
//      rank.
//
// An input that is read from its end (a flip, every third element from the last) is counted from
// there; everything else is the same. A rank then holds the mirror image of another rank's piece,
// or of parts of two pieces.
//
// Every trial is tested by execution (window_test). Cost: about ten runs to measure, some twenty
// calls on two to four ranks to test.
#include "planner/rules/search/window_search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "planner/rules/search/factor_search.h"

namespace metadist {
namespace {

constexpr size_t kMostPaddings = 3;
// If outputs saturate, part of a window may not show: the window of a factor that fails, or that
// holds at some sizes of other atoms only, is measured again, until one result came kSureOf times.
constexpr int kMostMeasures = 5;
constexpr int kSureOf = 3;
constexpr int64_t kLongestDim = 1 << 16;

// Number of groups of `unit` elements that hold this many elements.
int64_t GroupsFor(int64_t elements, int64_t unit) {
  return elements <= 0 ? 0 : (elements + unit - 1) / unit;
}

SymbolicCut CutOf(const SlidingDim& dim, int atom) {
  SymbolicCut cut{dim.tensor, dim.dim, {}, {{atom, {dim.unit, {}}}}};
  cut.window = SymbolicWindow{dim.unit,
                              {dim.before, {}},
                              {dim.behind, {}},
                              dim.mirrored ? Halo::Course::kMirrored : Halo::Course::kStraight};
  return cut;
}

bool SameUnits(const std::vector<SlidingDim>& a, const std::vector<SlidingDim>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.tensor == y.tensor && x.dim == y.dim && x.unit == y.unit && x.mirrored == y.mirrored;
  });
}

bool SameWidths(const SlidingWindow& a, const SlidingWindow& b) {
  return SameUnits(a.inputs, b.inputs) && SameUnits(a.outputs, b.outputs) &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), [](auto& x, auto& y) {
           return x.before == y.before && x.behind == y.behind;
         });
}

bool IsNothing(const std::vector<SymbolicWindow::Width>& widths) {
  return std::ranges::all_of(widths,
                             [](const auto& width) { return width == SymbolicWindow::Width{}; });
}

// The width, with a negative constant width replaced by 0.
SymbolicWindow::Width Filled(const SymbolicWindow::Width& width) {
  return width.slopes.empty() && width.constant < 0 ? SymbolicWindow::Width{} : width;
}

// Atoms on which widths of the factor depend linearly.
std::set<int> KernelsOf(const SymbolicFactor& factor) {
  std::set<int> atoms;
  for (const SymbolicCut& cut : factor.inputs)
    if (cut.window)
      for (const SymbolicWindow::Width* width : {&cut.window->before, &cut.window->behind})
        for (const auto& [atom, slope] : width->slopes) atoms.insert(atom);
  return atoms;
}

// Repeats the trials that change no integer, with halos that wrap around the ends of the dims.
void AddAround(std::vector<SymbolicFactor>& trials) {
  for (size_t t = 0, count = trials.size(); t < count; ++t) {
    SymbolicFactor trial = trials[t];
    bool straight = trial.ends.empty();
    const auto join = [&](std::vector<SymbolicCut>& cuts) {
      bool joined = false;
      for (SymbolicCut& cut : cuts) {
        SymbolicWindow& window = *cut.window;
        straight = straight && window.course == Halo::Course::kStraight;
        if (IsNothing({window.before, window.behind})) continue;
        window.course = Halo::Course::kAround;
        joined = true;
      }
      return joined;
    };
    const bool joined = join(trial.inputs);
    join(trial.outputs);
    if (straight && joined) trials.push_back(std::move(trial));
  }
}

}  // namespace

void WindowSearch::Run(std::vector<SymbolicFactor>& found) {
  std::set<int> kernels;
  for (size_t a = 0; a < family_.atoms.size(); ++a) {
    const int atom = static_cast<int>(a);
    if (kernels.count(atom) > 0 || !Worth(atom, found)) continue;
    auto factor = Search(atom);
    if (!factor) continue;
    kernels.merge(KernelsOf(*factor));
    for (const auto& [other, size] : factor->fixed) kernels.insert(other);
    found.push_back(std::move(*factor));
  }
}

// Whether the atom has dims that no factor cuts; only one dim if integers of the call depend on it.
bool WindowSearch::Worth(int atom, const std::vector<SymbolicFactor>& found) const {
  const std::vector<int>& slots = family_.atom(atom).slots;
  const auto dims = std::ranges::count_if(slots, [&](int s) { return box_.slot(s).is_dim; });
  if (dims != static_cast<int64_t>(slots.size()) && dims != 1) return false;
  return std::ranges::all_of(
      slots, [&](int s) { return !box_.slot(s).is_dim || !IsCut(found, box_.slot(s)); });
}

std::optional<SymbolicFactor> WindowSearch::Search(int atom) {
  std::vector<int64_t> small = family_.surrogate;
  for (size_t a = 0; a < small.size(); ++a) {
    if (static_cast<int>(a) == atom || family_.distinct[a] == 0) continue;
    const int64_t own = std::exchange(small[a], 2);
    if (!box_.Accepts(family_.ValuesAt(small))) small[a] = own;
  }
  std::vector<SymbolicFactor> seen;
  std::optional<SymbolicFactor> at_fixed;  // it holds, but only at some sizes of other atoms
  for (int measured = 0; measured < kMostMeasures; ++measured) {
    sizes_ = small;
    std::optional<SymbolicFactor> exact = Measure(atom);
    if (!exact) break;
    const auto times = std::ranges::count(seen, *exact);
    if (times + 1 == kSureOf) break;
    if (times == 0)
      for (const SymbolicFactor& trial : Trials(*exact)) {
        auto factor = test_.Run(trial, sizes_);
        if (!factor) continue;
        if (factor->fixed.empty()) return factor;
        if (!at_fixed) at_fixed = std::move(factor);
        break;
      }
    seen.push_back(std::move(*exact));
  }
  return at_fixed;
}

// The window with its widths as functions of the other atoms. All others are enlarged at once; they
// are tried one by one only if that changes a width. An atom on which a width depends nonlinearly
// keeps its size in the sample: the factor holds at that size only.
std::optional<SymbolicFactor> WindowSearch::Measure(int atom) {
  const std::optional<SlidingWindow> base = probe_.Run(atom, sizes_);
  if (!base) return std::nullopt;
  SymbolicFactor exact;
  exact.atoms = {atom};
  for (const SlidingDim& dim : base->inputs) exact.inputs.push_back(CutOf(dim, atom));
  for (const SlidingDim& dim : base->outputs) exact.outputs.push_back(CutOf(dim, atom));
  if (!AddFollowers(exact)) return std::nullopt;
  std::vector<int64_t> larger = sizes_;
  for (size_t a = 0; a < larger.size(); ++a)
    if (static_cast<int>(a) != atom) ++larger[a];
  const std::optional<SlidingWindow> other = probe_.Run(atom, larger);
  if (other && SameWidths(*base, *other)) return exact;
  for (size_t a = 0; a < sizes_.size(); ++a) {
    if (static_cast<int>(a) == atom || AddSlopes(static_cast<int>(a), *base, exact)) continue;
    const int64_t sample = family_.atoms[a].base;
    if (std::exchange(sizes_[a], sample) != sample) return Measure(atom);
    exact.fixed[static_cast<int>(a)] = sample;
  }
  return exact;
}

// Adds the integers of the call that depend on the dim along which the window slides (the size to
// which an image is resized, the end of a slice), with their increase per element. False: one does
// not grow in proportion to elements.
bool WindowSearch::AddFollowers(SymbolicFactor& exact) const {
  std::vector<int64_t> sizes = sizes_;
  const std::vector<int64_t> now = family_.ValuesAt(sizes);
  ++sizes[static_cast<size_t>(exact.atoms[0])];
  const std::vector<int64_t> then = family_.ValuesAt(sizes);
  const SymbolicCut& cut = exact.inputs.front();
  const size_t dim = static_cast<size_t>(box_.dim_slot(cut.tensor, cut.dim));
  for (size_t s = box_.first_literal(); s < now.size(); ++s) {
    if (then[s] == now[s]) continue;
    const int64_t elements = then[dim] - now[dim];
    if (exact.inputs.size() != 1 || (then[s] - now[s]) % elements != 0) return false;
    const Slot& slot = box_.slots()[s];
    exact.ends.push_back(
        {slot.input, slot.attribute, slot.entry, true, (then[s] - now[s]) / elements});
  }
  return true;
}

// Adds the linear dependence of the widths on another atom. False: it is not linear. Sizes without
// a legal call are skipped.
bool WindowSearch::AddSlopes(int other, const SlidingWindow& base, SymbolicFactor& exact) {
  std::vector<SlidingWindow> at;
  std::vector<int64_t> sizes = sizes_;
  while (at.size() < 2) {
    if (++sizes[static_cast<size_t>(other)] > sizes_[static_cast<size_t>(other)] + 2) return true;
    if (!box_.Accepts(family_.ValuesAt(sizes))) return true;
    const std::optional<SlidingWindow> next = probe_.Run(exact.atoms[0], sizes);
    if (!next || !SameUnits(next->inputs, base.inputs) || !SameUnits(next->outputs, base.outputs))
      return false;
    at.push_back(*next);
  }
  for (size_t i = 0; i < base.inputs.size(); ++i) {
    const int64_t before = at[0].inputs[i].before - base.inputs[i].before;
    const int64_t behind = at[0].inputs[i].behind - base.inputs[i].behind;
    if (at[1].inputs[i].before - at[0].inputs[i].before != before ||
        at[1].inputs[i].behind - at[0].inputs[i].behind != behind)
      return false;
    const int64_t now = sizes_[static_cast<size_t>(other)];
    SymbolicWindow& window = *exact.inputs[i].window;
    window.before = window.before.Plus({-now, {{other, 1}}}, before);
    window.behind = window.behind.Plus({-now, {{other, 1}}}, behind);
  }
  return true;
}

bool WindowSearch::IsEnd(const SymbolicFactor& exact, size_t slot) const {
  return std::ranges::any_of(exact.ends,
                             [&](const auto& end) { return test_.SlotOf(end) == slot; });
}

// Literals whose decrease makes the outputs smaller, which an equal increase of the dim makes up
// for. A stride or a rounding may hide this at one size of the dim, but not at several.
std::vector<EndLiteral> WindowSearch::Paddings(const SymbolicFactor& exact) {
  std::vector<EndLiteral> paddings;
  if (exact.inputs.size() != 1) return paddings;
  const SymbolicCut& cut = exact.inputs.front();
  const size_t dim = static_cast<size_t>(box_.dim_slot(cut.tensor, cut.dim));
  const std::vector<int64_t> values = family_.ValuesAt(sizes_);
  std::vector<Shape> with, without, made_up;
  const auto pads = [&](size_t s, int64_t more) {
    std::vector<int64_t> moved = values;
    moved[dim] += more;
    test_.Follow(exact, more, moved);
    if (!box_.Infer(moved, with)) return false;
    const int64_t padding = std::exchange(moved[s], 0);
    if (!box_.Infer(moved, without)) return false;
    moved[dim] += padding;
    test_.Follow(exact, padding, moved);
    return box_.Infer(moved, made_up) && with == made_up && with != without;
  };
  for (size_t s = 0; s < values.size(); ++s) {
    const Slot& slot = box_.slots()[s];
    if (slot.is_dim || values[s] <= 0 || values[s] > family_.largest_literal || IsEnd(exact, s))
      continue;
    bool found = false;
    for (int64_t more = 12; more < 16; ++more) found = found || pads(s, more);
    if (found) paddings.push_back({slot.input, slot.attribute, slot.entry});
  }
  if (paddings.size() > kMostPaddings) paddings.clear();
  return paddings;
}

// Literals where the range that the call takes of the dim begins: if the literal is set to 0 and
// the dim shortened by as much, the outputs are the same.
std::vector<EndLiteral> WindowSearch::Begins(const SymbolicFactor& exact) {
  std::vector<EndLiteral> begins;
  const SymbolicCut& cut = exact.inputs.front();
  const size_t dim = static_cast<size_t>(box_.dim_slot(cut.tensor, cut.dim));
  std::vector<int64_t> longer = sizes_;
  longer[static_cast<size_t>(exact.atoms[0])] += 2 * family_.largest_literal;
  const std::vector<int64_t> values = family_.ValuesAt(longer);
  std::vector<Shape> with, without, made_up;
  if (!box_.Infer(values, with)) return begins;
  for (size_t s = box_.first_literal(); s < values.size(); ++s) {
    const Slot& slot = box_.slots()[s];
    const EndLiteral begin{
        slot.input, slot.attribute, slot.entry, /*first=*/true, /*by_size=*/0, /*bound=*/true};
    if (values[s] <= 0 || IsEnd(exact, s)) continue;
    std::vector<int64_t> moved = values;
    const int64_t taken = std::exchange(moved[s], 0);
    if (!box_.Infer(moved, without) || without == with) continue;
    moved[dim] -= taken;
    test_.Follow(exact, -taken, moved);
    if (moved[dim] > 0 && box_.Infer(moved, made_up) && made_up == with) begins.push_back(begin);
  }
  return begins;
}

// The window as measured, if the call takes a range of the dim: no rank has the elements on either
// side of it. Pieces are whole groups, shifted by the start of the range.
std::optional<SymbolicFactor> WindowSearch::Part(const SymbolicFactor& exact) {
  if (exact.inputs.size() != 1) return std::nullopt;
  SymbolicFactor trial = exact;
  for (EndLiteral& end : trial.ends) {
    if (end.by_size != 1) return std::nullopt;
    end.bound = true;
  }
  for (EndLiteral& begin : Begins(exact)) trial.ends.push_back(std::move(begin));
  if (trial.ends.empty()) return std::nullopt;
  SymbolicWindow& window = *trial.inputs[0].window;
  if (!window.before.slopes.empty() || !window.behind.slopes.empty()) return std::nullopt;
  window.behind.constant = std::max(window.behind.constant, -window.before.constant);
  const std::optional<std::vector<Width>> surplus = Surplus(trial);
  if (!surplus || !IsNothing(*surplus)) return std::nullopt;
  return trial;
}

std::vector<SymbolicFactor> WindowSearch::Trials(const SymbolicFactor& exact) {
  SymbolicFactor filled = exact;
  for (SymbolicCut& cut : filled.inputs) {
    cut.window->before = Filled(cut.window->before);
    cut.window->behind = Filled(cut.window->behind);
  }
  std::vector<SymbolicFactor> trials;
  if (auto part = Part(exact)) trials.push_back(std::move(*part));
  const std::vector<EndLiteral> paddings = Paddings(exact);
  // Try first that the first half pads the start: most lists hold starts before ends.
  const unsigned all = 1U << paddings.size();
  std::vector<unsigned> divisions{(1U << (paddings.size() + 1) / 2) - 1};
  for (unsigned d = 0; d < all; ++d)
    if (d != divisions.front()) divisions.push_back(d);
  for (const unsigned firsts : divisions)
    for (SymbolicFactor trial : {filled, exact}) {
      for (size_t i = 0; i < paddings.size(); ++i) {
        trial.ends.push_back(paddings[i]);
        trial.ends.back().first = (firsts >> i & 1) != 0;
      }
      const std::optional<std::vector<Width>> surplus = Surplus(trial);
      if (surplus && (IsNothing(*surplus) || Widen(*surplus, trial)))
        trials.push_back(std::move(trial));
      if (filled == exact) break;
    }
  AddRounded(exact, trials);
  AddAround(trials);
  return trials;
}

// Extends the halo behind the piece by what a rank's call drops at the end of its piece (the end of
// a slice, negative padding). False: no halo makes up for it.
bool WindowSearch::Widen(const std::vector<Width>& surplus, SymbolicFactor& trial) {
  if (trial.inputs.size() != 1 || surplus.size() != 1) return false;
  if (!surplus[0].slopes.empty() || surplus[0].constant >= 0) return false;
  SymbolicWindow& window = *trial.inputs[0].window;
  const int64_t unit = trial.outputs[0].window->unit;
  const int64_t groups = GroupsFor(-surplus[0].constant, unit);
  window.behind = window.behind.Plus({groups * window.unit, {}}, 1);
  const std::optional<std::vector<Width>> left = Surplus(trial);
  return left && IsNothing(*left);
}

// Halos of whole groups, equally many on all inputs. The outputs beyond the pieces are on both
// sides as the halos are, or all on one side.
void WindowSearch::AddRounded(const SymbolicFactor& exact, std::vector<SymbolicFactor>& trials) {
  SymbolicFactor rounded = exact;
  Width before, behind;  // in groups
  if (exact.inputs.size() == 1 && exact.inputs[0].window->unit == 1) {
    before = Filled(exact.inputs[0].window->before);
    behind = Filled(exact.inputs[0].window->behind);
  } else if (KernelsOf(exact).empty()) {
    for (const SymbolicCut& cut : exact.inputs) {
      const SymbolicWindow& w = *cut.window;
      before.constant = std::max(before.constant, GroupsFor(w.before.constant, w.unit));
      behind.constant = std::max(behind.constant, GroupsFor(w.behind.constant, w.unit));
    }
  } else {
    return;
  }
  for (SymbolicCut& cut : rounded.inputs) {
    cut.window->before = Width{}.Plus(before, cut.window->unit);
    cut.window->behind = Width{}.Plus(behind, cut.window->unit);
  }
  std::optional<std::vector<Width>> surplus = Surplus(rounded);
  if (!surplus) return;
  // If a kernel is shorter than its stride, an inner rank needs more groups.
  int64_t lacking = 0;
  for (size_t o = 0; o < surplus->size(); ++o) {
    const int64_t unit = rounded.outputs[o].window->unit;
    lacking = std::max(lacking, GroupsFor(-(*surplus)[o].At(sizes_), unit));
  }
  if (lacking > 0) {
    behind.constant += lacking;
    for (SymbolicCut& cut : rounded.inputs)
      cut.window->behind = Width{}.Plus(behind, cut.window->unit);
    surplus = Surplus(rounded);
    if (!surplus) return;
  }
  for (const Width& more : *surplus)
    if (more.At(sizes_) < 0) return;
  for (const int way : {0, 1, 2}) {
    SymbolicFactor trial = rounded;
    bool legal = true;
    for (size_t o = 0; o < trial.outputs.size(); ++o) {
      SymbolicWindow& window = *trial.outputs[o].window;
      const Width& more = (*surplus)[o];
      window.before = way == 0 ? Width{}.Plus(before, window.unit) : way == 1 ? Width{} : more;
      window.behind = more.Plus(window.before, -1);
      legal = legal && window.behind.At(sizes_) >= 0;
    }
    if (legal && std::ranges::find(trials, trial) == trials.end())
      trials.push_back(std::move(trial));
  }
}

// By output: the number of elements that an inner rank makes beyond its groups (negative: too few);
// nullopt if it depends on the number of groups.
std::optional<std::vector<WindowSearch::Width>> WindowSearch::Surplus(const SymbolicFactor& trial) {
  const std::optional<std::vector<int64_t>> base = SurplusAt(trial, sizes_);
  if (!base) return std::nullopt;
  std::vector<Width> surplus;
  for (const int64_t more : *base) surplus.push_back({more, {}});
  for (const int atom : KernelsOf(trial)) {
    std::vector<int64_t> sizes = sizes_;
    const int64_t now = sizes[static_cast<size_t>(atom)]++;
    const std::optional<std::vector<int64_t>> next = SurplusAt(trial, sizes);
    if (!next) return std::nullopt;
    for (size_t o = 0; o < surplus.size(); ++o)
      surplus[o] = surplus[o].Plus({-now, {{atom, 1}}}, (*next)[o] - (*base)[o]);
  }
  return surplus;
}

std::optional<std::vector<int64_t>> WindowSearch::SurplusAt(const SymbolicFactor& trial,
                                                            const std::vector<int64_t>& sizes) {
  // An integer of the call may remove everything if there are few groups. One that depends on the
  // dim may be as far from it as the sample's dims are long.
  const std::vector<int64_t>& base = family_.base;
  const int64_t longest = base.empty() ? 0 : *std::ranges::max_element(base);
  for (const int64_t more :
       {int64_t{0}, 2 * family_.largest_literal, 2 * std::min(longest, kLongestDim)})
    if (auto surplus = SurplusAt(trial, sizes, more)) return surplus;
  return std::nullopt;
}

std::optional<std::vector<int64_t>> WindowSearch::SurplusAt(const SymbolicFactor& trial,
                                                            const std::vector<int64_t>& sizes,
                                                            int64_t more) {
  std::vector<int64_t> surplus;
  std::vector<Shape> shapes;
  for (const int64_t groups : {more + 8, more + 13}) {
    std::vector<int64_t> values = family_.ValuesAt(sizes);
    for (const SymbolicCut& cut : trial.inputs) {
      const SymbolicWindow& window = *cut.window;
      int64_t& dim = values[static_cast<size_t>(box_.dim_slot(cut.tensor, cut.dim))];
      const int64_t local =
          groups * window.unit + window.before.At(sizes) + window.behind.At(sizes);
      test_.Follow(trial, local - std::exchange(dim, local), values);
      // For an inner rank, the range of the call begins before the piece and ends behind it.
      for (const EndLiteral& end : trial.ends)
        if (end.bound) values[test_.SlotOf(end)] = end.by_size == 0 ? 0 : local;
    }
    test_.ClearEnds(trial, /*keep_first=*/false, /*keep_last=*/false, values);
    if (!box_.Infer(values, shapes)) return std::nullopt;
    std::vector<int64_t> own;
    for (const SymbolicCut& cut : trial.outputs) {
      const Shape& shape = shapes[static_cast<size_t>(cut.tensor)];
      own.push_back(shape[static_cast<size_t>(cut.dim)] - groups * cut.window->unit);
    }
    if (!surplus.empty() && surplus != own) return std::nullopt;
    surplus = std::move(own);
  }
  return surplus;
}

}  // namespace metadist
