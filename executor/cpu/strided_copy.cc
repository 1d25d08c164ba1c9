// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "executor/cpu/item.h"

namespace metadist::cpu {
namespace {

// The innermost loop of a nest.
template <typename T>
void CopyLine(const LoopNest& nest, const T* from, T* to) {
  const int64_t count = nest.inner;
  const int64_t from_step = nest.inner_stride[0];
  const int64_t to_step = nest.inner_stride[1];
  if (from_step == 0 && to_step == 1) {
    std::fill_n(to, count, *from);
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
}

// Copies rows of a size known at compile time; otherwise each short row would cost a call.
template <size_t Bytes>
void CopyRows(const LoopNest& nest, int64_t item, const std::byte* from, std::byte* to) {
  nest.ForEachRow([=](const LoopNest::Offsets& at) {
    std::memcpy(to + at[1] * item, from + at[0] * item, Bytes);
  });
}

}  // namespace

std::optional<StridedCopy> StridedCopy::Make(const Shape& shape,
                                             int64_t item_bytes,
                                             const Side& from,
                                             const Side& to) {
  const auto nest = LoopNest::MakeInOrderOf(1, shape, {from.strides, to.strides});
  if (!nest) return std::nullopt;
  StridedCopy copy;
  copy.nest_ = *nest;
  copy.item_ = item_bytes;
  copy.from_begin_ = from.begin * item_bytes;
  copy.to_begin_ = to.begin * item_bytes;
  copy.TakeTransposition();
  return copy;
}

// Takes two loops out of the nest if they form a transpose. Short dense rows count as items.
void StridedCopy::TakeTransposition() {
  struct Dim {
    int64_t size, from, to;
  };
  std::vector<Dim> dims;
  for (size_t d = 0; d < nest_.depth; ++d)
    dims.push_back({nest_.size[d], nest_.stride[d][0], nest_.stride[d][1]});
  int64_t unit = 1;
  if (nest_.inner_stride[0] == 1 && nest_.inner_stride[1] == 1)
    unit = nest_.inner;
  else
    dims.push_back({nest_.inner, nest_.inner_stride[0], nest_.inner_stride[1]});
  const int64_t bytes = unit * item_;
  if (nest_.empty || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)) return;
  const auto is_row = [&](const Dim& dim) { return dim.to == unit && dim.from % unit == 0; };
  const auto is_column = [&](const Dim& dim) { return dim.from == unit && dim.to % unit == 0; };
  const auto row = std::find_if(dims.begin(), dims.end(), is_row);
  const auto column = std::find_if(dims.begin(), dims.end(), is_column);
  if (row == dims.end() || column == dims.end() || row == column || row->from == 0) return;
  transposed_ = TransposedCopy{bytes, column->size, row->size, row->from / unit, column->to / unit};
  LoopNest rest;
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    if (dim == row || dim == column) continue;
    rest.size[rest.depth] = dim->size;
    rest.stride[rest.depth] = {dim->from, dim->to};
    ++rest.depth;
  }
  nest_ = rest;
}

void StridedCopy::RunTransposed(const std::byte* from, std::byte* to) const {
  const int64_t strip = transposed_->strip();
  for (int64_t begin = 0; begin < transposed_->columns; begin += strip) {
    const int64_t end = std::min(begin + strip, transposed_->columns);
    nest_.ForEachRow([&](const LoopNest::Offsets& at) {
      transposed_->Run(from + at[0] * item_, to + at[1] * item_, begin, end);
    });
  }
}

void StridedCopy::Run(const std::byte* from, std::byte* to) const {
  from += from_begin_;
  to += to_begin_;
  if (transposed_) return RunTransposed(from, to);
  const bool dense = nest_.inner == 1 || (nest_.inner_stride[0] == 1 && nest_.inner_stride[1] == 1);
  if (dense) {
    switch (nest_.inner * item_) {
      case 4:
        return CopyRows<4>(nest_, item_, from, to);
      case 8:
        return CopyRows<8>(nest_, item_, from, to);
      case 16:
        return CopyRows<16>(nest_, item_, from, to);
      case 32:
        return CopyRows<32>(nest_, item_, from, to);
      case 64:
        return CopyRows<64>(nest_, item_, from, to);
      default:
        break;
    }
  }
  nest_.ForEachRow([&](const LoopNest::Offsets& at) {
    const std::byte* const line_from = from + at[0] * item_;
    std::byte* const line_to = to + at[1] * item_;
    if (dense)
      std::memcpy(line_to, line_from, static_cast<size_t>(nest_.inner * item_));
    else
      VisitItem(item_, [&](auto zero) {
        using T = decltype(zero);
        CopyLine(nest_, reinterpret_cast<const T*>(line_from), reinterpret_cast<T*>(line_to));
      });
  });
}

}  // namespace metadist::cpu
