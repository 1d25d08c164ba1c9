// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace metadist {

// SHA-256 (FIPS 180-4) of bytes given in pieces.
class Sha256 {
 public:
  void Add(std::span<const std::byte> bytes);
  void Add(const std::string& text);
  // 64 hexadecimal digits. The object must not be used afterwards.
  std::string Finish();

 private:
  void Block(const uint8_t* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667,
                                    0xbb67ae85,
                                    0x3c6ef372,
                                    0xa54ff53a,
                                    0x510e527f,
                                    0x9b05688c,
                                    0x1f83d9ab,
                                    0x5be0cd19};
  std::array<uint8_t, 64> buffer_ = {};
  size_t filled_ = 0;
  uint64_t total_ = 0;
};

}  // namespace metadist
