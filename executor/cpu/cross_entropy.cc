// SPDX-License-Identifier: Apache-2.0
// -weight[label] log softmax(scores)[label] along dim 1 of scores, per label or reduced; also for
// scores that are log-probabilities already.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "executor/cpu/indices.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/row.h"
#include "executor/cpu/softmax.h"
#include "executor/cpu/vector_math.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

// Scores [batch, classes, inner], one label for each [batch, inner].
struct Scores {
  int64_t batch = 0;
  int64_t classes = 0;
  int64_t inner = 1;
  bool logarithms = false;  // scores are log-probabilities already
  bool wide = false;        // labels are i64
  bool ignores = false;
  int64_t ignored = 0;
  bool weighted = false;
  bool each = false;  // no reduction
  bool mean = false;
};

constexpr int64_t kWidth = 64;

// total[i] = log(sum over c of e^x[c, i]) for `width` <= kWidth adjacent columns of x: [classes,
// inner].
METADIST_MULTIVERSION
void LogTotals(const float* x, int64_t classes, int64_t inner, int64_t width, float* total) {
  float highest[kWidth];
  MaxColumns(x, classes, inner, width, highest);
  for (int64_t i = 0; i < width; ++i) total[i] = 0;
  for (int64_t c = 0; c < classes; ++c)
    for (int64_t i = 0; i < width; ++i) total[i] += Exp(x[c * inner + i] - highest[i]);
  for (int64_t i = 0; i < width; ++i) total[i] = highest[i] + std::log(total[i]);
}

struct Loss {
  const Scores& s;
  const KernelArgs& args;
  double sum = 0;
  double weights = 0;

  // Adds label `at`, whose scores start at x.
  Result<void> Add(int64_t at, const float* x, float total) {
    const int64_t label = Indices{args.inputs[1], s.wide}[at];
    if (s.each) args.out()[at] = 0;
    if (s.ignores && label == s.ignored) return {};
    if (label < 0 || label >= s.classes)
      return BadInput("", fmt::format("target must be in [0, {}], got {}", s.classes - 1, label));
    const float times = s.weighted ? args.in(2)[label] : 1.0f;
    const float one = times * (total - x[label * s.inner]);
    if (s.each) args.out()[at] = one;
    sum += one;
    weights += times;
    return {};
  }

  Result<void> Run() {
    float total[kWidth] = {};
    for (int64_t n = 0; n < s.batch; ++n)
      for (int64_t first = 0; first < s.inner; first += kWidth) {
        const int64_t width = std::min(kWidth, s.inner - first);
        const int64_t begin = n * s.classes * s.inner + first;
        const float* const x = args.in(0) + begin;
        if (!s.logarithms && s.inner == 1)
          total[0] = LogSumExp(x, s.classes);
        else if (!s.logarithms)
          LogTotals(x, s.classes, s.inner, width, total);
        for (int64_t i = 0; i < width; ++i) TRY(Add(n * s.inner + first + i, x + i, total[i]));
        if (args.out_or_null(1) == nullptr) continue;
        for (int64_t c = 0; c < s.classes; ++c)
          for (int64_t i = 0; i < width; ++i)
            args.out_or_null(1)[begin + c * s.inner + i] = x[c * s.inner + i] - total[i];
      }
    if (!s.each) *args.out() = static_cast<float>(s.mean ? sum / weights : sum);
    return {};
  }
};

Prepared Bind(const KernelSite& site, bool logarithms) {
  if (site.element(0) != ElementType::kF32 || !IsIndex(site.element(1)))
    return Decline("f32 and integers only");
  const Shape& shape = site.shape(0);
  if (NumElements(shape) == 0) return Decline("nothing to do");
  const std::string reduction = site.attributes().String("reduction", "mean");
  const AxisSplit split = SplitAround(shape, 1);
  Scores scores{split.outer, split.size, split.inner, logarithms};
  scores.wide = site.element(1) == ElementType::kI64;
  scores.ignores = site.attributes().has("ignore_index");
  scores.ignored = site.attributes().Int("ignore_index", 0);
  scores.weighted = site.call->has(2);
  scores.each = reduction == "none";
  scores.mean = reduction == "mean";
  return Accept("rows", [scores](const KernelArgs& args) { return Loss{scores, args}.Run(); });
}

}  // namespace

Prepared SoftmaxCrossEntropyLoss(const KernelSite& site) {
  return Bind(site, /*logarithms=*/false);
}
Prepared NegativeLogLikelihoodLoss(const KernelSite& site) {
  return Bind(site, /*logarithms=*/true);
}

}  // namespace metadist::cpu
