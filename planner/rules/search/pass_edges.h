// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "planner/rules/factor/rule.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// The last test of a pass-through that holds for ordinary numbers: the call's own element types, at
// their edges.
class PassEdges {
 public:
  PassEdges(BlackBox& box, Sampler& sampler) : box_(box), sampler_(sampler) {}

  // Whether partial values of these float inputs pass together in the call with these slot values.
  bool Passes(const PassThrough& pass, const std::vector<int64_t>& values);
  // The same with ordinary parts only, at other slot values.
  bool PassesAt(const PassThrough& pass, const std::vector<int64_t>& values);

  int64_t executions() const { return executions_; }

 private:
  using Arrays = std::vector<Tensor>;
  // Kinds of parts. Of a sum: large ones that cancel, or the whole sum on one rank and zeros on the
  // others. Of a maximum: far below the greatest, or NaN in one part at even or odd elements.
  enum class Parts : uint8_t { kFar, kAlone, kEvenNan, kOddNan };

  bool Narrows(const std::vector<int64_t>& values, const std::vector<int>& set);
  static bool Tells(Parts kind, const Tensor& whole, const Tensor& one, const Tensor& other);
  // Sets told_.
  bool Compares(const PassThrough& pass, Parts kind, const std::vector<int64_t>& values);
  // Parts that reduce to the array `whole`, in the type of input `input`; `whole` is rounded.
  Arrays PartsOfSum(Parts kind, size_t input, Tensor& whole);
  Arrays PartsOfExtreme(ReduceOp op, Parts kind, size_t input, Tensor& whole);
  bool Run(const std::vector<int64_t>& values, const Arrays& inputs, Arrays& outputs);
  // Rounds output `o` of the whole and of the parts to its type. Elements of a sum of which a part
  // is infinite only because of rounding become 0 everywhere.
  void RoundOutput(ReduceOp op, size_t o, Arrays& whole, std::vector<Arrays>& results) const;

  BlackBox& box_;
  Sampler& sampler_;
  std::vector<ElementType> made_;  // element types of the outputs
  bool makes_few_ = false;         // some output has few elements
  bool told_ = false;              // whether the last draw was conclusive
  int64_t turn_ = 0;               // rotates the kinds of numbers below a maximum
  int64_t executions_ = 0;
};

}  // namespace metadist
