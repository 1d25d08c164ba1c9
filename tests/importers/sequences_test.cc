// SPDX-License-Identifier: Apache-2.0
//
// Sequences and optional values: replaced by their tensors, or refused with a reason.
#include <fmt/format.h>
#include <onnx/defs/parser.h>

#include "metair/ir/text.h"
#include "metair/ops/interpret.h"
#include "tests/importers/onnx_fixture.h"

namespace metadist {
namespace {

class Sequences : public OnnxTest {
 protected:
  // graph: in the ONNX project's text form, opset 20.
  Result<Imported> Read(const std::string& graph) {
    const std::string text = "<ir_version: 10, opset_import: [\"\" : 20]>\n" + graph;
    const auto parsed = onnx::OnnxParser(text.c_str()).Parse(model_);
    EXPECT_TRUE(parsed.IsOK()) << parsed.ErrorMessage();
    return Import();
  }

  // Elements of all outputs for x = 0, 1, 2, ..., preceded by the shapes.
  std::string Run(const std::string& graph) {
    const auto imported = Read(graph);
    if (!imported.ok()) return imported.error().text();
    EXPECT_TRUE(imported.value().opaque.empty());
    const Graph& read = imported.value().graph;
    std::vector<Tensor> inputs;
    for (ValueId id : read.OfKind(ValueKind::kInput)) {
      inputs.push_back(Tensor::Zeros(read.value(id).type));
      for (int64_t i = 0; i < inputs.back().size(); ++i)
        inputs.back().mutable_data<float>()[i] = static_cast<float>(i);
    }
    const auto results = Interpret(read, OpTable::BuiltIn(), inputs);
    if (!results.ok()) return results.error().text();
    std::string text;
    for (size_t o = 0; o < results.value().size(); ++o) {
      text += text.empty() ? "" : "; ";
      text += read.value(read.outputs[o]).name + " " + TypeText(results.value()[o].type());
      for (double value : results.value()[o].ToDoubles()) text += fmt::format(" {}", value);
    }
    return text;
  }

  std::string Refused(const std::string& graph) { return ErrorOf(Read(graph)); }
};

TEST_F(Sequences, PiecesOfASplitAreFoundAndJoinedAgain) {
  EXPECT_EQ(Run(R"(g (float[5] x) => (float[N] y) {
    two = Constant<value_int = 2>()
    s = SplitToSequence(x, two)
    last = Constant<value_int = -1>()
    piece = SequenceAt(s, last)
    t = SequenceErase(s, last)
    zero = Constant<value_int = 0>()
    u = SequenceInsert(t, piece, zero)
    y = ConcatFromSequence<axis = 0>(u)
  })"),
            "y f32[5] 4 0 1 2 3");
}

TEST_F(Sequences, SplitsWithoutSizesDropTheDimIfTheyAreToldTo) {
  EXPECT_EQ(Run(R"(g (float[2,3] x) => (float[N,M] y, int64 n) {
    s = SplitToSequence<axis = -1, keepdims = 0>(x)
    y = ConcatFromSequence<axis = -1, new_axis = 1>(s)
    n = SequenceLength(s)
  })"),
            "y f32[2,3] 0 1 2 3 4 5; n i64[] 3");
  EXPECT_EQ(Run(R"(g (float[2,2] x) => (float[N,M,K] y) {
    s = SplitToSequence<axis = 1>(x)
    y = ConcatFromSequence<axis = 0, new_axis = 1>(s)
  })"),
            "y f32[2,2,1] 0 2 1 3");
}

TEST_F(Sequences, SizesMayComeFromShapeArithmetic) {
  EXPECT_EQ(Run(R"(g (float[6] x) => (float[N] y) {
    shape = Shape(x)
    two = Constant<value_ints = [2]>()
    half = Div(shape, two)
    sizes = Concat<axis = 0>(half, half)
    s = SplitToSequence(x, sizes)
    zero = Sub(half, half)
    first = Squeeze(zero)
    a = SequenceAt(s, first)
    length = SequenceLength(s)
    s2 = SplitToSequence(a, length)
    y = SequenceAt(s2, first)
  })"),
            "y f32[2] 0 1");
}

