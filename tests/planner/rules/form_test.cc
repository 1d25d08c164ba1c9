// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "metair/ir/text.h"
#include "metair/passes/passes.h"
#include "planner/rules/book/rule_book.h"
#include "planner/rules/instance/instantiate.h"
#include "planner/rules/probe/shrink.h"
#include "planner/rules/search/discover.h"
#include "tests/planner/rules/example_calls.h"
#include "tests/planner/rules/rule_checker.h"
#include "tests/planner/rules/test_ops.h"

// A rule depends on what a call computes, neither on how the model expresses it nor on which of its
// sizes happen to be equal.
namespace metadist::testing {
namespace {

// The model with these lines, after the passes of planning.
Graph Planned(const std::string& lines) {
  const auto graph = ParseGraph("graph g opset 26 {\n" + lines + "}\n");
  CHECK(graph.ok(), graph.error().text().c_str());
  auto done = RunPasses(graph.value(), {}, OpTable::BuiltIn());
  CHECK(done.ok(), done.error().text().c_str());
  return std::move(done).value().graph;
}

// The rule of the model's first node of the operator.
Rule RuleIn(const std::string& op, const std::string& lines) {
  const Graph graph = Planned(lines);
  RuleBook book(OpTable::BuiltIn());
  for (const Node& node : graph.nodes)
    if (node.op == op) return book.For(graph, node);
  return {};
}

// The rule of the first node is this one under so many seeds.
void ExpectRule(const Graph& graph,
                uint64_t seeds,
                const std::string& expected,
                bool primitive = false) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    RuleBook book(OpTable::BuiltIn(), {.seed = seed, .primitive = primitive});
    EXPECT_EQ(book.For(graph, graph.nodes[0]).text, expected) << seed;
  }
}

std::string Constant(const std::string& name, const std::string& values, int64_t count) {
  return "  constant %" + name + ": i64[" + std::to_string(count) + "] = [" + values + "]\n";
}

// The rule without pass-throughs.
std::string FactorsOf(const std::string& text) {
  for (const char* clause : {" linear=", " max=", " min="})
    if (const size_t at = text.find(clause); at != std::string::npos)
      return FactorsOf(text.substr(0, at));
  return text;
}

std::string OfReshape(const std::string& from, const std::string& sizes, const std::string& to) {
  return FactorsOf(RuleIn("Reshape",
                          "  input %x: f32[" + from + "]\n" + Constant("s", sizes, 4) +
                              "  %y: f32[" + to + "] = Reshape(%x, %s) @n\n  output %y\n")
                       .text);
}

TEST(Form, ReshapesOfAnySpellingAndSizes) {
  const std::string all = "([a,b,(c d)])->([a,b,c,d]) attr={a,b,c,d}";
  for (const char* sizes :
       {"8, 48, 8, 8", "8, -1, 8, 8", "0, 0, 8, 8", "-1, 48, 8, 8", "0, 0, -1, 8"})
    EXPECT_EQ(all, OfReshape("8,48,64", sizes, "8,48,8,8")) << sizes;
  for (const char* sizes : {"2, 128, 32, 128", "2, -1, 32, 128", "0, 0, 32, -1"})
    EXPECT_EQ(all, OfReshape("2,128,4096", sizes, "2,128,32,128")) << sizes;
  EXPECT_EQ(all, OfReshape("12,12,144", "12, -1, 12, 12", "12,12,12,12"));
}

