// SPDX-License-Identifier: Apache-2.0
// The sum of products given by `equation`, as in numpy.einsum: "...ij,jk->...ik". An index that
// occurs twice in one input selects its diagonal.
#include <algorithm>
#include <array>
#include <numeric>

#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/einsum_equation.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/product_gradient.h"
#include "metair/ops/range.h"
#include "metair/ops/reduce_mean.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<EinsumSpace> SpaceOf(const OpCall& call) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < call.inputs.size(); ++i) shapes.push_back(call.shape(i));
  return ParseEinsum(call.attributes->String("equation", ""), shapes);
}

Result<std::vector<TensorType>> InferEinsum(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(1, CallCheck::kAnyNumber).Numbers(0);
  for (size_t i = 1; i < call.inputs.size(); ++i)
    check.That(call.has(i), "an input is missing").SameElement(0, i);
  TRY(check.Done());
  const EinsumSpace space = TRY(SpaceOf(call));
  TRY(CheckedElements(space.sizes, call.type(0).element));
  const Shape shape(space.sizes.begin(), space.sizes.begin() + static_cast<ptrdiff_t>(space.kept));
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

double EinsumProduct(double a, double b) { return a * b; }
int64_t EinsumProduct(int64_t a, int64_t b) { return WrapMul(a, b); }
double EinsumSum(double a, double b) { return a + b; }
int64_t EinsumSum(int64_t a, int64_t b) { return WrapAdd(a, b); }

Result<void> EinsumReference(const OpCall& call,
                             std::span<const Tensor> in,
                             std::span<Tensor> out) {
  EinsumSpace space = TRY(SpaceOf(call));
  std::vector<int64_t> to = Strides(out[0].shape());
  to.resize(space.sizes.size(), 0);
  space.strides.push_back(to);
  VisitNumberType(out[0].element(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<const T*> from;
    for (const Tensor& x : in) from.push_back(x.data<T>());
    T* y = out[0].mutable_data<T>();
    const auto add = [&](int64_t, const auto& at) {
      const size_t last = at.size() - 1;
      T product = from[0][at[0]];
      for (size_t i = 1; i < last; ++i) product = EinsumProduct(product, from[i][at[i]]);
      y[at[last]] = EinsumSum(y[at[last]], product);
    };
    if (from.size() == 2)
      VisitIndices(space.sizes, space.strides, std::array<int64_t, 3>{}, add);
    else
      ForEachIndex(space.sizes, space.strides, add);
  });
  return {};
}

// Counts as a matrix product if there are two inputs, with indices of their own and shared summed
// ones.
Work WorkForEinsum(const OpCall& call, std::span<const TensorType> outputs) {
  const EinsumSpace space = SpaceOf(call).value();
  const int64_t steps = static_cast<int64_t>(call.inputs.size());
  Work work = FlopsWork(call, outputs, steps * NumElements(space.sizes));
  if (call.inputs.size() != 2) return work;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  for (size_t i = 0; i < space.sizes.size(); ++i) {
    const bool in_a = space.strides[0][i] != 0;
    const bool in_b = space.strides[1][i] != 0;
    if (i >= space.kept && in_a != in_b) return work;
    (i >= space.kept ? k : in_a && in_b ? batch : in_a ? m : n) *= space.sizes[i];
  }
  if (k == 1 || m * n == 1) return work;
  work.batch = batch, work.m = m, work.n = n, work.k = k;
  return work;
}

// 0, 1, ... along dim `dim` of an array of `rank` dims.
ValueId PositionsAlong(Composer& compose, int64_t count, size_t dim, size_t rank) {
  const ValueId positions = ComposePositions(compose, 0, count);
  if (dim + 1 == rank) return positions;
  return compose.With("Unsqueeze", positions, AxesBetween(1, static_cast<int64_t>(rank - dim)));
}

// Removes from x the later of two dims with the same index, by zeroing everything but the diagonal
// and summing over the dim. Returns false if all indices are distinct.
Result<bool> TakeDiagonal(Composer& compose, ValueId& x, std::vector<size_t>& places) {
  const Shape shape = compose.shape(x);
  for (size_t b = 0; b < places.size(); ++b)
    for (size_t a = 0; a < b; ++a) {
      if (places[a] != places[b]) continue;
      if (shape[a] != shape[b]) return BadCall("a diagonal is broadcast");
      const ValueId row = PositionsAlong(compose, shape[a], a, shape.size());
      const ValueId column = PositionsAlong(compose, shape[b], b, shape.size());
      const ValueId seen = compose.Add("Equal", {row, column});
      const ValueId only = compose.Add("Where", {seen, x, compose.Number(0, x)});
      x = compose.Fold("ReduceSum", only, {static_cast<int64_t>(b)}, /*keep=*/false);
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(b));
      return true;
    }
  return false;
}

