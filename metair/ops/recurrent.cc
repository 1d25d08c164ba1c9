// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/recurrent.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/work.h"

namespace metadist {
namespace {

struct KnownActivation {
  const char* name;  // in lower case
  double (*function)(double x, double alpha, double beta);
  bool has_alpha = false;
  bool has_beta = false;
  double alpha = 0;
  double beta = 0;
};

// Source: ONNX operator specification, LSTM-22; defaults are those of the operators with these
// names.
constexpr KnownActivation kActivations[] = {
    {"relu", [](double x, double, double) { return x > 0 ? x : 0; }},
    {"tanh", [](double x, double, double) { return std::tanh(x); }},
    {"sigmoid", [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
    {"affine", [](double x, double a, double b) { return a * x + b; }, true, true, 1, 0},
    {"leakyrelu", [](double x, double a, double) { return x >= 0 ? x : a * x; }, true, false, 0.01},
    {"thresholdedrelu", [](double x, double a, double) { return x >= a ? x : 0; }, true, false, 1},
    {"scaledtanh",
     [](double x, double a, double b) { return a * std::tanh(b * x); },
     true,
     true,
     1,
     1},
    {"hardsigmoid",
     [](double x, double a, double b) { return std::min(std::max(a * x + b, 0.0), 1.0); },
     true,
     true,
     0.2,
     0.5},
    {"elu",
     [](double x, double a, double) { return x >= 0 ? x : a * std::expm1(x); },
     true,
     false,
     1},
    {"softsign", [](double x, double, double) { return x / (1 + std::fabs(x)); }},
    {"softplus", [](double x, double, double) {
       return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
     }}};

double TakeFirst(std::span<const double>& values, double absent) {
  if (values.empty()) return absent;
  const double first = values.front();
  values = values.subspan(1);
  return first;
}

// Checks the shapes of all present inputs.
Result<void> CheckRecurrentShapes(const OpCall& call, const Recurrence& r) {
  const int64_t rows = r.gates * r.hidden;
  const Shape state = r.batch_first ? Shape{r.batch, r.directions, r.hidden}
                                    : Shape{r.directions, r.batch, r.hidden};
  const Shape expected[] = {call.shape(kX),
                            {r.directions, rows, r.input},
                            {r.directions, rows, r.hidden},
                            {r.directions, 2 * rows},
                            {r.batch},
                            state,
                            state,
                            {r.directions, 3 * r.hidden}};
  CallCheck check(call);
  for (size_t i = 0; i < std::size(expected); ++i)
    if (call.has(i))
      check.That(call.shape(i) == expected[i],
                 "input {} must be {}, got {}",
                 i,
                 ShapeText(expected[i]),
                 ShapeText(call.shape(i)));
  return check.Done();
}

}  // namespace

int64_t Recurrence::AtX(int64_t t, int64_t b) const {
  return (batch_first ? b * sequence + t : t * batch + b) * input;
}

int64_t Recurrence::AtY(int64_t t, int64_t direction, int64_t b) const {
  return (batch_first ? (b * sequence + t) * directions + direction
                      : (t * directions + direction) * batch + b) *
         hidden;
}

int64_t Recurrence::AtState(int64_t direction, int64_t b) const {
  return (batch_first ? b * directions + direction : direction * batch + b) * hidden;
}

Result<Activation> Activation::Make(std::string name,
                                    std::span<const double>& alphas,
                                    std::span<const double>& betas) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const KnownActivation& known : kActivations) {
    if (lower != known.name) continue;
    Activation activation;
    activation.name_ = lower;
    activation.function_ = known.function;
    if (known.has_alpha) activation.alpha_ = TakeFirst(alphas, known.alpha);
    if (known.has_beta) activation.beta_ = TakeFirst(betas, known.beta);
    return activation;
  }
  return BadCall("unknown activation '{}'", name);
}

double CellStep::Recur(int64_t gate, int64_t i, const std::vector<double>& state) const {
  const int64_t row = gate * hidden + i;
  double sum = r_bias == nullptr ? 0 : r_bias[row];
  for (int64_t j = 0; j < hidden; ++j) sum += r[row * hidden + j] * state[static_cast<size_t>(j)];
  return sum;
}

double CellStep::Clipped(double value) const {
  return clip > 0 ? std::clamp(value, -clip, clip) : value;
}

Result<std::vector<Activation>> ActivationsOf(const Attributes& attributes,
                                              const CellForm& form,
                                              int64_t directions) {
  std::vector<std::string> names = attributes.Strings("activations");
  const size_t count = form.activations.size() * static_cast<size_t>(directions);
  if (names.empty())
    for (int64_t direction = 0; direction < directions; ++direction)
      names.insert(names.end(), form.activations.begin(), form.activations.end());
  if (names.size() < count)
    return BadCall("activations must have {} entries, got {}", count, names.size());
  const std::vector<double> alphas = attributes.Floats("activation_alpha");
  const std::vector<double> betas = attributes.Floats("activation_beta");
  std::span<const double> alpha(alphas);
  std::span<const double> beta(betas);
  std::vector<Activation> activations;
  for (size_t i = 0; i < count; ++i)
    activations.push_back(TRY(Activation::Make(names[i], alpha, beta)));
  return activations;
}

Result<Recurrence> RecurrenceOf(const OpCall& call, const CellForm& form) {
  Recurrence r;
  const std::string direction = call.attributes->String("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return BadCall("direction must be forward, reverse or bidirectional, got {}", direction);
  const int64_t layout = call.attributes->Int("layout", 0);
  if (layout != 0 && layout != 1) return BadCall("layout must be 0 or 1, got {}", layout);
  const Shape& x = call.shape(kX);
  r.batch_first = layout == 1;
  r.sequence = x[r.batch_first ? 1 : 0];
  r.batch = x[r.batch_first ? 0 : 1];
  r.input = x[2];
  r.hidden = call.shape(kR)[2];
  r.directions = direction == "bidirectional" ? 2 : 1;
  r.reverse = direction == "reverse";
  r.gates = form.gates;
  const int64_t stated = call.attributes->Int("hidden_size", r.hidden);
  if (stated != r.hidden) return BadCall("hidden_size must be {}, got {}", r.hidden, stated);
  return r;
}

Result<std::vector<TensorType>> InferRecurrent(const OpCall& call, const CellForm& form) {
  CallCheck check(call);
  check.Inputs(3, form.has_cell ? 8 : 6).Floats(kX).Integers(kLengths);
  for (size_t i : {kX, kW, kR}) check.Rank(i, 3, 3);
  for (size_t i : {kW, kR, kB, kInitialH, kInitialC, kPeepholes}) check.SameElement(kX, i);
  TRY(check.Done());
  const Recurrence r = TRY(RecurrenceOf(call, form));
  TRY(CheckRecurrentShapes(call, r));
  TRY(ActivationsOf(*call.attributes, form, r.directions));
  TensorType y{call.type(kX).element, {r.sequence, r.directions, r.batch, r.hidden}};
  TensorType state{y.element, {r.directions, r.batch, r.hidden}};
  if (r.batch_first) {
    y.shape = {r.batch, r.sequence, r.directions, r.hidden};
    state.shape = {r.batch, r.directions, r.hidden};
  }
  TRY(CheckedElements(y.shape, y.element));
  std::vector<TensorType> types{y, state};
  if (form.has_cell) types.push_back(state);
  const size_t wanted = static_cast<size_t>(std::max(call.num_outputs, 1));
  if (wanted < types.size()) types.resize(wanted);
  return types;
}

Result<Spelling> SpellRecurrent(const OpCall& call, const CellForm& form) {
  Spelling spelling = Spelling::Of(call);
  const Recurrence r = TRY(RecurrenceOf(call, form));
  spelling.attributes.set("hidden_size", r.hidden);
  spelling.num_outputs = form.has_cell ? 3 : 2;
  const Shape state = r.batch_first ? Shape{r.batch, r.directions, r.hidden}
                                    : Shape{r.directions, r.batch, r.hidden};
  for (const size_t i : {kInitialH, kInitialC})
    if (!call.has(i) && (i == kInitialH || form.has_cell))
      spelling.inputs[i] = Tensor::Zeros({call.type(kX).element, state});
  return spelling;
}

Result<void> RunRecurrent(const OpCall& call,
                          const CellForm& form,
                          std::span<const Tensor> in,
                          std::span<Tensor> out,
                          const std::function<void(CellStep&)>& step) {
  const Recurrence r = TRY(RecurrenceOf(call, form));
  const std::vector<Activation> activations =
      TRY(ActivationsOf(*call.attributes, form, r.directions));
  const int64_t rows = r.gates * r.hidden;
  const auto size = static_cast<size_t>(r.hidden);
  const auto state = [&](size_t input, int64_t at) {
    if (!call.has(input)) return std::vector<double>(size, 0.0);
    const double* from = in[input].data<double>() + at;
    return std::vector<double>(from, from + r.hidden);
  };
  for (int64_t place = 0; place < r.directions * r.batch; ++place) {
    const int64_t direction = place / r.batch;
    const int64_t b = place % r.batch;
    const double* w = in[kW].data<double>() + direction * rows * r.input;
    const double* bias = call.has(kB) ? in[kB].data<double>() + direction * 2 * rows : nullptr;
    CellStep cell{
        .hidden = r.hidden,
        .x = std::vector<double>(static_cast<size_t>(rows)),
        .r = in[kR].data<double>() + direction * rows * r.hidden,
        .r_bias = bias == nullptr ? nullptr : bias + rows,
        .activations = std::span(activations)
                           .subspan(form.activations.size() * static_cast<size_t>(direction),
                                    form.activations.size()),
        .clip = call.attributes->Float("clip", 0),
        .h = state(kInitialH, r.AtState(direction, b)),
        .c = state(kInitialC, r.AtState(direction, b))};
    if (call.has(kPeepholes))
      cell.peepholes = in[kPeepholes].data<double>() + direction * 3 * r.hidden;
    const int64_t length = call.has(kLengths) ? in[kLengths].data<int64_t>()[b] : r.sequence;
    if (length < 0 || length > r.sequence)
      return BadCall("a length must be in [0, {}], got {}", r.sequence, length);
    for (int64_t i = 0; i < length; ++i) {
      const int64_t t = r.reverse || direction == 1 ? length - 1 - i : i;
      const double* x = in[kX].data<double>() + r.AtX(t, b);
      for (int64_t row = 0; row < rows; ++row) {
        double sum = bias == nullptr ? 0 : bias[row];
        for (int64_t k = 0; k < r.input; ++k) sum += w[row * r.input + k] * x[k];
        cell.x[static_cast<size_t>(row)] = sum;
      }
      step(cell);
      std::copy(
          cell.h.begin(), cell.h.end(), out[0].mutable_data<double>() + r.AtY(t, direction, b));
    }
    const int64_t at = r.AtState(direction, b);
    if (out.size() > 1) std::copy(cell.h.begin(), cell.h.end(), out[1].mutable_data<double>() + at);
    if (out.size() > 2) std::copy(cell.c.begin(), cell.c.end(), out[2].mutable_data<double>() + at);
  }
  return {};
}

Work RecurrentWork(const OpCall& call, std::span<const TensorType> outputs, const CellForm& form) {
  const Recurrence r = RecurrenceOf(call, form).value();
  const int64_t steps = r.sequence * r.batch * r.directions;
  return FlopsWork(call, outputs, steps * r.gates * r.hidden * (2 * (r.input + r.hidden) + 10));
}

std::vector<InputDomain> RecurrentDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  if (!call.has(kLengths)) return domains;
  const bool batch_first = call.attributes->Int("layout", 0) == 1;
  domains[kLengths] = {.kind = InputDomain::Kind::kRange,
                       .low = 0,
                       .high = static_cast<double>(call.shape(kX)[batch_first ? 1 : 0])};
  return domains;
}

std::vector<OpExample> RecurrentExamples(const CellForm& form) {
  const int64_t g = form.gates;
  const OpExample::Input lengths{.type = {ElementType::kI32, {2}}};
  std::vector<OpExample> examples{
      {.inputs = {F32({3, 2, 4}), F32({1, g * 5, 4}), F32({1, g * 5, 5})},
       .attributes = {{"hidden_size", 5}},
       .num_outputs = 2},
      {.inputs = {F32({3, 2, 4}),
                  F32({1, g * 5, 4}),
                  F32({1, g * 5, 5}),
                  F32({1, 2 * g * 5}),
                  lengths,
                  F32({1, 2, 5})},
       .attributes = {{"hidden_size", 5}, {"direction", "reverse"}, {"clip", 1.0}},
       .num_outputs = 2},
      {.inputs = {F32({3, 2, 4}),
                  F32({2, g * 5, 4}),
                  F32({2, g * 5, 5}),
                  F32({2, 2 * g * 5}),
                  Absent(),
                  F32({2, 2, 5})},
       .attributes = {{"hidden_size", 5}, {"direction", "bidirectional"}},
       .num_outputs = form.has_cell ? 3 : 2},
      {.inputs = {F32({1, 3, 4}),
                  F32({1, g * 5, 4}),
                  F32({1, g * 5, 5}),
                  F32({1, 2 * g * 5}),
                  Absent(),
                  F32({1, 3, 5})},
       .attributes = {{"hidden_size", 5}},
       .num_outputs = form.has_cell ? 3 : 2}};
  if (form.has_cell)
    for (const auto& [example, batch] : {std::pair<size_t, int64_t>{1, 2}, {3, 3}}) {
      examples[example].inputs.push_back(F32({1, batch, 5}));
      examples[example].inputs.push_back(F32({1, 15}));
    }
  return examples;
}

}  // namespace metadist
