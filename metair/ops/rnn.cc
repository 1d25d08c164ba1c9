// SPDX-License-Identifier: Apache-2.0
// A plain recurrent layer: h = f(W x + R h + biases), element after element of a sequence.
#include "metair/ops/ops.h"
#include "metair/ops/recurrent.h"

namespace metadist::ops {
namespace {

CellForm Form() { return {.gates = 1, .activations = {"Tanh"}}; }

Result<std::vector<TensorType>> Infer(const OpCall& call) { return InferRecurrent(call, Form()); }

void Step(CellStep& cell) {
  std::vector<double> next(cell.h.size());
  for (size_t i = 0; i < next.size(); ++i)
    next[i] = cell.activations[0](
        cell.Clipped(cell.x[i] + cell.Recur(0, static_cast<int64_t>(i), cell.h)));
  cell.h = next;
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  return RunRecurrent(call, Form(), in, out, Step);
}

Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  return RecurrentWork(call, outputs, Form());
}

std::vector<OpExample> Examples() { return RecurrentExamples(Form()); }

}  // namespace

OpDef MakeRNN() {
  return {.name = "RNN",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__RNN.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .domain_of = RecurrentDomain,
          .examples = Examples};
}

}  // namespace metadist::ops
