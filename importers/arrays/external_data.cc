// SPDX-License-Identifier: Apache-2.0
#include "importers/arrays/external_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace metadist {
namespace {

namespace fs = std::filesystem;

constexpr char kBelow[] = "data files lie in the model's folder or below it";

// Checks the path component by component. False if a component does not exist.
Result<bool> Exists(const fs::path& folder, const std::string& location) {
  const fs::path relative(location);
  const std::string where = fmt::format("external data '{}'", location);
  if (location.empty() || location.find('\0') != std::string::npos)
    return BadInput(where, "the location is not a file name", kBelow);
  if (relative.is_absolute()) return BadInput(where, "the location must be relative", kBelow);
  for (const fs::path& part : relative)
    if (part == "..")
      return BadInput(where, "the location must not leave the model's folder", kBelow);
  fs::path path = folder;
  for (const fs::path& part : relative) {
    path /= part;
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(path, failed);
    if (status.type() == fs::file_type::not_found) return false;
    if (status.type() == fs::file_type::symlink)
      return BadInput(
          where, "the location must not be a symbolic link", "put the file itself there");
    if (failed) return BadInput(where, failed.message());
  }
  return true;
}

}  // namespace

Result<std::optional<FileMap>> ExternalData::Open(const std::string& location) {
  const auto found = files_.find(location);
  if (found != files_.end()) return found->second;
  std::optional<FileMap> file;
  if (TRY(Exists(folder_, location))) {
    auto opened = FileMap::Open((fs::path(folder_) / location).string());
    if (!opened.ok())
      return BadInput(fmt::format("external data '{}'", location), opened.error().message);
    file = std::move(opened).value();
  }
  files_[location] = file;
  return file;
}

Result<Tensor> ExternalData::Read(const TensorType& type,
                                  const std::string& location,
                                  int64_t offset,
                                  std::optional<int64_t> length) {
  const std::string where = fmt::format("external data '{}'", location);
  const int64_t bytes = type.bytes();
  if (offset < 0)
    return BadInput(where, fmt::format("the offset must not be negative, got {}", offset));
  if (length && *length != bytes)
    return BadInput(
        where,
        fmt::format("{} takes {} bytes, got a length of {}", TypeText(type), bytes, *length));
  const std::optional<FileMap> file = TRY(Open(location));
  if (!file) return Tensor::Absent(type);
  const int64_t size = static_cast<int64_t>(file->bytes().size());
  if (offset > size || bytes > size - offset)
    return BadInput(where,
                    fmt::format("bytes {} to {} are beyond the end of the file, which has {}",
                                offset,
                                static_cast<uint64_t>(offset) + static_cast<uint64_t>(bytes),
                                size),
                    "it is another file, or was cut off: copy it again");
  if (bytes == 0) return Tensor::Zeros(type);
  const std::byte* data = file->bytes().data() + offset;
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(ByteSize(type.element)) == 0)
    return WithCleanBools(Tensor::Mapped(type, file->owner(), data));
  Tensor copy = Tensor::Zeros(type);
  std::memcpy(copy.mutable_bytes(), data, static_cast<size_t>(bytes));
  return WithCleanBools(std::move(copy));
}

std::map<std::string, int64_t> ExternalData::sizes() const {
  std::map<std::string, int64_t> sizes;
  for (const auto& [location, file] : files_)
    sizes[location] = file ? static_cast<int64_t>(file->bytes().size()) : -1;
  return sizes;
}

Tensor WithCleanBools(Tensor tensor) {
  if (tensor.element() != ElementType::kBool || !tensor.has_data()) return tensor;
  const std::byte* bytes = tensor.bytes();
  const auto is_clean = [](std::byte b) { return b == std::byte{0} || b == std::byte{1}; };
  if (std::all_of(bytes, bytes + tensor.size(), is_clean)) return tensor;
  Tensor clean = Tensor::Zeros(tensor.type());
  for (int64_t i = 0; i < tensor.size(); ++i)
    clean.mutable_bytes()[i] = bytes[i] == std::byte{0} ? std::byte{0} : std::byte{1};
  return clean;
}

}  // namespace metadist
