// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace metadist {

// Whether all of `text` matches the pattern: * is any run of characters, ? any one.
bool GlobFits(std::string_view pattern, std::string_view text);

}  // namespace metadist
