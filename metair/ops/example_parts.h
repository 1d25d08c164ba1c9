// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "metair/ops/op_def.h"

// Short ways to write the parts of an OpExample. Operators use them without qualification.
namespace metadist {
inline namespace example {

// A list of integers in an attribute.
using List = std::vector<int64_t>;

inline OpExample::Input Of(ElementType element, Shape shape) {
  return {.type = {element, std::move(shape)}};
}
inline OpExample::Input F32(Shape shape) { return {.type = {ElementType::kF32, std::move(shape)}}; }
inline OpExample::Input I64(Shape shape) { return {.type = {ElementType::kI64, std::move(shape)}}; }
inline OpExample::Input I8(Shape shape) { return {.type = {ElementType::kI8, std::move(shape)}}; }
inline OpExample::Input U8(Shape shape) { return {.type = {ElementType::kU8, std::move(shape)}}; }
inline OpExample::Input Bool(Shape shape) {
  return {.type = {ElementType::kBool, std::move(shape)}};
}
// An omitted optional input.
inline OpExample::Input Absent() { return {.present = false}; }
// A constant list of integers.
inline OpExample::Input Ints(const std::vector<int64_t>& values) {
  return {.type = {ElementType::kI64, {static_cast<int64_t>(values.size())}}, .constant = values};
}
// A constant integer.
inline OpExample::Input Int(int64_t value) {
  return {.type = {ElementType::kI64, {}}, .constant = {value}};
}

}  // namespace example
}  // namespace metadist
