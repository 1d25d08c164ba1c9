// SPDX-License-Identifier: Apache-2.0
// Problem files: reading in large pieces and byte by byte gives the same result, which can be
// written and read back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "metair/ir/check.h"
#include "planner/solvers/problem/problem_io.h"
#include "planner/solvers/problem/problem_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto problem = metadist::ParseProblem(text);
  size_t at = 0;
  const auto bytewise =
      metadist::ReadProblem([&](std::span<char> into) -> metadist::Result<size_t> {
        const size_t count = std::min<size_t>(1, text.size() - at);
        text.copy(into.data(), count, at);
        at += count;
        return count;
      });
  CHECK(problem.ok() == bytewise.ok(), "pieces matter");
  if (!problem.ok()) {
    CHECK(problem.error().text() == bytewise.error().text(), "pieces change the error");
    return 0;
  }
  const std::string written = metadist::WriteProblem(problem.value());
  CHECK(metadist::WriteProblem(bytewise.value().problem) == written, "pieces change the problem");
  const auto again = metadist::ParseProblem(written);
  CHECK(again.ok(), again.error().text().c_str());
  CHECK(metadist::WriteProblem(again.value()) == written, "the round trip is not exact");
  return 0;
}
