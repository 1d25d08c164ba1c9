// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "metair/ops/composer.h"
#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

// x [b,i], h [b,k], c [b,h] only where there are 4 gates, weights [(g h),i] and [(g h),k], biases
// [(g h)] and [(g h)].
struct Cell {
  size_t first = 2;  // weight
  int64_t batch = 1, input = 1, inner = 1, hidden = 1;
};
Result<Cell> CellOf(const OpCall& call, int64_t gates, bool one_size) {
  Cell cell;
  cell.first = gates == 4 ? 3 : 2;
  const int64_t rows = call.shape(cell.first)[0];
  cell.batch = call.shape(0)[0];
  cell.input = call.shape(0)[1];
  cell.inner = call.shape(1)[1];
  cell.hidden = rows / gates;
  if (rows % gates != 0 || call.shape(1)[0] != cell.batch ||
      call.shape(cell.first) != Shape{rows, cell.input} ||
      call.shape(cell.first + 1) != Shape{rows, cell.inner} ||
      call.shape(cell.first + 2) != Shape{rows} || call.shape(cell.first + 3) != Shape{rows} ||
      (gates == 4 && call.shape(2) != Shape{cell.batch, cell.hidden}) ||
      (one_size && cell.inner != cell.hidden))
    return BadInput("", "sizes do not fit");
  return cell;
}

// The input of the activation for a row of the weights.
double Sum(const Cell& cell, std::span<const Tensor> in, int64_t b, int64_t row) {
  double sum = in[cell.first + 2].data<double>()[row] + in[cell.first + 3].data<double>()[row];
  for (int64_t i = 0; i < cell.input; ++i) sum += Row(in[0], b)[i] * Row(in[cell.first], row)[i];
  for (int64_t k = 0; k < cell.inner; ++k)
    sum += Row(in[1], b)[k] * Row(in[cell.first + 1], row)[k];
  return sum;
}
// [gates, b, h].
ValueId ComposeSum(Composer& compose, const Cell& cell, int64_t gates) {
  const auto product = [&](size_t x, size_t weight, int64_t columns) {
    Attributes swap;
    swap.set("perm", std::vector<int64_t>{0, 2, 1});
    const ValueId apart =
        compose.With("Reshape", compose.Operand(weight), {gates, cell.hidden, columns});
    return compose.Add("MatMul", {compose.Operand(x), compose.Add("Transpose", {apart}, swap)});
  };
  const auto bias = [&](size_t input) {
    return compose.With("Reshape", compose.Operand(input), {gates, 1, cell.hidden});
  };
  const ValueId given =
      compose.Add("Add", {product(0, cell.first, cell.input), bias(cell.first + 2)});
  const ValueId recurrent =
      compose.Add("Add", {product(1, cell.first + 1, cell.inner), bias(cell.first + 3)});
  return compose.Add("Add", {given, recurrent});
}

template <bool kOneSize>
Types RnnTypes(const OpCall& call) {
  const Cell cell = TRY(CellOf(call, 1, kOneSize));
  return FloatTypes({{cell.batch, cell.hidden}}, call.type(0).element);
}
Result<void> Rnn(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Cell cell = TRY(CellOf(call, 1, /*one_size=*/false));
  for (int64_t b = 0; b < cell.batch; ++b)
    for (int64_t h = 0; h < cell.hidden; ++h) Row(out[0], b)[h] = std::tanh(Sum(cell, in, b, h));
  return {};
}
Result<Graph> ComposeRnn(const OpCall& call) {
  Composer compose(call);
  const ValueId sum = ComposeSum(compose, TRY(CellOf(call, 1, /*one_size=*/false)), 1);
  return compose.Done({compose.Add("Tanh", {compose.With("Squeeze", sum, {0})})});
}

