// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "metair/ir/result.h"

namespace metadist {

// A whole file, mapped read-only. Copies share the mapping; tensors keep it alive through owner().
class FileMap {
 public:
  // Errors: kUsage if the file does not exist or may not be read; kBadInput if it is not a regular
  // file. The error's place is the path.
  static Result<FileMap> Open(const std::string& path);

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::shared_ptr<const void> owner() const { return owner_; }

 private:
  std::string path_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

}  // namespace metadist
