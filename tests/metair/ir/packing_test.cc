// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/packing.h"

#include <gtest/gtest.h>

#include <vector>

namespace metadist {
namespace {

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Packing, BytesAreRoundedUpAndOtherTypesAreAsTheyAre) {
  EXPECT_EQ(PackedBytes({ElementType::kI4, {}}), 1);
  EXPECT_EQ(PackedBytes({ElementType::kU4, {4, 0}}), 0);
  EXPECT_EQ(PackedBytes({ElementType::kF4E2M1, {3, 3}}), 5);
  EXPECT_EQ(PackedBytes({ElementType::kU2, {3, 3}}), 3);
  EXPECT_EQ(PackedBytes({ElementType::kI2, {2, 4}}), 2);
  EXPECT_EQ(PackedBytes({ElementType::kBool, {9}}), 9);
  EXPECT_EQ(PackedBytes({ElementType::kF8E8M0, {9}}), 9);
  EXPECT_EQ(PackedBytes({ElementType::kF64, {9}}), 72);
}

TEST(Packing, TheFirstElementLiesInTheLowBits) {
  std::vector<std::byte> packed(2);
  Pack({ElementType::kI4, {3}}, Bytes({0x1, 0xf, 0x8}).data(), packed.data());
  EXPECT_EQ(packed, Bytes({0xf1, 0x08}));
  Pack({ElementType::kU2, {5}}, Bytes({1, 2, 3, 0, 3}).data(), packed.data());
  EXPECT_EQ(packed, Bytes({0b00111001, 0b11}));
}

TEST(Packing, EveryByteIsUnpackedAsItWasPacked) {
  for (ElementType element : {ElementType::kI4,
                              ElementType::kU4,
                              ElementType::kF4E2M1,
                              ElementType::kI2,
                              ElementType::kU2})
    for (int64_t count = 0; count < 40; ++count) {
      const TensorType type{element, {count}};
      std::vector<std::byte> elements;
      for (int64_t i = 0; i < count; ++i)
        elements.push_back(static_cast<std::byte>(i * 7 % (1 << BitSize(element))));
      std::vector<std::byte> packed(static_cast<size_t>(PackedBytes(type)), std::byte{0xff});
      std::vector<std::byte> again(elements.size());
      Pack(type, elements.data(), packed.data());
      Unpack(type, packed.data(), again.data());
      EXPECT_EQ(again, elements) << Name(element) << ' ' << count;
    }
}

}  // namespace
}  // namespace metadist
