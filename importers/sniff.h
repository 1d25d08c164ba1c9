// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace metadist {

// The description of a zip archive of nothing, which numpy.savez writes of no arrays.
inline constexpr std::string_view kEmptyArchive = "a zip archive without members";

// What a file that is no known model looks like, for error messages: "a zip archive (TorchScript or
// torch.export)", "text", "an empty file", ... Never empty.
std::string DescribeBytes(std::span<const std::byte> bytes);

}  // namespace metadist
