// SPDX-License-Identifier: Apache-2.0
// Any text as the value of a flag gives a value in the flag's stated range, or an error that
// contains the text.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/values.h"
#include "metair/ir/check.h"
#include "metair/spmd/mesh.h"
#include "profiles/cluster.h"

namespace metadist {
namespace {

template <typename T>
void CheckRange(const std::string& text, const Result<T>& read, double most) {
  if (!read.ok()) {
    CHECK(read.error().code == ErrorCode::kUsage, "no error of usage");
    return;
  }
  const double value = static_cast<double>(read.value());
  CHECK(value >= 0 && value <= most, "out of range");
  CHECK(text.find_first_of("0123456789") != std::string::npos, "a number without a digit");
}

void CheckShape(const std::string& text) {
  const auto shape = cli::ParseShape(text);
  if (!shape.ok()) return;
  std::string again;
  for (const int64_t size : shape.value())
    again += (again.empty() ? "" : "x") + std::to_string(size);
  CHECK(cli::ParseShape(again.empty() ? "scalar" : again).value() == shape.value(), "a shape");
}

void CheckMesh(const std::string& text) {
  const auto mesh = ParseMesh(text);
  if (!mesh.ok()) return;
  int64_t ranks = 1;
  for (const MeshAxis& axis : mesh.value().axes) ranks *= axis.size;
  CHECK(ranks >= 1 && ranks == mesh.value().ranks(), "a mesh");
}

// Names and sizes of built-in clusters: anything with a `.` or `/` would name a file.
void CheckCluster(const std::string& text) {
  if (text.find_first_of("./") != std::string::npos) return;
  const auto cluster = ResolveCluster(text);
  CHECK(!cluster.ok() || cluster.value().devices() >= 1, "a cluster");
}

void Check(const std::string& text) {
  constexpr double kMost = 0x1p62;
  CheckRange(text, cli::ParseBytes(text), kMost);
  CheckRange(text, cli::ParseCount(text), kMost);
  CheckRange(text, cli::ParseSeconds(text), kMost);
  CheckRange(text, cli::ParseShare(text), kMost);
  CheckRange(text, cli::ParsePercent(text), kMost);
  CheckRange(text, cli::ParseGap(text), 1);
  CheckShape(text);
  CheckMesh(text);
  CheckCluster(text);
}

}  // namespace
}  // namespace metadist

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  metadist::Check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
