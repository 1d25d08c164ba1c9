// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace metadist {

// The description of an empty zip archive, which numpy.savez writes if there are no arrays.
inline constexpr std::string_view kEmptyArchive = "a zip archive without members";

// Describes a file that is not a known model, for error messages: "a zip archive (TorchScript or
// torch.export)", "text", "an empty file", ... Never empty.
std::string DescribeBytes(std::span<const std::byte> bytes);

}  // namespace metadist
