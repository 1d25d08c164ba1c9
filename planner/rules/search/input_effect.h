// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/probe/black_box.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// Enlarges surrogate sizes beyond the integers of the call if at the small ones some input does not
// affect any output: with a dilated convolution over a few positions, all taps but one are in the
// padding. Sizes are kept if that does not help.
void LetInputsMatter(BlackBox& box, Sampler& sampler, Family& family);

}  // namespace metadist
