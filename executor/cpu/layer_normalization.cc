// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/makers.h"
#include "executor/cpu/row.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

struct Rows {
  const float* x;
  const float* scale;
  const float* bias;  // nullptr: none
  float* y;
  float* mean;       // nullptr: not requested
  float* deviation;  // 1 / sqrt(variance + epsilon); nullptr: not requested
  int64_t rows;
  int64_t columns;
  float epsilon;
};

// y[r, :] = (x[r, :] - mean) / sqrt(variance + epsilon) * scale + bias; the variance takes a second
// pass.
METADIST_MULTIVERSION
void NormalizeRows(const Rows& a) {
  const int64_t n = a.columns;
  for (int64_t r = 0; r < a.rows; ++r) {
    const float* x = a.x + r * n;
    float* y = a.y + r * n;
    const float mean = SumRow(x, n, [](float v) { return v; }) / static_cast<float>(n);
    const float variance =
        SumRow(x, n, [mean](float v) { return (v - mean) * (v - mean); }) / static_cast<float>(n);
    const float factor = 1.0f / __builtin_sqrtf(variance + a.epsilon);
    if (a.bias == nullptr)
      for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor * a.scale[i];
    else
      for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor * a.scale[i] + a.bias[i];
    if (a.mean != nullptr) a.mean[r] = mean;
    if (a.deviation != nullptr) a.deviation[r] = factor;
  }
}

}  // namespace

Prepared LayerNormalization(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const auto axis = site.Axis(-1);
  if (!axis.ok()) return Decline(axis.error().message);
  const AxisSplit split = SplitAround(site.shape(0), axis.value());
  Rows rows{};
  rows.rows = split.outer;
  rows.columns = split.size * split.inner;
  if (rows.columns == 0) return Decline("empty rows");
  for (size_t i = 1; i < site.call->inputs.size(); ++i)
    if (site.call->has(i) && NumElements(site.shape(i)) != rows.columns)
      return Decline("scale and bias must have the shape of a row");
  rows.epsilon = static_cast<float>(site.attributes().Float("epsilon", 1e-5));
  return Accept("rows", [rows](const KernelArgs& args) {
    Rows call = rows;
    call.x = args.in(0);
    call.scale = args.in(1);
    call.bias = args.in_or_null(2);
    call.y = args.out();
    call.mean = args.out_or_null(1);
    call.deviation = args.out_or_null(2);
    NormalizeRows(call);
  });
}

}  // namespace metadist::cpu
