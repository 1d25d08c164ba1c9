// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace metadist {

// What a file that is no known model looks like, for error messages: "a zip archive (TorchScript or
// torch.export)", "text", "an empty file", ... Never empty.
std::string DescribeBytes(std::span<const std::byte> bytes);

}  // namespace metadist
