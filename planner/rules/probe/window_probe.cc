// SPDX-License-Identifier: Apache-2.0
// Measures which inputs a window covers.
//
// A convolution's output index reads a few input indices around it, the same relative ones
// everywhere except at the ends. So it is enough to disturb one index for each phase of the stride
// (on all lines at once) at two positions far from the ends: the first and the last affected output
// give the widths of the window on both sides of a group. The two positions must agree, which rules
// out a dependence on everything or on all earlier elements. If the second position affects outputs
// as far before those of the first as it should affect them behind, the input is read from its end,
// and measured in that direction. The ends are left to the execution test.
//
// An index that is multiplied by zero everywhere is still read: if it is NaN, so is the result. So
// floats are also disturbed by NaN.
//
// Maxima and minima hide many effects: a disturbed index is drawn with mixed signs over a negative
// baseline and negative over a mixed one, so that it wins somewhere, and the union is taken; over
// more baselines while the two positions differ or nothing has changed. A window with holes may
// skip everything a small call has: if an integer of the call is large, two calls must show the
// same window.
//
// If outputs are much shorter than their inputs, the call may read only part of an input: the two
// positions are tried at its front, its middle and its back.
//
// Cost: 4 baselines, and 5 runs for each probed index: 2 indices per phase, about 14 runs for a
// stride of 1.
#include "planner/rules/probe/window_probe.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "planner/rules/probe/arrays.h"

