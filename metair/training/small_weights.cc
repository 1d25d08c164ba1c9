// SPDX-License-Identifier: Apache-2.0
#include "metair/training/small_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "metair/training/trainable_pattern.h"

namespace metadist {
namespace {

// How far an f32 that was rounded a few times may be off, as a share of it.
constexpr double kRounding = 3e-7;

bool IsNearInteger(double x, double most) {
  const double nearest = std::round(x);
  return nearest >= 1 && nearest <= most && std::fabs(x - nearest) <= kRounding * nearest;
}

// Whether x > 0 has at most five decimal digits besides zeros.
bool IsShortDecimal(double x) {
  constexpr int kDigits = 5;
  const double shift = std::pow(10.0, kDigits - 1 - std::floor(std::log10(x)));
  return std::fabs(std::round(x * shift) / shift - x) <= x * kRounding / 2;
}

// Whether x > 0 or its inverse is a first, second or fourth root of an integer or half of one.
bool IsRoot(double x) {
  constexpr double kMost = 20000;  // twice the largest integer
  const double square = x * x;
  const std::array<double, 3> powers = {x, square, square * square};
  return std::any_of(powers.begin(), powers.end(), [](double power) {
    return IsNearInteger(2 * power, kMost) || IsNearInteger(2 / power, kMost);
  });
}

bool IsLogarithm(double x) {
  const std::array<double, 4> logarithms = {
      std::numbers::ln2, std::numbers::ln10, std::numbers::log2e, std::numbers::log10e};
  return std::any_of(logarithms.begin(), logarithms.end(), [&](double l) {
    return std::fabs(x - l) <= kRounding * l;
  });
}

bool IsRecognisable(double number) {
  constexpr double kMostOfWeights = 1e15;
  const double x = std::fabs(number);
  if (!std::isfinite(x) || x == 0 || x > kMostOfWeights) return true;
  const double pi = std::numbers::pi;
  const double root = std::sqrt(pi);
  return IsShortDecimal(x) || IsRoot(x) || IsLogarithm(x) || IsRoot(x * pi) || IsRoot(x / pi) ||
         IsRoot(x * root) || IsRoot(x / root);
}

// Equal numbers, or 0 and 1, as layers start with.
bool IsInitial(const std::vector<double>& x) {
  return std::ranges::all_of(x, [&](double v) { return v == x[0]; }) ||
         std::ranges::all_of(x, [](double v) { return v == 0 || v == 1; });
}

// Whether an elementwise operator with this number as an input returns its other input.
bool HasNoEffect(const Graph& graph, const Tensor& number, const Use& use, const OpDef& op) {
  const Node& node = graph.node(use.node);
  if (!op.elementwise || node.inputs.size() != 2 || node.outputs.size() != 1) return false;
  Shape shape(static_cast<size_t>(number.rank()), 1);
  shape[0] = 3;
  const Tensor other = Tensor::Of<double>(shape, {-2.25, 0.75, 1e6}).Cast(number.element());
  std::array<Tensor, 2> inputs = {other, other};
  inputs[static_cast<size_t>(use.input)] = number;
  OpCall call;
  call.op = &op;
  call.attributes = &node.attributes;
  for (const Tensor& input : inputs) call.inputs.push_back({true, input.type(), &input});
  const auto result = Evaluate(std::move(call), inputs);
  return result.ok() && result.value()[0].type() == other.type() &&
         result.value()[0].ToDoubles() == other.ToDoubles();
}

// Whether a node reads floats of several elements that the model stores, besides this input.
bool ReadsParameters(const Graph& graph, const Use& use, const OpTable& ops) {
  const Node& node = graph.node(use.node);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone || static_cast<int>(i) == use.input) continue;
    const Value& value = graph.value(node.inputs[i]);
    if ((value.kind == ValueKind::kParameter || value.kind == ValueKind::kConstant) &&
        ClassOf(value.type.element) == ElementClass::kFloat && NumElements(value.type.shape) > 1 &&
        MayReadWeights(ops, graph, {use.node, static_cast<int>(i)}))
      return true;
  }
  return false;
}

}  // namespace

bool IsWrittenConstant(const Graph& graph,
                       ValueId value,
                       const std::vector<Use>& uses,
                       const OpTable& ops) {
  constexpr int kTellingBits = 32;
  constexpr int64_t kMostElements = 1024;
  const Tensor& data = graph.value(value).data;
  const TensorType& type = graph.value(value).type;
  const int64_t count = NumElements(type.shape);
  const bool tells = BitSize(type.element) >= kTellingBits;
  if (count == 1 && !data.has_data()) return type.shape.empty();
  if (!data.has_data() || count > kMostElements) return false;
  if (count > 1 && (!tells || std::ranges::count(type.shape, 1) + 1 < data.rank())) return false;
  const std::vector<double> x = data.ToDoubles();
  if (tells && !std::ranges::all_of(x, IsRecognisable)) return false;
  if (count > 1 && IsInitial(x)) return false;
  const bool may_start = count == 1 && x[0] == 0;
  if (type.shape.empty()) return true;
  return std::ranges::none_of(uses, [&](const Use& use) {
    const OpDef* op = use.node == kNone ? nullptr : ops.Find(graph.node(use.node));
    if (op == nullptr || !MayReadWeights(ops, graph, use)) return false;
    return (may_start && HasNoEffect(graph, data, use, *op)) ||
           (!op->elementwise && ReadsParameters(graph, use, ops));
  });
}

std::vector<ValueId> SmallWeights(const Graph& graph,
                                  const std::vector<std::string>& patterns,
                                  const OpTable& ops) {
  const std::vector<std::vector<Use>> uses = UsesOf(graph);
  const auto is_named = [&](const std::string& name) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& text) {
      const TrainablePattern pattern(text);
      return !pattern.leaves_out && pattern.glob != "*" && pattern.Fits(name);
    });
  };
  std::vector<ValueId> out;
  for (const ValueId id : graph.OfKind(ValueKind::kConstant)) {
    const Value& value = graph.value(id);
    const std::vector<Use>& of = uses[static_cast<size_t>(id)];
    const int64_t elements = NumElements(value.type.shape);
    if (elements == 0 || ClassOf(value.type.element) != ElementClass::kFloat ||
        std::none_of(
            of.begin(), of.end(), [&](const Use& use) { return MayReadWeights(ops, graph, use); }))
      continue;
    if (elements > 1 || is_named(value.name) || !IsWrittenConstant(graph, id, of, ops))
      out.push_back(id);
  }
  return out;
}

}  // namespace metadist
