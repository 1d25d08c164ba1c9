// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_def.h"

namespace metadist {

// What Cast, CastLike and QuantizeLinear do with numbers that a float of 8 or 4 bits cannot hold,
// before they are stored. Attribute saturate (default 1): what is too large for an 8-bit float
// becomes the largest number of its sign. Attribute round_mode (default "up"): which power of two
// an f8e8m0 becomes.
class Narrowing {
 public:
  // to: the type that numbers are stored in. Errors: kBadInput for an unknown round_mode.
  static Result<Narrowing> Make(ElementType to, const Attributes& attributes);

  double operator()(double value) const;
  // The elements of x as an array of `made`: the type that they are stored in, or its compute type.
  Tensor Of(const Tensor& x, ElementType made) const;

 private:
  enum class Power { kUp, kDown, kNearest };

  bool Changes() const { return largest_ > 0; }

  Power power_ = Power::kUp;
  bool to_power_ = false;  // of two
  bool saturate_ = true;
  double largest_ = 0;  // that the type holds; 0: numbers are left as they are
};

}  // namespace metadist
