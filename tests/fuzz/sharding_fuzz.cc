// SPDX-License-Identifier: Apache-2.0
// A line with a mesh, one with the sizes of an array, and any text, which is a sharding or is
// refused. The printed text of a sharding is read back as the same sharding.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "metair/ir/check.h"
#include "metair/spmd/sharding.h"
#include "tests/fuzz/lines.h"

namespace metadist {
namespace {

constexpr size_t kMostDims = 6;

void Check(std::string_view rest) {
  const auto mesh = ParseMesh(TakeUntil('\n', rest));
  if (!mesh.ok()) return;
  const Shape shape = SizesOf(TakeUntil('\n', rest), kMostDims, 0, INT64_MAX);
  const auto sharding = ParseSharding(rest, shape, mesh.value());
  if (!sharding.ok()) return;
  const std::string text = ShardingText(sharding.value(), mesh.value());
  const auto again = ParseSharding(text, shape, mesh.value());
  CHECK(again.ok() && again.value() == sharding.value(), text.c_str());
}

}  // namespace
}  // namespace metadist

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  metadist::Check(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
