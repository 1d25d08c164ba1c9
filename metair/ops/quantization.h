// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/composer.h"
#include "metair/ops/op_def.h"

// Shared by operators that map floats to narrow types: integer = value / scale + zero point.
namespace metadist {

// A float of 8 or 4 bits that QuantizeLinear produces: neither f8e8m0 nor a half.
bool IsQuantisedFloat(ElementType element);

// i8 or u8.
bool IsByte(ElementType element);

// The range of an integer type.
struct IntegerLimits {
  double low = 0;
  double high = 0;
};
IntegerLimits LimitsOf(ElementType element);

// Rounds to the nearest integer, ties to even, adds the zero point, and clamps to the range of
// `element` (an integer type). NaN gives the zero point.
int64_t Quantize(double value, int64_t zero_point, ElementType element);

// The same as nodes. value: f64; zero_point: of an 8-bit integer type.
ValueId ComposeQuantize(Composer& compose, ValueId value, ValueId zero_point);

// Maps an element of the data to its element of the scale (and of the zero point): a single one,
// one for each index along an axis, or one for each block along it.
class ScaleMap {
 public:
  // Reads attributes axis (default 1) and block_size. Errors: kBadInput if the scale's shape does
  // not fit.
  static Result<ScaleMap> Make(const Attributes& attributes, const Shape& data, const Shape& scale);
  int64_t at(int64_t element) const;

 private:
  int64_t inner_ = 1;   // elements of data per index of the axis
  int64_t axis_ = 1;    // size of the axis; 1: one scale for all
  int64_t block_ = 0;   // 0: one scale for each index, whatever the other dims
  int64_t blocks_ = 1;  // along the axis
};

// Whether a call's zero point, if any, fits its scale: equal shapes, or one element each, which
// exporters write as [] and as [1].
bool ZeroPointFits(const OpCall& call, size_t scale, size_t zero_point);

// A quantised operand minus its zero point; zero_point: nullptr, or broadcastable to the operand.
Tensor LessZeroPoint(const Tensor& operand, const Tensor* zero_point);

// The same for convolutions: one zero point, or one for each index of the operand's first dim.
Tensor LessFilterZeroPoint(const Tensor& operand, const Tensor* zero_point);

// Checks that input `input` of a convolution, if present, has one element, or one for each of
// `filters`.
Result<void> CheckFilterParameter(const OpCall& call, size_t input, int64_t filters);

}  // namespace metadist