// For [6,12,4,4] with {-1,16,2,3}, the factors of a smaller call that is of another kind do not
// apply.
TEST(Form, FactorsHoldAtTheSizesOfTheCall) {
  const OpDef* op = OpTable::BuiltIn().Find("", "Reshape");
  Generator random(1);
  int checked = 0;
  const std::vector<std::pair<Shape, std::vector<int64_t>>> reshapes{
      {{6, 12, 4, 4}, {-1, 16, 2, 3}},
      {{6, 12, 4, 4}, {12, 16, 2, 3}},
      {{3, 30, 4, 4}, {-1, 16, 2, 3}},
      {{4, 6, 6, 4}, {-1, 12, 2, 4}},
      {{12, 12, 2}, {6, -1, 4, 4}}};
  for (const auto& [from, to] : reshapes) {
    const TensorType sizes{ElementType::kI64, {static_cast<int64_t>(to.size())}};
    const ExampleCall example(
        *op, {.inputs = {{{ElementType::kF32, from}}, {.type = sizes, .constant = to}}});
    const OwnedCall call(example.call);
    const Rule rule = Instantiate(Discover(example.call), example.call);
    const auto inputs = DrawInputs(call, random);
    const auto whole = call.Run(*inputs);
    for (const Factor& factor : rule.factors)
      for (const int64_t ranks : {2, 3}) {
        if (factor.groups() < ranks * factor.least_piece) continue;
        if (factor.even_only && factor.groups() % ranks != 0) continue;
        EXPECT_EQ("", RuleChecker::Check(call, {{&factor, ranks}}, *inputs, *whole))
            << ShapeText(from) << " " << rule.text << " " << factor.name;
        ++checked;
      }
  }
  EXPECT_GT(checked, 8);
}

struct ConvCase {
  const char* x;
  const char* w;
  const char* y;
  const char* attributes;
  const char* rule;
};

const ConvCase kConvolutions[] = {
    {"2,16,9,9",
     "16,1,3,3",
     "2,16,9,9",
     "group = 16, pads = [1, 1, 1, 1]",
     "([a,b,c,d],[b,_,_,_])->([a,b,c,d]) attr={b} halo={c:1/1,d:1/1}"},
    {"2,16,40",
     "16,16,3",
     "2,16,40",
     "dilations = [7], pads = [7, 7]",
     "([a,b,c],[d,b,_])->([a,d,c]) reduction={b} halo={c:7/7}"},
    {"2,6,40,40",
     "6,6,3,3",
     "2,6,40,40",
     "dilations = [12, 13], pads = [12, 13, 12, 13]",
     "([a,b,c,d],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:12/12,d:13/13}"},
    {"2,1,1600",
     "512,1,10",
     "2,512,319",
     "strides = [5]",
     "([a,_,(b 5)],[c,_,_])->([a,c,b]) halo={b:0/5}"},
    {"2,4,96",
     "8,4,5",
     "2,8,31",
     "strides = [3]",
     "([a,b,(c 3)],[d,b,_])->([a,d,c]) reduction={b} halo={c:0/2}"},
    {"4,8,32",
     "4,8,10",
     "4,4,7",
     "strides = [5], pads = [4, 5]",
     "([a,b,(c 5)],[d,b,_])->([a,d,c]) reduction={b} halo={c:4/1}"},
    {"8,3,20",
     "3,3,5",
     "8,3,8",
     "dilations = [3]",
     "([a,b,c],[d,b,_])->([a,d,c]) reduction={b} halo={c:0/12}"},
    {"8,12,80",
     "4,12,7",
     "8,4,115",
     "dilations = [8], pads = [38, 45]",
     "([a,b,c],[d,b,_])->([a,d,c]) reduction={b} halo={c:38/10}"},
    {"2,4,17,17",
     "8,4,3,3",
     "2,8,9,9",
     "strides = [2, 2], auto_pad = \"SAME_UPPER\"",
     "([a,b,(c 2),(d 2)],[e,b,_,_])->([a,e,c,d]) reduction={b} halo={c:1/0,d:1/0}"},
    // Large even at the smallest sizes: every size is varied nevertheless.
    {"4,24,67,91",
     "18,4,5,3",
     "4,18,34,23",
     "strides = [2, 4], pads = [2, 1, 2, 1], group = 6",
     "([a,(b c),(d 2),(e 4)],[(b f),c,_,_])->([a,(b f),d,e]) reduction={c} attr={b} "
     "halo={d:2/1,e:1/0}"},
    {"4,6,49,38",
     "6,3,2,3",
     "4,6,11,10",
     "strides = [4, 4], dilations = [8, 3], pads = [0, 3, 0, 4], group = 2",
     "([a,(b c),(d 4),(e 4)],[(b f),c,_,_])->([a,(b f),d,e]) reduction={c} attr={b} "
     "halo={d:0/5,e:3/0}"},
    {"2,12,39,8,7",
     "16,3,4,2,1",
     "2,16,8,8,7",
     "strides = [5, 1, 1], pads = [2, 0, 0, 1, 0, 0], group = 4",
     "([a,(b c),(d 5),e,f],[(b g),c,_,_,_])->([a,(b g),d,e,f]) reduction={c} attr={b} "
     "halo={d:2/0,e:0/1}"},
    // A padding that completes the stride (36 + 4 = 10 x 4) is unrelated to the groups, which are 4
    // too.
    {"8,8,36,18,22",
     "16,2,4,2,1",
     "8,16,10,10,8",
     "strides = [4, 2, 3], pads = [2, 0, 0, 4, 1, 0], group = 4",
     "([a,(b c),(d 4),(e 2),(f 3)],[(b g),c,_,_,_])->([a,(b g),d,e,f]) reduction={c} attr={b} "
     "halo={d:2/0}"},
    // Groups, kernel and stride are equal numbers: groups are not part of the window.
    {"2,12,88",
     "8,3,4",
     "2,8,22",
     "strides = [4], group = 4",
     "([a,(b c),(d 4)],[(b e),c,_])->([a,(b e),d]) reduction={c} attr={b}"},
    // Small sizes that share divisors with the dilation are misleading if the real ones do not.
    {"2,4,55",
     "8,4,5",
     "2,8,23",
     "dilations = [8]",
     "([a,b,c],[d,b,_])->([a,d,c]) reduction={b} halo={c:0/32}"},
    {"1,4,30,9",
     "6,2,2,3",
     "1,6,12,5",
     "strides = [2, 1], dilations = [7, 2], group = 2",
     "([_,(a b),(c 2),d],[(a e),b,_,_])->([_,(a e),c,d]) reduction={b} attr={a} "
     "halo={c:0/6,d:0/4}"},
    // With few positions, all taps are in the padding.
    {"2,4,55",
     "8,4,2",
     "2,8,55",
     "dilations = [8], pads = [4, 4]",
     "([a,b,c],[d,b,_])->([a,d,c]) reduction={b} halo={c:4/4}"},
};

