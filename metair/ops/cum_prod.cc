// SPDX-License-Identifier: Apache-2.0
// Running products along an axis: at each position, of the elements up to it (exclusive = 1: before
// it), or from the end (reverse = 1).
#include "metair/ops/cumulative.h"
#include "metair/ops/fold.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"

namespace metadist::ops {

namespace {

// dx[k] sums dy[j] times the product of all elements of the prefix j but k. Dividing the prefix by
// x[k] would fail at 0, so x[k] is replaced by 1 in a line of its own: the square of a line's size.
Result<void> CumProdGradient(GradientCall& g) {
  const int64_t axis = TRY(CumulativeAxis(g.call()));
  const int64_t size = g.call().shape(0)[static_cast<size_t>(axis)];
  const bool exclusive = g.attributes().Int("exclusive", 0) != 0;
  const bool reverse = g.attributes().Int("reverse", 0) != 0;
  std::vector<int64_t> later;  // dims after `axis`
  for (int64_t d = axis + 1; d < g.call().rank(0); ++d) later.push_back(d - axis);
  const Term j = Term(g.b(), ComposePositions(g.b(), 0, size)).Unsqueezed(later);
  const Term k = j.Unsqueezed({1});
  const Term x = g.x().Wide().Unsqueezed({axis});
  const Term others =
      Choose(j == k, 1, x).Apply("CumProd", {Term(g.b(), g.b().Integer(axis + 1))}, g.attributes());
  const Term holds = reverse ? (exclusive ? j < k : j <= k) : (exclusive ? j > k : j >= k);
  const Term dy = g.dy().Wide().Unsqueezed({axis});
  g.Give(0, Choose(holds, dy * others, 0).Sum({axis + 1}, /*keep=*/false));
  return {};
}

}  // namespace

OpDef MakeCumProd() {
  return {.name = "CumProd",
          .since_version = 26,
          .infer = InferCumulative,
          .reference = Cumulative<ProductFold>,
          .gradient = CumProdGradient,
          .examples = CumulativeExamples};
}

}  // namespace metadist::ops
