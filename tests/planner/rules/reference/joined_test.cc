// SPDX-License-Identifier: Apache-2.0
// Ways to divide an operator beyond a cut and a reduction: partial results are joined by the
// operator's decomposition, or by the operator itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "planner/rules/book/rule_book.h"
#include "tests/planner/rules/example_calls.h"
#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

Types SameAs(const OpCall& call) { return std::vector<TensorType>{call.type(0)}; }

// y[i] = step(y[i-1], x[i], i), from `first`.
template <double (*kStep)(double, double, int64_t)>
Result<void> Running(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double first = call.attributes->Float("first", 0);
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    double y = first;
    for (int64_t k = 0; k < in[0].dim(1); ++k)
      Row(out[0], i)[k] = y = kStep(y, Row(in[0], i)[k], k);
  }
  return {};
}
double LogAddExp(double y, double x, int64_t) {
  const double most = std::max(y, x);
  return std::isinf(most) ? most : most + std::log(std::exp(y - most) + std::exp(x - most));
}
double Highest(double y, double x, int64_t) { return std::isnan(y) || y > x ? y : x; }
double SquaresSoFar(double y, double x, int64_t) { return y + x * x; }
double MeanSoFar(double y, double x, int64_t k) { return y + (x - y) / static_cast<double>(k + 1); }
double Decaying(double y, double x, int64_t) { return y / 2 + x; }

Result<void> Sorted(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    std::copy(Row(in[0], i), Row(in[0], i) + in[0].dim(1), Row(out[0], i));
    std::sort(Row(out[0], i), Row(out[0], i) + in[0].dim(1));
  }
  return {};
}

Types IndexTypes(const OpCall& call) {
  return std::vector<TensorType>{{ElementType::kI64, {call.shape(0)[0], 1}}};
}
template <bool kLast>
Result<void> IndexOfHighest(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    const double* row = Row(in[0], i);
    int64_t at = 0;
    for (int64_t k = 1; k < in[0].dim(1); ++k)
      if (row[k] > row[at] || (kLast && row[k] == row[at])) at = k;
    out[0].mutable_data<int64_t>()[i] = at;
  }
  return {};
}
// The number of elements above zero, which is not the index of any.
Result<void> CountAbove(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    int64_t count = 0;
    for (int64_t k = 0; k < in[0].dim(1); ++k) count += Row(in[0], i)[k] > 0;
    out[0].mutable_data<int64_t>()[i] = count;
  }
  return {};
}
// The `count` largest elements of a row, starting from the `skip`-th.
Types BestTypes(const OpCall& call) {
  const int64_t count = call.attributes->Int("count", 1);
  if (count < 1 || count + call.attributes->Int("skip", 0) > call.shape(0)[1])
    return BadInput("", "too many");
  return std::vector<TensorType>{{call.type(0).element, {call.shape(0)[0], count}}};
}
Result<void> Best(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t skip = call.attributes->Int("skip", 0);
  for (int64_t i = 0; i < in[0].dim(0); ++i) {
    std::vector<double> row(Row(in[0], i), Row(in[0], i) + in[0].dim(1));
    std::sort(row.rbegin(), row.rend());
    std::copy_n(row.begin() + skip, out[0].dim(1), Row(out[0], i));
  }
  return {};
}

std::vector<ReferenceCase> Decomposed() {
  const OpExample::Input axis = Literal({1});
  return {
      {"M10",
       "softmax",
       Known("Softmax"),
       {.inputs = {Floats({6, 16})}},
       "([a,b])->([a,b]) combine={b:MAX[a],SUM[a]}"},
      {"M10",
       "log_sum_exp",
       Known("ReduceLogSumExp"),
       {.inputs = {Floats({6, 16}), axis}, .attributes = {{"keepdims", int64_t{0}}}},
       "([a,b])->([a]) combine={b:MAX[a],SUM[a]}"},
      {"M10",
       "norm",
       Known("ReduceL2"),
       {.inputs = {Floats({6, 16}), axis}},
       "([a,b])->([a,_]) combine={b:SUM[a]}"},
      {"M10",
       "attention_over_keys",
       Known("Attention"),
       {.inputs = {Floats({2, 8, 9, 5}), Floats({2, 8, 14, 5}), Floats({2, 8, 14, 6})}},
       "([a,b,c,e],[a,b,f,e],[a,b,f,d])->([a,b,c,d]) combine={e:SUM[a,b,c,f],f:MAX[a,b,c],"
       "SUM[a,b,c]} reduction={f} linear={2}"},
      {"M10",
       "argmax",
       Known("ArgMax"),
       {.inputs = {Floats({6, 16})}, .attributes = {{"axis", int64_t{1}}}},
       "([a,b])->([a,_]) combine={b:MAX[a]} reduction={b:MIN}"},
  };
}

