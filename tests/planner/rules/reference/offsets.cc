// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

// softmax(q k^T) v, where query i attends to keys up to i + `offset`; a query without keys gives
// zeros. q: [batch, queries, d], k: [batch, keys, d], v: [batch, keys, e].
Types CausalAttentionTypes(const OpCall& call) {
  const Shape &q = call.shape(0), &k = call.shape(1), &v = call.shape(2);
  if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || q[2] != k[2])
    return BadInput("", "shapes differ");
  return FloatTypes({{q[0], q[1], v[2]}});
}
Result<void> CausalAttention(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  const int64_t offset = call.attributes->Int("offset", 0);
  const int64_t queries = in[0].dim(1), keys = in[1].dim(1), d = in[0].dim(2), e = in[2].dim(2);
  for (int64_t row = 0; row < in[0].dim(0) * queries; ++row) {
    const int64_t first = row / queries * keys;
    const int64_t seen = std::clamp<int64_t>(row % queries + offset + 1, 0, keys);
    std::vector<double> weights;
    for (int64_t j = 0; j < seen; ++j) {
      double score = 0;
      for (int64_t x = 0; x < d; ++x) score += Row(in[0], row)[x] * Row(in[1], first + j)[x];
      weights.push_back(score);
    }
    if (seen == 0) continue;
    const double most = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& w : weights) sum += w = std::exp(w - most);
    for (int64_t j = 0; j < seen; ++j)
      for (int64_t x = 0; x < e; ++x)
        Row(out[0], row)[x] += weights[static_cast<size_t>(j)] / sum * Row(in[2], first + j)[x];
  }
  return {};
}

OpExample Triangle(int64_t k, int64_t upper) {
  return {.inputs = {Floats({2, 7, 9}), {.type = {ElementType::kI64, {}}, .constant = {k}}},
          .attributes = {{"upper", upper}}};
}

OpExample Lookup(Shape table, OpExample::Input indices, int64_t axis) {
  return {.inputs = {Floats(std::move(table)), std::move(indices)}, .attributes = {{"axis", axis}}};
}

}  // namespace

std::vector<ReferenceCase> OffsetCases() {
  const OpDef attention = MakeOp("CausalAttention", CausalAttentionTypes, CausalAttention);
  const std::string moves = " linear={0} max={0} min={0}";
  const auto number = [](int64_t value) {
    return OpExample::Input{.type = {ElementType::kI64, {}}, .constant = {value}};
  };
  const OpExample loss{.inputs = {Floats({6, 11}), Integers({6}), Floats({11})},
                       .attributes = {{"reduction", std::string("sum")}}};
  OpExample ignoring = loss;
  ignoring.attributes.set("ignore_index", int64_t{1});
  const OpExample add{.inputs = {Floats({8, 5}), Integers({6, 5}), Floats({6, 5})},
                      .attributes = {{"reduction", std::string("add")}}};
  return {
      {"W1",
       "nll_sum",
       Known("NegativeLogLikelihoodLoss"),
       loss,
       "([a,b],[a],[b])->([]) reduction={a,b} off={b:1-} linear={0,2}"},
      {"W1",
       "nll_sum_ignoring",
       Known("NegativeLogLikelihoodLoss"),
       ignoring,
       "([a,b],[a],[b])->([]) reduction={a,b} off={b:1-,b:ignore_index-} linear={0,2}"},
      {"M11",
       "select_first",
       Known("Gather"),
       Lookup({6, 9, 4}, number(0), 1),
       "([a,b,c],[])->([a,c]) reduction={b} off={b:1-}" + moves},
      {"M11",
       "select_last",
       Known("Gather"),
       Lookup({6, 9, 4}, number(-1), 1),
       "([a,b,c],[])->([a,c]) reduction={b} off={b:1-}" + moves},
      {"M12",
       "triu",
       Known("Trilu"),
       Triangle(1, 1),
       "([a,b,c])->([a,b,c]) off={b:1+,c:1-}" + moves},
      {"M12",
       "triu_below",
       Known("Trilu"),
       Triangle(-2, 1),
       "([a,b,c])->([a,b,c]) off={b:1+,c:1-}" + moves},
      {"M12",
       "tril_above",
       Known("Trilu"),
       Triangle(3, 0),
       "([a,b,c])->([a,b,c]) off={b:1+,c:1-}" + moves},
      {"M12",
       "attention_queries",
       attention,
       {.inputs = {Floats({2, 6, 4}), Floats({2, 6, 4}), Floats({2, 6, 3})},
        .attributes = {{"offset", int64_t{0}}}},
       "([a,b,_],[a,_,_],[a,_,c])->([a,b,c]) off={b:offset+} linear={2}"},
      {"M14",
       "scatter_add_rows",
       Known("ScatterElements"),
       add,
       "([a,b],[c,b],[c,b])->([a,b]) reduction={c} partial={0:c} off={a:1-} linear={0+2} max={0} "
       "min={0}"},
      {"M12",
       "range",
       Known("Range"),
       {.inputs = {number(0), number(12), number(2)}},
       "()->([a]) off={a:0+2,a:1+2}"},
  };
}

}  // namespace metadist::testing
