// SPDX-License-Identifier: Apache-2.0
// Attention as a recurrence over a state S of each key head: S decays by exp(decay), the outer
// product of key and value is added (delta rules: beta times the part of the value that S does not
// yet return for the key), and the queries that share the head read S. Output 1 is the last state.
// Source: ONNX operator specification, LinearAttention-27.
#include <algorithm>
#include <array>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/heads.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kQuery, kKey, kValue, kPast, kDecay, kBeta };

struct LinearAttentionSizes {
  Heads query, key, value;
  bool decays = false;
  bool delta = false;
};

Result<LinearAttentionSizes> SizesOfLinearAttention(const OpCall& call) {
  const std::string rule = call.attributes->String("update_rule", "gated_delta");
  const int64_t groups = call.attributes->Int("kv_num_heads", 0);
  if (rule != "linear" && rule != "gated" && rule != "delta" && rule != "gated_delta")
    return BadCall("update_rule must be linear, gated, delta or gated_delta, got {}", rule);
  LinearAttentionSizes x;
  x.query = TRY(HeadsOf(call.shape(kQuery), call.attributes->Int("q_num_heads", 0), "q_num_heads"));
  x.key = TRY(HeadsOf(call.shape(kKey), groups, "kv_num_heads"));
  x.value = TRY(HeadsOf(call.shape(kValue), groups, "kv_num_heads"));
  x.decays = rule == "gated" || rule == "gated_delta";
  x.delta = rule == "delta" || rule == "gated_delta";
  return x;
}

Result<std::vector<TensorType>> InferLinearAttention(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(3, 6).Floats(kQuery).Floats(kPast);
  for (size_t i : {kQuery, kKey, kValue, kDecay, kBeta}) check.SameElement(kQuery, i).Rank(i, 3, 3);
  TRY(check.Done());
  const LinearAttentionSizes x = TRY(SizesOfLinearAttention(call));
  const Heads& q = x.query;
  const Shape state{q.batch, x.key.heads, x.key.size, x.value.size};
  const auto is = [&](size_t input, int64_t last) {
    return call.shape(input) == Shape{q.batch, q.sequence, last};
  };
  check
      .That(is(kKey, x.key.heads * x.key.size) && is(kValue, x.value.heads * x.value.size),
            "queries, keys and values must have one batch and one length")
      .That(q.size == x.key.size,
            "heads of queries and keys must have one size, got {} and {}",
            q.size,
            x.key.size)
      .That(q.heads % x.key.heads == 0,
            "{} query heads do not share {} key heads evenly",
            q.heads,
            x.key.heads)
      .That(
          !call.has(kPast) || call.shape(kPast) == state, "the state must be {}", ShapeText(state))
      .That(call.has(kDecay) == x.decays, "decay goes with the gated rules, and only with them")
      .That(call.has(kBeta) == x.delta, "beta goes with the delta rules, and only with them")
      .That(!call.has(kDecay) || is(kDecay, x.key.heads) || is(kDecay, x.key.heads * x.key.size),
            "decay must have one element for each key head, or for each element of it")
      .That(!call.has(kBeta) || is(kBeta, x.key.heads) || is(kBeta, 1),
            "beta must have one element for each key head, or one");
  TRY(check.Done());
  Heads result = q;
  result.size = x.value.size;
  const ElementType element = call.type(kQuery).element;
  std::vector<TensorType> types{{element, result.shape()},
                                {call.has(kPast) ? call.type(kPast).element : element, state}};
  if (call.num_outputs < 2) types.pop_back();
  return types;
}

