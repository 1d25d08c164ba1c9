// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/rules/probe/coupled_sizes.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/search/candidates.h"

namespace metadist {

// Sizes that distinguish atoms.
inline constexpr int64_t kOddPrimes[] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47};

// The family of calls related to box.values(), which must be small: of overlapping sets of coupled
// sizes, those that the kernel's behaviour confirms. `coupled` has been run.
Family Resolve(BlackBox& box, const CoupledSizes& coupled, CandidateSearch& search);

// Whether these atom sizes are legal and give the expected outputs: exact ones in proportion, those
// that atoms change otherwise at any size, the rest as in the sample. (False, for example, if a
// small dim clips a literal.)
bool Behaves(BlackBox& box, const Family& family, const std::vector<int64_t>& sizes);

}  // namespace metadist