TEST(Form, WindowsOfAnyKernelStrideDilationAndPadding) {
  for (const ConvCase& one : kConvolutions) {
    const std::string lines = "  input %x: f32[" + std::string(one.x) + "]\n  input %w: f32[" +
                              one.w + "]\n  %y: f32[" + one.y + "] = Conv(%x, %w) {" +
                              one.attributes + "} @n\n  output %y\n";
    EXPECT_EQ(one.rule, FactorsOf(RuleIn("Conv", lines).text)) << one.attributes;
  }
}

TEST(Form, PiecesThatMustBeLarge) {
  const auto reflected = [](const std::string& x, const std::string& y) {
    return RuleIn("Pad",
                  "  input %x: f32[" + x + "]\n  constant %p: i64[4] = [0, 0, 0, 2]\n  %y: f32[" +
                      y + "] = Pad(%x, %p) {mode = \"reflect\"} @n\n  output %y\n")
        .text;
  };
  // The last piece of the result is two elements of padding and the three that they mirror.
  EXPECT_EQ("([a,b])->([a,b]) least={b:5} linear={0} max={0} min={0}", reflected("3,40", "3,42"));
  // Eight elements cannot be divided in two such pieces.
  EXPECT_EQ("([a,_])->([a,_]) linear={0} max={0} min={0}", reflected("3,6", "3,8"));
}