namespace metadist {
namespace {

struct ProbeSetting {
  InputMode base;
  InputMode slab;
};
constexpr ProbeSetting kProbeSettings[] = {{InputMode::kNegative, InputMode::kNormal},
                                           {InputMode::kNormal, InputMode::kNegative},
                                           {InputMode::kNormal, InputMode::kNormal},
                                           {InputMode::kIntegers, InputMode::kIntegers}};
// Numbers of groups of the calls in which windows are measured; the later ones for wide windows.
constexpr int64_t kGroups[] = {16, 60, 240};
// A window may have holes as wide as an integer of the call. Above this size, the first call may
// fit into one.
constexpr int64_t kWideHole = 5;
constexpr int kMostDraws = 4;  // of baselines, until both positions agree
// Steps of the atom, multiples of common strides: the first of strides up to 4 and of 6, the last
// of all up to 12. Large steps may leave the legal sizes if an integer of the call limits the
// number of elements. A stride up to kLongestStride may also be an integer of the call.
constexpr int64_t kProbeSteps[] = {12, 420, 27720};
constexpr int64_t kLongestStride = 64;
constexpr int64_t kLargestAtom = 1024;

// Whether both positions affect nothing, or the second the same outputs `groups` later.
bool AreApart(const SlidingWindow& dims,
              const std::vector<Interval>& one,
              const std::vector<Interval>& two,
              int64_t groups) {
  for (size_t y = 0; y < dims.outputs.size(); ++y) {
    const int64_t apart = one[y].end < 0 && two[y].end < 0 ? 0 : groups * dims.outputs[y].unit;
    if (two[y].begin - one[y].begin != apart || two[y].end - one[y].end != apart) return false;
  }
  return true;
}

int64_t At(const std::vector<Shape>& shapes, const SlidingDim& dim) {
  return shapes[static_cast<size_t>(dim.tensor)][static_cast<size_t>(dim.dim)];
}

}  // namespace

// Finds the dims that change, and by how much: at most one per tensor, all in one proportion.
bool WindowProbe::FindDims(int atom,
                           int64_t by,
                           std::vector<int64_t> sizes,
                           SlidingWindow& window) {
  std::vector<Shape> shapes[3];
  std::vector<int64_t> values[3];
  for (int64_t step = 0; step < 3; ++step) {
    values[step] = family_.ValuesAt(sizes);
    if (!box_.Infer(values[step], shapes[step])) return false;
    sizes[static_cast<size_t>(atom)] += by;
  }
  int64_t common = 0;
  for (const int slot : family_.atom(atom).slots) {
    const Slot& at = box_.slot(slot);
    const size_t s = static_cast<size_t>(slot);
    if (!at.is_dim) continue;
    window.inputs.push_back({at.input, at.entry, values[1][s] - values[0][s]});
    common = std::gcd(common, window.inputs.back().unit);
  }
  const auto changed = ChangedDims(shapes[0], shapes[1]);
  if (!changed || ChangedDims(shapes[0], shapes[2]) != changed) return false;
  for (const OutDim& at : *changed) {
    const int64_t moved = at.In(shapes[1]) - at.In(shapes[0]);
    if (at.In(shapes[2]) - at.In(shapes[1]) != moved || moved < 0) return false;
    window.outputs.push_back({at.output, at.dim, moved});
    common = std::gcd(common, moved);
  }
  if (window.inputs.empty() || window.outputs.empty() || common == 0) return false;
  for (std::vector<SlidingDim>* dims : {&window.inputs, &window.outputs})
    for (SlidingDim& dim : *dims) {
      dim.unit /= common;
      for (const SlidingDim& other : *dims)
        if (&other != &dim && other.tensor == dim.tensor) return false;
    }
  return true;
}

bool WindowProbe::DrawBaselines() {
  bases_.clear();
  for (const ProbeSetting& setting : kProbeSettings) {
    Baseline base{setting.slab, {}, {}};
    if (sampler_.Draw(values_, setting.base, {}, base.inputs) &&
        box_.Run(values_, base.inputs, base.outputs))
      bases_.push_back(std::move(base));
  }
  if (bases_.empty()) return false;
  bases_.push_back(bases_.front());
  bases_.back().nans = true;
  return true;
}

bool WindowProbe::Reaches(const SlidingWindow& dims,
                          const SlidingDim& input,
                          int64_t index,
                          Reach& reach) {
  const size_t tensor = static_cast<size_t>(input.tensor);
  const int64_t at[] = {index};
  std::vector<Tensor> outputs;
  for (const Baseline& base : bases_) {
    if (base.nans && !sampler_.TakesNans(tensor)) continue;
    std::vector<Tensor> inputs = base.inputs;
    Tensor& x = inputs[tensor];
    Tensor slab;
    if (!sampler_.DrawSlab(tensor, x, input.dim, at, base.slab, slab)) continue;
    if (base.nans)
      std::fill_n(
          slab.mutable_data<double>(), slab.size(), std::numeric_limits<double>::quiet_NaN());
    x = x.Clone();
    Put(x, input.dim, at, slab);
    if (!box_.Run(values_, inputs, outputs) || outputs.size() != base.outputs.size()) return false;
    for (size_t y = 0; y < dims.outputs.size(); ++y) {
      const SlidingDim& out = dims.outputs[y];
      const Tensor& was = base.outputs[static_cast<size_t>(out.tensor)];
      const Tensor& is = outputs[static_cast<size_t>(out.tensor)];
      if (was.type() != is.type()) return false;
      const int64_t stride = Strides(was.shape())[static_cast<size_t>(out.dim)];
      const int64_t size = was.dim(out.dim);
      ForDifferences(was, is, 1e-12 * Largest(was), [&](int64_t i) {
        const int64_t q = i / stride % size;
        reach[y] = {std::min(reach[y].begin, q), std::max(reach[y].end, q)};
      });
    }
  }
  return true;
}

bool WindowProbe::MeasureInput(const SlidingWindow& dims, SlidingDim& input, Doubt& doubt) {
  const int64_t size = values_[static_cast<size_t>(box_.dim_slot(input.tensor, input.dim))];
  const int64_t unread = size - At(shapes_, dims.outputs[0]) / dims.outputs[0].unit * input.unit;
  std::set<int64_t> shifts{0};
  if (unread > 1) shifts.insert({unread / 2, unread});
  for (const int64_t shift : shifts) {
    doubt = {};
    if (MeasureFrom(shift, dims, input, doubt)) return true;
    if (doubt.reversed) return false;
  }
  return false;
}

bool WindowProbe::MeasureFrom(int64_t shift,
                              const SlidingWindow& dims,
                              SlidingDim& input,
                              Doubt& doubt) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
  const Reach nothing(dims.outputs.size(), {kNever, -1});
  const int64_t groups = At(shapes_, dims.outputs[0]) / dims.outputs[0].unit;
  const int64_t apart = std::max<int64_t>(groups / 4, 1);
  const int64_t size = values_[static_cast<size_t>(box_.dim_slot(input.tensor, input.dim))];
  const auto place = [&](int64_t index) { return input.mirrored ? size - 1 - index : index; };
  int64_t before = kNone;
  int64_t behind = kNone;
  // Outputs may be far longer than what their inputs affect.
  doubt.reaches_ends = (groups * 3 / 8 + apart + 1) * input.unit + shift > size;
  if (doubt.reaches_ends) return false;
  for (int64_t phase = 0; phase < input.unit; ++phase) {
    const int64_t first = groups * 3 / 8 * input.unit + phase + shift;
    const int64_t second = first + apart * input.unit;
    Reach one = nothing;
    Reach two = nothing;
    for (int draw = 0; draw < kMostDraws; ++draw) {
      if (draw > 0 && !DrawBaselines()) return false;
      if (!Reaches(dims, input, place(first), one) || !Reaches(dims, input, place(second), two))
        return false;
      // All outputs may saturate: no change is evidence only if something has changed before.
      if (one == nothing && two == nothing && before == kNone) continue;
      if (AreApart(dims, one, two, apart)) break;
      doubt.reversed = !input.mirrored && AreApart(dims, one, two, -apart);
      if (doubt.reversed) return false;
    }
    for (size_t y = 0; y < one.size(); ++y) {
      const int64_t unit = dims.outputs[y].unit;
      const int64_t last = At(shapes_, dims.outputs[y]) - 1;
      const bool none = one[y].end < 0 && two[y].end < 0;
      if (none) continue;
      doubt.reaches_ends = std::min(one[y].begin, two[y].begin) <= 0 || one[y].end < 0 ||
                           std::max(one[y].end, two[y].end) >= last || two[y].end < 0;
      if (doubt.reaches_ends || !AreApart(dims, one, two, apart)) return false;
      before = std::max(before, one[y].end / unit * input.unit - first);
      behind = std::max(behind, first + 1 - (one[y].begin / unit + 1) * input.unit);
    }
  }
  input.before = before;
  input.behind = behind;
  return before != kNone;
}

