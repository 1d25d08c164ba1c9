// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

Types RowsOf(const OpCall& call) {
  return std::vector<TensorType>{{call.type(0).element, {call.shape(0)[0]}}};
}

template <bool kAll>
Result<void> Quantified(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  const bool* x = in[0].data<bool>();
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    const bool* row = x + i * in[0].dim(1);
    const bool* end = row + in[0].dim(1);
    out[0].mutable_data<bool>()[i] =
        kAll ? std::find(row, end, false) == end : std::find(row, end, true) != end;
  }
  return {};
}

// The maximum of almost equal values, which most shards contain.
Result<void> SaturatedMaximum(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    double most = -1;
    for (int64_t k = 0; k < in[0].dim(1); ++k) {
      const double x = std::clamp(Row(in[0], i)[k], -1.0, 1.0);
      most = std::isnan(most) || most > x ? most : x;
    }
    out[0].mutable_data<double>()[i] = most;
  }
  return {};
}

// The number of occurrences of every integer below the length.
Types CountsOf(const OpCall& call) {
  return std::vector<TensorType>{
      {ElementType::kI64, {call.attributes->Int("length", kRunTimeSize)}}};
}
Result<void> Counts(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t* x = in[0].data<int64_t>();
  if (out[0].rank() != 1) return BadInput("", "the length is not known");
  for (int64_t i = 0; i < in[0].size(); ++i) {
    if (x[i] < 0 || x[i] >= out[0].size()) return BadInput("", "a value is not below the length");
    ++out[0].mutable_data<int64_t>()[x[i]];
  }
  return {};
}

std::vector<InputDomain> BelowTwo(const OpCall&) {
  return {{.kind = InputDomain::Kind::kRange, .low = 0, .high = 1}};
}

OpExample Along(OpExample::Input x, int64_t axis) {
  return {.inputs = {std::move(x), Literal({axis})}, .attributes = {{"keepdims", int64_t{0}}}};
}

}  // namespace

std::vector<ReferenceCase> ReductionCases() {
  const OpExample::Input bits{.type = {ElementType::kBool, {6, 16}}};
  return {
      {"W2",
       "product",
       Known("ReduceProd"),
       Along(Floats({4, 16, 6}), 1),
       "([a,b,c])->([a,c]) reduction={b:PROD}"},
      {"W3",
       "any",
       MakeOp("Any", RowsOf, Quantified<false>),
       {.inputs = {bits}},
       "([a,b])->([a]) reduction={b:OR}"},
      {"W3",
       "all",
       MakeOp("All", RowsOf, Quantified<true>),
       {.inputs = {bits}},
       "([a,b])->([a]) reduction={b:AND}"},
      {"W6", "unique", Known("Unique"), {.inputs = {Integers({32})}}, "none"},
      {"W9",
       "saturated_maximum",
       MakeOp("SaturatedMaximum", RowsOf, SaturatedMaximum),
       {.inputs = {Floats({6, 16})}},
       "([a,b])->([a]) reduction={b:MAX} max={0}"},
      {"W9",
       "maximum_of_integers",
       Known("ReduceMax"),
       Along(Integers({6, 16}), 1),
       "([a,b])->([a]) reduction={b:MAX}"},
      {"W13",
       "counts_of_fixed_length",
       MakeOp("Counts", CountsOf, Counts, BelowTwo),
       {.inputs = {Integers({32})}, .attributes = {{"length", int64_t{2}}}},
       "([a])->([_]) reduction={a}"},
      {"W13",
       "counts",
       MakeOp("Counts", CountsOf, Counts, BelowTwo),
       {.inputs = {Integers({32})}},
       "none"},
      {"M1",
       "minimum",
       Known("ReduceMin"),
       Along(Floats({4, 16, 6}), 1),
       "([a,b,c])->([a,c]) reduction={b:MIN} min={0}"},
      {"M1",
       "maximum",
       Known("ReduceMax"),
       Along(Floats({4, 16, 6}), 1),
       "([a,b,c])->([a,c]) reduction={b:MAX} max={0}"},
  };
}

}  // namespace metadist::testing
