// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/matrix_batch.h"

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

// Products one after the other.
struct PlainBatch {
  PlainProduct product;
  LoopNest matrices;  // of a, b and y
  LoopNest steps;     // of a and b
  size_t a = 0, b = 0;
  int64_t scratch_bytes = 0;

  void Run(const KernelArgs& args) const {
    const auto* const from_a = reinterpret_cast<const float*>(args.inputs[a]);
    const auto* const from_b = reinterpret_cast<const float*>(args.inputs[b]);
    auto* const y = reinterpret_cast<float*>(args.outputs[0]);
    auto* const scratch = reinterpret_cast<float*>(args.scratch);
    matrices.ForEachRow([&](const LoopNest::Offsets& matrix) {
      for (int64_t i = 0; i < matrices.inner; ++i) {
        PlainProduct one = product;
        const float* const here_a = from_a + matrix[0] + i * matrices.inner_stride[0];
        const float* const here_b = from_b + matrix[1] + i * matrices.inner_stride[1];
        float* const to = y + matrix[2] + i * matrices.inner_stride[2];
        steps.ForEachRow([&](const LoopNest::Offsets& step) {
          for (int64_t s = 0; s < steps.inner; ++s) {
            one.Run(here_a + step[0] + s * steps.inner_stride[0],
                    here_b + step[1] + s * steps.inner_stride[1],
                    to,
                    scratch,
                    scratch_bytes);
            one.beta = 1;
          }
        });
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
  const PlainProduct product = PlainOf(batch);
  const PlainBatch plain{
      product, *matrices, *along, batch.a.input, batch.b.input, product.ScratchBytes(limit)};
  return Accept(
      "plain",
      [plain](const KernelArgs& args) -> Result<void> {
        plain.Run(args);
        return {};
      },
      plain.scratch_bytes);
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
  if (!batch.steps.empty() || PlainOf(batch).small()) return Plain(batch, limit);
  if (batch.y.dims.size() > DNNL_MAX_NDIMS) return Decline("too many dims");
  const bool packs = site.packable(batch.b.input) && batch.b.dims.size() == 2;
  Prepared prepared = CatchOneDnn([&] { return Library(batch, packs); });
  if (prepared.ok() && prepared.scratch_bytes <= limit) return prepared;
  return Plain(batch, limit);
}

}  // namespace metadist::cpu
