// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metair/ops/gradient.h"
#include "metair/ops/window.h"

// Shared by poolings: a window slides over the dims of input 0 from the third on, plane by plane.
namespace metadist {

// The window described by the attributes of the call.
Result<Window> PoolWindow(const OpCall& call);

// The type of output 0: like input 0, with one element for every position of the window.
Result<TensorType> PoolType(const OpCall& call);

// The window of a gradient with regard to the input of a pooling: the positions are those of input
// 0 of the call, the spatial dims of the pooling's input are the attribute `size`.
Result<Window> SpreadWindow(const OpCall& call);

// The type of that gradient: like the last input, with dims of `size`.
Result<TensorType> SpreadType(const OpCall& call);

// Attributes of that gradient for a pooling call.
Result<Attributes> SpreadAttributes(const OpCall& pooling);

// Writes out the window (OpDef::spell).
Result<Spelling> SpellPool(const OpCall& call);

// The transpose of a pooling that sums, or averages, applied to dy: see PoolGradient.
Result<Term> SpreadOver(GradientCall& g, const Term& dy, bool average);

// One flop for each tap of each position.
Work PoolWork(const OpCall& call, std::span<const TensorType> outputs);

// Calls visit(i, plane, taps) for each of `count` output elements. plane: index of the first
// element of its plane in input 0; taps: the input elements under the window, as in TapsOf.
template <typename Visit>
void ForEachPosition(const Window& window, int64_t count, Visit&& visit) {
  const std::vector<int64_t> table = TapsOf(window);
  const int64_t spatial = NumElements(window.input);
  const int64_t positions = NumElements(window.output);
  const size_t taps = static_cast<size_t>(NumElements(window.kernel));
  for (int64_t i = 0; i < count; ++i)
    visit(i,
          i / positions * spatial,
          std::span(table).subspan(static_cast<size_t>(i % positions) * taps, taps));
}

// Examples over f32: strides, dilations, pads, automatic pads, rounding up.
std::vector<OpExample> PoolExamples();

}  // namespace metadist
