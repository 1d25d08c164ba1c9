// SPDX-License-Identifier: Apache-2.0
// Batched matrix products by oneDNN, or plain ones where it asks for much scratch memory. Operands
// are brought to as few dims as possible: a shared right-hand side makes all rows one matrix, equal
// batches make one batch dim. Operands may lie with any strides, which is how transposed ones come.
#include <algorithm>

#include "executor/cpu/makers.h"
#include "executor/cpu/onednn.h"
#include "executor/cpu/plain_product.h"

namespace metadist::cpu {
namespace {

using Dims = dnnl::memory::dims;

struct Operand {
  Dims dims;
  Dims strides;  // in elements
};

struct Product {
  Operand a, b;
  Dims y;
};

int64_t Total(const Dims& dims) {
  int64_t product = 1;
  for (int64_t size : dims) product *= size;
  return product;
}

// An operand of at least two dims. `column`: where it has one dim, that is its column.
Operand OperandOf(const KernelSite& site, size_t input, bool column) {
  Operand operand{site.shape(input), site.StridesOf(input)};
  if (operand.dims.size() > 1) return operand;
  operand.dims.insert(column ? operand.dims.end() : operand.dims.begin(), 1);
  operand.strides.insert(column ? operand.strides.end() : operand.strides.begin(),
                         column ? 1 : operand.dims.back());
  return operand;
}

// All dims but the last two as one, where they can be walked with one stride.
bool MergeBatch(Operand& operand) {
  const size_t rank = operand.dims.size();
  int64_t size = 1;
  int64_t stride = 0;
  for (size_t d = rank - 2; d-- > 0;) {
    if (operand.dims[d] == 1) continue;
    if (size == 1)
      stride = operand.strides[d];
    else if (operand.strides[d] != stride * size)
      return false;
    size *= operand.dims[d];
  }
  operand = {{size, operand.dims[rank - 2], operand.dims[rank - 1]},
             {stride, operand.strides[rank - 2], operand.strides[rank - 1]}};
  return true;
}

// A matrix of all rows of the batch, where they follow one another.
bool MergeRows(Operand& operand) {
  if (!MergeBatch(operand)) return false;
  const int64_t batch = operand.dims[0];
  const int64_t rows = operand.dims[1];
  if (batch != 1 && rows != 1 && operand.strides[0] != operand.strides[1] * rows) return false;
  const int64_t step = rows == 1 && batch != 1 ? operand.strides[0] : operand.strides[1];
  operand = {{batch * rows, operand.dims[2]}, {step, operand.strides[2]}};
  return true;
}

void AddBatch(Operand& operand, size_t rank) {
  const size_t count = rank - operand.dims.size();
  operand.dims.insert(operand.dims.begin(), count, 1);
  operand.strides.insert(operand.strides.begin(), count, Total(operand.dims));
}

// The operands brought to as few dims as possible.
Product Align(Operand a, Operand b) {
  const auto batch = [](const Operand& x) { return Dims(x.dims.begin(), x.dims.end() - 2); };
  const int64_t m = a.dims[a.dims.size() - 2];
  const int64_t n = b.dims.back();
  if (Total(batch(b)) == 1) {
    Operand rows = a;
    if (MergeRows(rows)) {
      const Dims y{rows.dims[0], n};
      return {rows, {{b.dims.end() - 2, b.dims.end()}, {b.strides.end() - 2, b.strides.end()}}, y};
    }
  }
  Operand merged_a = a;
  Operand merged_b = b;
  if (batch(a) == batch(b) && MergeBatch(merged_a) && MergeBatch(merged_b)) {
    a = merged_a;
    b = merged_b;
  }
  const size_t rank = std::max(a.dims.size(), b.dims.size());
  AddBatch(a, rank);
  AddBatch(b, rank);
  Product product{a, b, {}};
  for (size_t i = 0; i + 2 < rank; ++i) product.y.push_back(std::max(a.dims[i], b.dims[i]));
  product.y.insert(product.y.end(), {m, n});
  return product;
}

// Where the matrix of an operand lies that goes into matrix `index` of the result: batch dims of 1
// are repeated.
int64_t MatrixAt(const Operand& operand, const Dims& result, int64_t index) {
  int64_t at = 0;
  for (size_t d = result.size() - 2; d-- > 0;) {
    if (operand.dims[d] > 1) at += index % result[d] * operand.strides[d];
    index /= result[d];
  }
  return at;
}

dnnl::memory::desc Described(const Operand& operand) {
  return {operand.dims, dnnl::memory::data_type::f32, operand.strides};
}

// One matrix of the batch.
PlainProduct PlainOf(const Product& dims) {
  const size_t rank = dims.y.size();
  PlainProduct product;
  product.m = dims.y[rank - 2];
  product.n = dims.y[rank - 1];
  product.k = dims.a.dims[rank - 1];
  product.a_row = dims.a.strides[rank - 2];
  product.a_column = dims.a.strides[rank - 1];
  product.b_row = dims.b.strides[rank - 2];
  product.b_column = dims.b.strides[rank - 1];
  return product;
}

Prepared Plain(const Product& dims, int64_t limit) {
  const PlainProduct product = PlainOf(dims);
  if (product.b_row != 1 && product.b_column != 1) return Decline("a matrix without a unit stride");
  const int64_t bytes = product.ScratchBytes(limit);
  return Accept(
      "plain",
      [product, dims, bytes](const KernelArgs& args) -> Result<void> {
        const auto* a = reinterpret_cast<const float*>(args.inputs[0]);
        const auto* b = reinterpret_cast<const float*>(args.inputs[1]);
        auto* y = reinterpret_cast<float*>(args.outputs[0]);
        const int64_t count = Total(dims.y) / (product.m * product.n);
        for (int64_t i = 0; i < count; ++i, y += product.m * product.n)
          product.Run(a + MatrixAt(dims.a, dims.y, i),
                      b + MatrixAt(dims.b, dims.y, i),
                      y,
                      reinterpret_cast<float*>(args.scratch),
                      bytes);
        return {};
      },
      bytes);
}

Prepared Library(const Product& product, bool packs) {
  const auto a = Described(product.a);
  const auto b = Described(product.b);
  const auto y = Described({product.y, Strides(Shape(product.y))});
  const dnnl::matmul::primitive_desc desc(
      {a, packs ? AnyOrder(b) : b, y}, UserScratchpad(), Engine());
  const auto packed = desc.weights_desc();
  if (packed.get_size() > b.get_size()) return Library(product, /*packs=*/false);
  if (IsSlow(desc)) return Decline("oneDNN has only its plain loops for it");
  Prepared bound =
      BindOneDnn(dnnl::matmul(desc),
                 desc.scratchpad_desc(),
                 {{DNNL_ARG_SRC, a, 0}, {DNNL_ARG_WEIGHTS, packed, 1}, {DNNL_ARG_DST, y, -1, 0}});
  if (packed != b) bound.packings.push_back(PackOneDnn(1, b, packed));
  return bound;
}

}  // namespace

Prepared MatMul(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Product product = Align(OperandOf(site, 0, false), OperandOf(site, 1, true));
  if (product.y.size() > DNNL_MAX_NDIMS) return Decline("too many dims");
  if (Total(product.a.dims) == 0 || Total(product.b.dims) == 0) return Decline("an empty operand");
  const int64_t limit = ScratchLimit(site);
  if (PlainOf(product).small()) return Plain(product, limit);
  const bool packs = site.packable(1) && product.b.dims.size() == 2;
  Prepared prepared = CatchOneDnn([&] { return Library(product, packs); });
  if (prepared.ok() && prepared.scratch_bytes <= limit) return prepared;
  return Plain(product, limit);
}

}  // namespace metadist::cpu