// Gates in the order input, forget, content, output.
Types LstmTypes(const OpCall& call) {
  const Cell cell = TRY(CellOf(call, 4, /*one_size=*/true));
  return FloatTypes({{cell.batch, cell.hidden}, {cell.batch, cell.hidden}}, call.type(0).element);
}
Result<void> Lstm(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Cell cell = TRY(CellOf(call, 4, /*one_size=*/true));
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (int64_t b = 0; b < cell.batch; ++b)
    for (int64_t h = 0; h < cell.hidden; ++h) {
      const auto gate = [&](int64_t g) { return Sum(cell, in, b, g * cell.hidden + h); };
      const double c = sigmoid(gate(1)) * Row(in[2], b)[h] + sigmoid(gate(0)) * std::tanh(gate(2));
      Row(out[0], b)[h] = sigmoid(gate(3)) * std::tanh(c);
      Row(out[1], b)[h] = c;
    }
  return {};
}
Result<Graph> ComposeLstm(const OpCall& call) {
  const Cell cell = TRY(CellOf(call, 4, /*one_size=*/true));
  Composer compose(call);
  const ValueId all = ComposeSum(compose, cell, 4);
  const auto gate = [&](int64_t g, const char* activation) {
    return compose.Add(activation, {compose.Add("Gather", {all, compose.Integer(g)})});
  };
  const ValueId kept = compose.Add("Mul", {gate(1, "Sigmoid"), compose.Operand(2)});
  const ValueId added = compose.Add("Mul", {gate(0, "Sigmoid"), gate(2, "Tanh")});
  const ValueId c = compose.Add("Add", {kept, added});
  return compose.Done({compose.Add("Mul", {gate(3, "Sigmoid"), compose.Add("Tanh", {c})}), c});
}

OpExample RnnExample(int64_t inner) {
  return {.inputs = {Floats({6, 10}),
                     Floats({6, inner}),
                     Floats({16, 10}),
                     Floats({16, inner}),
                     Floats({16}),
                     Floats({16})}};
}

// A layer of the table over one or several elements of a sequence: biases, an initial state, and
// further inputs of the cell.
OpExample Layer(int64_t gates,
                std::vector<OpExample::Input> more,
                int outputs,
                int64_t elements = 1) {
  OpExample example{.inputs = {Floats({elements, 6, 10}),
                               Floats({1, gates * 16, 10}),
                               Floats({1, gates * 16, 16}),
                               Floats({1, 2 * gates * 16}),
                               {.present = false},
                               Floats({1, 6, 16})},
                    .attributes = {{"hidden_size", int64_t{16}}},
                    .num_outputs = outputs};
  for (OpExample::Input& input : more) example.inputs.push_back(std::move(input));
  return example;
}

std::vector<ReferenceCase> LayerCases() {
  OpExample linear = Layer(3, {}, 2);
  linear.attributes.set("linear_before_reset", int64_t{1});
  return {
      {"W7",
       "recurrent_layer",
       Known("RNN"),
       Layer(1, {}, 2),
       "([_,a,b],[_,c,b],[_,c,d],[_,(2 c)],[_,a,d])->([_,_,a,c],[_,a,c]) "
       "combine={b:SUM[a,c],c:LOCAL,d:SUM[a,c]}"},
      {"W8",
       "lstm_layer",
       Known("LSTM"),
       Layer(4, {Floats({1, 6, 16})}, 3),
       "([_,a,b],[_,(4 c),b],[_,(4 c),d],[_,(8 c)],[_,a,d],[_,a,c])->([_,_,a,c],[_,a,c],[_,a,c]) "
       "combine={b:SUM[a,c],c:LOCAL,d:SUM[a,c]} max={6} min={6}"},
      {"W8",
       "lstm_layer_with_peepholes",
       Known("LSTM"),
       Layer(4, {Floats({1, 6, 16}), Floats({1, 48})}, 3),
       "([_,a,b],[_,(4 c),b],[_,(4 c),d],[_,(8 c)],[_,a,d],[_,a,c],[_,(3 c)])"
       "->([_,_,a,c],[_,a,c],[_,a,c]) combine={b:SUM[a,c],c:LOCAL,d:SUM[a,c]}"},
      // The state is contracted and also used element by element: the hidden size and the
      // contracted size are one factor, and the state stays sharded.
      {"W8",
       "gru_layer",
       Known("GRU"),
       Layer(3, {}, 2),
       "([_,a,b],[_,(3 c),b],[_,_,c],[_,(6 c)],[_,a,c])->([_,_,a,c],[_,a,c]) "
       "combine={b:SUM[a,c],c:SUM[a],SUM[a],SUM[a]}"},
      {"W8",
       "gru_layer_linear_before_reset",
       Known("GRU"),
       linear,
       "([_,a,b],[_,(3 c),b],[_,_,c],[_,(6 c)],[_,a,c])->([_,_,a,c],[_,a,c]) "
       "combine={b:SUM[a,c],c:SUM[a],SUM[a],SUM[a]}"},
  };
}

