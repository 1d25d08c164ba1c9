// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "executor/cpu/kernel.h"
#include "executor/cpu/loop_nest.h"

namespace metadist::cpu {

// An array of i32 or i64, read as indices.
struct Indices {
  const std::byte* bytes;
  bool wide;  // i64
  int64_t operator[](int64_t i) const {
    return wide ? reinterpret_cast<const int64_t*>(bytes)[i]
                : reinterpret_cast<const int32_t*>(bytes)[i];
  }
  // Index i in a dim of `size`, counted from the end if negative; -1 if it is outside.
  int64_t Place(int64_t i, int64_t size) const {
    const int64_t given = (*this)[i];
    const int64_t place = given < 0 ? given + size : given;
    return place >= 0 && place < size ? place : -1;
  }
};

inline bool IsIndex(ElementType type) {
  return type == ElementType::kI32 || type == ElementType::kI64;
}

// The reference kernels' error for an index outside [-size, size).
Error OutOfRange(int64_t index, int64_t size);

// The indices of a call (input 1) along one axis of its data (input 0): one for each element of
// their shape, at whose coordinates along the other axes the data is addressed.
struct AxisIndices {
  LoopNest nest;  // of the data at index 0, and of the indices
  int64_t step;   // along the axis
  int64_t size;   // of the axis
  bool wide;

  // nullopt: too many dims.
  static std::optional<AxisIndices> Make(const KernelSite& site, int64_t axis);

  // Calls visit(i, element of the data) for every index i; the first one out of range is an error,
  // after all others have been visited.
  template <typename Visitor>
  Result<void> ForEach(const KernelArgs& args, Visitor&& visit) const {
    const Indices index{args.inputs[1], wide};
    Result<void> done;
    nest.ForEachRow([&](const LoopNest::Offsets& at) {
      for (int64_t row = 0; row < nest.inner; ++row) {
        const int64_t i = at[1] + row * nest.inner_stride[1];
        const int64_t place = index.Place(i, size);
        if (place >= 0)
          visit(i, at[0] + row * nest.inner_stride[0] + place * step);
        else if (done.ok())
          done = OutOfRange(index[i], size);
      }
    });
    return done;
  }
};

}  // namespace metadist::cpu
