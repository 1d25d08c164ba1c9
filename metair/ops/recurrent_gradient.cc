// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/recurrent_gradient.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "metair/ops/composer.h"

namespace metadist {
namespace {

// Writes a layer as several layers of the same operator, each of a part of its inputs.
class LayerParts {
 public:
  LayerParts(const OpCall& call, const Recurrence& r, const CellForm& form)
      : call_(call),
        r_(r),
        has_cell_(form.has_cell),
        activations_(form.activations.size()),
        compose_(call) {}

  // One layer for each direction.
  Result<Graph> ByDirection() {
    const std::vector<std::string> names = call_.attributes->Strings("activations");
    std::vector<std::vector<Term>> parts;
    for (int64_t d = 0; d < r_.directions; ++d) {
      Attributes attributes = *call_.attributes;
      attributes.set("direction", std::string(d == 0 ? "forward" : "reverse"));
      if (!names.empty()) {
        const size_t count = activations_;
        if (attributes.has("activation_alpha") || attributes.has("activation_beta"))
          return BadInput("", "activations of two directions have parameters");
        const auto first = names.begin() + static_cast<ptrdiff_t>(count) * d;
        attributes.set("activations",
                       std::vector<std::string>(first, first + static_cast<ptrdiff_t>(count)));
      }
      std::vector<ValueId> inputs;
      for (size_t i = 0; i < call_.inputs.size(); ++i) {
        const bool state = i == kInitialH || i == kInitialC;
        if (!call_.has(i))
          inputs.push_back(kNone);
        else if (i == kX || i == kLengths)
          inputs.push_back(compose_.Given(i));
        else
          inputs.push_back(Input(i).Sliced(state && r_.batch_first ? 1 : 0, d, d + 1).value());
      }
      parts.push_back(Layer(inputs, attributes));
    }
    return Done({Joined(parts, 0, r_.batch_first ? 2 : 1),
                 Joined(parts, 1, r_.batch_first ? 1 : 0),
                 Joined(parts, 2, r_.batch_first ? 1 : 0)});
  }

  // One layer for each element of the sequences.
  Result<Graph> ByElement() {
    const int64_t time = r_.batch_first ? 1 : 0;
    std::vector<std::vector<Term>> parts(static_cast<size_t>(r_.sequence));
    std::array<ValueId, 2> states{kNone, kNone};
    for (size_t i = 0; i < states.size(); ++i)
      if (call_.has(kInitialH + i)) states[i] = compose_.Given(kInitialH + i);
    for (int64_t step = 0; step < r_.sequence; ++step) {
      const int64_t t = r_.reverse ? r_.sequence - 1 - step : step;
      std::vector<ValueId> inputs;
      for (size_t i = 0; i < std::max<size_t>(call_.inputs.size(), kInitialC + 1); ++i)
        inputs.push_back(call_.has(i) ? compose_.Given(i) : kNone);
      inputs[kX] = Input(kX).Sliced(time, t, t + 1).value();
      if (call_.has(kLengths)) {
        const Term rest = Input(kLengths) - static_cast<double>(t);
        inputs[kLengths] = rest.Apply("Clip", {rest.Number(0), rest.Number(1)}).value();
      }
      inputs[kInitialH] = states[0];
      inputs[kInitialC] = states[1];
      while (inputs.back() == kNone) inputs.pop_back();
      parts[static_cast<size_t>(t)] = Layer(inputs, *call_.attributes);
      const std::vector<Term>& made = parts[static_cast<size_t>(t)];
      states[0] = made[1].value();
      if (has_cell_) states[1] = made[2].value();
    }
    std::vector<Term> results{Joined(parts, 0, time)};
    for (const ValueId state : states)
      if (state != kNone) results.emplace_back(compose_, state);
    return Done(results);
  }

 private:
  Term Input(size_t input) { return {compose_, compose_.Given(input)}; }

  // All outputs.
  std::vector<Term> Layer(const std::vector<ValueId>& inputs, const Attributes& attributes) {
    std::vector<Term> outputs;
    for (const ValueId id : compose_.AddAll(call_.op->name, inputs, attributes, has_cell_ ? 3 : 2))
      outputs.emplace_back(compose_, id);
    return outputs;
  }

  // An output of all parts, concatenated.
  Term Joined(const std::vector<std::vector<Term>>& parts, size_t output, int64_t axis) {
    output = std::min(output, parts[0].size() - 1);
    std::vector<Term> others;
    for (size_t p = 1; p < parts.size(); ++p) others.push_back(parts[p][output]);
    return parts[0][output].Apply("Concat", others, {{"axis", axis}});
  }

  Result<Graph> Done(const std::vector<Term>& results) {
    std::vector<ValueId> ids;
    for (size_t o = 0; o < static_cast<size_t>(call_.num_outputs); ++o)
      ids.push_back(results[o].value());
    return compose_.Done(ids);
  }

  const OpCall& call_;
  const Recurrence& r_;
  const bool has_cell_;
  const size_t activations_;  // of a direction
  Composer compose_;
};

}  // namespace

Result<void> RecurrentGradient(GradientCall& g,
                               const CellForm& form,
                               Result<Graph> (*decompose)(const OpCall& call)) {
  const Recurrence r = TRY(RecurrenceOf(g.call(), form));
  LayerParts parts(g.call(), r, form);
  if (r.directions > 1) return g.Through(TRY(parts.ByDirection()));
  if (r.sequence > 1) return g.Through(TRY(parts.ByElement()));
  return g.Through(TRY(decompose(g.call())));
}

}  // namespace metadist