// Over eight elements: the factors of one element, and one that cuts the sequence.
std::vector<ReferenceCase> SequenceCases() {
  return {
      {"P2",
       "rnn_of_eight_steps",
       Known("RNN"),
       Layer(1, {}, 2, 8),
       "([b,a,c],[_,d,c],[_,d,e],[_,(2 d)],[_,a,e])->([b,_,a,d],[_,a,d]) "
       "combine={b:CARRY 5<-1[a,c],c:STEPS 0.0>0.0 5<-1[b,a],d:STEPS 0.0>0.0 5<-1[c],"
       "e:STEPS 0.0>0.0 5<-1[d]} least={b:2}"},
      {"P2",
       "lstm_of_eight_steps",
       Known("LSTM"),
       Layer(4, {Floats({1, 6, 16})}, 3, 8),
       "([b,a,c],[_,(4 d),c],[_,(4 d),e],[_,(8 d)],[_,a,e],[_,a,d])->([b,_,a,d],[_,a,d],[_,a,d]) "
       "combine={b:CARRY 5<-1 6<-2[a,c],c:STEPS 0.0>0.0 5<-1 6<-2[b,a],"
       "d:STEPS 0.0>0.0 5<-1 6<-2[c],e:STEPS 0.0>0.0 5<-1 6<-2[d]} least={b:2}"},
      {"P2",
       "gru_of_eight_steps",
       Known("GRU"),
       Layer(3, {}, 2, 8),
       "([b,a,c],[_,(3 d),c],[_,_,d],[_,(6 d)],[_,a,d])->([b,_,a,d],[_,a,d]) "
       "combine={b:CARRY 5<-1[a,c],c:STEPS 0.0>0.0 5<-1[b,a],d:STEPS 0.0>0.0 5<-1[c]} least={b:2}"},
  };
}

}  // namespace

std::vector<ReferenceCase> CellCases() {
  std::vector<ReferenceCase> cases{
      {"W7",
       "rnn_tanh_cell",
       Decomposed(MakeOp("RnnTanhCell", RnnTypes<false>, Rnn), ComposeRnn),
       RnnExample(14),
       "([a,c],[a,d],[b,c],[b,d],[b],[b])->([a,b]) combine={c:SUM[a,b],d:SUM[a,b]} "
       "max={4,5} min={4,5}"},
      {"W7",
       "rnn_tanh_cell_of_one_size",
       Decomposed(MakeOp("RnnTanhCell1", RnnTypes<true>, Rnn), ComposeRnn),
       RnnExample(16),
       "([a,b],[a,d],[c,b],[c,d],[c],[c])->([a,c]) combine={b:SUM[a,c],c:LOCAL,d:SUM[a,c]} "
       "max={4,5} min={4,5}"},
      {"W8",
       "lstm_cell",
       Decomposed(MakeOp("LstmCell", LstmTypes, Lstm), ComposeLstm),
       {.inputs = {Floats({6, 10}),
                   Floats({6, 16}),
                   Floats({6, 16}),
                   Floats({64, 10}),
                   Floats({64, 16}),
                   Floats({64}),
                   Floats({64})},
        .num_outputs = 2},
       "([a,b],[a,d],[a,c],[(4 c),b],[(4 c),d],[(4 c)],[(4 c)])->([a,c],[a,c]) "
       "combine={b:SUM[a,c],c:LOCAL,d:SUM[a,c]} max={2} min={2}"},
  };
  for (auto* more : {&LayerCases, &SequenceCases})
    for (ReferenceCase& one : more()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace metadist::testing