std::vector<ReferenceCase> JoinedByItself() {
  const OpExample::Input axis = Literal({1});
  return {
      {"M10",
       "topk",
       Known("TopK"),
       {.inputs = {Floats({6, 16}), Literal({3})}, .num_outputs = 2},
       "([a,b])->([a,_],[a,_]) combine={b:SELF[a]} least={b:2}"},
      {"M10",
       "cumsum",
       Known("CumSum"),
       {.inputs = {Floats({6, 16}), axis}},
       "([a,b])->([a,b]) combine={b:SCAN[a]} least={b:2} linear={0}"},
      {"M10",
       "cumsum_exclusive",
       Known("CumSum"),
       {.inputs = {Floats({6, 16}), axis}, .attributes = {{"exclusive", int64_t{1}}}},
       "([a,b])->([a,b]) combine={b:SCAN exclusive[a]} least={b:2} linear={0}"},
      {"M10",
       "cumsum_reversed",
       Known("CumSum"),
       {.inputs = {Floats({6, 16}), axis}, .attributes = {{"reverse", int64_t{1}}}},
       "([a,b])->([a,b]) combine={b:SCAN reversed[a]} least={b:2} linear={0}"},
      {"M10",
       "cumulative_log_sum_exp",
       MakeOp("CumulativeLogSumExp", SameAs, Running<LogAddExp>),
       {.inputs = {Floats({6, 16})}, .attributes = {{"first", -1.0 / 0.0}}},
       "([a,b])->([a,b]) combine={b:SCAN[a]} least={b:2}"},
      {"M10",
       "cumulative_maximum",
       MakeOp("CumulativeMaximum", SameAs, Running<Highest>),
       {.inputs = {Floats({6, 16})}, .attributes = {{"first", -1.0 / 0.0}}},
       "([a,b])->([a,b]) combine={b:SCAN[a]} least={b:2} max={0}"},
      {"M10",
       "argmax_without_decomposition",
       MakeOp("ArgumentOfMaximum", IndexTypes, IndexOfHighest<false>),
       {.inputs = {Floats({6, 16})}},
       "([a,b])->([a,_]) combine={b:SELF index[a]} least={b:2}"},
      {"M10",
       "argmax_last",
       MakeOp("LastArgumentOfMaximum", IndexTypes, IndexOfHighest<true>),
       {.inputs = {Floats({6, 16})}},
       "([a,b])->([a,_]) combine={b:SELF index[a]} least={b:2}"},
      {"M10",
       "best_values",
       MakeOp("BestValues", BestTypes, Best),
       {.inputs = {Floats({6, 16})}, .attributes = {{"count", int64_t{3}}}},
       "([a,b])->([a,_]) combine={b:SELF[a]} least={b:2}"},
  };
}

