// SPDX-License-Identifier: Apache-2.0
// Operators that pick elements by index. As in the reference kernels, an index out of range is an
// error.
#include <fmt/format.h>

#include <cstring>

#include "executor/cpu/indices.h"
#include "executor/cpu/loop_nest.h"
#include "executor/cpu/makers.h"

namespace metadist::cpu {
Error OutOfRange(int64_t index, int64_t size) {
  return BadInput("", fmt::format("index must be in [{}, {}], got {}", -size, size - 1, index));
}

namespace {

// y[i...] = x[i... with the index along `axis`].
template <typename T>
Prepared PickElements(const KernelSite& site, size_t axis) {
  const Shape& shape = site.shape(1);
  std::vector<int64_t> strides = Strides(site.shape(0));
  const int64_t step = strides[axis];
  const int64_t size = site.shape(0)[axis];
  strides[axis] = 0;
  const auto nest = LoopNest::Make(shape, {strides, Strides(shape)});
  if (!nest) return Decline("too many dims");
  const bool wide = site.element(1) == ElementType::kI64;
  return Accept("copy", [=, nest = *nest](const KernelArgs& args) -> Result<void> {
    const Indices index{args.inputs[1], wide};
    const T* const x = reinterpret_cast<const T*>(args.inputs[0]);
    T* const y = reinterpret_cast<T*>(args.outputs[0]);
    Result<void> done;
    nest.ForEachRow([&](const LoopNest::Offsets& at) {
      for (int64_t i = 0; i < nest.inner; ++i) {
        const int64_t to = at[1] + i * nest.inner_stride[1];
        const int64_t given = index[to];
        const int64_t place = given < 0 ? given + size : given;
        if (place >= 0 && place < size)
          y[to] = x[at[0] + i * nest.inner_stride[0] + place * step];
        else if (done.ok())
          done = OutOfRange(given, size);
      }
    });
    return done;
  });
}

}  // namespace

Prepared Gather(const KernelSite& site) {
  const Shape& shape = site.shape(0);
  auto axis = NormalizeAxis(site.attributes().Int("axis", 0), static_cast<int64_t>(shape.size()));
  if (!axis.ok() || !IsIndex(site.element(1))) return Decline("no such axis or index type");
  int64_t outer = 1;
  int64_t inner = ByteSize(site.element(0));
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (d < axis.value()) outer *= shape[static_cast<size_t>(d)];
    if (d > axis.value()) inner *= shape[static_cast<size_t>(d)];
  }
  const int64_t size = shape[static_cast<size_t>(axis.value())];
  const int64_t count = NumElements(site.shape(1));
  const bool wide = site.element(1) == ElementType::kI64;
  return Accept("copy", [=](const KernelArgs& args) -> Result<void> {
    const Indices index{args.inputs[1], wide};
    std::byte* to = args.outputs[0];
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < count; ++i, to += inner) {
        const int64_t at = index[i] < 0 ? index[i] + size : index[i];
        if (at < 0 || at >= size) return OutOfRange(index[i], size);
        std::memcpy(to, args.inputs[0] + (o * size + at) * inner, static_cast<size_t>(inner));
      }
    return {};
  });
}

Prepared GatherElements(const KernelSite& site) {
  const Shape& data = site.shape(0);
  auto axis = NormalizeAxis(site.attributes().Int("axis", 0), static_cast<int64_t>(data.size()));
  if (!axis.ok() || !IsIndex(site.element(1))) return Decline("no such axis or index type");
  switch (ByteSize(site.element(0))) {
    case 1:
      return PickElements<uint8_t>(site, static_cast<size_t>(axis.value()));
    case 2:
      return PickElements<uint16_t>(site, static_cast<size_t>(axis.value()));
    case 4:
      return PickElements<uint32_t>(site, static_cast<size_t>(axis.value()));
    case 8:
      return PickElements<uint64_t>(site, static_cast<size_t>(axis.value()));
    default:
      return Decline("no loop for this element type");
  }
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
        for (size_t d = 0; d < depth; ++d) {
          const int64_t given = index[next++];
          const int64_t at = given < 0 ? given + sizes[d] : given;
          if (at < 0 || at >= sizes[d]) return OutOfRange(given, sizes[d]);
          row = row * sizes[d] + at;
        }
        std::memcpy(to, args.inputs[0] + g * block + row * inner, static_cast<size_t>(inner));
      }
    return {};
  });
}

}  // namespace metadist::cpu
