// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace metadist {

// The candidate closest to a misspelt name, or "" if none is close (at most a third of its letters,
// but at least one, may differ). Ties go to the first.
std::string Nearest(std::string_view name, const std::vector<std::string>& candidates);

// "did you mean 'nearest'?", or "" if no candidate is close.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace metadist
