// SPDX-License-Identifier: Apache-2.0
// Any four lines - mesh, sizes, source sharding, target sharding - give a redistribution or an
// error. Shardings over parts of axes can be written and read back in both orders, and a route
// found point to point ends in the target sharding.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/check.h"
#include "planner/redistribute/baselines/algorithms.h"
#include "planner/redistribute/prime_mesh.h"
#include "tests/fuzz/lines.h"

namespace metadist {
namespace {

constexpr int64_t kMostRanks = 64;
constexpr size_t kMostDims = 4;
constexpr int64_t kMostSize = 1000;

void CheckText(const Sharding& sharding, const Shape& shape, const PrimeMesh& mesh) {
  for (AxisOrder order : {AxisOrder::kMajorFirst, AxisOrder::kMinorFirst}) {
    const std::string text = TextOn(sharding, mesh, order);
    const auto again = ParseOn(text, shape, mesh, order);
    CHECK(again.ok() && Normalize(again.value(), mesh.fine) == Normalize(sharding, mesh.fine),
          text.c_str());
  }
}

void Check(std::string_view rest) {
  const auto mesh = ParseMesh(TakeUntil('\n', rest));
  if (!mesh.ok() || mesh.value().ranks() > kMostRanks) return;
  RouteRequest request;
  request.type = {ElementType::kI32, SizesOf(TakeUntil('\n', rest), kMostDims, 1, kMostSize)};
  const std::string from(TakeUntil('\n', rest));
  const std::string to(TakeUntil('\n', rest));
  const auto split = SplitMesh(mesh.value(), {from, to});
  if (!split.ok()) return;
  const auto source = ParseOn(from, request.type.shape, split.value());
  const auto target = ParseOn(to, request.type.shape, split.value());
  if (source.ok()) CheckText(source.value(), request.type.shape, split.value());
  if (!source.ok() || !target.ok()) return;
  request.mesh = &split.value();
  request.from = source.value();
  request.to = target.value();
  request.algo = "p2p";
  for (Uneven uneven : {Uneven::kP2p, Uneven::kPadded}) {
    request.uneven = uneven;
    const auto route = PlanRoute(request);
    if (!route.ok() || route.value().steps.empty()) continue;
    CHECK(route.value().steps.back().step.to == route.value().to, "a route ends elsewhere");
  }
}

}  // namespace
}  // namespace metadist

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  metadist::Check(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
