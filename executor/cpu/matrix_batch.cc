// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/matrix_batch.h"

#include <algorithm>

#include "executor/cpu/loop_nest.h"
#include "executor/cpu/onednn.h"
#include "executor/cpu/plain_product.h"

namespace metadist::cpu {
namespace {

using Operand = MatrixBatch::Operand;

dnnl::memory::desc Described(const Operand& operand) {
  return {operand.dims, dnnl::memory::data_type::f32, operand.strides};
}

// One matrix of the batch.
PlainProduct PlainOf(const MatrixBatch& batch) {
  const size_t rank = batch.y.dims.size();
  PlainProduct product;
  product.m = batch.y.dims[rank - 2];
  product.n = batch.y.dims[rank - 1];
  product.k = batch.a.dims[rank - 1];
  product.a_row = batch.a.strides[rank - 2];
  product.a_column = batch.a.strides[rank - 1];
  product.b_row = batch.b.strides[rank - 2];
  product.b_column = batch.b.strides[rank - 1];
  product.y_row = product.m == 1 ? 0 : batch.y.strides[rank - 2];
  return product;
}

// The strides of an operand along the batch dims of the result.
std::vector<int64_t> BatchStrides(const Operand& operand) {
  std::vector<int64_t> strides(operand.strides.begin(), operand.strides.end() - 2);
  for (size_t d = 0; d < strides.size(); ++d)
    if (operand.dims[d] == 1) strides[d] = 0;
  return strides;
}

// Products executed one after the other.
struct PlainBatch {
  PlainProduct product;
  LoopNest matrices;  // of a, b and y
  LoopNest steps;     // of a and b
  size_t a = 0, b = 0;
  int64_t scratch_bytes = 0;  // of one product
  int64_t y_row = 0;
  int64_t y_column = 1;
  int64_t rows = 0;  // rows computed at a time in scratch, after the product's own; 0: computed in
                     // y

  void Multiply(PlainProduct one,
                const float* from_a,
                const float* from_b,
                float* y,
                std::byte* scratch) const {
    steps.ForEachRow([&](const LoopNest::Offsets& step) {
      for (int64_t s = 0; s < steps.inner; ++s) {
        one.Run(from_a + step[0] + s * steps.inner_stride[0],
                from_b + step[1] + s * steps.inner_stride[1],
                y,
                reinterpret_cast<float*>(scratch),
                scratch_bytes);
        one.beta = 1;
      }
    });
  }

  // Computes some rows through scratch memory.
  void MakeRows(
      const float* from_a, const float* from_b, int64_t row, float* y, std::byte* scratch) const {
    auto* const made = reinterpret_cast<float*>(scratch + scratch_bytes);
    PlainProduct some = product;
    some.m = std::min(rows, product.m - row);
    Multiply(some, from_a + row * product.a_row, from_b, made, scratch);
    for (int64_t r = 0; r < some.m; ++r)
      for (int64_t j = 0; j < some.n; ++j)
        y[(row + r) * y_row + j * y_column] = made[r * some.n + j];
  }

  void Run(const KernelArgs& args) const {
    const auto* const from_a = args.in(a);
    const auto* const from_b = args.in(b);
    auto* const y = args.out();
    matrices.ForEachRow([&](const LoopNest::Offsets& matrix) {
      for (int64_t i = 0; i < matrices.inner; ++i) {
        const float* const here_a = from_a + matrix[0] + i * matrices.inner_stride[0];
        const float* const here_b = from_b + matrix[1] + i * matrices.inner_stride[1];
        float* const to = y + matrix[2] + i * matrices.inner_stride[2];
        if (rows == 0) {
          Multiply(product, here_a, here_b, to, args.scratch);
          continue;
        }
        for (int64_t row = 0; row < product.m; row += rows)
          MakeRows(here_a, here_b, row, to, args.scratch);
      }
    });
  }
};

Prepared Plain(const MatrixBatch& batch, int64_t limit) {
  const Shape counts(batch.y.dims.begin(), batch.y.dims.end() - 2);
  Shape steps;
  std::vector<int64_t> steps_a, steps_b;
  for (const MatrixBatch::Step& step : batch.steps) {
    steps.push_back(step.size);
    steps_a.push_back(step.a);
    steps_b.push_back(step.b);
  }
  const auto matrices =
      LoopNest::Make(counts, {BatchStrides(batch.a), BatchStrides(batch.b), BatchStrides(batch.y)});
  const auto along = LoopNest::Make(steps, {steps_a, steps_b});
  if (!matrices || !along) return Decline("too many dims");
  PlainProduct product = PlainOf(batch);
  PlainBatch plain{product, *matrices, *along, batch.a.input, batch.b.input};
  const int64_t column = batch.y.strides.back();
  const int64_t line = product.n * ByteSize(ElementType::kF32);
  if (product.n > 1 && column != 1) {
    plain.product.y_row = 0;
    plain.y_row = batch.y.strides[batch.y.strides.size() - 2];
    plain.y_column = column;
    plain.rows = std::clamp(limit / 2 / line, int64_t{1}, product.m);
    limit /= 2;
    product.m = plain.rows;
  }
  plain.scratch_bytes = product.ScratchBytes(limit);
  return Accept(
      "plain",
      [plain](const KernelArgs& args) { plain.Run(args); },
      plain.scratch_bytes + plain.rows * line);
}

Prepared Library(const MatrixBatch& batch, bool packs) {
  const auto a = Described(batch.a);
  const auto b = Described(batch.b);
  const auto y = Described(batch.y);
  const dnnl::matmul::primitive_desc desc(
      {a, packs ? AnyOrder(b) : b, y}, UserScratchpad(), Engine());
  const auto packed = desc.weights_desc();
  if (packed.get_size() > b.get_size()) return Library(batch, /*packs=*/false);
  if (IsSlow(desc)) return Decline("oneDNN has only its plain loops for it");
  Prepared bound = BindOneDnn(dnnl::matmul(desc),
                              desc.scratchpad_desc(),
                              {{DNNL_ARG_SRC, a, static_cast<int>(batch.a.input)},
                               {DNNL_ARG_WEIGHTS, packed, static_cast<int>(batch.b.input)},
                               {DNNL_ARG_DST, y, -1, 0}});
  if (packed != b) bound.packings.push_back(PackOneDnn(batch.b.input, b, packed));
  return bound;
}

}  // namespace

Prepared PrepareProducts(const KernelSite& site, const MatrixBatch& batch) {
  if (NumElements(batch.a.dims) == 0 || NumElements(batch.b.dims) == 0)
    return Decline("an empty operand");
  const int64_t limit = ScratchLimit(site);
  const bool spread = batch.y.dims.back() > 1 && batch.y.strides.back() != 1;
  if (!batch.steps.empty() || spread || PlainOf(batch).small()) return Plain(batch, limit);
  if (batch.y.dims.size() > DNNL_MAX_NDIMS) return Decline("too many dims");
  const bool packs = site.packable(batch.b.input) && batch.b.dims.size() == 2;
  Prepared prepared = CatchOneDnn([&] { return Library(batch, packs); });
  if (prepared.ok() && prepared.scratch_bytes <= limit) return prepared;
  return Plain(batch, limit);
}

}  // namespace metadist::cpu