TEST_F(Sequences, AnOutputThatIsASequenceIsOneForEachTensor) {
  EXPECT_EQ(Run(R"(g (float[4] x) => (seq(float[N]) y) {
    n = Neg(x)
    y = SequenceConstruct(n, x)
  })"),
            "y.0 f32[4] -0 -1 -2 -3; y.1 f32[4] 0 1 2 3");
}

TEST_F(Sequences, LoopsThatCollectAreWrittenOut) {
  EXPECT_EQ(Run(R"(g (float[2] x) => (float[N,2] y, float[K] last, float[S,2] scan) {
    three = Constant<value_int = 3>()
    yes = Constant<value = bool {1}>()
    none = SequenceEmpty()
    s, last, scan = Loop(three, yes, none, x) <body = b (int64 i, bool c, seq(float[2]) before, float[2] v)
                                        => (bool d, seq(float[2]) after, float[2] w, float[2] kept) {
      d = Identity(c)
      f = Cast<to = 1>(i)
      w = Add(v, f)
      after = SequenceInsert(before, w)
      kept = Neg(w)
    }>
    y = ConcatFromSequence<axis = 0, new_axis = 1>(s)
  })"),
            "y f32[3,2] 0 1 1 2 3 4; last f32[2] 3 4; scan f32[3,2] -0 -1 -1 -2 -3 -4");
}

TEST_F(Sequences, LastResultsOfALoopMayBeLeftOut) {
  EXPECT_EQ(Run(R"(g (float[2] x) => (int64 n) {
    two = Constant<value_int = 2>()
    none = SequenceEmpty()
    s = Loop(two, "", none, x) <body = b (int64 i, bool c, seq(float[2]) before, float[2] v)
                                       => (bool d, seq(float[2]) after, float[2] w, float[2] kept) {
      d = Identity(c)
      w = Neg(v)
      after = SequenceInsert(before, w)
      kept = Neg(w)
    }>
    n = SequenceLength(s)
  })"),
            "n i64[] 2");
}

TEST_F(Sequences, AConditionMayEndALoop) {
  EXPECT_EQ(Run(R"(g (float[2] x) => (int64 n) {
    two = Constant<value_int = 2>()
    yes = Constant<value = bool {1}>()
    none = SequenceEmpty()
    s = Loop("", yes, none) <body = b (int64 i, bool c, seq(float[2]) before) => (bool d, seq(float[2]) after) {
      d = Less(i, two)
      after = SequenceInsert(before, x)
    }>
    n = SequenceLength(s)
  })"),
            "n i64[] 3");
}

TEST_F(Sequences, OptionalValuesDecideBranches) {
  const auto graph = [](const char* optional) {
    return std::string("g (float[2] x) => (float[N] y) {\n") + optional + R"(
      has = OptionalHasElement(o)
      y = If(has) <then_branch = t () => (float[2] a) { e = OptionalGetElement(o) a = Neg(e) },
                   else_branch = f () => (float[2] b) { b = Identity(x) }>
    })";
  };
  EXPECT_EQ(Run(graph("o = Optional(x)")), "y f32[2] -0 -1");
  EXPECT_EQ(Run(graph("o = Optional<type = float[2]>()")), "y f32[2] 0 1");
}

TEST_F(Sequences, MapsAreWrittenOutWithWhatTheyCapture) {
  EXPECT_EQ(Run(R"(g (float[4] x) => (float[N] y) {
    s = SplitToSequence(x)
    t = SequenceConstruct(x, x, x, x)
    z = SequenceMap(s, t, x) <body = b (float[1] e, float[4] f, float[4] whole) => (float[4] r) {
      q = Mul(e, f)
      r = Add(q, whole)
    }>
    one = Constant<value_int = 2>()
    y = SequenceAt(z, one)
  })"),
            "y f32[4] 0 3 6 9");
}

