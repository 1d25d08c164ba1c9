// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ir/result.h"

namespace metadist {

// The content of a file or pipe. Errors: kBadInput, with the path as location, if it cannot be
// read, is a folder, or is not a regular file and exceeds 256 MiB. hint: of these errors, such as
// where to get the file.
Result<std::string> ReadText(const std::string& path, const std::string& hint = "");

}  // namespace metadist
