// SPDX-License-Identifier: Apache-2.0
// A plain recurrent layer: h = f(W x + R h + biases) for each element of a sequence in turn.
#include "metair/ops/rnn.h"

#include <utility>

#include "metair/ops/call_check.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/recurrent_gradient.h"

namespace metadist {
namespace {

// An activation function, by its name in attribute `activations`, written as operators.
ValueId ComposeActivation(Composer& compose, const Activation& f, ValueId x) {
  const auto times = [&](double factor, ValueId value) {
    return compose.Add("Mul", {value, compose.Number(factor, value)});
  };
  if (f.name() == "relu") return compose.Add("Relu", {x});
  if (f.name() == "tanh") return compose.Add("Tanh", {x});
  if (f.name() == "sigmoid") return compose.Add("Sigmoid", {x});
  if (f.name() == "softsign") return compose.Add("Softsign", {x});
  if (f.name() == "softplus") return compose.Add("Softplus", {x});
  if (f.name() == "affine")
    return compose.Add("Add", {times(f.alpha(), x), compose.Number(f.beta(), x)});
  if (f.name() == "scaledtanh") return times(f.alpha(), compose.Add("Tanh", {times(f.beta(), x)}));
  Attributes attributes{{"alpha", f.alpha()}};
  if (f.name() == "leakyrelu") return compose.Add("LeakyRelu", {x}, attributes);
  if (f.name() == "thresholdedrelu") return compose.Add("ThresholdedRelu", {x}, attributes);
  if (f.name() == "elu") return compose.Add("Elu", {x}, attributes);
  CHECK(f.name() == "hardsigmoid", f.name().c_str());
  attributes.set("beta", f.beta());
  return compose.Add("HardSigmoid", {x}, attributes);
}

}  // namespace

CellComposer::CellComposer(const OpCall& call,
                           const Recurrence& r,
                           std::vector<Activation> activations)
    : compose_(call),
      r_(r),
      activations_(std::move(activations)),
      clip_(call.attributes->Float("clip", 0)),
      has_bias_(call.has(kB)),
      has_peepholes_(call.has(kPeepholes)),
      has_lengths_(call.has(kLengths)) {
  x_ = State(kX);
  if (call.has(kInitialH)) h_ = State(kInitialH);
  if (call.has(kInitialC)) c_ = State(kInitialC);
}

// With the batch as the middle of three dims.
ValueId CellComposer::State(size_t input) {
  const ValueId value = compose_.Operand(input);
  if (!r_.batch_first) return value;
  return compose_.Add("Transpose", {value}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
}

// [d, g, columns, h], from [d, g h, columns].
ValueId CellComposer::Weights(size_t input, int64_t columns) {
  const ValueId apart = compose_.With(
      "Reshape", compose_.Operand(input), {r_.directions, r_.gates, r_.hidden, columns});
  return compose_.Add("Transpose", {apart}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
}

// [d, g, 1, h]: the bias of W (0) or R (1).
ValueId CellComposer::Bias(int64_t which) {
  if (!has_bias_) return kNone;
  const ValueId both =
      compose_.With("Reshape", compose_.Operand(kB), {r_.directions, 2, r_.gates, 1, r_.hidden});
  return Gate(both, which);
}

ValueId CellComposer::Given() {
  const ValueId x = compose_.With("Unsqueeze", x_, {0});
  return Plus(compose_.Add("MatMul", {x, Weights(kW, r_.input)}), Bias(0));
}

ValueId CellComposer::Recur() {
  if (h_ == kNone) return Bias(1);
  const ValueId h = compose_.With("Unsqueeze", h_, {1});
  return Plus(compose_.Add("MatMul", {h, Weights(kR, r_.hidden)}), Bias(1));
}

ValueId CellComposer::Recur(int64_t gate, ValueId state) {
  ValueId bias = Bias(1);
  if (bias != kNone) bias = Gate(bias, gate);
  if (state == kNone) return bias;
  if (recurrent_ == kNone) recurrent_ = Weights(kR, r_.hidden);
  return Plus(compose_.Add("MatMul", {state, Gate(recurrent_, gate)}), bias);
}

ValueId CellComposer::Gate(ValueId all, int64_t gate) {
  return compose_.Add("Gather", {all, compose_.Integer(gate)}, {{"axis", 1}});
}

ValueId CellComposer::Peephole(int64_t gate) {
  if (!has_peepholes_) return kNone;
  return Gate(
      compose_.With("Reshape", compose_.Operand(kPeepholes), {r_.directions, 3, 1, r_.hidden}),
      gate);
}

ValueId CellComposer::Activate(size_t which, ValueId x, bool clipped) {
  if (clipped && clip_ > 0)
    x = compose_.Add("Clip", {x, compose_.Number(-clip_, x), compose_.Number(clip_, x)});
  return ComposeActivation(compose_, activations_[which], x);
}

ValueId CellComposer::Plus(ValueId a, ValueId b) {
  if (a == kNone) return b;
  return b == kNone ? a : compose_.Add("Add", {a, b});
}

ValueId CellComposer::Times(ValueId a, ValueId b) {
  return a == kNone || b == kNone ? kNone : compose_.Add("Mul", {a, b});
}

// Replaces `value` by `other` (kNone: zeros) for elements beyond the end of their sequence.
ValueId CellComposer::Within(ValueId value, ValueId other) {
  if (value == kNone || !has_lengths_) return value;
  if (within_ == kNone) {
    const ValueId lengths = compose_.Given(kLengths);
    const ValueId within = compose_.Add("Less", {compose_.Number(0, lengths), lengths});
    within_ = compose_.With("Unsqueeze", within, {1});
  }
  if (other == kNone) other = compose_.Number(0, value);
  return compose_.Add("Where", {within_, value, other});
}

Result<Graph> CellComposer::Done(ValueId h, ValueId c) {
  const auto swapped = [&](ValueId value) {
    if (value == kNone || !r_.batch_first) return value;
    return compose_.Add("Transpose", {value}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
  };
  const ValueId state = swapped(Within(h, h_));
  const ValueId y = has_lengths_ && h_ != kNone ? swapped(Within(h, kNone)) : state;
  std::vector<ValueId> results{compose_.With("Unsqueeze", y, {r_.batch_first ? 1 : 0}), state};
  if (c != kNone) results.push_back(swapped(Within(c, c_)));
  return compose_.Done(results);
}

Result<Graph> ComposeCell(const OpCall& call,
                          const CellForm& form,
                          const std::function<Result<Graph>(CellComposer&)>& cell) {
  const Recurrence r = TRY(RecurrenceOf(call, form));
  if (r.sequence != 1) return BadCall("not a single element");
  std::vector<Activation> all = TRY(ActivationsOf(*call.attributes, form, r.directions));
  std::vector<Activation> own(all.begin(),
                              all.begin() + static_cast<std::ptrdiff_t>(form.activations.size()));
  for (size_t i = 0; i < all.size(); ++i)
    if (!(all[i] == own[i % own.size()]))
      return BadCall("directions have activations of their own");
  CellComposer composer(call, r, std::move(own));
  return cell(composer);
}

}  // namespace metadist

namespace metadist::ops {
namespace {

CellForm RNNForm() { return {.gates = 1, .activations = {"Tanh"}}; }

Result<std::vector<TensorType>> InferRNN(const OpCall& call) {
  return InferRecurrent(call, RNNForm());
}

void RNNStep(CellStep& cell) {
  std::vector<double> next(cell.h.size());
  for (size_t i = 0; i < next.size(); ++i)
    next[i] = cell.activations[0](
        cell.Clipped(cell.x[i] + cell.Recur(0, static_cast<int64_t>(i), cell.h)));
  cell.h = std::move(next);
}

Result<void> RNNReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  return RunRecurrent(call, RNNForm(), in, out, RNNStep);
}

Result<Spelling> SpellRNN(const OpCall& call) { return SpellRecurrent(call, RNNForm()); }

Work WorkForRNN(const OpCall& call, std::span<const TensorType> outputs) {
  return RecurrentWork(call, outputs, RNNForm());
}

std::vector<OpExample> RNNExamples() { return RecurrentExamples(RNNForm()); }

Result<Graph> DecomposeRNN(const OpCall& call) {
  return ComposeCell(call, RNNForm(), [](CellComposer& cell) {
    const ValueId all = cell.Plus(cell.Given(), cell.Recur());
    return cell.Done(cell.Activate(0, cell.Gate(all, 0)), kNone);
  });
}

Result<void> RNNGradient(GradientCall& g) { return RecurrentGradient(g, RNNForm(), DecomposeRNN); }

}  // namespace

OpDef MakeRNN() {
  return {.name = "RNN",
          .since_version = 22,
          .infer = InferRNN,
          .reference = RNNReference,
          .spell = SpellRNN,
          .decompose = DecomposeRNN,
          .gradient = RNNGradient,
          .work = WorkForRNN,
          .domain_of = RecurrentDomain,
          .examples = RNNExamples};
}

}  // namespace metadist::ops
