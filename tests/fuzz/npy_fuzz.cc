// SPDX-License-Identifier: Apache-2.0
// Any bytes give an error, or a tensor that is written and read back unchanged.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "importers/arrays/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tensor = metadist::ParseNpy(std::as_bytes(std::span(data, size)));
  if (!tensor.ok()) return 0;
  const std::string bytes = metadist::NpyBytes(tensor.value());
  const auto again = metadist::ParseNpy(std::as_bytes(std::span(bytes)));
  if (!again.ok() || !metadist::Identical(again.value(), tensor.value())) std::abort();
  return 0;
}
