// SPDX-License-Identifier: Apache-2.0
// y = alpha op(a) op(b) + beta c by oneDNN. An unscaled row of biases is added by the product
// itself; any other c is first broadcast into y, and the product accumulates onto it. oneDNN copies
// operands with unsuitable layouts, in whole blocks of its own choice; if that exceeds the memory
// limit, a plain product is used.
#include "executor/cpu/makers.h"
#include "executor/cpu/onednn.h"
#include "executor/cpu/plain_product.h"
#include "executor/cpu/strided_copy.h"

namespace metadist::cpu {
namespace {

// `rows` x `columns` of a matrix whose rows (or columns, if transposed) are `pitch` elements apart.
dnnl::memory::desc Matrix(int64_t rows, int64_t columns, int64_t pitch, bool transposed) {
  using Dims = dnnl::memory::dims;
  return {Dims{rows, columns},
          dnnl::memory::data_type::f32,
          transposed ? Dims{1, pitch} : Dims{pitch, 1}};
}

struct Terms {
  float alpha;
  float beta;
  bool added;    // c is present and beta is not 0
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
                  NumElements(site.shape(2)) == n && !site.shape(2).empty() &&
                  site.shape(2).back() == n;
  return terms;
}

struct Sizes {
  int64_t m, n, k;
  bool transposed_a, transposed_b;
};

Sizes SizesOf(const KernelSite& site) {
  const bool transposed = site.attributes().Int("transA", 0) != 0;
  return {site.out().shape[0],
          site.out().shape[1],
          site.shape(0)[transposed ? 0 : 1],
          transposed,
          site.attributes().Int("transB", 0) != 0};
}

Prepared Bind(const dnnl::matmul::primitive_desc& desc,
              const dnnl::memory::desc& b,
              std::vector<OneDnnArgument> arguments) {
  const auto packed = desc.weights_desc();
  if (packed.get_size() > b.get_size()) return Decline("the packed matrix is larger");
  arguments.push_back({DNNL_ARG_WEIGHTS, packed, 1});
  Prepared bound = BindOneDnn(dnnl::matmul(desc), desc.scratchpad_desc(), std::move(arguments));
  if (packed != b) bound.packings.push_back(PackOneDnn(1, b, packed));
  return bound;
}

Prepared Product(const Sizes& sizes, const Terms& terms, bool packs) {
  const auto a =
      Matrix(sizes.m, sizes.k, sizes.transposed_a ? sizes.m : sizes.k, sizes.transposed_a);
  const auto b =
      Matrix(sizes.k, sizes.n, sizes.transposed_b ? sizes.k : sizes.n, sizes.transposed_b);
  const auto y = Matrix(sizes.m, sizes.n, sizes.n, /*transposed=*/false);
  dnnl::primitive_attr attributes = UserScratchpad();
  const auto wanted = packs ? AnyOrder(b) : b;
  std::vector<OneDnnArgument> arguments{{DNNL_ARG_SRC, a, 0}, {DNNL_ARG_DST, y, -1, 0}};
  dnnl::memory::desc bias;  // empty: none
  if (terms.as_bias) {
    bias = Matrix(1, sizes.n, sizes.n, /*transposed=*/false);
    arguments.push_back({DNNL_ARG_BIAS, bias, 2});
  }
  if (terms.alpha != 1.0f) attributes.set_output_scales(0, {terms.alpha});
  if (terms.added && !terms.as_bias) {
    dnnl::post_ops sum;
    sum.append_sum(terms.beta);
    attributes.set_post_ops(sum);
  }
  const dnnl::matmul::primitive_desc desc({a, wanted, bias, y}, attributes, Engine());
  return Bind(desc, b, std::move(arguments));
}

// If c is added, y already holds it.
PlainProduct PlainOf(const Sizes& sizes, const Terms& terms) {
  PlainProduct product;
  product.m = sizes.m;
  product.n = sizes.n;
  product.k = sizes.k;
  product.a_row = sizes.transposed_a ? 1 : sizes.k;
  product.a_column = sizes.transposed_a ? sizes.m : 1;
  product.b_row = sizes.transposed_b ? 1 : sizes.n;
  product.b_column = sizes.transposed_b ? sizes.k : 1;
  product.alpha = terms.alpha;
  product.beta = terms.added ? terms.beta : 0.0f;
  return product;
}

Prepared Plain(const PlainProduct& product, int64_t limit) {
  const int64_t bytes = product.ScratchBytes(limit);
  return Accept(
      "plain",
      [product, bytes](const KernelArgs& args) {
        product.Run(
            args.in(0), args.in(1), args.out(), reinterpret_cast<float*>(args.scratch), bytes);
      },
      bytes);
}

}  // namespace

Prepared Gemm(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  if (NumElements(site.shape(0)) == 0 || NumElements(site.shape(1)) == 0)
    return Decline("an empty operand");
  Terms terms = TermsOf(site);
  const Sizes sizes = SizesOf(site);
  const int64_t limit = ScratchLimit(site);
  const PlainProduct plain = PlainOf(sizes, terms);
  Prepared product;
  for (const bool packs : {true, false})
    if (!product.ok() && !plain.small() && (site.packable(1) || !packs))
      product = CatchOneDnn([&] { return Product(sizes, terms, packs); });
  if (!product.ok() || product.scratch_bytes > limit) {
    terms.as_bias = false;
    product = Plain(plain, limit);
  }
  if (!terms.added || terms.as_bias) return product;
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
