// SPDX-License-Identifier: Apache-2.0
// A layer of gated recurrent units: h = (1 - z) n + z h with update gate z, reset gate r and
// candidate n = g(W x + R (r h)), or (linear_before_reset = 1) g(W x + r (R h)).
#include <utility>

#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/recurrent_gradient.h"
#include "metair/ops/rnn.h"

namespace metadist::ops {
namespace {

enum Gate : int64_t { kUpdate, kReset, kContent };

CellForm GRUForm() { return {.gates = 3, .activations = {"Sigmoid", "Tanh"}}; }

Result<std::vector<TensorType>> InferGRU(const OpCall& call) {
  return InferRecurrent(call, GRUForm());
}

void GRUStep(CellStep& cell, bool linear_before_reset) {
  const size_t size = cell.h.size();
  std::vector<double> update(size), reset(size), kept(size), next(size);
  const auto gate = [&](Gate g, size_t i, double recurrent) {
    return cell.activations[g == kContent ? 1 : 0](
        cell.Clipped(cell.x[static_cast<size_t>(g) * size + i] + recurrent));
  };
  for (size_t i = 0; i < size; ++i) {
    update[i] = gate(kUpdate, i, cell.Recur(kUpdate, static_cast<int64_t>(i), cell.h));
    reset[i] = gate(kReset, i, cell.Recur(kReset, static_cast<int64_t>(i), cell.h));
    kept[i] = reset[i] * cell.h[i];
  }
  for (size_t i = 0; i < size; ++i) {
    const int64_t row = static_cast<int64_t>(i);
    const double recurrent = linear_before_reset ? reset[i] * cell.Recur(kContent, row, cell.h)
                                                 : cell.Recur(kContent, row, kept);
    next[i] = (1 - update[i]) * gate(kContent, i, recurrent) + update[i] * cell.h[i];
  }
  cell.h = std::move(next);
}

Result<void> GRUReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const bool linear_before_reset = call.attributes->Int("linear_before_reset", 0) != 0;
  return RunRecurrent(
      call, GRUForm(), in, out, [&](CellStep& cell) { GRUStep(cell, linear_before_reset); });
}

Result<Spelling> SpellGRU(const OpCall& call) { return SpellRecurrent(call, GRUForm()); }

Work WorkForGRU(const OpCall& call, std::span<const TensorType> outputs) {
  return RecurrentWork(call, outputs, GRUForm());
}

std::vector<OpExample> GRUExamples() {
  std::vector<OpExample> examples = RecurrentExamples(GRUForm());
  examples[2].attributes.set("linear_before_reset", int64_t{1});
  return examples;
}

Result<Graph> DecomposeGRU(const OpCall& call) {
  const bool linear_before_reset = call.attributes->Int("linear_before_reset", 0) != 0;
  return ComposeCell(call, GRUForm(), [&](CellComposer& cell) {
    Composer& compose = cell.compose();
    const ValueId given = cell.Given();
    const auto gate = [&](Gate which) {
      const ValueId sum = cell.Plus(cell.Gate(given, which), cell.Recur(which, cell.h()));
      return cell.Activate(0, sum);
    };
    const ValueId update = gate(kUpdate);
    const ValueId old = linear_before_reset ? cell.Recur(kContent, cell.h()) : cell.h();
    const ValueId kept = old == kNone ? kNone : cell.Times(gate(kReset), old);
    const ValueId recurrent = linear_before_reset ? kept : cell.Recur(kContent, kept);
    const ValueId content = cell.Activate(1, cell.Plus(cell.Gate(given, kContent), recurrent));
    const ValueId other = compose.Add("Sub", {compose.Number(1, update), update});
    return cell.Done(cell.Plus(cell.Times(other, content), cell.Times(update, cell.h())), kNone);
  });
}

Result<void> GRUGradient(GradientCall& g) { return RecurrentGradient(g, GRUForm(), DecomposeGRU); }

}  // namespace

OpDef MakeGRU() {
  return {.name = "GRU",
          .since_version = 22,
          .infer = InferGRU,
          .reference = GRUReference,
          .spell = SpellGRU,
          .decompose = DecomposeGRU,
          .gradient = GRUGradient,
          .work = WorkForGRU,
          .domain_of = RecurrentDomain,
          .examples = GRUExamples};
}

}  // namespace metadist::ops
