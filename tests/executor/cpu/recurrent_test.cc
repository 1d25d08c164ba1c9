// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of all cells, directions and layouts, with weights unchanged and transposed.
#include "executor/cpu/recurrent.h"

#include "tests/executor/cpu/compare_kernels.h"

namespace metadist::cpu {
namespace {

struct Cell {
  const char* op;
  int64_t gates;
};

constexpr Cell kCells[] = {{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}};

struct Sizes {
  int64_t sequence = 3, batch = 9, input = 5, hidden = 9;
};

// A layer with the optional operands whose bit is set in `parts`: bias, lengths, states, peepholes.
OpExample LayerOf(const Cell& cell, const Sizes& s, int64_t directions, bool first, int64_t parts) {
  const int64_t rows = cell.gates * s.hidden;
  const OpExample::Input absent{.present = false};
  const Shape state =
      first ? Shape{s.batch, directions, s.hidden} : Shape{directions, s.batch, s.hidden};
  OpExample example{
      .inputs = {first ? F32({s.batch, s.sequence, s.input}) : F32({s.sequence, s.batch, s.input}),
                 F32({directions, rows, s.input}),
                 F32({directions, rows, s.hidden}),
                 (parts & 1) != 0 ? F32({directions, 2 * rows}) : absent,
                 (parts & 2) != 0 ? OpExample::Input{{ElementType::kI32, {s.batch}}} : absent,
                 (parts & 4) != 0 ? F32(state) : absent}};
  if (cell.gates == 4) {
    example.inputs.push_back((parts & 4) != 0 ? F32(state) : absent);
    example.inputs.push_back((parts & 8) != 0 ? F32({directions, 3 * s.hidden}) : absent);
  }
  example.num_outputs = cell.gates == 4 ? 3 : 2;
  example.attributes.set("hidden_size", s.hidden);
  example.attributes.set("layout", int64_t{first});
  if (directions == 2) example.attributes.set("direction", std::string("bidirectional"));
  return example;
}

TEST(Recurrent, EqualsTheReference) {
  for (const Cell& cell : kCells)
    for (const int64_t directions : {1, 2})
      for (const bool first : {false, true})
        for (const int64_t batch : {1, 9, 40})
          for (int64_t parts = 0; parts < 16; ++parts) {
            OpExample example = LayerOf(cell, {.batch = batch}, directions, first, parts);
            example.attributes.set("linear_before_reset", parts % 2);
            example.attributes.set("input_forget", parts / 2 % 2);
            if (parts % 3 == 0) example.attributes.set("clip", 0.5);
            SCOPED_TRACE(testing::Message() << directions << first << batch << " " << parts);
            EXPECT_EQ(CompareNamed(cell.op, example), "steps");
          }
}

TEST(Recurrent, RunsBackwardAndWithOtherFunctions) {
  for (const Cell& cell : kCells) {
    OpExample example = LayerOf(cell, {}, 1, false, 7);
    example.attributes.set("direction", std::string("reverse"));
    example.attributes.set("activations", std::vector<std::string>{"Relu", "Sigmoid", "Tanh"});
    EXPECT_EQ(CompareNamed(cell.op, example), "steps");
    example.attributes.set("activations", std::vector<std::string>{"Softsign", "Sigmoid", "Tanh"});
    EXPECT_EQ(CompareNamed(cell.op, example), "reference");
  }
}

TEST(Recurrent, ReadsWeightsThatItMayTranspose) {
  for (const Cell& cell : kCells)
    for (const int64_t batch : {1, 40}) {
      const OpExample example = LayerOf(cell, {.batch = batch}, 2, false, 5);
      const std::vector<Tensor> constants = ConstantsOf(example);
      const OpCall call = CallOf(*OpTable::BuiltIn().Find("", cell.op), example, constants);
      const std::vector<TensorType> types = InferTypes(call).value();
      std::vector<Tensor> inputs = DrawInputs(call, 3).value();
      const std::vector<Tensor> expected = Evaluate(call, inputs).value();
      KernelSite site{&call, types};
      site.owned = {false, true, true};
      const Prepared prepared = Prepare(site);
      ASSERT_EQ(prepared.packings.size(), 2u);
      for (const Packing& packing : prepared.packings) {
        Tensor packed = Tensor::Zeros(inputs[packing.input].type());
        ASSERT_EQ(packing.bytes, packed.type().bytes());
        packing.pack(inputs[packing.input].bytes(), packed.mutable_bytes());
        inputs[packing.input] = packed;
      }
      std::vector<Tensor> got;
      std::vector<std::byte*> to;
      for (const TensorType& type : types) got.push_back(Tensor::Zeros(type));
      for (Tensor& output : got) to.push_back(output.mutable_bytes());
      std::vector<const std::byte*> from;
      for (size_t i = 0; i < inputs.size(); ++i)
        from.push_back(call.has(i) ? inputs[i].bytes() : nullptr);
      Tensor scratch = Tensor::Zeros({ElementType::kU8, {prepared.scratch_bytes}});
      ASSERT_TRUE(prepared.run({from, to, scratch.mutable_bytes()}).ok());
      for (size_t i = 0; i < got.size(); ++i) ExpectClose(got[i], expected[i]);
    }
}

}  // namespace
}  // namespace metadist::cpu
