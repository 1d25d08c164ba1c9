// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/spmd/collective.h"
#include "metair/spmd/mesh.h"
#include "planner/redistribute/axis_list.h"
#include "planner/redistribute/step_price.h"

namespace metadist {

// What route planners minimise; never negative. before, after: elements of the array on rank 0.
class MoveCosts {
 public:
  virtual ~MoveCosts() = default;
  virtual double Of(CollectiveKind kind, const AxisList& axes, int64_t before, int64_t after) = 0;
  // Cost of a permutation of blocks of `elements` elements.
  virtual double Permute(int64_t elements) = 0;
  // A lower bound of the cost of any route from `before` elements to `after`.
  virtual double AtLeast(int64_t before, int64_t after) { return 0; }
};

// Elements that a rank receives, times the number of ranks, so that costs are integers if pieces
// are even.
class ElementCosts : public MoveCosts {
 public:
  explicit ElementCosts(const Mesh& mesh)
      : mesh_(mesh), scale_(static_cast<double>(mesh.ranks())) {}
  double Of(CollectiveKind kind, const AxisList& axes, int64_t before, int64_t after) override;
  double Permute(int64_t elements) override { return scale_ * static_cast<double>(elements); }
  double AtLeast(int64_t before, int64_t after) override {
    return after > before ? scale_ * static_cast<double>(after - before) : 0;
  }
  // Elements received at that cost.
  double Elements(double cost) const { return cost / scale_; }

 private:
  const Mesh& mesh_;
  const double scale_;
};

// Seconds by a cluster's profile. A permutation is priced by the slowest possible transfer of a
// block: over all axes of the mesh.
class SecondCosts : public MoveCosts {
 public:
  SecondCosts(StepPricer& pricer, const Mesh& mesh, ElementType element)
      : pricer_(pricer), mesh_(mesh), element_(element) {}
  double Of(CollectiveKind kind, const AxisList& axes, int64_t before, int64_t after) override;
  double Permute(int64_t elements) override;

 private:
  StepPricer& pricer_;
  const Mesh& mesh_;
  const ElementType element_;
};

}  // namespace metadist