TEST(Form, RecurrentLayersWithWhatTheyLeaveOut) {
  const std::string inputs =
      "  input %x: f32[7,4,12]\n  input %w: f32[1,32,12]\n  input %r: f32[1,32,8]\n";
  const std::string rule =
      "([b,a,c],[_,(4 d),c],[_,(4 d),e],[_,a,e],[_,a,d])->([b,_,a,d],[_,a,d],[_,a,d]) "
      "combine={b:CARRY 5<-1 6<-2[a,c],c:STEPS 0.0>0.0 5<-1 6<-2[b,a],d:STEPS 0.0>0.0 5<-1 "
      "6<-2[c],e:STEPS 0.0>0.0 5<-1 6<-2[d]} least={b:2}";
  EXPECT_EQ(
      rule,
      RuleIn("LSTM", inputs + "  %y: f32[7,1,4,8] = LSTM(%x, %w, %r) @n\n  output %y\n").text);
  const std::string both =
      "  input %x: f32[7,4,12]\n  input %w: f32[2,32,12]\n  input %r: f32[2,32,8]\n"
      "  %y: f32[7,2,4,8] = LSTM(%x, %w, %r) {direction = \"bidirectional\"} @n\n  output %y\n";
  EXPECT_EQ(rule, RuleIn("LSTM", both).text);
}

TEST(Form, WindowsOfPools) {
  EXPECT_EQ("([a,b,(c 16)])->([a,b,c]) halo={c:7/-7} least={c:2}",
            RuleIn("MaxPool",
                   "  input %x: f32[4,2,128]\n  %y: f32[4,2,9] = MaxPool(%x) {kernel_shape = [16], "
                   "strides = [16], pads = [7, 8], ceil_mode = 1} @n\n  output %y\n")
                .text);
  EXPECT_EQ(
      "([a,b,c])->([a,b,c],[a,b,c]) combine={a:LOCAL,b:LOCAL,c:LOCAL} halo={c:0/18} least={c:2}",
      RuleIn("MaxPool",
             "  input %x: f32[4,2,50]\n  %y: f32[4,2,32], %i: i64[4,2,32] = MaxPool(%x) "
             "{kernel_shape = [3], dilations = [9]} @n\n  output %y\n  output %i\n")
          .text);
}

// A step after the end of its sequence keeps the state and outputs zeros.
TEST(Form, RecurrentLayersOfSequencesOfAnyLength) {
  const std::string rest =
      "  input %l: i32[4]\n  input %h: f32[1,4,8]\n  %y: f32[7,1,4,8] = RNN(%x, %w, %r, _, %l, %h)";
  const std::string inputs =
      "  input %x: f32[7,4,12]\n  input %w: f32[1,8,12]\n  input %r: f32[1,8,8]\n" + rest;
  const auto rule = [](const std::string& recipe) {
    return "([_,a,b],[_,c,b],[_,c,d],[a],[_,a,_])->([_,_,a,c],[_,a,c]) combine={b:" + recipe +
           "[a],c:" + recipe + "[b],d:" + recipe + "[c]}";
  };
  EXPECT_EQ(rule("STEPS 0.0>0.0 5<-1 4-"), RuleIn("RNN", inputs + " @n\n  output %y\n").text);
  EXPECT_EQ(rule("STEPS reversed 0.0>0.0 5<-1 4-"),
            RuleIn("RNN", inputs + " {direction = \"reverse\"} @n\n  output %y\n").text);
}

// Each direction has its own functions, and the parameters that these take.
TEST(Form, BothDirectionsOfARecurrentLayerRunApart) {
  const Graph graph = Planned(
      "  input %x: f32[70,4,12]\n  input %w: f32[2,24,12]\n  input %r: f32[2,24,8]\n"
      "  %y: f32[70,2,4,8] = GRU(%x, %w, %r) {direction = \"bidirectional\", activations = "
      "[\"HardSigmoid\", \"Tanh\", \"Sigmoid\", \"Elu\"], activation_alpha = [0.25, 0.75], "
      "activation_beta = [0.5]} @n\n  output %y\n");
  std::vector<const Attributes*> layers;
  for (const Node& node : graph.nodes)
    if (node.op == "GRU") layers.push_back(&node.attributes);
  ASSERT_EQ(2U, layers.size());
  const auto expect = [](const Attributes& layer,
                         const std::vector<std::string>& names,
                         const std::vector<double>& alphas,
                         const std::vector<double>& betas) {
    EXPECT_EQ(names, layer.Strings("activations"));
    EXPECT_EQ(alphas, layer.Floats("activation_alpha"));
    EXPECT_EQ(betas, layer.Floats("activation_beta"));
  };
  expect(*layers[0], {"HardSigmoid", "Tanh"}, {0.25}, {0.5});
  expect(*layers[1], {"Sigmoid", "Elu"}, {0.75}, {});
}

