// SPDX-License-Identifier: Apache-2.0
// Any bytes give an error, or a graph whose printed text is parsed back to the same text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "metair/ir/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto graph =
      metadist::ParseGraph(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!graph.ok()) return 0;
  const std::string text = metadist::GraphText(graph.value());
  const auto again = metadist::ParseGraph(text);
  if (!again.ok() || metadist::GraphText(again.value()) != text) std::abort();
  return 0;
}
