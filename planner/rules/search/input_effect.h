// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/probe/black_box.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// Enlarges surrogate sizes if at the small ones some input does not affect any output: with a
// dilated convolution over a few positions, all taps but one are in the padding; an update as long
// as its cache leaves nothing of it. Sizes are kept if that does not help.
void LetInputsMatter(BlackBox& box, uint64_t seed, Family& family);

}  // namespace metadist
