// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/onnx_types.h"

#include <array>
#include <utility>

namespace metadist {
namespace {

constexpr std::array<std::pair<int64_t, ElementType>, 23> kNumbers = {{
    {1, ElementType::kF32},     {2, ElementType::kU8},          {3, ElementType::kI8},
    {4, ElementType::kU16},     {5, ElementType::kI16},         {6, ElementType::kI32},
    {7, ElementType::kI64},     {9, ElementType::kBool},        {10, ElementType::kF16},
    {11, ElementType::kF64},    {12, ElementType::kU32},        {13, ElementType::kU64},
    {16, ElementType::kBF16},   {17, ElementType::kF8E4M3FN},   {18, ElementType::kF8E4M3FNUZ},
    {19, ElementType::kF8E5M2}, {20, ElementType::kF8E5M2FNUZ}, {21, ElementType::kU4},
    {22, ElementType::kI4},     {23, ElementType::kF4E2M1},     {24, ElementType::kF8E8M0},
    {25, ElementType::kU2},     {26, ElementType::kI2},
}};

}  // namespace

std::optional<ElementType> ElementTypeOfOnnx(int64_t number) {
  for (const auto& [known, type] : kNumbers)
    if (known == number) return type;
  return std::nullopt;
}

int64_t OnnxNumberOf(ElementType type) {
  for (const auto& [number, known] : kNumbers)
    if (known == type) return number;
  CHECK(false, "element type without an ONNX number");
}

}  // namespace metadist
