// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

// Zeros of a given shape; only the type of the input is used.
Types NewZerosTypes(const OpCall& call) { return FloatTypes({TRY(call.Ints(1))}); }
Result<void> Nothing(const OpCall&, std::span<const Tensor>, std::span<Tensor>) { return {}; }

// The gradient of a slice [start, start + k) of rows of length `size`: zeros around it.
Types SliceBackwardTypes(const OpCall& call) {
  const int64_t size = call.attributes->Int("size", 0);
  if (call.attributes->Int("start", 0) + call.shape(0)[1] > size)
    return BadInput("", "the slice is longer than what it was taken from");
  return FloatTypes({{call.shape(0)[0], size}});
}
Result<void> SliceBackward(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t i = 0; i < in[0].dim(0); ++i)
    std::copy_n(Row(in[0], i), in[0].dim(1), Row(out[0], i) + call.attributes->Int("start", 0));
  return {};
}

// Pairs of arrays, added one by one.
Types ForeachAddTypes(const OpCall& call) {
  const size_t half = call.inputs.size() / 2;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < half; ++i) {
    if (call.shape(i) != call.shape(half + i)) return BadInput("", "shapes differ");
    shapes.push_back(call.shape(i));
  }
  return FloatTypes(std::move(shapes));
}
Result<void> ForeachAdd(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (size_t i = 0; i < out.size(); ++i)
    for (int64_t e = 0; e < out[i].size(); ++e)
      out[i].mutable_data<double>()[e] =
          in[i].data<double>()[e] + in[out.size() + i].data<double>()[e];
  return {};
}

OpExample Concatenated(int count) {
  OpExample example{.attributes = {{"axis", int64_t{1}}}};
  for (int i = 0; i < count; ++i) example.inputs.push_back(Floats({8, 32, 64}));
  return example;
}

constexpr char kMoves[] = " linear={0} max={0} min={0}";

}  // namespace

std::vector<ReferenceCase> MovementCases() {
  const std::string moves = kMoves;
  OpExample split{.inputs = {Floats({6, 24}), Literal({8, 12, 4})},
                  .attributes = {{"axis", int64_t{1}}},
                  .num_outputs = 3};
  OpExample chunks{.inputs = {Floats({6, 24})},
                   .attributes = {{"axis", int64_t{1}}, {"num_outputs", int64_t{3}}},
                   .num_outputs = 3};
  return {
      {"W10",
       "expand",
       Known("Expand"),
       {.inputs = {Floats({64}), Literal({8, 32, 64})}},
       "([a])->([b,c,a]) attr={a,b,c}" + moves},
      {"W11",
       "concatenate_the_last_dim",
       Known("Concat"),
       {.inputs = {Floats({6, 8}), Floats({6, 10})}, .attributes = {{"axis", int64_t{-1}}}},
       "([a,b],[a,c])->([a,b+c]) linear={0+1} max={0,1} min={0,1}"},
      {"M8",
       "view",
       Known("Reshape"),
       {.inputs = {Floats({24, 6}), Literal({4, 6, 6})}},
       "([(a b),c])->([a,b,c]) attr={a,b,c}" + moves},
      {"M8",
       "view_back",
       Known("Reshape"),
       {.inputs = {Floats({4, 6, 6}), Literal({24, 6})}},
       "([a,b,c])->([(a b),c]) attr={a,b,c}" + moves},
      {"M8",
       "repeat",
       Known("Tile"),
       {.inputs = {Floats({12}), Literal({4})}},
       "([a])->([(b a)]) attr={b}" + moves},
      {"M8",
       "new_zeros",
       MakeOp("NewZeros", NewZerosTypes, Nothing),
       {.inputs = {Floats({6, 10}), Literal({4, 14})}},
       "([a,b])->([c,d]) attr={c,d} dead={a,b}" + moves},
      {"M8",
       "slice_backward",
       MakeOp("SliceBackward", SliceBackwardTypes, SliceBackward),
       {.inputs = {Floats({12, 5})}, .attributes = {{"size", int64_t{11}}, {"start", int64_t{3}}}},
       "([a,_])->([a,_])" + moves},
      {"M9",
       "split",
       Known("Split"),
       std::move(split),
       "([a,b+c+d])->([a,b],[a,c],[a,d]) attr={b,c,d}" + moves},
      {"M9",
       "chunk",
       Known("Split"),
       std::move(chunks),
       "([a,(3 b)])->([a,b],[a,b],[a,b])" + moves},
      {"M15",
       "add_of_uneven_rows",
       Known("Add"),
       {.inputs = {Floats({6, 10}), Floats({6, 10})}},
       "([a,b],[a,b])->([a,b]) linear={0+1} max={0,1} min={0,1}"},
      {"M15",
       "add_of_uneven_columns",
       Known("Add"),
       {.inputs = {Floats({7, 5}), Floats({7, 5})}},
       "([a,b],[a,b])->([a,b]) linear={0+1} max={0,1} min={0,1}"},
      {"M16",
       "foreach_add",
       MakeOp("ForeachAdd", ForeachAddTypes, ForeachAdd),
       {.inputs = {Floats({6, 10}), Floats({14}), Floats({6, 10}), Floats({14})}, .num_outputs = 2},
       "([a,b],[c],[a,b],[c])->([a,b],[c]) linear={0+1+2+3} max={0,1,2,3} min={0,1,2,3}"},
      {"C4",
       "concatenate_seven",
       Known("Concat"),
       Concatenated(7),
       "([a,b,i],[a,c,i],[a,d,i],[a,e,i],[a,f,i],[a,g,i],[a,h,i])->([a,b+c+d+e+f+g+h,i]) "
       "linear={0+1+2+3+4+5+6} max={0,1,2,3,4,5,6} min={0,1,2,3,4,5,6}"},
  };
}

}  // namespace metadist::testing
