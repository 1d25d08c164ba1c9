// SPDX-License-Identifier: Apache-2.0
// Operators that pick elements by index. As in the reference kernels, an index out of range is an
// error.
#include <cstring>

#include "executor/cpu/indices.h"
#include "executor/cpu/item.h"
#include "executor/cpu/makers.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {

Prepared Gather(const KernelSite& site) {
  const auto axis = site.Axis(0);
  if (!axis.ok() || !IsIndex(site.element(1))) return Decline("no such axis or index type");
  const AxisSplit split = SplitAround(site.shape(0), axis.value());
  const int64_t inner = split.inner * ByteSize(site.element(0));
  const int64_t count = NumElements(site.shape(1));
  const bool wide = site.element(1) == ElementType::kI64;
  return Accept("copy", [=](const KernelArgs& args) -> Result<void> {
    const Indices index{args.inputs[1], wide};
    std::byte* to = args.outputs[0];
    for (int64_t o = 0; o < split.outer; ++o)
      for (int64_t i = 0; i < count; ++i, to += inner) {
        const int64_t at = index.Place(i, split.size);
        if (at < 0) return OutOfRange(index[i], split.size);
        std::memcpy(to, args.inputs[0] + (o * split.size + at) * inner, static_cast<size_t>(inner));
      }
    return {};
  });
}

// y[i...] = x[i... with the index along the axis].
Prepared GatherElements(const KernelSite& site) {
  const auto axis = site.Axis(0);
  if (!axis.ok() || !IsIndex(site.element(1))) return Decline("no such axis or index type");
  const auto along = AxisIndices::Make(site, axis.value());
  if (!along) return Decline("too many dims");
  return VisitItem(ByteSize(site.element(0)), [&](auto zero) {
    using T = decltype(zero);
    return Accept("copy", [along = *along](const KernelArgs& args) {
      const T* const x = args.in<T>(0);
      T* const y = args.out<T>();
      return along.ForEach(args, [=](int64_t i, int64_t place) { y[i] = x[place]; });
    });
  });
}

Prepared GatherND(const KernelSite& site) {
  const Shape& data = site.shape(0);
  const Shape& shape = site.shape(1);
  if (shape.empty() || !IsIndex(site.element(1))) return Decline("no index type");
  const size_t batch = static_cast<size_t>(site.attributes().Int("batch_dims", 0));
  const size_t depth = static_cast<size_t>(shape.back());
  if (batch + depth > data.size() || depth > 8) return Decline("too many indices");
  const int64_t groups = NumElements({data.begin(), data.begin() + static_cast<int64_t>(batch)});
  const int64_t tuples =
      groups == 0 || depth == 0 ? 0 : NumElements(shape) / static_cast<int64_t>(depth) / groups;
  const Shape sizes(data.begin() + static_cast<int64_t>(batch),
                    data.begin() + static_cast<int64_t>(batch + depth));
  const int64_t inner =
      NumElements({data.begin() + static_cast<int64_t>(batch + depth), data.end()}) *
      ByteSize(site.element(0));
  const bool wide = site.element(1) == ElementType::kI64;
  return Accept("copy", [=](const KernelArgs& args) -> Result<void> {
    const Indices index{args.inputs[1], wide};
    const int64_t block = NumElements(sizes) * inner;
    std::byte* to = args.outputs[0];
    int64_t next = 0;
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t t = 0; t < tuples; ++t, to += inner) {
        int64_t row = 0;
        for (size_t d = 0; d < depth; ++d, ++next) {
          const int64_t at = index.Place(next, sizes[d]);
          if (at < 0) return OutOfRange(index[next], sizes[d]);
          row = row * sizes[d] + at;
        }
        std::memcpy(to, args.inputs[0] + g * block + row * inner, static_cast<size_t>(inner));
      }
    return {};
  });
}

}  // namespace metadist::cpu
