// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace metadist {

// SHA-256 (FIPS 180-4) of bytes passed in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Add(std::span<const std::byte> bytes);
  void Add(const std::string& text);
  // Returns 64 hexadecimal digits and resets.
  std::string Finish();

 private:
  struct State;  // the library's
  std::unique_ptr<State> state_;
};

}  // namespace metadist
