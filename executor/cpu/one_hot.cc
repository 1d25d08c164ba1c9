// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "executor/cpu/indices.h"
#include "executor/cpu/makers.h"

namespace metadist::cpu {
namespace {

struct Places {
  int64_t count = 0;  // elements of y
  int64_t indices = 0;
  int64_t depth = 0;
  int64_t inner = 1;
  bool wide = false;
};

template <typename T>
Prepared Bind(const Places& p) {
  return Accept("loop", [p](const KernelArgs& args) -> Result<void> {
    const Indices index{args.inputs[0], p.wide};
    T values[2];
    std::memcpy(values, args.inputs[2], sizeof(values));
    T* const y = reinterpret_cast<T*>(args.outputs[0]);
    std::fill_n(y, p.count, values[0]);
    for (int64_t i = 0; i < p.indices; ++i) {
      const int64_t at = index[i] < 0 ? index[i] + p.depth : index[i];
      if (at >= 0 && at < p.depth)
        y[(i / p.inner * p.depth + at) * p.inner + i % p.inner] = values[1];
    }
    return {};
  });
}

}  // namespace

Prepared OneHot(const KernelSite& site) {
  const Shape& shape = site.out().shape;
  const auto axis =
      NormalizeAxis(site.attributes().Int("axis", -1), static_cast<int64_t>(shape.size()));
  if (!axis.ok() || !IsIndex(site.element(0))) return Decline("no such axis or index type");
  Places places;
  places.count = NumElements(shape);
  places.indices = NumElements(site.shape(0));
  places.depth = shape[static_cast<size_t>(axis.value())];
  for (size_t d = static_cast<size_t>(axis.value()) + 1; d < shape.size(); ++d)
    places.inner *= shape[d];
  places.wide = site.element(0) == ElementType::kI64;
  switch (ByteSize(site.element(2))) {
    case 1:
      return Bind<uint8_t>(places);
    case 2:
      return Bind<uint16_t>(places);
    case 4:
      return Bind<uint32_t>(places);
    case 8:
      return Bind<uint64_t>(places);
    default:
      return Decline("no loop for this element type");
  }
}

}  // namespace metadist::cpu
