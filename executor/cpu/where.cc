// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/item.h"
#include "executor/cpu/loop_nest.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/nest_range.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

template <typename T>
struct Row {
  const bool* condition;
  const T* a;
  const T* b;
  T* y;
  LoopNest::Offsets step;  // condition, a, b
  int64_t count;
};

// By masks, which vectorise; the compiler would turn a conditional into mispredicted branches.
template <typename T>
METADIST_INLINE T Choose(bool condition, T a, T b) {
  const T mask = static_cast<T>(T{0} - static_cast<T>(condition));
  return static_cast<T>(b ^ ((a ^ b) & mask));
}

template <typename T>
METADIST_INLINE void SelectRow(const Row<T>& row) {
  const auto [c, a, b, unused] = row.step;
  if (c == 0) {
    const T* const from = row.condition[0] ? row.a : row.b;
    const int64_t step = row.condition[0] ? a : b;
    for (int64_t i = 0; i < row.count; ++i) row.y[i] = from[i * step];
  } else if (c == 1 && a == 1 && b == 0) {
    const T other = row.b[0];
    for (int64_t i = 0; i < row.count; ++i) row.y[i] = Choose(row.condition[i], row.a[i], other);
  } else if (c == 1 && a == 0 && b == 1) {
    const T one = row.a[0];
    for (int64_t i = 0; i < row.count; ++i) row.y[i] = Choose(row.condition[i], one, row.b[i]);
  } else if (c == 1 && a == 1 && b == 1) {
    for (int64_t i = 0; i < row.count; ++i) row.y[i] = Choose(row.condition[i], row.a[i], row.b[i]);
  } else {
    for (int64_t i = 0; i < row.count; ++i)
      row.y[i] = Choose(row.condition[i * c], row.a[i * a], row.b[i * b]);
  }
}

template <typename T>
METADIST_INLINE void Select(Row<T> row, const LoopNest::Offsets& next, int64_t rows) {
  for (; rows > 0; --rows) {
    SelectRow(row);
    row.condition += next[0];
    row.a += next[1];
    row.b += next[2];
    row.y += next[3];
  }
}

METADIST_MULTIVERSION
void SelectWords(const Row<uint32_t>& row, const LoopNest::Offsets& next, int64_t rows) {
  Select(row, next, rows);
}

template <typename T>
Prepared Bind(const LoopNest& nest) {
  return Accept("loop", RangeOf<3>(nest, [](const KernelArgs& args, const NestRows& part) {
                  const auto& [at, step, count, next, rows] = part;
                  const Row<T> row{args.in<bool>(0) + at[0],
                                   args.in<T>(1) + at[1],
                                   args.in<T>(2) + at[2],
                                   args.out<T>() + at[3],
                                   step,
                                   count};
                  if constexpr (std::is_same_v<T, uint32_t>)
                    SelectWords(row, next, rows);
                  else
                    Select(row, next, rows);
                }));
}

}  // namespace

Prepared Where(const KernelSite& site) {
  const Shape& shape = site.out().shape;
  const auto nest = LoopNest::Make(shape,
                                   {StretchedStrides(site.shape(0), shape),
                                    StretchedStrides(site.shape(1), shape),
                                    StretchedStrides(site.shape(2), shape),
                                    Strides(shape)});
  if (!nest) return Decline("too many dims");
  return VisitItem(ByteSize(site.out().element),
                   [&](auto zero) { return Bind<decltype(zero)>(*nest); });
}

}  // namespace metadist::cpu