TEST_F(Sequences, BodiesThatStayMayUseSequencesInside) {
  const auto imported = Read(R"(g (float[4] x, bool c) => (float[N] y) {
    s = SplitToSequence(x)
    y = If(c) <then_branch = t () => (float[2] a) {
                 two = Constant<value_ints = [1, 3]>()
                 zero = Constant<value_int = 0>()
                 u = SequenceAt(s, zero)
                 v = SequenceConstruct(u, u)
                 a = ConcatFromSequence<axis = 0>(v) },
               else_branch = f () => (float[2] b) { k = Constant<value_ints = [0]>() m = Constant<value_ints = [2]>() b = Slice(x, k, m) }>
  })");
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  EXPECT_NE(GraphText(imported.value().graph).find("Concat"), std::string::npos)
      << GraphText(imported.value().graph);
}

TEST_F(Sequences, WhatCannotBeWrittenOutIsRefusedWithAReason) {
  EXPECT_EQ(
      Refused(R"(g (float[4] x, int64 k) => (float[N] y) {
    s = SplitToSequence(x)
    z = Add(x, s)
    five = Constant<value_int = 5>()
    y = SequenceAt(s, five)
    w = SequenceAt(s, k)
    e = SequenceEmpty()
    v = ConcatFromSequence<axis = 0>(e)
    t = SequenceInsert(x, x)
  })"),
      "m.onnx: node 1 (Add): input 's' is a sequence or an optional value\n"
      "  hint: only operators for these, Identity, If and Loop can read one; others read tensors\n"
      "m.onnx: node 3 (SequenceAt): the position must be in [-4, 3], got 5\n"
      "m.onnx: node 4 (SequenceAt): the position must be known when the model is read: 'k' depends "
      "on elements of "
      "inputs\n"
      "m.onnx: node 6 (ConcatFromSequence): the sequence is empty\n"
      "m.onnx: node 7 (SequenceInsert): input 'x' is not a sequence");
  EXPECT_EQ(Refused(R"(g (float[4] x, int64 k) => (float[N] y) {
    s = SplitToSequence(x, k)
    y = ConcatFromSequence<axis = 0>(s)
  })"),
            "m.onnx: node 0 (SplitToSequence): the size of the pieces must be known when the model "
            "is read: 'k' depends on "
            "elements of inputs");
  EXPECT_EQ(Refused(R"(g (float[4] x, int64 k) => (float[N] y) {
    none = SequenceEmpty()
    s = Loop(k, "", none) <body = b (int64 i, bool c, seq(float[4]) before) => (bool c2, seq(float[4]) after) {
      c2 = Identity(c)
      after = SequenceInsert(before, x)
    }>
    y = ConcatFromSequence<axis = 0>(s)
  })"),
            "m.onnx: node 1 (Loop): the number of iterations must be known when the model is read: "
            "'k' depends on elements "
            "of inputs");
  EXPECT_EQ(Refused(R"(g (float[4] x, bool c) => (float[N] y) {
    s = If(c) <then_branch = t () => (seq(float[4]) a) { a = SequenceConstruct(x) },
               else_branch = f () => (seq(float[4]) b) { b = SequenceConstruct(x, x) }>
    y = ConcatFromSequence<axis = 0>(s)
  })"),
            "m.onnx: node 0 (If): output 'a' of its body: a sequence or an optional value leaves a "
            "body that cannot be "
            "written out\n"
            "  hint: the condition, or the number of iterations, depends on elements of inputs");
}

TEST_F(Sequences, NoFileMakesThemGrowWithoutEnd) {
  EXPECT_EQ(Refused(R"(g (float[1000000000] x) => (float[N] y) {
    s = SplitToSequence(x)
    y = ConcatFromSequence<axis = 0>(s)
  })"),
            "m.onnx: node 0 (SplitToSequence): it makes more than 200000 pieces");
  EXPECT_EQ(Refused(R"(g (float[4] x) => (float[N] y) {
    many = Constant<value_int = 1000000000>()
    none = SequenceEmpty()
    s = Loop(many, "", none) <body = b (int64 i, bool c, seq(float[4]) before) => (bool c2, seq(float[4]) after) {
      c2 = Identity(c)
      after = Identity(before)
    }>
    y = ConcatFromSequence<axis = 0>(s)
  })"),
            "m.onnx: its sequences make more than 200000 nodes");
}

}  // namespace
}  // namespace metadist
