// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <vector>

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
  if (shape.empty()) {
    y[to_view.offset] = x[from_view.offset];
    return;
  }
  const auto outer = [](const std::vector<int64_t>& of) {
    return std::vector<int64_t>(of.begin(), of.end() - 1);
  };
  const int64_t row = shape.back();
  const int64_t from_step = from_view.strides.back();
  const int64_t to_step = to_view.strides.back();
  const auto copy_row = [&](int64_t, const auto& at) {
    const T* p = x + (from_view.offset + at[0]);
    T* q = y + (to_view.offset + at[1]);
    if (from_step == 1 && to_step == 1)
      std::copy_n(p, row, q);
    else
      for (int64_t i = 0; i < row; ++i) q[i * to_step] = p[i * from_step];
  };
  if (row > 0)
    ForEachIndex(outer(shape), {outer(from_view.strides), outer(to_view.strides)}, copy_row);
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
    default:
      CHECK(false, "unknown element size");
  }
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
