// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/rules/probe/coupled_sizes.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/search/candidates.h"

namespace metadist {

// The family of calls around box.values(), which must be small: of overlapping sets of coupled
// sizes, those that the kernel's behaviour confirms. `coupled` has been run.
Family Resolve(BlackBox& box, const CoupledSizes& coupled, CandidateSearch& search);

// Whether these sizes of the atoms are legal and give the outputs they should: exact ones in
// proportion, the others as in the sample. (A literal that a small dim cuts short does not.)
bool Behaves(BlackBox& box, const Family& family, const std::vector<int64_t>& sizes);

}  // namespace metadist
