// SPDX-License-Identifier: Apache-2.0
// y = alpha op(a) op(b) + beta c by oneDNN. A plain row of biases is added by the product itself;
// any other c is spread over y first, onto which the product is then summed.
#include "executor/cpu/makers.h"
#include "executor/cpu/onednn.h"
#include "executor/cpu/strided_copy.h"

namespace metadist::cpu {
namespace {

dnnl::memory::desc Matrix(const Shape& shape, bool transposed) {
  const auto f32 = dnnl::memory::data_type::f32;
  if (transposed) return {{shape[1], shape[0]}, f32, dnnl::memory::dims{1, shape[1]}};
  return {{shape[0], shape[1]}, f32, dnnl::memory::dims{shape[1], 1}};
}

struct Terms {
  float alpha;
  float beta;
  bool added;    // c is present and counts
  bool as_bias;  // c is one row, added unscaled
};

Terms TermsOf(const KernelSite& site) {
  Terms terms{static_cast<float>(site.attributes().Float("alpha", 1)),
              static_cast<float>(site.attributes().Float("beta", 1)),
              site.call->has(2),
              false};
  if (terms.beta == 0.0f) terms.added = false;
  const int64_t n = site.out().shape[1];
  terms.as_bias = terms.added && terms.alpha == 1.0f && terms.beta == 1.0f &&
                  NumElements(site.shape(2)) == n && site.shape(2).back() == n;
  return terms;
}

Prepared Product(const KernelSite& site, const Terms& terms) {
  const auto a = Matrix(site.shape(0), site.attributes().Int("transA", 0) != 0);
  const auto b = Matrix(site.shape(1), site.attributes().Int("transB", 0) != 0);
  const auto y = Matrix(site.out().shape, /*transposed=*/false);
  dnnl::primitive_attr attributes = UserScratchpad();
  std::vector<OneDnnArgument> arguments{
      {DNNL_ARG_SRC, a, 0}, {DNNL_ARG_WEIGHTS, b, 1}, {DNNL_ARG_DST, y, -1, 0}};
  if (terms.as_bias) {
    const dnnl::memory::desc bias(
        {1, site.out().shape[1]}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
    arguments.push_back({DNNL_ARG_BIAS, bias, 2});
    const dnnl::matmul::primitive_desc desc({a, b, bias, y}, attributes, Engine());
    return BindOneDnn(dnnl::matmul(desc), desc.scratchpad_desc(), std::move(arguments));
  }
  if (terms.alpha != 1.0f) attributes.set_output_scales(0, {terms.alpha});
  if (terms.added) {
    dnnl::post_ops sum;
    sum.append_sum(terms.beta);
    attributes.set_post_ops(sum);
  }
  const dnnl::matmul::primitive_desc desc({a, b, y}, attributes, Engine());
  return BindOneDnn(dnnl::matmul(desc), desc.scratchpad_desc(), std::move(arguments));
}

}  // namespace

Prepared Gemm(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  if (NumElements(site.shape(0)) == 0 || NumElements(site.shape(1)) == 0)
    return Decline("an empty operand");
  const Terms terms = TermsOf(site);
  Prepared product = CatchOneDnn([&] { return Product(site, terms); });
  if (!product.ok() || !terms.added || terms.as_bias) return product;
  const Shape& shape = site.out().shape;
  const auto spread = StridedCopy::Make(shape,
                                        ByteSize(ElementType::kF32),
                                        {StretchedStrides(site.shape(2), shape)},
                                        {Strides(shape)});
  if (!spread) return Decline("too many dims");
  product.run = [spread = *spread, run = std::move(product.run)](const KernelArgs& args) {
    spread.Run(args.inputs[2], args.outputs[0]);
    return run(args);
  };
  return product;
}

}  // namespace metadist::cpu
