// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace metadist {

namespace {

constexpr size_t kMostStreamed = size_t{1} << 28;  // devices may produce endless data

}  // namespace

Error CannotOpen(const std::string& path, const std::string& hint) {
  return Usage(errno == ENOENT ? "no such file" : std::strerror(errno), hint).in(path);
}

Result<std::string> ReadText(const std::string& path, const std::string& hint) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (std::filesystem::is_directory(status))
    return BadInput(path, "expected a file, got a folder", hint);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) return CannotOpen(path, hint);
  const bool ends = std::filesystem::is_regular_file(status);
  std::string text;
  char block[1 << 16];
  for (size_t count = sizeof block; count == sizeof block;) {
    count = std::fread(block, 1, sizeof block, file.get());
    if (std::ferror(file.get()) != 0)
      return BadInput(path, std::string("cannot be read: ") + std::strerror(errno), hint);
    text.append(block, count);
    if (!ends && text.size() > kMostStreamed)
      return BadInput(path, "expected a file, or at most 256 MiB", hint);
  }
  return text;
}

}  // namespace metadist
