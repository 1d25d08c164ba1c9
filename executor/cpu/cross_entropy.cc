// SPDX-License-Identifier: Apache-2.0
// -weight[label] log softmax(scores)[label] for rows of scores, each of them or reduced.
#include <fmt/format.h>

#include <string>

#include "executor/cpu/indices.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/softmax.h"

namespace metadist::cpu {
namespace {

struct Rows {
  int64_t rows = 0;
  int64_t classes = 0;
  bool wide = false;  // labels of i64
  bool ignores = false;
  int64_t ignored = 0;
  bool weighted = false;
  bool each = false;  // no reduction
  bool mean = false;
};

Result<void> Run(const Rows& r, const KernelArgs& args) {
  const auto* scores = reinterpret_cast<const float*>(args.inputs[0]);
  const Indices labels{args.inputs[1], r.wide};
  const auto* weight = r.weighted ? reinterpret_cast<const float*>(args.inputs[2]) : nullptr;
  auto* loss = reinterpret_cast<float*>(args.outputs[0]);
  auto* all = args.outputs.size() > 1 ? reinterpret_cast<float*>(args.outputs[1]) : nullptr;
  double sum = 0;
  double weights = 0;
  for (int64_t i = 0; i < r.rows; ++i) {
    const float* row = scores + i * r.classes;
    const int64_t label = labels[i];
    const bool skipped = r.ignores && label == r.ignored;
    if (!skipped && (label < 0 || label >= r.classes))
      return BadInput("", fmt::format("target must be in [0, {}], got {}", r.classes - 1, label));
    const float total = skipped && all == nullptr ? 0.0f : LogSumExp(row, r.classes);
    for (int64_t c = 0; all != nullptr && c < r.classes; ++c)
      all[i * r.classes + c] = row[c] - total;
    if (r.each) loss[i] = 0;
    if (skipped) continue;
    const float times = weight != nullptr ? weight[label] : 1.0f;
    const float one = times * (total - row[label]);
    if (r.each) loss[i] = one;
    sum += one;
    weights += times;
  }
  if (!r.each) *loss = static_cast<float>(r.mean ? sum / weights : sum);
  return {};
}

}  // namespace

Prepared CrossEntropy(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32 || !IsIndex(site.element(1)))
    return Decline("f32 and integers only");
  if (site.shape(0).size() != 2 || site.shape(0)[1] == 0) return Decline("rows only");
  const std::string reduction = site.attributes().String("reduction", "mean");
  Rows rows{site.shape(0)[0], site.shape(0)[1]};
  rows.wide = site.element(1) == ElementType::kI64;
  rows.ignores = site.attributes().has("ignore_index");
  rows.ignored = site.attributes().Int("ignore_index", 0);
  rows.weighted = site.call->has(2);
  rows.each = reduction == "none";
  rows.mean = reduction == "mean";
  return Accept("rows", [rows](const KernelArgs& args) { return Run(rows, args); });
}

}  // namespace metadist::cpu
