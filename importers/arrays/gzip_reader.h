// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "metair/ir/result.h"

namespace metadist {

// Reads a file from front to back in pieces, decompressed if its first two bytes identify gzip.
// Constant memory, whatever the size; works on pipes too.
class GzipReader {
 public:
  // Errors: kUsage if the file does not exist or may not be read; kBadInput if it is a folder. The
  // error's place is the path.
  static Result<GzipReader> Open(const std::string& path);

  // Fills `into` (not empty) from its front; returns the number of bytes, 0 only at the end.
  // Errors: kBadInput if the gzip data are damaged, truncated or followed by something else; kUsage
  // if reading fails. The error's place is the path.
  Result<size_t> Read(std::span<char> into);

  GzipReader(GzipReader&&) noexcept;
  GzipReader& operator=(GzipReader&&) noexcept;
  ~GzipReader();

 private:
  struct State;
  explicit GzipReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// `text` as one gzip member without name and time, so that equal texts give equal bytes.
std::string Gzip(const std::string& text);

}  // namespace metadist
