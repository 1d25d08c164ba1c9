// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metair/spmd/sharding.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// A dim of a tensor that moves with an atom: `unit` elements for each group.
struct SlidingDim {
  int tensor = 0;
  int dim = 0;
  int64_t unit = 1;
  // Of an input: the group [g * unit, (g + 1) * unit) is read with what lies before and behind it;
  // mirrored: all counted from the end of the dim.
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

// Measures windows by disturbing few indices far from the ends.
class WindowProbe {
 public:
  WindowProbe(BlackBox& box, Sampler& sampler, const Family& family)
      : box_(box), sampler_(sampler), family_(family) {}

  // The window that slides along `atom`, the other atoms at `sizes`; none if its dims do not move
  // in proportion, or if what an index reaches is not the same everywhere.
  std::optional<SlidingWindow> Run(int atom, const std::vector<int64_t>& sizes);

 private:
  // First and last index reached, by moving output; end < 0: nothing.
  using Reach = std::vector<Interval>;

  // The dims that move where the atom grows `by` and by twice that.
  bool FindDims(int atom, int64_t by, std::vector<int64_t> sizes, SlidingWindow& window);
  std::optional<SlidingWindow> Measure(int atom,
                                       std::vector<int64_t> sizes,
                                       const SlidingWindow& dims);
  // At values_. `fits` is false where the window reaches the ends; a larger call may show it.
  std::optional<SlidingWindow> MeasureAt(const SlidingWindow& dims, bool& fits);
  bool SeesBehindHoles(const SlidingWindow& window, int64_t groups) const;
  struct Doubt {
    bool reaches_ends = false;  // the window does; a larger call may show it
    bool reversed = false;      // what is further on in the input is further back in the outputs
  };
  // Sets before and behind of an input. False: there is no window, or it is in doubt.
  bool MeasureInput(const SlidingWindow& dims,
                    const std::vector<Shape>& shapes,
                    SlidingDim& input,
                    Doubt& doubt);
  // The same at places that lie `shift` further on in the input.
  bool MeasureFrom(int64_t shift,
                   const SlidingWindow& dims,
                   const std::vector<Shape>& shapes,
                   SlidingDim& input,
                   Doubt& doubt);
  // Widens `reach` by what index `index` of the input reaches. False: the kernel refused.
  bool Reaches(const SlidingWindow& dims, const SlidingDim& input, int64_t index, Reach& reach);

  struct Baseline {
    InputMode slab;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
  };
  bool DrawBaselines();

  BlackBox& box_;
  Sampler& sampler_;
  const Family& family_;
  std::vector<int64_t> values_;  // of the slots while measuring
  std::vector<Baseline> bases_;
};

}  // namespace metadist
