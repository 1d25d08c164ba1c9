// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "metair/ir/tensor.h"
#include "metair/ops/op_def.h"

// What RoiAlign and its gradient share.
namespace metadist::ops {

// The type of y for x, regions and their images. Errors: kBadInput.
Result<TensorType> RoiAlignType(const OpCall& call);

// Samples along one side of a region.
struct RoiSide {
  double start = 0;
  double cell = 0;      // length of a cell
  int64_t samples = 0;  // per cell

  double at(int64_t i, int64_t sample) const {
    return start + static_cast<double>(i) * cell +
           (static_cast<double>(sample) + 0.5) * cell / static_cast<double>(samples);
  }
};

// The cell of a region that an element of y is computed from.
struct RoiCell {
  RoiSide down;
  RoiSide across;
  int64_t row = 0;
  int64_t column = 0;
  int64_t plane = 0;  // index in x of the first element of its plane

  int64_t samples() const { return down.samples * across.samples; }
};

// Of element `i` of y. in: x, regions, images. Errors: kBadInput for an image that x does not have,
// and for a region that is too large.
Result<RoiCell> RoiCellAt(const OpCall& call,
                          std::span<const Tensor> in,
                          const Shape& y,
                          int64_t i);

// A neighbour of a sample and its weight in it.
struct RoiCorner {
  int64_t offset = -1;  // in the plane; -1: a zero
  double weight = 0;

  double value(const double* plane) const { return offset < 0 ? 0 : weight * plane[offset]; }
};

// Of sample `sample` of a cell. x: the shape.
std::array<RoiCorner, 4> RoiCorners(const RoiCell& cell, const Shape& x, int64_t sample);

// The first corner of the largest value in a cell: beyond the edges of x, values are 0. NaN counts
// as largest. A zero if the cell has no samples. x: the tensor.
RoiCorner GreatestRoiCorner(const RoiCell& cell, const Tensor& x);

// Of RoiAlign, and of its gradient: four corners per sample, a multiply-add each. Without a
// sampling ratio the number of samples depends on the regions; two per side are assumed.
int64_t RoiAlignFlops(const Attributes& attributes, const Shape& y);

// Legal inputs and examples of RoiAlign.
std::vector<InputDomain> RoiAlignDomain(const OpCall& call);
std::vector<OpExample> RoiAlignExamples();

}  // namespace metadist::ops
