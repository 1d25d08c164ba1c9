// SPDX-License-Identifier: Apache-2.0
// Any text is a problem of the iopddl format or an error; what is a problem can be written and read
// again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "metair/ir/check.h"
#include "planner/solvers/problem_io.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto problem =
      metadist::ParseProblem(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!problem.ok()) return 0;
  const auto again = metadist::ParseProblem(metadist::WriteProblem(problem.value()));
  CHECK(again.ok(), again.error().text().c_str());
  return 0;
}
