// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metair/spmd/sharding.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// A dim of a tensor that changes with an atom: `unit` elements for each group.
struct SlidingDim {
  int tensor = 0;
  int dim = 0;
  int64_t unit = 1;
  // Of an input: the group [g * unit, (g + 1) * unit) is read with `before` and `behind` more
  // elements on its two sides; mirrored: all counted from the end of the dim.
  int64_t before = 0;
  int64_t behind = 0;
  bool mirrored = false;
  bool operator==(const SlidingDim&) const = default;
};

// A window that slides along an atom, as measured.
struct SlidingWindow {
  std::vector<SlidingDim> inputs;
  std::vector<SlidingDim> outputs;
  bool operator==(const SlidingWindow&) const = default;
};

// Measures windows by disturbing a few indices far from the ends.
class WindowProbe {
 public:
  WindowProbe(BlackBox& box, Sampler& sampler, const Family& family)
      : box_(box), sampler_(sampler), family_(family) {}

  // The window that slides along `atom`, with the other atoms at `sizes`; nullopt if its dims do
  // not change in proportion, or if an index does not affect the same outputs everywhere.
  std::optional<SlidingWindow> Run(int atom, const std::vector<int64_t>& sizes);

 private:
  // First and last affected index, by changing output; end < 0: none.
  using Reach = std::vector<Interval>;

  // The dims that change when the atom grows by `by` and by twice that.
  bool FindDims(int atom, int64_t by, std::vector<int64_t> sizes, SlidingWindow& window);
  std::optional<SlidingWindow> Measure(int atom,
                                       std::vector<int64_t> sizes,
                                       const SlidingWindow& dims);
  // At values_. fits: set to false if the window reaches the ends; a larger call may show it.
  std::optional<SlidingWindow> MeasureAt(const SlidingWindow& dims, bool& fits);
  bool SeesBehindHoles(const SlidingWindow& window, int64_t groups) const;
  struct Doubt {
    bool reaches_ends = false;  // the window does; a larger call may show it
    bool reversed = false;      // later input indices affect earlier output indices
  };
  // Sets before and behind of an input. False: there is no window, or `doubt` is set.
  bool MeasureInput(const SlidingWindow& dims, SlidingDim& input, Doubt& doubt);
  // The same at positions that are `shift` later in the input.
  bool MeasureFrom(int64_t shift, const SlidingWindow& dims, SlidingDim& input, Doubt& doubt);
  // Extends `reach` by the outputs that index `index` of the input affects. False: the kernel
  // rejected the call.
  bool Reaches(const SlidingWindow& dims, const SlidingDim& input, int64_t index, Reach& reach);

  struct Baseline {
    InputMode slab;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    bool nans = false;  // the slab is NaN instead
  };
  bool DrawBaselines();

  BlackBox& box_;
  Sampler& sampler_;
  const Family& family_;
  std::vector<int64_t> values_;  // of the slots while measuring
  std::vector<Shape> shapes_;    // of the outputs at values_
  std::vector<Baseline> bases_;
};

}  // namespace metadist