// Updates the state of a key head at one position. state: [key size, value size].
void Update(const OpCall& call,
            const LinearAttentionSizes& x,
            std::span<const Tensor> in,
            const std::array<int64_t, 3>& place,
            std::vector<double>& state) {
  const auto [b, h, t] = place;
  const int64_t keys = x.key.size;
  const int64_t values = x.value.size;
  const double* key = in[kKey].data<double>() + x.key.at(b, h, t, 0);
  const double* value = in[kValue].data<double>() + x.value.at(b, h, t, 0);
  const int64_t row = b * x.key.sequence + t;
  if (x.decays) {
    const int64_t width = in[kDecay].dim(2);
    const bool each = width != x.key.heads || keys == 1;
    for (int64_t d = 0; d < keys; ++d) {
      const double decay =
          std::exp(in[kDecay].data<double>()[row * width + (each ? h * keys + d : h)]);
      for (int64_t v = 0; v < values; ++v) state[static_cast<size_t>(d * values + v)] *= decay;
    }
  }
  double beta = 1;
  if (x.delta) {
    const int64_t width = in[kBeta].dim(2);
    beta = in[kBeta].data<double>()[row * width + (width == 1 ? 0 : h)];
  }
  for (int64_t v = 0; v < values; ++v) {
    double known = 0;
    for (int64_t d = 0; x.delta && d < keys; ++d)
      known += state[static_cast<size_t>(d * values + v)] * key[d];
    for (int64_t d = 0; d < keys; ++d)
      state[static_cast<size_t>(d * values + v)] += key[d] * beta * (value[v] - known);
  }
}

Result<void> LinearAttentionReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  const LinearAttentionSizes x = TRY(SizesOfLinearAttention(call));
  const Heads& q = x.query;
  Heads result = q;
  result.size = x.value.size;
  const int64_t shared = q.heads / x.key.heads;
  const int64_t size = q.size * result.size;
  double scale = call.attributes->Float("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(q.size));
  for (int64_t place = 0; place < q.batch * x.key.heads; ++place) {
    const int64_t b = place / x.key.heads;
    const int64_t group = place % x.key.heads;
    std::vector<double> state(static_cast<size_t>(size), 0.0);
    if (call.has(kPast)) std::copy_n(in[kPast].data<double>() + place * size, size, state.begin());
    for (int64_t t = 0; t < q.sequence; ++t) {
      Update(call, x, in, {b, group, t}, state);
      for (int64_t h = group * shared; h < (group + 1) * shared; ++h)
        for (int64_t v = 0; v < result.size; ++v) {
          double sum = 0;
          for (int64_t d = 0; d < q.size; ++d)
            sum += in[kQuery].data<double>()[q.at(b, h, t, d)] *
                   state[static_cast<size_t>(d * result.size + v)];
          out[0].mutable_data<double>()[result.at(b, h, t, v)] = scale * sum;
        }
    }
    if (out.size() > 1)
      std::copy(state.begin(), state.end(), out[1].mutable_data<double>() + place * size);
  }
  return {};
}

Work WorkForLinearAttention(const OpCall& call, std::span<const TensorType> outputs) {
  const LinearAttentionSizes x = SizesOfLinearAttention(call).value();
  const int64_t state = x.key.size * x.value.size;
  const int64_t steps = x.query.batch * x.query.sequence;
  const int64_t updates = 2 + (x.decays ? 1 : 0) + (x.delta ? 2 : 0);
  return FlopsWork(call, outputs, steps * state * (updates * x.key.heads + 2 * x.query.heads));
}

// Decays are logarithms of the fraction kept, rates are probabilities.
std::vector<InputDomain> LinearAttentionDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  const auto range = [&](size_t input, double low, double high) {
    if (call.has(input))
      domains[input] = {.kind = InputDomain::Kind::kRange, .low = low, .high = high};
  };
  range(kKey, -1, 1);
  range(kDecay, -2, 0);
  range(kBeta, 0, 1);
  return domains;
}

std::vector<OpExample> LinearAttentionExamples() {
  return {{.inputs = {F32({2, 3, 12}), F32({2, 3, 6}), F32({2, 3, 10})},
           .attributes = {{"q_num_heads", 4}, {"kv_num_heads", 2}, {"update_rule", "linear"}},
           .num_outputs = 2},
          {.inputs = {F32({2, 3, 6}),
                      F32({2, 3, 6}),
                      F32({2, 3, 10}),
                      F32({2, 2, 3, 5}),
                      F32({2, 3, 2}),
                      F32({2, 3, 2})},
           .attributes = {{"q_num_heads", 2}, {"kv_num_heads", 2}},
           .num_outputs = 2}};
}

}  // namespace

OpDef MakeLinearAttention() {
  return {.name = "LinearAttention",
          .since_version = 27,
          .infer = InferLinearAttention,
          .reference = LinearAttentionReference,
          .work = WorkForLinearAttention,
          .domain_of = LinearAttentionDomain,
          .examples = LinearAttentionExamples};
}

}  // namespace metadist::ops
