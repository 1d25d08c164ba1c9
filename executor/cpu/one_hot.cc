// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "executor/cpu/indices.h"
#include "executor/cpu/item.h"
#include "executor/cpu/makers.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

struct Places : AxisSplit {  // of y
  int64_t indices = 0;
  bool wide = false;
};

template <typename T>
Prepared Bind(const Places& p) {
  return Accept("loop", [p](const KernelArgs& args) {
    const Indices index{args.inputs[0], p.wide};
    T values[2];
    std::memcpy(values, args.inputs[2], sizeof(values));
    T* const y = args.out<T>();
    std::fill_n(y, p.outer * p.size * p.inner, values[0]);
    for (int64_t i = 0; i < p.indices; ++i) {
      const int64_t at = index.Place(i, p.size);
      if (at >= 0) y[(i / p.inner * p.size + at) * p.inner + i % p.inner] = values[1];
    }
  });
}

}  // namespace

Prepared OneHot(const KernelSite& site) {
  const Shape& shape = site.out().shape;
  const auto axis =
      NormalizeAxis(site.attributes().Int("axis", -1), static_cast<int64_t>(shape.size()));
  if (!axis.ok() || !IsIndex(site.element(0))) return Decline("no such axis or index type");
  const Places places{SplitAround(shape, axis.value()),
                      NumElements(site.shape(0)),
                      site.element(0) == ElementType::kI64};
  return VisitItem(ByteSize(site.element(2)),
                   [&](auto zero) { return Bind<decltype(zero)>(places); });
}

}  // namespace metadist::cpu
