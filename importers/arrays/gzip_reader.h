// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "metair/ir/result.h"

namespace metadist {

// The bytes of a file front to back, in pieces; inflated if it is gzip, which its first two bytes
// tell. Constant memory, whatever the size; pipes work too.
class GzipReader {
 public:
  // Errors: kUsage if the file does not exist or may not be read; kBadInput if it is a folder. The
  // path is the place.
  static Result<GzipReader> Open(const std::string& path);

  // Fills `into` (not empty) from its front; returns how many bytes, 0 at the end only.
  // Errors: kBadInput if the gzip data are damaged or cut short, or something else follows them;
  // kUsage if reading fails. The path is the place.
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
