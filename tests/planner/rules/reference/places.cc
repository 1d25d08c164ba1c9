// SPDX-License-Identifier: Apache-2.0
// Operators with integers that refer to the whole array: an index, a position along an axis, or a
// share of the range of all elements.
#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

OpExample::Input Bytes(Shape shape) { return {.type = {ElementType::kU8, std::move(shape)}}; }

Attributes TwoByTwo() {
  const std::vector<int64_t> two{2, 2};
  return Attributes{{"kernel_shape", two}, {"strides", two}};
}

}  // namespace

std::vector<ReferenceCase> PlaceCases() {
  return {
      {"C2",
       "max_unpool",
       Known("MaxUnpool"),
       {.inputs = {Floats({4, 6, 5, 5}), Integers({4, 6, 5, 5})}, .attributes = TwoByTwo()},
       "([a,b,_,_],[a,b,_,_])->([a,b,_,_]) combine={a:LOCAL,b:LOCAL} linear={0} max={0} min={0}"},
      {"M7",
       "max_pool_with_places",
       Known("MaxPool"),
       {.inputs = {Floats({4, 6, 15, 14})},
        .attributes = {{"kernel_shape", std::vector<int64_t>{3, 2}},
                       {"strides", std::vector<int64_t>{1, 2}},
                       {"pads", std::vector<int64_t>{1, 0, 1, 0}}},
        .num_outputs = 2},
       "([a,b,d,(c 2)])->([a,b,d,c],[a,b,d,c]) combine={a:LOCAL,b:LOCAL,c:LOCAL,d:LOCAL} "
       "halo={d:1/1}"},
      {"C2",
       "max_unpool_to_a_larger_array",
       Known("MaxUnpool"),
       {.inputs = {Floats({4, 6, 5, 5}), Integers({4, 6, 5, 5}), Literal({4, 6, 13, 11})},
        .attributes = TwoByTwo()},
       "([a,b,_,_],[a,b,_,_])->([a,b,_,_]) combine={a:LOCAL,b:LOCAL} linear={0} max={0} min={0}"},
      {"M10",
       "dynamic_quantize",
       Known("DynamicQuantizeLinear"),
       {.inputs = {Floats({6, 16})}, .num_outputs = 3},
       "([a,b])->([a,b],[],[]) combine={a:MIN[],MAX[],b:MIN[],MAX[]}"},
      {"M10",
       "quantized_product",
       Known("QLinearMatMul"),
       {.inputs = {Bytes({6, 16}),
                   Floats({}),
                   Bytes({}),
                   Bytes({16, 9}),
                   Floats({}),
                   Bytes({}),
                   Floats({}),
                   Bytes({})}},
       "([a,c],[],[],[c,b],[],[],[],[])->([a,b]) combine={c:SUM[a,b]}"},
      {"M10",
       "quantized_convolution",
       Known("QLinearConv"),
       {.inputs = {Bytes({4, 8, 7, 7}),
                   Floats({}),
                   Bytes({}),
                   Bytes({6, 8, 1, 1}),
                   Floats({6}),
                   Bytes({6}),
                   Floats({}),
                   Bytes({})}},
       "([a,e,b,c],[],[],[d,e,_,_],[d],[d],[],[])->([a,d,b,c]) combine={e:SUM[a,d,b,c]}"},
      {"M12",
       "window_of_cosines",
       Known("BlackmanWindow"),
       {.inputs = {Literal({40})}},
       "()->([a]) combine={a:LOCAL}"},
      {"M12",
       "grid_of_an_affine_map",
       Known("AffineGrid"),
       {.inputs = {Floats({4, 2, 3}), Literal({4, 3, 12, 16})}},
       "([a,_,_])->([a,b,c,_]) combine={b:LOCAL,c:LOCAL} attr={a} linear={0}"},
  };
}

}  // namespace metadist::testing
