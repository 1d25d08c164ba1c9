// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

// A bias [b,n,p] and a batch of products [b,n,m] x [b,m,p].
Types BatchTypes(const OpCall& call) {
  const Shape& bias = call.shape(0);
  const Shape& x = call.shape(1);
  const Shape& y = call.shape(2);
  if (x[0] != y[0] || x[2] != y[1] || bias != Shape{x[0], x[1], y[2]})
    return BadInput("", "shapes do not fit");
  return FloatTypes({bias});
}
Result<void> BatchProduct(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t n = in[1].dim(1);
  const int64_t m = in[1].dim(2);
  for (int64_t row = 0; row < in[1].dim(0) * n; ++row)
    for (int64_t p = 0; p < in[2].dim(2); ++p) {
      double sum = Row(in[0], row)[p];
      for (int64_t k = 0; k < m; ++k) sum += Row(in[1], row)[k] * Row(in[2], row / n * m + k)[p];
      Row(out[0], row)[p] = sum;
    }
  return {};
}

OpExample Product(ElementType type, int64_t contraction) {
  return {.inputs = {{.type = {type, {16, contraction}}}, {.type = {type, {contraction, 24}}}}};
}

}  // namespace

std::vector<ReferenceCase> ContractionCases() {
  const std::string product = "([a,b],[b,c])->([a,c]) reduction={b} linear={0,1}";
  const std::string biased =
      "([a,b],[b,c],[c])->([a,c]) reduction={b} partial={2:b} linear={0+2,1+2} max={2} min={2}";
  const Attributes grouped{{"group", int64_t{4}}};
  return {
      {"M3",
       "product_and_bias",
       Known("Gemm"),
       {.inputs = {Floats({6, 16}), Floats({16, 10}), Floats({10})}},
       biased},
      {"M3",
       "linear_layer",
       Known("Gemm"),
       {.inputs = {Floats({6, 16}), Floats({10, 16}), Floats({10})},
        .attributes = {{"transB", int64_t{1}}}},
       "([a,b],[c,b],[c])->([a,c]) reduction={b} partial={2:b} linear={0+2,1+2} max={2} min={2}"},
      {"M3",
       "batch_of_products_and_bias",
       MakeOp("BatchProduct", BatchTypes, BatchProduct),
       {.inputs = {Floats({4, 6, 10}), Floats({4, 6, 16}), Floats({4, 16, 10})}},
       "([a,b,c],[a,b,d],[a,d,c])->([a,b,c]) reduction={d} partial={0:d} linear={0+1,0+2} "
       "max={0} min={0}"},
      {"M4", "bf16", Known("MatMul"), Product(ElementType::kBF16, 4096), product},
      {"M4", "half", Known("MatMul"), Product(ElementType::kF16, 4096), product},
      {"M4", "long_f32", Known("MatMul"), Product(ElementType::kF32, 16384), product},
      {"M5",
       "grouped_convolution",
       Known("Conv"),
       {.inputs = {Floats({4, 8, 5, 7}), Floats({12, 2, 1, 1})}, .attributes = grouped},
       "([a,(b c),d,e],[(b f),c,_,_])->([a,(b f),d,e]) reduction={c} attr={b} linear={0,1}"},
      {"M5",
       "depthwise_convolution",
       Known("Conv"),
       {.inputs = {Floats({3, 4, 5, 7}), Floats({4, 1, 1, 1})}, .attributes = grouped},
       "([a,b,c,d],[b,_,_,_])->([a,b,c,d]) attr={b} linear={0,1}"},
  };
}

}  // namespace metadist::testing
