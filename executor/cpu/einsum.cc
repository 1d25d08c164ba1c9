// SPDX-License-Identifier: Apache-2.0
// Sums of products over named indices. Most equations of two inputs are batches of matrix products:
// an index of both inputs is a batch dim if it is kept and the depth if it is summed; a kept index
// of a single input is its rows or columns. Adjacent indices of one kind are merged if all operands
// have uniform strides along them; of those that remain, the largest becomes the matrix dim, and
// the others become batch dims or steps of the sum. If the last index of the result belongs to one
// input, results are written as rows; otherwise they are scattered, a few rows at a time. Equations
// that are no such batch run as plain loops; equations of one input that sum nothing only move
// elements. Operands are addressed by strides alone, never copied.
#include <algorithm>
#include <array>

#include "executor/cpu/copying.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/matrix_batch.h"
#include "executor/cpu/sum_of_products.h"
#include "metair/ops/einsum_equation.h"

namespace metadist::cpu {
namespace {

// Indices of one kind, merged into one.
struct Index {
  int64_t size = 1;
  std::array<int64_t, 3> step{};  // of a, b and y

  bool Continues(const Index& outer) const {
    for (size_t o = 0; o < step.size(); ++o)
      if (outer.step[o] != step[o] * size) return false;
    return true;
  }
};

using Indices = std::vector<Index>;

void Append(Indices& list, const Index& index) {
  if (!list.empty() && index.Continues(list.back()))
    list.back() = {list.back().size * index.size, index.step};
  else
    list.push_back(index);
}

// Removes and returns the largest; size 1 if the list is empty.
Index TakeLargest(Indices& list) {
  if (list.empty()) return {};
  const auto largest = std::max_element(
      list.begin(), list.end(), [](const Index& a, const Index& b) { return a.size < b.size; });
  const Index taken = *largest;
  list.erase(largest);
  return taken;
}

// The strides along every index, by input, and last of the result.
std::vector<std::vector<int64_t>> StridesAlong(const KernelSite& site, const EinsumSpace& space) {
  std::vector<std::vector<int64_t>> along;
  for (size_t i = 0; i < space.places.size(); ++i) {
    const std::vector<int64_t> strides = site.StridesOf(i);
    std::vector<int64_t>& steps = along.emplace_back(space.sizes.size(), 0);
    for (size_t d = 0; d < strides.size(); ++d)
      if (site.shape(i)[d] != 1) steps[space.places[i][d]] += strides[d];
  }
  along.push_back(Strides(site.out().shape));
  along.back().resize(space.sizes.size(), 0);
  return along;
}

struct Kinds {
  Indices batch, rows, columns, depth;
  bool product = true;  // every summed index occurs in both inputs
};

Kinds KindsOf(const EinsumSpace& space, const std::vector<std::vector<int64_t>>& along, bool swap) {
  Kinds kinds;
  for (size_t i = 0; i < space.sizes.size(); ++i) {
    if (space.sizes[i] == 1) continue;
    const Index index{space.sizes[i], {along[swap][i], along[!swap][i], along[2][i]}};
    const bool in_a = index.step[0] != 0;
    const bool in_b = index.step[1] != 0;
    if (i >= space.kept) {
      kinds.product = kinds.product && in_a && in_b;
      Append(kinds.depth, index);
    } else {
      Append(in_a == in_b ? kinds.batch : in_a ? kinds.rows : kinds.columns, index);
    }
  }
  return kinds;
}

// An operand [batch..., rows, columns]; dims that the operand does not depend on have size 1.
MatrixBatch::Operand OperandOf(size_t which, const Indices& dims, size_t input) {
  MatrixBatch::Operand operand;
  operand.input = input;
  int64_t extent = 1;
  for (const Index& dim : dims) extent = std::max(extent, dim.step[which] * dim.size);
  for (const Index& dim : dims) {
    operand.dims.push_back(dim.step[which] == 0 ? 1 : dim.size);
    operand.strides.push_back(dim.step[which] == 0 ? extent : dim.step[which]);
  }
  return operand;
}

// anywhere: columns need not be the last index of the result.
Prepared AsProducts(const KernelSite& site,
                    const EinsumSpace& space,
                    const std::vector<std::vector<int64_t>>& along,
                    bool swap,
                    bool anywhere) {
  Kinds kinds = KindsOf(space, along, swap);
  if (!kinds.product || kinds.depth.empty()) return Decline("no sum over an index of both inputs");
  if (kinds.columns.empty()) return Decline("no index of the second input alone");
  if (anywhere && kinds.rows.empty()) return Decline("no index of the first input alone");
  if (!anywhere && kinds.columns.back().step[2] != 1)
    return Decline("the last index of the result is one of both inputs");
  Index columns = kinds.columns.back();
  if (anywhere)
    columns = TakeLargest(kinds.columns);
  else
    kinds.columns.pop_back();
  const Index rows = TakeLargest(kinds.rows);
  const Index depth = TakeLargest(kinds.depth);
  Indices dims = kinds.batch;
  dims.insert(dims.end(), kinds.rows.begin(), kinds.rows.end());
  dims.insert(dims.end(), kinds.columns.begin(), kinds.columns.end());
  const auto with = [&](const Index& down, const Index& right) {
    Indices all = dims;
    all.insert(all.end(), {down, right});
    return all;
  };
  MatrixBatch batch;
  batch.a = OperandOf(0, with(rows, depth), swap ? 1 : 0);
  batch.b = OperandOf(1, with(depth, columns), swap ? 0 : 1);
  batch.y = OperandOf(2, with(rows, columns), 0);
  for (const Index& step : kinds.depth)
    batch.steps.push_back({step.size, step.step[0], step.step[1]});
  return PrepareProducts(site, batch);
}

Prepared AsLoops(const KernelSite& site,
                 const EinsumSpace& space,
                 const std::vector<std::vector<int64_t>>& along) {
  const auto sum = SumOfProducts::Make(space.sizes, along);
  if (!sum) return Decline("too many inputs");
  const int64_t count = NumElements(site.out().shape);
  return Accept("loops", [sum = *sum, count](const KernelArgs& args) {
    SumOfProducts::Pointers from{};
    for (size_t i = 0; i < args.inputs.size(); ++i) from[i] = args.in(i);
    sum.Run(from, args.out(), count);
  });
}

}  // namespace

Prepared Einsum(const KernelSite& site) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < site.call->inputs.size(); ++i) shapes.push_back(site.shape(i));
  const auto parsed = ParseEinsum(site.attributes().String("equation", ""), shapes);
  if (!parsed.ok()) return Decline(parsed.error().message);
  const EinsumSpace& space = parsed.value();
  const std::vector<std::vector<int64_t>> along = StridesAlong(site, space);
  if (shapes.size() == 1 && space.kept == space.sizes.size()) return CopyingView(site, {along[0]});
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  if (shapes.size() == 2)
    for (const auto& [swap, anywhere] :
         {std::pair(false, false), std::pair(true, false), std::pair(false, true)}) {
      Prepared products = AsProducts(site, space, along, swap, anywhere);
      if (products.ok()) return products;
    }
  return AsLoops(site, space, along);
}

}  // namespace metadist::cpu
