// SPDX-License-Identifier: Apache-2.0
// Whatever text: an error, or a program that is as CheckProgram asks, prints, parses back and
// prints the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "metair/spmd/program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto program =
      metadist::ParseProgram(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!program.ok()) {
    (void)program.error().text();
    return 0;
  }
  if (!metadist::CheckProgram(program.value()).ok()) std::abort();
  const std::string text = metadist::ProgramText(program.value());
  const auto again = metadist::ParseProgram(text);
  if (!again.ok() || metadist::ProgramText(again.value()) != text) std::abort();
  return 0;
}
