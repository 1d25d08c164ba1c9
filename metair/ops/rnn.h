// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "metair/ops/composer.h"
#include "metair/ops/recurrent.h"

namespace metadist {

// Building blocks for decompositions of recurrent cells, all directions at once. d = directions, g
// = gates, b = batch, h = hidden. Omitted values are kNone and count as zeros.
class CellComposer {
 public:
  // activations: those of one direction; all directions have the same.
  CellComposer(const OpCall& call, const Recurrence& r, std::vector<Activation> activations);

  Composer& compose() { return compose_; }
  ValueId h() const { return h_; }  // [d, b, h]: the previous states
  ValueId c() const { return c_; }

  // [d, g, b, h]: W x plus its bias.
  ValueId Given();
  // [d, g, b, h]: R h plus its bias.
  ValueId Recur();
  // [d, b, h]: R state plus its bias, for one gate.
  ValueId Recur(int64_t gate, ValueId state);
  // [d, b, h]: a gate of [d, g, b, h].
  ValueId Gate(ValueId all, int64_t gate);
  // [d, 1, h]: a gate's peepholes.
  ValueId Peephole(int64_t gate);
  // [d, b, h]: activation number `which` of x, which is clipped first.
  ValueId Activate(size_t which, ValueId x, bool clipped = true);

  ValueId Plus(ValueId a, ValueId b);
  ValueId Times(ValueId a, ValueId b);

  // The graph, given the new states: [d, b, h]; c is kNone if the cell has none.
  Result<Graph> Done(ValueId h, ValueId c);

 private:
  ValueId State(size_t input);
  ValueId Weights(size_t input, int64_t columns);
  ValueId Bias(int64_t which);
  ValueId Within(ValueId value, ValueId other);

  Composer compose_;
  Recurrence r_;
  std::vector<Activation> activations_;
  double clip_ = 0;
  bool has_bias_ = false;
  bool has_peepholes_ = false;
  bool has_lengths_ = false;
  ValueId x_ = kNone;
  ValueId h_ = kNone;
  ValueId c_ = kNone;
  ValueId within_ = kNone;     // [b, 1]: whether the element is within its sequence's length
  ValueId recurrent_ = kNone;  // [d, g, h, h]: R, transposed
};

// The decomposition of a layer over sequences of one element: nothing recurs, and sizes are free.
// Errors: kBadInput for longer sequences, and for directions with different activations.
Result<Graph> ComposeCell(const OpCall& call,
                          const CellForm& form,
                          const std::function<Result<Graph>(CellComposer&)>& cell);

}  // namespace metadist