// Only for an equation with diagonals: rewrites it to one without.
Result<Graph> DecomposeEinsum(const OpCall& call) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  EinsumSpace space = TRY(SpaceOf(call));
  if (space.sizes.size() > kLetters.size()) return BadCall("too many indices");
  Composer compose(call);
  std::vector<ValueId> inputs;
  std::string equation;
  bool any = false;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    inputs.push_back(compose.Operand(i));
    while (TRY(TakeDiagonal(compose, inputs[i], space.places[i]))) any = true;
    if (i > 0) equation += ',';
    for (const size_t place : space.places[i]) equation += kLetters[place];
  }
  if (!any) return BadCall("no index stands twice in an input");
  equation += "->";
  equation += kLetters.substr(0, space.kept);
  return compose.Done({compose.Add("Einsum", inputs, {{"equation", std::move(equation)}})});
}

std::vector<OpExample> EinsumExamples() {
  const auto of = [](const char* equation) { return Attributes{{"equation", equation}}; };
  return {{.inputs = {F32({4, 6}), F32({6, 5})}, .attributes = of("ij,jk->ik")},
          {.inputs = {F32({2, 5, 3, 4}), F32({2, 7, 3, 4})}, .attributes = of("bqhd,bkhd->bhqk")},
          {.inputs = {F32({3, 4, 6}), F32({6, 5})}, .attributes = of("...ij, jk")},
          {.inputs = {F32({4, 6})}, .attributes = of("ij->ji")},
          {.inputs = {F32({4, 6})}, .attributes = of("ij->i")},
          {.inputs = {F32({3, 4, 4})}, .attributes = of("...ii->...i")},
          {.inputs = {F32({4, 6}), F32({4, 5}), F32({6, 5})}, .attributes = of("ij,ik,jk->i")},
          {.inputs = {F32({2, 1, 6}), F32({5, 6})}, .attributes = of("...i,...i->...")}};
}

Result<void> EinsumGradient(GradientCall& g) {
  const EinsumSpace space = TRY(SpaceOf(g.call()));
  SumOfProducts product;
  for (size_t i = 0; i < g.call().inputs.size(); ++i) {
    std::vector<size_t> indices = space.places[i];
    std::sort(indices.begin(), indices.end());
    if (std::adjacent_find(indices.begin(), indices.end()) != indices.end())
      return g.Through(TRY(DecomposeEinsum(g.call())));
    product.factors.push_back(g.x(i));
    product.indices.push_back(space.places[i]);
  }
  product.kept.resize(space.kept);
  std::iota(product.kept.begin(), product.kept.end(), 0);
  for (size_t i = 0; i < product.factors.size(); ++i)
    g.Give(i, TRY(GradientOfFactor(product, i, g.dy())));
  return {};
}

}  // namespace

OpDef MakeEinsum() {
  return {.name = "Einsum",
          .since_version = 12,
          .infer = InferEinsum,
          .reference = EinsumReference,
          .decompose = DecomposeEinsum,
          .gradient = EinsumGradient,
          .work = WorkForEinsum,
          .examples = EinsumExamples};
}

}  // namespace metadist::ops
