// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_def.h"

namespace metadist {

// How Cast, CastLike and QuantizeLinear treat numbers that a float of 8 or 4 bits cannot represent,
// before they are stored. Attribute saturate (default 1): a number too large for an 8-bit float
// becomes the largest number of its sign. Attribute round_mode (default "up"): the power of two to
// which an f8e8m0 is rounded.
class Narrowing {
 public:
  // to: the type in which numbers are stored. Errors: kBadInput for an unknown round_mode.
  static Result<Narrowing> Make(ElementType to, const Attributes& attributes);

  double operator()(double value) const;
  // The elements of x, narrowed, as an array of `made`: the type in which they are stored, or its
  // compute type.
  Tensor Of(const Tensor& x, ElementType made) const;

 private:
  enum class Power { kUp, kDown, kNearest };

  bool Changes() const { return largest_ > 0; }

  Power power_ = Power::kUp;
  bool to_power_ = false;  // round to a power of two
  bool saturate_ = true;
  double largest_ = 0;  // largest number of the type; 0: numbers are not changed
};

}  // namespace metadist
