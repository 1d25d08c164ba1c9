// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace metadist {

// A built-in profile as it stands in profiles/builtin, compiled into the program.
struct EmbeddedProfile {
  std::string_view name;  // the file's, without .json
  std::string_view text;
};

// All of them, by name. The definition is made at build time by embed_profiles.cmake.
const std::vector<EmbeddedProfile>& EmbeddedProfiles();

}  // namespace metadist