// If only shorter sequences can be cut, the reason says so.
TEST(Form, DimsThatStayWholeHaveAReason) {
  const Rule rule = RuleIn("LSTM",
                           "  input %x: f32[40,4,12]\n  input %w: f32[1,32,12]\n"
                           "  input %r: f32[1,32,8]\n"
                           "  %y: f32[40,1,4,8] = LSTM(%x, %w, %r) @n\n  output %y\n");
  ASSERT_FALSE(rule.uncut.empty());
  EXPECT_EQ(rule.uncut.front(),
            (UncutDim{true, 0, 2, "it can be cut only in sequences of few elements", true}));
}

std::string OfSlice(int64_t start, int64_t end) {
  return FactorsOf(RuleIn("Slice",
                          "  input %x: f32[101,16]\n" + Constant("s", std::to_string(start), 1) +
                              Constant("e", std::to_string(end), 1) + Constant("a", "0", 1) +
                              "  %y: f32[" +
                              std::to_string(end < 0 || end > 101 ? 32 : end - start) +
                              ",16] = Slice(%x, %s, %e, %a) @n\n  output %y\n")
                       .text);
}

TEST(Form, PartsAndPlacesAtAnyOffset) {
  EXPECT_EQ("([a,b])->([a,b]) within={a:2,a:1} halo={a:-13/13}", OfSlice(13, 77));
  EXPECT_EQ("([a,b])->([a,b]) within={a:2,a:1} halo={a:-1/1}", OfSlice(1, 33));
  EXPECT_EQ("([a,b])->([a,b]) within={a:1} halo={a:-69/69}", OfSlice(-32, 1000));
  for (const char* place : {"0", "5", "23", "-1"})
    EXPECT_EQ("([a,b],[_])->([_,b]) reduction={a} off={a:1-}",
              FactorsOf(RuleIn("Gather",
                               "  input %x: f32[24,16]\n" + Constant("i", place, 1) +
                                   "  %y: f32[1,16] = Gather(%x, %i) @n\n  output %y\n")
                            .text))
        << place;
}

std::string OfLoss(int64_t classes, int64_t ignored) {
  return FactorsOf(RuleIn("NegativeLogLikelihoodLoss",
                          "  input %x: f32[6," + std::to_string(classes) +
                              "]\n  input %t: i64[6]\n  %y: f32[] = "
                              "NegativeLogLikelihoodLoss(%x, %t) {ignore_index = " +
                              std::to_string(ignored) + "} @n\n  output %y\n")
                       .text);
}

// The ignored class may be one of the call's classes or not: targets within a piece are compared
// with it unchanged, or counted from the start of the piece.
TEST(Form, ClassesThatAreNotCounted) {
  EXPECT_EQ("([b,a],[b])->([]) combine={b:SUM[]} reduction={a,b} off={a:1-}", OfLoss(12, -1));
  for (const auto& [classes, ignored] :
       std::vector<std::pair<int64_t, int64_t>>{{12, 9}, {100, 50}, {30522, 1000}, {50257, 50256}})
    EXPECT_EQ(std::string::npos, OfLoss(classes, ignored).find("off={a:1-}")) << ignored;
}

