// SPDX-License-Identifier: Apache-2.0
// The product over axes.
#include "metair/ops/fold.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {

namespace {

Result<void> ReduceProdGradient(GradientCall& g) {
  // The product of all other elements: of those before, and of those after.
  const FoldedTerms fold = TRY(FoldedTermsOf(g));
  std::vector<int64_t> order;  // kept dims first
  Shape turned;
  for (const bool folded : {false, true})
    for (int64_t d = 0; d < g.call().rank(0); ++d)
      if (fold.folded[static_cast<size_t>(d)] == folded) {
        order.push_back(d);
        turned.push_back(g.call().shape(0)[static_cast<size_t>(d)]);
      }
  Shape lines{1, 1};
  for (size_t d = 0; d < order.size(); ++d)
    lines[fold.folded[static_cast<size_t>(order[d])] ? 1 : 0] *= turned[d];
  const Term x = g.x().Wide().Transposed(order).Reshaped(lines);
  const Term axis(g.b(), g.b().Integer(1));
  const Term before = x.Apply("CumProd", {axis}, {{"exclusive", 1}});
  const Term after = x.Apply("CumProd", {axis}, {{"exclusive", 1}, {"reverse", 1}});
  std::vector<int64_t> back(order.size());
  for (size_t d = 0; d < order.size(); ++d)
    back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  const Term others = (before * after).Reshaped(turned).Transposed(back);
  g.Give(0, fold.dy.Wide() * others);
  return {};
}

}  // namespace

OpDef MakeReduceProd() {
  return {.name = "ReduceProd",
          .since_version = 18,
          .infer = InferNumberReduction,
          .reference = NumberReduction<ProductFold>,
          .gradient = ReduceProdGradient,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
