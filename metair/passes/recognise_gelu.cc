// SPDX-License-Identifier: Apache-2.0
//
// Replaces a Gaussian error linear unit written as several nodes by one node.
//
// Exporters older than the operator write x Phi(x) as five to eight elementwise nodes: x / 2 (1 +
// erf(x / sqrt 2)), or with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) in place of erf, the factors in
// any order. Two exports of one network then differ in nodes, in the cost of a step and in the
// shardings a planner may choose. The match starts at erf or tanh: its operand must be x scaled (or
// the cubic above); its result must be used by a sum with one, followed by a chain of products with
// x and one half, each once. Constants may be as inexact as their element type. Linear in the
// nodes.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752;
constexpr double kSqrtTwoOverPi = 0.79788456080286536;
constexpr double kCubic = 0.044715;

double ToleranceOf(ElementType type) {
  switch (type) {
    case ElementType::kBF16:
      return 1e-2;
    case ElementType::kF16:
      return 2e-3;
    default:
      return 1e-5;
  }
}

class Matcher {
 public:
  explicit Matcher(const Graph& graph) : graph_(graph), uses_(UsesOf(graph)) {}

  struct Found {
    NodeId last;  // the product that computes the result
    ValueId x;
    bool tanh;
  };

  std::optional<Found> At(const Node& node) const {
    const bool tanh = Is(node, "Tanh");
    if (!tanh && !Is(node, "Erf")) return std::nullopt;
    const ValueId x = tanh ? BelowTanh(node.inputs[0]) : BelowErf(node.inputs[0]);
    if (x == kNone || ClassOf(graph_.value(x).type.element) != ElementClass::kFloat)
      return std::nullopt;
    const Node* sum = OnlyUser(node.outputs[0], "Add");
    if (sum == nullptr || !IsScalar(Other(*sum, node.outputs[0]), 1)) return std::nullopt;
    const NodeId last = Products(sum->outputs[0], x);
    if (last == kNone) return std::nullopt;
    const Node& product = graph_.node(last);
    if (graph_.value(product.outputs[0]).type != graph_.value(x).type) return std::nullopt;
    return Found{last, x, tanh};
  }

 private:
  static bool Is(const Node& node, const char* op) { return node.domain.empty() && node.op == op; }

  const Node* MadeBy(ValueId value, const char* op) const {
    if (value == kNone || graph_.value(value).producer == kNone) return nullptr;
    const Node& node = graph_.node(graph_.value(value).producer);
    return Is(node, op) ? &node : nullptr;
  }

  const Node* OnlyUser(ValueId value, const char* op) const {
    const std::vector<Use>& uses = uses_[static_cast<size_t>(value)];
    if (uses.size() != 1 || uses[0].node == kNone) return nullptr;
    const Node& node = graph_.node(uses[0].node);
    return Is(node, op) ? &node : nullptr;
  }

  // The other operand of a sum or product; `value` itself if both are.
  static ValueId Other(const Node& node, ValueId value) {
    return node.inputs[0] == value ? node.inputs[1] : node.inputs[0];
  }

  bool IsScalar(ValueId id, double expected) const {
    if (id == kNone) return false;
    const Value& value = graph_.value(id);
    if (!value.is_known() || NumElements(value.type.shape) != 1) return false;
    const double found = value.data.ToDoubles()[0];
    return std::abs(found - expected) <= ToleranceOf(value.type.element) * std::abs(expected);
  }

  // x if `id` is x times `factor` (or divided by its inverse), else kNone.
  ValueId Scaled(ValueId id, double factor) const {
    if (const Node* product = MadeBy(id, "Mul")) {
      for (const int constant : {0, 1})
        if (IsScalar(product->inputs[static_cast<size_t>(constant)], factor))
          return product->inputs[static_cast<size_t>(1 - constant)];
    }
    if (const Node* ratio = MadeBy(id, "Div"))
      if (IsScalar(ratio->inputs[1], 1 / factor)) return ratio->inputs[0];
    return kNone;
  }

  ValueId BelowErf(ValueId id) const { return Scaled(id, kSqrtHalf); }

  // x if `id` is sqrt(2 / pi) (x + 0.044715 x^3), else kNone.
  ValueId BelowTanh(ValueId id) const {
    const Node* sum = MadeBy(Scaled(id, kSqrtTwoOverPi), "Add");
    if (sum == nullptr) return kNone;
    for (const int cubic : {0, 1}) {
      const ValueId x = sum->inputs[static_cast<size_t>(1 - cubic)];
      if (IsCubeOf(Scaled(sum->inputs[static_cast<size_t>(cubic)], kCubic), x)) return x;
    }
    return kNone;
  }

  bool IsCubeOf(ValueId id, ValueId x) const {
    if (const Node* power = MadeBy(id, "Pow"))
      return power->inputs[0] == x && IsScalar(power->inputs[1], 3);
    const Node* product = MadeBy(id, "Mul");
    if (product == nullptr) return false;
    for (const int square : {0, 1})
      if (product->inputs[static_cast<size_t>(1 - square)] == x &&
          IsSquareOf(product->inputs[static_cast<size_t>(square)], x))
        return true;
    return false;
  }

  bool IsSquareOf(ValueId id, ValueId x) const {
    if (const Node* power = MadeBy(id, "Pow"))
      return power->inputs[0] == x && IsScalar(power->inputs[1], 2);
    const Node* product = MadeBy(id, "Mul");
    return product != nullptr && product->inputs[0] == x && product->inputs[1] == x;
  }

  // The node that multiplies by the last of {x, 1/2} in a chain of products from `value`, or kNone.
  NodeId Products(ValueId value, ValueId x) const {
    bool has_x = false;
    bool has_half = false;
    while (!has_x || !has_half) {
      const Node* product = OnlyUser(value, "Mul");
      if (product == nullptr) return kNone;
      const ValueId other = Other(*product, value);
      if (other == x && !has_x) {
        has_x = true;
      } else if (IsScalar(other, 0.5) && !has_half) {
        has_half = true;
      } else if (Scaled(other, 0.5) == x && !has_x && !has_half) {
        has_x = has_half = true;
      } else {
        return kNone;
      }
      value = product->outputs[0];
    }
    return graph_.value(value).producer;
  }

  const Graph& graph_;
  std::vector<std::vector<Use>> uses_;
};

Result<Graph> RecogniseGelu(const Graph& graph, const PassInput& input) {
  Node gelu;
  gelu.op = "Gelu";
  if (input.ops.Find(gelu) == nullptr) return graph;
  Graph out = graph;
  const Matcher matcher(graph);
  for (const Node& node : graph.nodes) {
    const auto found = matcher.At(node);
    if (!found) continue;
    Node& last = out.node(found->last);
    last.op = gelu.op;
    last.inputs = {found->x};
    last.attributes = {};
    if (found->tanh) last.attributes.set("approximate", std::string("tanh"));
  }
  return WithoutDeadCode(out);
}

}  // namespace

extern const PassDef kPass_recognise_gelu = {.name = "recognise_gelu",
                                             .summary = "the parts of a Gelu become one node",
                                             .run = RecogniseGelu};

}  // namespace metadist::passes
