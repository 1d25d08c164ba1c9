// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace metadist {

// The candidate nearest to a misspelt name, or "" when none is near (a third of its letters, at
// least one, may differ). Ties go to the first.
std::string Nearest(std::string_view name, const std::vector<std::string>& candidates);

// "did you mean 'nearest'?", or "" when none is near.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace metadist
