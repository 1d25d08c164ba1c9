// SPDX-License-Identifier: Apache-2.0
// A long short-term memory layer: c = f c + i g(...), h = o h(c) with input gate i, output gate o,
// forget gate f; with peepholes the gates also read c. input_forget = 1: f = 1 - i.
#include <utility>

#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/recurrent_gradient.h"
#include "metair/ops/rnn.h"

namespace metadist::ops {
namespace {

// In the order in which weights are stacked; the first three have peepholes.
enum Gate : int64_t { kInput, kOutput, kForget, kContent };

CellForm LSTMForm() {
  return {.gates = 4, .has_cell = true, .activations = {"Sigmoid", "Tanh", "Tanh"}};
}

Result<std::vector<TensorType>> InferLSTM(const OpCall& call) {
  return InferRecurrent(call, LSTMForm());
}

void LSTMStep(CellStep& cell, bool input_forget) {
  const size_t size = cell.h.size();
  const auto gate = [&](Gate g, size_t i, double c) {
    const size_t at = static_cast<size_t>(g) * size + i;
    double value = cell.x[at] + cell.Recur(g, static_cast<int64_t>(i), cell.h);
    if (cell.peepholes != nullptr && g != kContent) value += cell.peepholes[at] * c;
    return cell.activations[g == kContent ? 1 : 0](cell.Clipped(value));
  };
  std::vector<double> next(size);
  for (size_t i = 0; i < size; ++i) {
    const double old = cell.c[i];
    const double input = gate(kInput, i, old);
    const double forget = input_forget ? 1 - input : gate(kForget, i, old);
    cell.c[i] = forget * old + input * gate(kContent, i, old);
    next[i] = gate(kOutput, i, cell.c[i]) * cell.activations[2](cell.c[i]);
  }
  cell.h = std::move(next);
}

Result<void> LSTMReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const bool input_forget = call.attributes->Int("input_forget", 0) != 0;
  return RunRecurrent(
      call, LSTMForm(), in, out, [&](CellStep& cell) { LSTMStep(cell, input_forget); });
}

Result<Spelling> SpellLSTM(const OpCall& call) { return SpellRecurrent(call, LSTMForm()); }

Work WorkForLSTM(const OpCall& call, std::span<const TensorType> outputs) {
  return RecurrentWork(call, outputs, LSTMForm());
}

std::vector<OpExample> LSTMExamples() {
  std::vector<OpExample> examples = RecurrentExamples(LSTMForm());
  examples[1].num_outputs = 3;
  return examples;
}

Result<Graph> DecomposeLSTM(const OpCall& call) {
  const bool input_forget = call.attributes->Int("input_forget", 0) != 0;
  return ComposeCell(call, LSTMForm(), [&](CellComposer& cell) {
    Composer& compose = cell.compose();
    const ValueId all = cell.Plus(cell.Given(), cell.Recur());
    const auto gate = [&](Gate which, ValueId c) {
      const ValueId sum = cell.Plus(cell.Gate(all, which), cell.Times(cell.Peephole(which), c));
      return cell.Activate(0, sum);
    };
    const ValueId input = gate(kInput, cell.c());
    const ValueId content = cell.Activate(1, cell.Gate(all, kContent));
    ValueId c = cell.Times(input, content);
    if (cell.c() != kNone) {
      const ValueId forget = input_forget ? compose.Add("Sub", {compose.Number(1, input), input})
                                          : gate(kForget, cell.c());
      c = cell.Plus(cell.Times(forget, cell.c()), c);
    }
    const ValueId output = gate(kOutput, c);
    const ValueId squashed = cell.Activate(2, c, /*clipped=*/false);
    return cell.Done(cell.Times(output, squashed), c);
  });
}

Result<void> LSTMGradient(GradientCall& g) {
  return RecurrentGradient(g, LSTMForm(), DecomposeLSTM);
}

}  // namespace

OpDef MakeLSTM() {
  return {.name = "LSTM",
          .since_version = 22,
          .infer = InferLSTM,
          .reference = LSTMReference,
          .spell = SpellLSTM,
          .decompose = DecomposeLSTM,
          .gradient = LSTMGradient,
          .work = WorkForLSTM,
          .domain_of = RecurrentDomain,
          .examples = LSTMExamples};
}

}  // namespace metadist::ops
