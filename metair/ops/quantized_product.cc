// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/quantized_product.h"

#include "metair/ops/call_check.h"

namespace metadist {
namespace {

// other: the dim along which the parameter is constant.
Result<Shape> ParameterShape(const Shape& operand, const Shape& parameter, size_t other) {
  if (parameter.empty() || parameter == Shape{1}) return Shape{};
  if (operand.size() > 1) {
    Shape expected = operand;
    expected[other] = 1;
    if (parameter == expected) return expected;
    const size_t along = other + 1 == operand.size() ? operand.size() - 2 : operand.size() - 1;
    if (parameter == Shape{operand[along]})
      return along < other ? Shape{operand[along], 1} : Shape{operand[along]};
  }
  return BadCall("a scale or zero point of {} does not fit an operand of {}",
                 ShapeText(parameter),
                 ShapeText(operand));
}

}  // namespace

Result<Shape> RowsShape(const Shape& operand, const Shape& parameter) {
  return ParameterShape(operand, parameter, operand.size() - 1);
}

Result<Shape> ColumnsShape(const Shape& operand, const Shape& parameter) {
  return ParameterShape(operand, parameter, operand.size() - 2);
}

}  // namespace metadist