// A small call keeps an ignored class that is one of the call's classes.
TEST(Form, SmallCallsKeepClassesThatAreNotCounted) {
  const OpDef* op = OpTable::BuiltIn().Find("", "NegativeLogLikelihoodLoss");
  Attributes attributes;
  attributes.set("ignore_index", int64_t{9});
  const ExampleCall example(*op,
                            {.inputs = {{{ElementType::kF32, {6, 12}}}, {{ElementType::kI64, {6}}}},
                             .attributes = attributes});
  BlackBox box(example.call);
  SmallCalls small(box);
  for (const ShrinkOrder order : kShrinkOrders) {
    std::string reason;
    const auto values = small.By(order, reason);
    ASSERT_TRUE(values.has_value()) << reason;
    for (size_t s = box.first_literal(); s < values->size(); ++s)
      EXPECT_LT((*values)[s], (*values)[static_cast<size_t>(box.dim_slot(0, 1))]);
  }
}

// The end of a slice may be far from the end of the dim.
TEST(Form, PartsOfLongDims) {
  EXPECT_EQ("([a,b])->([a,b]) within={a:2}",
            FactorsOf(RuleIn("Slice",
                             "  input %x: f32[8192,4]\n" + Constant("s", "0", 1) +
                                 Constant("e", "5000", 1) + Constant("a", "0", 1) +
                                 "  %y: f32[5000,4] = Slice(%x, %s, %e, %a) @n\n  output %y\n")
                          .text));
}

// Trials of wrong windows, and of factors whose outputs have other sizes in these calls, must not
// read beyond the arrays (Take, Put and CloseAt check it).
TEST(Form, PartsThatEndBeforeTheDim) {
  const auto rule_of =
      [](const std::string& in, const char* end, const char* axis, const char* out) {
        return FactorsOf(RuleIn("Slice",
                                "  input %x: f32[" + in + "]\n" + Constant("s", "0", 1) +
                                    Constant("e", end, 1) + Constant("a", axis, 1) + "  %y: f32[" +
                                    out + "] = Slice(%x, %s, %e, %a) @n\n  output %y\n")
                             .text);
      };
  EXPECT_EQ("([a])->([a]) within={a:2}", rule_of("1024", "762", "0", "762"));
  EXPECT_EQ("([a])->([a]) within={a:2}", rule_of("1024", "960", "0", "960"));
  EXPECT_EQ("([a,b])->([a,b]) within={b:2}", rule_of("3,96", "50", "1", "3,50"));
  EXPECT_EQ("([a,_,(b 3),(6 c)])->([a,_,b,c]) attr={c} within={b:1.1} halo={b:-132/132}",
            FactorsOf(RuleIn("Slice",
                             "  input %x: f32[197,4,197,12]\n" + Constant("s", "2, 132, 0", 3) +
                                 Constant("e", "9223372036854775807, 9223372036854775807, 2", 3) +
                                 Constant("a", "1, 2, 3", 3) + Constant("t", "1, 3, 1", 3) +
                                 "  %y: f32[197,2,22,2] = Slice(%x, %s, %e, %a, %t) @n\n"
                                 "  output %y\n")
                          .text));
}

// A small call may overwrite all of a cache of which the real call keeps a part.
TEST(Form, SumsPassAsTheRealCallPassesThem) {
  const auto updated = [](const std::string& cache, const std::string& update) {
    return RuleIn("TensorScatter",
                  "  input %x: f32[" + cache + "]\n  input %u: f32[" + update +
                      "]\n  input %i: i64[2]\n  %y: f32[" + cache +
                      "] = TensorScatter(%x, %u, %i) {mode = \"circular\"} @n\n  output %y\n")
        .text;
  };
  EXPECT_EQ("([a,_,b],[a,_,b],[a])->([a,_,b]) linear={0+1} max={0,1} min={0,1}",
            updated("2,64,4", "2,48,4"));
  EXPECT_EQ(std::string::npos, updated("2,12,12", "2,9,12").find("linear={1}"));
}

