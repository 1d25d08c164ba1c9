// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metair/ops/op_def.h"
#include "metair/ops/window.h"

// What DeformConv and its gradient share.
namespace metadist::ops {

// The gradient has that of y in place of the bias.
enum DeformConvInput : size_t {
  kDeformX,
  kDeformWeight,
  kDeformOffset,
  kDeformBias,
  kDeformDy = kDeformBias,
  kDeformMask
};

// The shape of y for x, a weight, offsets and an optional mask. Errors: kBadInput.
Result<Shape> DeformConvShape(const OpCall& call);

// The window described by the attributes and the weight. Shapes must have been checked.
Result<Window> DeformConvWindow(const OpCall& call);

// A tap at one position of the window, in one image, for the channels of one offset group.
struct DeformPlace {
  int64_t image = 0;
  int64_t position = 0;
  int64_t tap = 0;
  int64_t group = 0;
};

// A bilinear sample of a plane of x.
struct DeformSample {
  int64_t row_offset = 0;     // where the offsets hold the displacement in rows
  int64_t column_offset = 0;  // and in columns
  int64_t mask = 0;           // where the mask holds the factor of the sample
  double factor = 1;
  int64_t index[4] = {};  // elements of the plane; -1: a zero
  double weight[4] = {};
  double row_slope[4] = {};  // of the weight over the row
  double column_slope[4] = {};

  // The sum of the elements times `factors`.
  double Sum(const double* plane, const double (&factors)[4]) const {
    double sum = 0;
    for (int i = 0; i < 4; ++i)
      if (index[i] >= 0) sum += factors[i] * plane[index[i]];
    return sum;
  }
};

// Where a tap samples x, given the inputs of a call.
DeformSample DeformSampleAt(const OpCall& call,
                            const Window& window,
                            std::span<const Tensor> in,
                            const DeformPlace& place);

// Examples of calls of DeformConv.
std::vector<OpExample> DeformConvExamples();

}  // namespace metadist::ops
