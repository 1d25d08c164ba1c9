// SPDX-License-Identifier: Apache-2.0
// Any text is a plan or an error; a plan can be lowered, or gives the reason why not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "planner/plan/plan_io.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto plan =
      metadist::ReadPlan(std::string_view(reinterpret_cast<const char*>(data), size), "f");
  if (!plan.ok()) {
    (void)plan.error().text();
    return 0;
  }
  const auto program = metadist::Lower(plan.value());
  if (!program.ok()) (void)program.error().text();
  return 0;
}
