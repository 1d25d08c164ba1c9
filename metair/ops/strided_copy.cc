// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/strided_copy.h"

#include <cstring>

#include "metair/ops/broadcast.h"

namespace metadist {
namespace {

template <typename T>
void CopyElements(const Shape& shape,
                  const Tensor& from,
                  const StridedView& from_view,
                  Tensor& to,
                  const StridedView& to_view) {
  const T* x = reinterpret_cast<const T*>(from.bytes());
  T* y = reinterpret_cast<T*>(to.mutable_bytes());
  ForEachIndex(
      shape, {from_view.strides, to_view.strides}, [&](int64_t, const std::vector<int64_t>& at) {
        y[to_view.offset + at[1]] = x[from_view.offset + at[0]];
      });
}

}  // namespace

void CopyStrided(const Shape& shape,
                 const Tensor& from,
                 const StridedView& from_view,
                 Tensor& to,
                 const StridedView& to_view) {
  CHECK(ByteSize(from.element()) == ByteSize(to.element()), "element sizes differ");
  switch (ByteSize(from.element())) {
    case 1:
      return CopyElements<uint8_t>(shape, from, from_view, to, to_view);
    case 2:
      return CopyElements<uint16_t>(shape, from, from_view, to, to_view);
    case 4:
      return CopyElements<uint32_t>(shape, from, from_view, to, to_view);
    case 8:
      return CopyElements<uint64_t>(shape, from, from_view, to, to_view);
  }
  CHECK(false, "unknown element size");
}

void GatherStrided(const Tensor& from, const StridedView& from_view, Tensor& to) {
  CopyStrided(to.shape(), from, from_view, to, {0, Strides(to.shape())});
}

void CopyBytes(const Tensor& from, Tensor& to) {
  CHECK(from.type().bytes() == to.type().bytes(), "byte counts differ");
  if (from.type().bytes() > 0)
    std::memcpy(to.mutable_bytes(), from.bytes(), static_cast<size_t>(from.type().bytes()));
}

}  // namespace metadist
