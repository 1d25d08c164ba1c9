// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metair/ops/graph_builder.h"

namespace metadist {

// A factor of the loss, which keeps small gradients of f16 from becoming zero. It is a number, or
// "dynamic": a state that starts at 65536, is halved whenever a gradient is not finite - that step
// updates nothing - and doubled after 2000 good steps.
//
// Source: Micikevicius et al. 2018, "Mixed precision training", section 3.2; the numbers are those
// of PyTorch's GradScaler.
class LossScale {
 public:
  // text: "" = no factor. Errors: kUsage.
  static Result<std::optional<double>> Parse(const std::string& text);  // nullopt: dynamic
  static Result<LossScale> Add(GraphBuilder& b, const std::string& text);

  bool none() const { return scale_ == kNone; }
  bool dynamic() const { return good_ != kNone; }
  // The factor, an f32 number.
  ValueId scale() const { return scale_; }
  // What gradients are multiplied by when they are used; 0 if one of them is not finite.
  ValueId AddInverse(GraphBuilder& b, const std::vector<ValueId>& gradients) const;
  // The states and what replaces them. inverse: of AddInverse.
  std::vector<std::pair<ValueId, ValueId>> AddNext(GraphBuilder& b, ValueId inverse) const;
  // Writes the values that the states start with.
  void WriteData(Graph& graph) const;

 private:
  ValueId scale_ = kNone;
  ValueId good_ = kNone;  // steps since the factor changed
};

}  // namespace metadist
