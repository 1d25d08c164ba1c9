// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/result.h"
#include "metair/ir/shape.h"

// Scales and zero points of the operands of a matrix product: one for a whole operand, or one for
// each row of the left (each column of the right) matrix, as a vector or with a 1 in the other dim.
namespace metadist {

// The shape in which a parameter broadcasts to the left operand of that shape. Errors: kBadInput
// for any other shape of the parameter.
Result<Shape> RowsShape(const Shape& operand, const Shape& parameter);
// The same for the right operand.
Result<Shape> ColumnsShape(const Shape& operand, const Shape& parameter);

}  // namespace metadist
