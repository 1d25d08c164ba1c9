// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/element_type.h"

#include <array>

namespace metadist {
namespace {

struct Row {
  std::string_view name;
  int64_t bytes;
  ElementClass element_class;
};

constexpr std::array kRows = {
#define ELEMENT_TYPE(enumerator, name, type, element_class) \
  Row{name, sizeof(type), ElementClass::element_class},
#include "metair/ir/element_type.def"
#undef ELEMENT_TYPE
};

const Row& RowOf(ElementType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

int64_t ByteSize(ElementType type) { return RowOf(type).bytes; }

ElementClass ClassOf(ElementType type) { return RowOf(type).element_class; }

bool IsUnsigned(ElementType type) {
  return VisitElementType(type, [](auto zero) {
    using T = decltype(zero);
    if constexpr (kIsSmallInt<T>)
      return T::kLow == 0;
    else
      return std::is_integral_v<T> && std::is_unsigned_v<T> && !std::is_same_v<T, bool>;
  });
}

int BitSize(ElementType type) {
  return VisitElementType(type, [](auto zero) {
    using T = decltype(zero);
    if constexpr (kIsSmallInt<T>)
      return T::kBitSize;
    else
      return std::is_same_v<T, Float4E2M1> ? 4 : 8 * static_cast<int>(sizeof(T));
  });
}

bool IsQuantity(ElementType type) {
  const ElementClass kind = ClassOf(type);
  return kind == ElementClass::kFloat || (kind == ElementClass::kInt && BitSize(type) <= 8);
}

bool IsNarrowFloat(ElementType type) {
  return ClassOf(type) == ElementClass::kFloat && ByteSize(type) < 4;
}

ElementType ComputeType(ElementType type) {
  switch (ClassOf(type)) {
    case ElementClass::kFloat:
      return ElementType::kF64;
    case ElementClass::kInt:
      return ElementType::kI64;
    case ElementClass::kBool:
      return ElementType::kBool;
  }
  CHECK(false, "unknown element class");
}

std::string_view Name(ElementType type) { return RowOf(type).name; }

std::optional<ElementType> ParseElementType(std::string_view name) {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].name == name) return static_cast<ElementType>(i);
  return std::nullopt;
}

}  // namespace metadist
