// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "metair/ir/check.h"
#include "metair/ir/half.h"
#include "metair/ir/small_types.h"

namespace metadist {

enum class ElementType : uint8_t {
#define ELEMENT_TYPE(enumerator, name, type, element_class) enumerator,
#include "metair/ir/element_type.def"
#undef ELEMENT_TYPE
};

inline constexpr int kNumElementTypes = 0
#define ELEMENT_TYPE(enumerator, name, type, element_class) +1
#include "metair/ir/element_type.def"
#undef ELEMENT_TYPE
    ;

// The arithmetic class of an element. Reference kernels exist once per class (f64, i64, bool).
enum class ElementClass : uint8_t { kFloat, kInt, kBool };

// Bytes of an element in memory; one byte for types of fewer than 8 bits.
int64_t ByteSize(ElementType type);
// Significant bits of an element; for packed types 4 or 2.
int BitSize(ElementType type);
ElementClass ClassOf(ElementType type);
bool IsUnsigned(ElementType type);  // u2 to u64
// f16 or bf16.
constexpr bool IsHalf(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBF16;
}
// Whether the type is a float, or an integer of at most 8 bits, which represents a quantised float;
// larger integers are indices, counts and sizes.
bool IsQuantity(ElementType type);
// A float with fewer bits than f32.
bool IsNarrowFloat(ElementType type);
// The widest type of the class: f64, i64 or bool. Reference kernels compute in it.
ElementType ComputeType(ElementType type);
// "f32", "i64", "bool", ...
std::string_view Name(ElementType type);
std::optional<ElementType> ParseElementType(std::string_view name);

// The ElementType stored as T.
template <typename T>
constexpr ElementType ElementTypeOf() {
#define ELEMENT_TYPE(enumerator, name, type, element_class) \
  if constexpr (std::is_same_v<T, type>) return ElementType::enumerator;
#include "metair/ir/element_type.def"
#undef ELEMENT_TYPE
}

// Calls visitor(T()) with the storage type of `type`.
template <typename Visitor>
auto VisitElementType(ElementType type, Visitor&& visitor) {
  switch (type) {
#define ELEMENT_TYPE(enumerator, name, storage, element_class) \
  case ElementType::enumerator:                                \
    return visitor(storage());
#include "metair/ir/element_type.def"
#undef ELEMENT_TYPE
  }
  CHECK(false, "unknown element type");
}

}  // namespace metadist
