// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ir/result.h"

namespace metadist {

// What a file holds, or what comes through a pipe. Errors: kBadInput, with the path as the place,
// where it cannot be read, is a folder, or is no file and does not end within 256 MiB. hint: for
// all of them, as where to get such a file.
Result<std::string> ReadText(const std::string& path, const std::string& hint = "");

}  // namespace metadist