// The partial results of these cannot be joined, or not in a known way.
std::vector<ReferenceCase> NotJoined() {
  const auto rows = [](const char* name, decltype(OpDef::reference) reference) {
    return ReferenceCase{"-",
                         name,
                         MakeOp(name, SameAs, reference),
                         {.inputs = {Floats({6, 16})}},
                         "([a,_])->([a,_])"};
  };
  std::vector<ReferenceCase> all{rows("squares_so_far", Running<SquaresSoFar>),
                                 rows("sorted", Sorted)};
  all.push_back({"-",
                 "count_above_zero",
                 MakeOp("CountAbove", IndexTypes, CountAbove),
                 {.inputs = {Floats({6, 16})}},
                 "([a,b])->([a,_]) reduction={b}"});
  all.push_back(
      {"-",
       "all_but_the_best",
       MakeOp("AllButTheBest", BestTypes, Best),
       {.inputs = {Floats({6, 16})}, .attributes = {{"count", int64_t{3}}, {"skip", int64_t{1}}}},
       "([a,_])->([a,_])"});
  all.push_back({"-",
                 "mean_so_far",
                 MakeOp("MeanSoFar", SameAs, Running<MeanSoFar>),
                 {.inputs = {Floats({6, 16})}},
                 "([a,_])->([a,_]) linear={0}"});
  all.push_back({"-",
                 "decaying_sum",
                 MakeOp("DecayingSum", SameAs, Running<Decaying>),
                 {.inputs = {Floats({6, 16})}},
                 "([a,_])->([a,_]) linear={0}"});
  return all;
}

std::vector<ReferenceCase> Cases() {
  std::vector<ReferenceCase> all = Decomposed();
  for (auto* more : {&JoinedByItself, &NotJoined})
    for (ReferenceCase& one : more()) all.push_back(std::move(one));
  return all;
}

// The case as a graph of one node.
Graph GraphOfCase(const ReferenceCase& one) {
  const ExampleCall example(one.op, one.example);
  Graph graph;
  Node node;
  node.name = "n";
  node.domain = one.op.domain;
  node.op = one.op.name;
  node.attributes = one.example.attributes;
  for (size_t i = 0; i < example.call.inputs.size(); ++i) {
    const OpCall::Input& input = example.call.inputs[i];
    const bool known = input.constant != nullptr;
    node.inputs.push_back(graph.AddValue({fmt::format("x{}", i),
                                          input.type,
                                          known ? ValueKind::kConstant : ValueKind::kInput,
                                          known ? *input.constant : Tensor(),
                                          kNone}));
    if (!known) graph.inputs.push_back(node.inputs.back());
  }
  const auto types = InferTypes(example.call);
  for (size_t o = 0; o < types.value().size(); ++o)
    node.outputs.push_back(
        graph.AddValue({fmt::format("y{}", o), types.value()[o], ValueKind::kResult, {}, kNone}));
  graph.outputs = node.outputs;
  graph.AddNode(std::move(node));
  return graph;
}

SignatureReport ReportOf(const ReferenceCase& one, uint64_t seed) {
  OpTable table = OpTable::BuiltIn();
  if (table.Find(one.op.domain, one.op.name) == nullptr) table.Add(one.op);
  RuleBook book(table, {.seed = seed});
  return book.Report(GraphOfCase(one))[0];
}

class Joined : public ::testing::TestWithParam<ReferenceCase> {};

TEST_P(Joined, RuleIsFound) {
  const SignatureReport found = ReportOf(GetParam(), 0);
  EXPECT_EQ(GetParam().rule, found.rule) << found.reason;
  RecordProperty("executions", static_cast<int>(found.executions));
  if (std::getenv("METADIST_SHOW_COST") != nullptr)
    fmt::print("{:4} {:32} {:5} executions {:6} kernel runs {:8.2f} ms  {}\n",
               GetParam().id,
               GetParam().name,
               found.executions,
               found.kernel_runs,
               found.seconds * 1e3,
               found.rule);
}

// 5 seeds, or METADIST_REFERENCE_SEEDS.
TEST_P(Joined, RuleDoesNotDependOnTheSeed) {
  const char* many = std::getenv("METADIST_REFERENCE_SEEDS");
  const uint64_t seeds = many == nullptr ? 5 : std::strtoull(many, nullptr, 10);
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    ASSERT_EQ(GetParam().rule, ReportOf(GetParam(), seed).rule) << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Rules, Joined, ::testing::ValuesIn(Cases()), [](const auto& info) {
  return (info.param.id == "-" ? "None" : info.param.id) + "_" + info.param.name;
});

}  // namespace
}  // namespace metadist::testing
