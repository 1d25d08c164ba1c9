// SPDX-License-Identifier: Apache-2.0
#include "importers/sha256.h"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <array>

namespace metadist {

struct Sha256::State : sha256_ctx {};

Sha256::Sha256() : state_(std::make_unique<State>()) { sha256_init(state_.get()); }

Sha256::~Sha256() = default;

void Sha256::Add(std::span<const std::byte> bytes) {
  sha256_update(state_.get(), bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
}

void Sha256::Add(const std::string& text) { Add(std::as_bytes(std::span(text))); }

std::string Sha256::Finish() {
  std::array<uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(state_.get(), digest.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace metadist
