// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ir/result.h"

namespace metadist {

// Why a file could not be opened, by errno: kUsage, with the path as location.
Error CannotOpen(const std::string& path, const std::string& hint = "");

// The content of a file or pipe. Errors, with the path as location: kUsage if it cannot be opened;
// kBadInput if it cannot be read, is a folder, or is not a regular file and exceeds 256 MiB. hint:
// of these errors, such as where to get the file.
Result<std::string> ReadText(const std::string& path, const std::string& hint = "");

}  // namespace metadist
