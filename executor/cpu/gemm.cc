// SPDX-License-Identifier: Apache-2.0
// y = alpha op(a) op(b) + beta c by oneDNN. A plain row of biases is added by the product itself;
// any other c is spread over y first, onto which the product is then summed.
#include <algorithm>

#include "executor/cpu/makers.h"
#include "executor/cpu/onednn.h"
#include "executor/cpu/strided_copy.h"

namespace metadist::cpu {
namespace {

// `rows` x `columns` of a matrix whose rows (or columns, if transposed) are `pitch` apart.
dnnl::memory::desc Matrix(int64_t rows, int64_t columns, int64_t pitch, bool transposed) {
  using Dims = dnnl::memory::dims;
  return {Dims{rows, columns},
          dnnl::memory::data_type::f32,
          transposed ? Dims{1, pitch} : Dims{pitch, 1}};
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

// The product for `columns` of the n columns of b and y.
Prepared Product(const Sizes& sizes, const Terms& terms, int64_t columns) {
  const auto a =
      Matrix(sizes.m, sizes.k, sizes.transposed_a ? sizes.m : sizes.k, sizes.transposed_a);
  const auto b =
      Matrix(sizes.k, columns, sizes.transposed_b ? sizes.k : sizes.n, sizes.transposed_b);
  const auto y = Matrix(sizes.m, columns, sizes.n, /*transposed=*/false);
  dnnl::primitive_attr attributes = UserScratchpad();
  std::vector<OneDnnArgument> arguments{
      {DNNL_ARG_SRC, a, 0}, {DNNL_ARG_WEIGHTS, b, 1}, {DNNL_ARG_DST, y, -1, 0}};
  if (terms.as_bias) {
    const auto bias = Matrix(1, columns, columns, /*transposed=*/false);
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

// The whole product as products of `columns` columns each.
Prepared InBlocks(const Sizes& sizes, const Terms& terms, int64_t columns) {
  Prepared full = Product(sizes, terms, columns);
  if (!full.ok() || columns == sizes.n) return full;
  Prepared rest;
  if (const int64_t last = sizes.n % columns; last != 0) {
    rest = Product(sizes, terms, last);
    if (!rest.ok()) return rest;
  }
  const int64_t scratch = std::max(full.scratch_bytes, rest.scratch_bytes);
  const int64_t step = static_cast<int64_t>(sizeof(float)) * (sizes.transposed_b ? sizes.k : 1);
  const auto run = [n = sizes.n, columns, step, full = full.run, rest = rest.run](
                       const KernelArgs& args) -> Result<void> {
    for (int64_t j = 0; j < n; j += columns) {
      const int64_t bytes = j * static_cast<int64_t>(sizeof(float));
      const std::byte* c = args.inputs.size() > 2 ? args.inputs[2] : nullptr;
      const std::byte* in[] = {
          args.inputs[0], args.inputs[1] + j * step, c == nullptr ? nullptr : c + bytes};
      std::byte* out[] = {args.outputs[0] + bytes};
      TRY((n - j < columns ? rest : full)({in, out, args.scratch}));
    }
    return {};
  };
  return Accept("onednn", run, scratch);
}

// oneDNN copies the right operand to scratch memory where it does not like its layout. As far as
// that memory is not idle anyway, blocks of columns keep it a small part of the operands.
Prepared SmallProduct(const KernelSite& site, const Terms& terms) {
  constexpr int64_t kLeastColumns = 16;
  const Sizes sizes = SizesOf(site);
  const int64_t operands =
      site.call->type(0).bytes() + site.call->type(1).bytes() + site.out().bytes();
  const int64_t limit = std::max(site.free_bytes, operands / 32);
  Prepared product = InBlocks(sizes, terms, sizes.n);
  for (int64_t columns = sizes.n / 2;
       product.ok() && product.scratch_bytes > limit && columns >= kLeastColumns;
       columns /= 2)
    product = InBlocks(sizes, terms, (columns + kLeastColumns - 1) / kLeastColumns * kLeastColumns);
  return product;
}

}  // namespace

Prepared Gemm(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  if (NumElements(site.shape(0)) == 0 || NumElements(site.shape(1)) == 0)
    return Decline("an empty operand");
  const Terms terms = TermsOf(site);
  Prepared product = CatchOneDnn([&] { return SmallProduct(site, terms); });
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
