// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace metadist {

// A built-in profile as stored in profiles/builtin, compiled into the program.
struct EmbeddedProfile {
  std::string_view name;  // file name without .json
  std::string_view text;
};

// All built-in profiles, sorted by name. The definition is generated at build time by
// embed_profiles.cmake.
const std::vector<EmbeddedProfile>& EmbeddedProfiles();

}  // namespace metadist
