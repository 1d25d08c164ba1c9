// SPDX-License-Identifier: Apache-2.0
// Any text is a profile or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "profiles/profile_io.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto profile =
      metadist::ParseProfile(std::string(reinterpret_cast<const char*>(data), size), "f");
  if (!profile.ok()) (void)profile.error().text();
  return 0;
}