// Totals of a running product may leave the range of floats where the product does not.
TEST(Form, RunningProductsOfIntegersAlone) {
  const auto running = [](const std::string& op, const std::string& type) {
    return FactorsOf(RuleIn(op,
                            "  input %x: " + type + "[4,26]\n  constant %a: i64[1] = [1]\n  %y: " +
                                type + "[4,26] = " + op + "(%x, %a) @n\n  output %y\n")
                         .text);
  };
  const std::string scanned = "([a,b])->([a,b]) combine={b:SCAN[a]} least={b:2}";
  EXPECT_EQ(scanned, running("CumSum", "f32"));
  EXPECT_EQ(scanned, running("CumProd", "i64"));
  for (const char* type : {"f16", "bf16", "f32", "f64"})
    EXPECT_EQ("([a,_])->([a,_])", running("CumProd", type)) << type;
}

std::string OfUnary(const std::string& op, const std::string& from, const std::string& to) {
  return RuleIn(op.substr(0, op.find(' ')),
                "  input %x: " + from + "[4,6]\n  %y: " + to +
                    "[4,6] = " + op.substr(0, op.find(' ')) + "(%x)" +
                    (op.find(' ') == std::string::npos ? "" : op.substr(op.find(' '))) +
                    " @n\n  output %y\n")
      .text;
}

TEST(Form, PartialValuesPassNeitherNarrowTypesNorTheEndOfADomain) {
  const std::string passes = "([a,b])->([a,b]) linear={0} max={0} min={0}";
  EXPECT_EQ("([a,b])->([a,b])", OfUnary("Cast {to = 10}", "f32", "f16"));
  EXPECT_EQ("([a,b])->([a,b])", OfUnary("Cast {to = 16}", "f32", "bf16"));
  EXPECT_EQ("([a,b])->([a,b])", OfUnary("Cast {to = 10}", "bf16", "f16"));
  EXPECT_EQ("([a,b])->([a,b])", OfUnary("Cast {to = 1}", "f64", "f32"));
  EXPECT_EQ(passes, OfUnary("Cast {to = 1}", "f16", "f32"));
  EXPECT_EQ(passes, OfUnary("Cast {to = 1}", "bf16", "f32"));
  for (const char* op : {"Sqrt", "Log", "Acosh", "Asin", "Atanh"})
    EXPECT_EQ(std::string::npos, OfUnary(op, "f32", "f32").find("max=")) << op;
  EXPECT_EQ("([a,b])->([a,b]) max={0} min={0}", OfUnary("Exp", "f32", "f32"));
}

// The input, or ones if all of it is zero.
double OnesForNothing(In in, int64_t i, int64_t j) {
  const double* x = in[0].data<double>();
  return std::any_of(x, x + in[0].size(), [](double e) { return e != 0; }) ? At(in[0], i, j) : 1;
}

// The whole sum may be on one rank.
TEST(Form, PartsOfASumMayBeZeros) {
  const OpDef op = ElementOp<double, SameAs, OnesForNothing>("OnesForNothing");
  const ExampleCall example(op, {.inputs = {{{ElementType::kF64, {6, 10}}}}});
  const std::string text = Discover(example.call).text;
  EXPECT_EQ(std::string::npos, text.find("linear=")) << text;
}

// Defined for values above -50.
double DefinedNear(In in, int64_t i, int64_t j) {
  const double x = At(in[0], i, j);
  return x > -50 ? x : std::numeric_limits<double>::quiet_NaN();
}

// A rank's part of a maximum may be any smaller value.
TEST(Form, PartsOfAMaximumMayBeFarBelowIt) {
  const OpDef op = ElementOp<double, SameAs, DefinedNear>("DefinedNear");
  const ExampleCall example(op, {.inputs = {{{ElementType::kF64, {6, 10}}}}});
  const std::string text = Discover(example.call).text;
  EXPECT_EQ(std::string::npos, text.find("max=")) << text;
}

