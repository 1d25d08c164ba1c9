// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace metadist::cpu {
namespace {

using Side = StridedCopy::Side;

// Copies elements of `item` bytes one by one. Bytes that are not written keep their value.
std::vector<std::byte> CopyPlainly(const Shape& shape,
                                   int64_t item,
                                   const Side& from,
                                   const Side& to,
                                   const std::vector<std::byte>& source,
                                   std::vector<std::byte> target) {
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t n = NumElements(shape); n > 0; --n) {
    int64_t x = from.begin;
    int64_t y = to.begin;
    for (size_t d = 0; d < shape.size(); ++d) {
      x += index[d] * from.strides[d];
      y += index[d] * to.strides[d];
    }
    std::memcpy(&target[static_cast<size_t>(y * item)],
                &source[static_cast<size_t>(x * item)],
                static_cast<size_t>(item));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return target;
}

// Number of elements from the lowest to the highest address that the strides reach.
int64_t Extent(const Shape& shape, Side& side) {
  int64_t extent = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    extent += (shape[d] - 1) * std::abs(side.strides[d]);
    if (side.strides[d] < 0) side.begin -= (shape[d] - 1) * side.strides[d];
  }
  return extent + 3;  // and some beyond, which must not change
}

void ExpectSame(const Shape& shape, int64_t item, Side from, Side to) {
  std::vector<std::byte> source(static_cast<size_t>(Extent(shape, from) * item));
  const std::vector<std::byte> target(static_cast<size_t>(Extent(shape, to) * item),
                                      std::byte{0x5a});
  std::mt19937 random(static_cast<unsigned>(source.size()));
  for (std::byte& byte : source) byte = static_cast<std::byte>(random());
  const auto copy = StridedCopy::Make(shape, item, from, to);
  ASSERT_TRUE(copy.has_value());
  std::vector<std::byte> got = target;
  copy->Run(source.data(), got.data());
  EXPECT_TRUE(got == CopyPlainly(shape, item, from, to, source, target))
      << testing::PrintToString(shape) << " of " << item << " bytes, strides "
      << testing::PrintToString(from.strides) << " to " << testing::PrintToString(to.strides);
}

// The strides of a dense array whose dims are stored in order `order`, each padded by `pad`.
std::vector<int64_t> StridesIn(const Shape& shape, const std::vector<size_t>& order, int64_t pad) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0; step *= shape[order[i]] + pad) strides[order[i]] = step;
  return strides;
}

TEST(StridedCopy, MatricesAroundTheEdgesOfTiles) {
  for (const int64_t item : {1, 2, 4, 8})
    for (const int64_t rows : {1, 2, 15, 16, 33, 64, 257})
      for (const int64_t columns : {1, 3, 16, 31, 65, 300})
        for (const int64_t pad : {0, 3})
          ExpectSame({rows, columns},
                     item,
                     {StridesIn({rows, columns}, {0, 1}, pad)},
                     {StridesIn({rows, columns}, {1, 0}, pad)});
}

TEST(StridedCopy, AnyOrderOfDims) {
  std::mt19937 random(5);
  const auto draw = [&](std::vector<int64_t> from) { return from[random() % from.size()]; };
  for (int round = 0; round < 400; ++round) {
    const size_t rank = 1 + random() % 5;
    std::vector<size_t> source(rank);
    std::iota(source.begin(), source.end(), 0);
    std::vector<size_t> target = source;
    std::shuffle(source.begin(), source.end(), random);
    std::shuffle(target.begin(), target.end(), random);
    Shape shape;
    for (size_t d = 0; d < rank; ++d) shape.push_back(draw({1, 2, 3, 4, 8, 9, 17}));
    shape[random() % rank] = draw({20, 70});
    Side from{StridesIn(shape, source, draw({0, 0, 1}))};
    const Side to{StridesIn(shape, target, draw({0, 0, 1}))};
    for (int64_t& stride : from.strides) stride *= draw({1, 1, 1, 1, -1, 0, 2});
    ExpectSame(shape, draw({1, 2, 4, 8}), from, to);
  }
}

TEST(StridedCopy, ShortRowsAreTurnedAsItems) {
  for (const int64_t item : {1, 2, 4})
    for (const int64_t length : {2, 4, 8}) {
      const Shape shape = {37, 21, length};
      ExpectSame(shape, item, {StridesIn(shape, {0, 1, 2}, 0)}, {StridesIn(shape, {1, 0, 2}, 0)});
      ExpectSame(shape, item, {StridesIn(shape, {0, 1, 2}, 1)}, {StridesIn(shape, {1, 0, 2}, 1)});
    }
}

TEST(StridedCopy, NothingToCopy) {
  ExpectSame({0, 7}, 4, {{7, 1}}, {{1, 0}});
  ExpectSame({}, 4, {}, {});
}

}  // namespace
}  // namespace metadist::cpu
