// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "metair/ir/glob.h"

namespace metadist {

// What one pattern says of the parameters to train. PATTERN and +PATTERN add what it fits,
// -PATTERN leaves it out. If the first one has a sign, the patterns change the default choice.
struct TrainablePattern {
  bool has_sign = false;
  bool leaves_out = false;
  std::string_view glob;

  // Views the text.
  explicit TrainablePattern(std::string_view text)
      : has_sign(text.starts_with('+') || text.starts_with('-')),
        leaves_out(text.starts_with('-')),
        glob(text.substr(has_sign ? 1 : 0)) {}

  bool Fits(std::string_view name) const { return GlobFits(glob, name); }
};

}  // namespace metadist
