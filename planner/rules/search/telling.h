// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/probe/black_box.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// Makes surrogate sizes larger than the integers of the call where some input changes no output at
// the small ones: of a dilated convolution over a few places all taps but one lie in the padding.
// Sizes at which it does not help stay as they are.
void LetInputsTell(BlackBox& box, Sampler& sampler, Family& family);

}  // namespace metadist