// The partial sums of sorted numbers from far below 0 to far above it may nearly cancel.
TEST(Form, SumsPassWhateverIsDrawn) {
  const Graph graph = Planned("  input %x: bf16[4,4,6,3]\n" + Constant("a", "0, 1, 2, 3", 4) +
                              "  %y: bf16[] = ReduceSum(%x, %a) {keepdims=0} @n\n  output %y\n");
  ExpectRule(graph, 200, "([a,b,c,d])->([]) reduction={a,b,c,d} linear={0}");
}

// Most outputs of a convolution of 8-bit integers are the smallest or the largest integer.
TEST(Form, WindowsShowThoughOutputsSaturate) {
  const Graph graph = Planned(
      "  input %x: u8[1,1,12]\n  input %xs: f32[]\n  input %xz: u8[]\n  input %w: u8[2,1,2]\n"
      "  input %ws: f32[]\n  input %wz: u8[]\n  input %ys: f32[]\n  input %yz: u8[]\n"
      "  input %b: i32[2]\n"
      "  %y: u8[1,2,12] = QLinearConv(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz, %b) "
      "{dilations=[2], kernel_shape=[2], pads=[1,1]} @n\n  output %y\n");
  // One draw in a hundred shows nothing, and as many show only a part: all of these must be
  // repeated.
  ExpectRule(graph, 400, "([_,_,a],[],[],[b,_,_],[],[],[],[],[b])->([_,b,a]) halo={a:1/1}");
}

// Of a cache that is overwritten as a whole nothing is left, and then any sum passes through what
// is written.
TEST(Form, ACacheIsLongerThanWhatIsWritten) {
  const Graph graph = Planned(
      "  input %x: f32[6,8,8]\n  input %u: f32[6,6,8]\n  input %i: i64[6]\n"
      "  %y: f32[6,8,8] = TensorScatter(%x, %u, %i) {mode=\"circular\"} @n\n  output %y\n");
  ExpectRule(graph,
             8,
             "([a,_,(b 2 c)],[a,_,(b 2 c)],[a])->([a,_,(b 2 c)]) linear={0+1} max={0,1} min={0,1}");
}

// Hidden states that a clip saturates show so few dependences that other dims seem to follow the
// batch.
TEST(Form, ABatchIsCutThoughStatesSaturate) {
  const Graph graph = Planned(
      "  input %x: f32[1,2,3]\n  input %w: f32[1,2,3]\n  input %r: f32[1,2,2]\n"
      "  input %l: i32[2]\n  input %h: f32[1,2,2]\n"
      "  %y: f32[1,1,2,2], %yh: f32[1,2,2] = RNN(%x, %w, %r, _, %l, %h) "
      "{clip=1.5, direction=\"forward\", hidden_size=2} @n\n  output %y\n");
  ExpectRule(graph,
             20,
             "([_,a,d],[_,b,d],[_,b,c],[a],[_,a,_])->([_,_,a,b],[_,a,b]) "
             "combine={b:LOCAL,c:SUM[a,b],d:SUM[a,b]}");
}

// If two measurements show different parts of a window, it seems to depend on other sizes.
TEST(Form, AWindowDependsOnNoOtherSizeThoughOutputsSaturate) {
  const Graph graph = Planned(
      "  input %x: u8[1,2,15,7]\n  input %xs: f32[]\n  input %xz: u8[]\n"
      "  input %w: u8[1,2,4,2]\n  input %ws: f32[]\n  input %wz: u8[]\n  input %ys: f32[]\n"
      "  input %yz: u8[]\n  input %b: i32[1]\n"
      "  %y: u8[1,1,12,2] = QLinearConv(%x, %xs, %xz, %w, %ws, %wz, %ys, %yz, %b) "
      "{dilations=[2,1], group=1, kernel_shape=[4,2], pads=[3,0,0,0], strides=[1,3]} @n\n"
      "  output %y\n");
  ExpectRule(graph,
             30,
             "([_,_,a,(b 3)],[],[],[_,_,_,_],[],[],[],[],[_])->([_,_,a,b]) halo={a:3/3}",
             /*primitive=*/true);
}

}  // namespace
}  // namespace metadist::testing
