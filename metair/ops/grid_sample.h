// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

// What GridSample and its gradient share.
namespace metadist::ops {

enum class GridMode : uint8_t { kNearest, kLinear, kCubic };
enum class BeyondGrid : uint8_t { kZeros, kBorder, kReflection };

struct GridSampling {
  GridMode mode = GridMode::kLinear;
  BeyondGrid beyond = BeyondGrid::kZeros;
  bool align_corners = false;
};

// The names of modes differ between operator sets. Errors: kBadInput.
Result<GridSampling> GridSamplingOf(const Attributes& attributes);

// The type of y for x and a grid. Errors: kBadInput.
Result<TensorType> GridSampleType(const OpCall& call);

// The elements that contribute to a point along one dim.
struct GridTaps {
  int64_t count = 0;
  int64_t index[4] = {};  // -1: a zero
  double weight[4] = {};
  double slope[4] = {};  // of the weight over the coordinate in the grid
};

// Of a point of the grid, by spatial dim of x. point: its coordinates, the last dim first.
std::vector<GridTaps> GridTapsAt(const GridSampling& sampling,
                                 const double* point,
                                 const Shape& spatial);

// Examples of calls of GridSample.
std::vector<OpExample> GridSampleExamples();

}  // namespace metadist::ops