std::optional<SlidingWindow> WindowProbe::MeasureAt(const SlidingWindow& dims, bool& fits) {
  fits = true;
  if (!DrawBaselines()) return std::nullopt;
  SlidingWindow window = dims;
  for (SlidingDim& input : window.inputs) {
    Doubt doubt;
    if (MeasureInput(dims, input, doubt)) continue;
    if (doubt.reversed) {
      input.mirrored = true;
      doubt = {};
      if (MeasureInput(dims, input, doubt)) continue;
    }
    fits = !doubt.reaches_ends;
    return std::nullopt;
  }
  return window;
}

std::optional<SlidingWindow> WindowProbe::Run(int atom, const std::vector<int64_t>& sizes) {
  SlidingWindow last;
  std::vector<int64_t> steps(std::begin(kProbeSteps), std::end(kProbeSteps));
  for (const int64_t stride : box_.LiteralsUpTo(kLongestStride, box_.values()))
    if (kProbeSteps[2] % stride != 0)
      steps.insert(steps.end() - 2, std::lcm(kProbeSteps[0], stride));
  for (const int64_t step : steps) {
    SlidingWindow dims;
    if (!FindDims(atom, step, sizes, dims) || dims == last) continue;
    if (auto found = Measure(atom, sizes, dims)) return found;
    last = std::move(dims);
  }
  return std::nullopt;
}

// Whether the call is longer than the window and a hole behind it.
bool WindowProbe::SeesBehindHoles(const SlidingWindow& window, int64_t groups) const {
  return std::ranges::all_of(window.inputs, [&](const SlidingDim& input) {
    const int64_t reach = std::max(input.before, input.behind) + family_.largest_literal;
    return reach < groups * 3 / 8 * input.unit;
  });
}

// Measures with more and more groups, until the window fits.
std::optional<SlidingWindow> WindowProbe::Measure(int atom,
                                                  std::vector<int64_t> sizes,
                                                  const SlidingWindow& dims) {
  int64_t& size = sizes[static_cast<size_t>(atom)];
  const int64_t most = std::max(kLargestAtom, size + kLargestAtom / 2);
  const bool has_holes = family_.largest_literal > kWideHole;
  std::optional<SlidingWindow> last;
  for (const int64_t groups : kGroups) {
    if (has_holes && groups == kGroups[0]) continue;
    for (;; ++size) {
      if (size > most) return last;
      values_ = family_.ValuesAt(sizes);
      if (box_.Infer(values_, shapes_) &&
          At(shapes_, dims.outputs[0]) >= groups * dims.outputs[0].unit)
        break;
    }
    bool fits = false;
    std::optional<SlidingWindow> found = MeasureAt(dims, fits);
    if (has_holes ? found && last && *found == *last : found || fits) return found;
    // A call this wide would show anything behind a hole.
    if (found && !last && groups == kGroups[2] && SeesBehindHoles(*found, groups)) return found;
    last = std::move(found);
  }
  return std::nullopt;
}

}  // namespace metadist
