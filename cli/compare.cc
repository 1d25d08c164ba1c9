// SPDX-License-Identifier: Apache-2.0
#include "cli/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace metadist::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Tolerance {
  double absolute;
  double relative;
};

Tolerance ToleranceOf(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return {1e-8, 1e-7};
    case ElementType::kF32:
      return {1e-4, 1e-3};
    case ElementType::kF16:
      return {1e-2, 1e-2};
    case ElementType::kBF16:
      return {5e-2, 5e-2};
    default:
      return {0, 0};
  }
}

void CompareOne(const std::string& name,
                const Tensor& got,
                const Tensor& expected,
                Comparison& all) {
  const auto fail = [&](std::string detail) {
    if (all.passed) all.detail = fmt::format("output '{}': {}", name, detail);
    all.passed = false;
  };
  if (got.shape() != expected.shape())
    return fail(fmt::format(
        "expected shape {}, got {}", ShapeText(expected.shape()), ShapeText(got.shape())));
  const std::vector<double> a = got.ToDoubles();
  const std::vector<double> b = expected.ToDoubles();
  const Tolerance tolerance = ToleranceOf(got.element());
  // As many as can differ beyond the tolerance.
  const int digits = tolerance.relative >= 1e-3 ? 6 : 17;
  double largest = 0;
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(b[i])) largest = std::max(largest, std::abs(b[i]));
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double error = std::abs(a[i] - b[i]);
    worst = std::max(worst, std::isfinite(error) ? error : kInfinity);
    if (!(error <= tolerance.absolute + tolerance.relative * std::abs(b[i])))
      fail(fmt::format("element {}: expected {:.{}g}, got {:.{}g}", i, b[i], digits, a[i], digits));
  }
  all.max_abs_error = std::max(all.max_abs_error, worst);
  if (largest > 0) all.max_rel_error = std::max(all.max_rel_error, worst / largest);
}

}  // namespace

Comparison Compare(const std::vector<std::pair<std::string, Tensor>>& got,
                   const std::vector<std::pair<std::string, Tensor>>& expected) {
  Comparison all;
  for (const auto& [name, tensor] : expected) {
    const auto found = std::find_if(
        got.begin(), got.end(), [&, &n = name](const auto& output) { return output.first == n; });
    if (found == got.end()) {
      if (all.passed) all.detail = fmt::format("output '{}' is missing", name);
      all.passed = false;
      continue;
    }
    CompareOne(name, found->second, tensor, all);
  }
  return all;
}

}  // namespace metadist::cli
