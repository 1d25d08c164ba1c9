// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/axes.h"

#include <algorithm>

#include "metair/ir/shape.h"
#include "metair/ops/call_check.h"

namespace metadist {

Result<std::vector<int64_t>> NormalizeAxes(std::vector<int64_t> axes, int64_t rank) {
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = TRY(NormalizeAxis(axes[i], rank));
    if (std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i), axis) !=
        axes.begin() + static_cast<std::ptrdiff_t>(i))
      return BadCall("axis {} occurs twice", axis);
    axes[i] = axis;
  }
  return axes;
}

}  // namespace metadist
