// SPDX-License-Identifier: Apache-2.0
#include "cli/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/rules/probe/own_type.h"

namespace metadist::cli {
namespace {

constexpr double kMostAbsolute = 0x1p-7;  // tolerance of any value: one step of bf16 at 1
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// For values computed in this type; 0: exact.
double RelativeTolerance(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return 1e-7;
    case ElementType::kF32:
      return 1e-3;
    case ElementType::kF16:
      return 1e-2;
    case ElementType::kBF16:
      return 5e-2;
    // One step between adjacent numbers: a rounding may depend on the order of preceding sums.
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E4M3FNUZ:
      return 0.126;
    case ElementType::kF8E5M2:
    case ElementType::kF8E5M2FNUZ:
      return 0.251;
    case ElementType::kF4E2M1:
      return 0.501;
    case ElementType::kF8E8M0:
      return 1.001;
    // Quantised floats: which integer is nearest may depend on a rounding.
    case ElementType::kI8:
    case ElementType::kU8:
      return 2e-2;
    case ElementType::kI4:
    case ElementType::kU4:
      return 0.3;
    case ElementType::kI2:
    case ElementType::kU2:
      return 1;
    default:
      return 0;
  }
}

constexpr double kMoves = 4;  // allowed multiple of the movement of an element by roundings of the
                              // inputs

// How far sums of numbers around 1 may differ from zero, if numbers of type `behind` were computed
// on the way to an output of type `own`. Narrower types are summed in f32 and rounded once.
double AroundZero(ElementType own, ElementType behind) {
  constexpr double kRoundings = 4;
  const auto misses = [](ElementType type) {
    return EpsilonOf(type) * (ByteSize(type) >= 4 ? kRoundings : 1);
  };
  return std::min(std::max(misses(own), misses(behind)), kMostAbsolute);
}

double RootMeanSquare(const std::vector<double>& x) {
  double sum = 0;
  size_t count = 0;
  for (const double v : x)
    if (std::isfinite(v)) {
      sum += v * v;
      ++count;
    }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

// 0 if there are too few elements for a typical value.
double Median(std::vector<double> x) {
  constexpr size_t kFew = 8;
  if (x.size() < kFew) return 0;
  const auto middle = x.begin() + (std::ssize(x) - 1) / 2;
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

void CompareOne(const std::string& name,
                const Tensor& got,
                const Tensor& expected,
                ElementType type,
                double moved,
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
  const double relative = RelativeTolerance(type);
  const double explained = kMoves * moved;
  const double absolute =
      relative / 10 * RootMeanSquare(b) + AroundZero(got.element(), type) + explained;
  // Enough digits to show a difference beyond the tolerance.
  const int digits = relative >= 1e-3 ? 6 : 17;
  double largest = 0;
  double worst = 0;
  std::vector<double> errors;  // relative, of elements that are not close to zero
  for (size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(a[i] - b[i]);
    if (std::isfinite(b[i])) largest = std::max(largest, std::abs(b[i]));
    if (relative > 0 && std::isfinite(error) && std::abs(b[i]) > absolute)
      errors.push_back(std::max(0.0, error - explained) / std::abs(b[i]));
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    worst = std::max(worst, std::isfinite(error) ? error : kInfinity);
    if (!(error <= absolute + relative * std::abs(b[i])))
      fail(fmt::format("element {}: expected {:.{}g}, got {:.{}g}", i, b[i], digits, a[i], digits));
  }
  if (const double typical = Median(std::move(errors)); typical > relative)
    fail(fmt::format("half of its elements are off by {:.2g} or more of their value", typical));
  all.max_abs_error = std::max(all.max_abs_error, worst);
  if (largest > 0) all.max_rel_error = std::max(all.max_rel_error, worst / largest);
}

ElementType Coarser(ElementType a, ElementType b) {
  return RelativeTolerance(b) > RelativeTolerance(a) ? b : a;
}

}  // namespace

std::map<std::string, ElementType> CoarsestTypes(const Graph& graph) {
  constexpr ElementType kExact = ElementType::kI64;
  std::vector<ElementType> coarsest(graph.values.size(), kExact);  // by value
  for (const Node& node : graph.nodes) {
    ElementType behind = kExact;
    bool rounds = false;  // true if the integers may be rounded floats
    for (const ValueId input : node.inputs) {
      if (input == kNone) continue;
      behind = Coarser(behind, coarsest[static_cast<size_t>(input)]);
      rounds = rounds || ClassOf(graph.value(input).type.element) == ElementClass::kFloat;
    }
    for (const ValueId output : node.outputs) {
      if (output == kNone) continue;
      const ElementType own = graph.value(output).type.element;
      const bool counts = rounds || ClassOf(own) == ElementClass::kFloat;
      coarsest[static_cast<size_t>(output)] = counts ? Coarser(behind, own) : behind;
    }
  }
  std::map<std::string, ElementType> out;
  for (const ValueId id : graph.outputs) {
    // An output without a node may have been folded, and another program rounds differently.
    const ElementType own = graph.value(id).type.element;
    if (ClassOf(own) == ElementClass::kFloat)
      out[graph.value(id).name] = Coarser(coarsest[static_cast<size_t>(id)], own);
  }
  return out;
}

Tolerance WidestTolerance(const std::map<std::string, ElementType>& coarsest) {
  Tolerance widest;
  for (const auto& [name, type] : coarsest)
    if (RelativeTolerance(type) > widest.relative)
      widest = {std::string(Name(type)), RelativeTolerance(type)};
  return widest;
}

std::map<std::string, double> Movement(const std::vector<std::pair<std::string, Tensor>>& a,
                                       const std::vector<std::pair<std::string, Tensor>>& b) {
  std::map<std::string, double> moved;
  for (size_t o = 0; o < a.size() && o < b.size(); ++o) {
    if (!IsQuantity(a[o].second.element()) || a[o].second.type() != b[o].second.type()) continue;
    const std::vector<double> x = a[o].second.ToDoubles();
    const std::vector<double> y = b[o].second.ToDoubles();
    double& largest = moved[a[o].first];
    for (size_t i = 0; i < x.size(); ++i)
      if (std::isfinite(x[i]) && std::isfinite(y[i]))
        largest = std::max(largest, std::abs(x[i] - y[i]));
  }
  return moved;
}

Comparison Compare(const std::vector<std::pair<std::string, Tensor>>& got,
                   const std::vector<std::pair<std::string, Tensor>>& expected,
                   const std::map<std::string, ElementType>& coarsest,
                   const std::map<std::string, double>& moved) {
  Comparison all;
  for (const auto& [name, tensor] : expected) {
    const auto found = std::find_if(
        got.begin(), got.end(), [&, &n = name](const auto& output) { return output.first == n; });
    if (found == got.end()) {
      if (all.passed) all.detail = fmt::format("output '{}' is missing", name);
      all.passed = false;
      continue;
    }
    const ElementType own = found->second.element();
    const auto behind = coarsest.find(name);
    const bool exact = ClassOf(own) != ElementClass::kFloat;
    const auto movement = moved.find(name);
    CompareOne(name,
               found->second,
               tensor,
               exact                      ? ElementType::kI64
               : behind == coarsest.end() ? own
                                          : behind->second,
               movement == moved.end() ? 0 : movement->second,
               all);
  }
  return all;
}

}  // namespace metadist::cli
