// SPDX-License-Identifier: Apache-2.0
// The operator's kernel is the reference: the divided decomposition must give what the kernel gives
// for the whole inputs. The rules of its nodes have been tested already, so only the decomposition
// and the positions of the exchanges can be wrong; some 16 runs of all kinds show either.
#include "planner/rules/compose/composite_check.h"

#include <algorithm>
#include <utility>

#include "planner/rules/compose/late_merge.h"
#include "planner/rules/compose/lockstep.h"
#include "planner/rules/compose/recipe.h"
#include "planner/rules/compose/recipe_forms.h"
#include "planner/rules/compose/recipe_steps.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/factor/step_recipe.h"
#include "planner/rules/instance/instance.h"
#include "planner/rules/instance/window.h"
#include "planner/rules/probe/arrays.h"
#include "planner/rules/probe/own_type.h"

namespace metadist {
namespace {

using Runs = std::vector<std::pair<int64_t, InputMode>>;

const Runs kEven{{3, InputMode::kNormal},
                 {2, InputMode::kIntegers},
                 {4, InputMode::kNegative},
                 {2, InputMode::kOneShard},
                 {3, InputMode::kOffset},
                 {4, InputMode::kTies},
                 {2, InputMode::kSmall},
                 {3, InputMode::kOneTrue},
                 {2, InputMode::kOneFalse}};
const Runs kUneven{{2, InputMode::kNormal},
                   {3, InputMode::kIntegers},
                   {4, InputMode::kUp},
                   {3, InputMode::kDown},
                   {4, InputMode::kOffset}};
const Runs kOrdinary{{2, InputMode::kNormal}, {3, InputMode::kNormal}};
const Runs kSingle{{4, InputMode::kNormal}, {4, InputMode::kIntegers}};
const Runs kSpread{{3, InputMode::kSpread}};
constexpr int64_t kEvenGroups = 12;  // for 2, 3 and 4 ranks
constexpr int64_t kUnevenGroups = 11;
constexpr int64_t kSingleGroups = 4;
constexpr int64_t kLonger = 5;  // what sizes that no factor cuts grow by
constexpr int64_t kMostTimes = 32;
constexpr int64_t kMostTimesLong = 4;
constexpr double kResultRoundings = 16;  // allowed error of a result in its own element type, in
                                         // epsilons

OpCall InF64(OpCall call) {
  for (OpCall::Input& input : call.inputs)
    if (input.present && input.constant == nullptr &&
        ClassOf(input.type.element) == ElementClass::kFloat)
      input.type.element = ElementType::kF64;
  return call;
}

// Replaces the graph's float constants by those of a graph of the same form, except for
// conversions.
void TakeNumbers(const Graph& exact, Graph& graph) {
  const auto numbers = [](const Graph& of) {
    std::vector<ValueId> ids;
    for (const ValueId id : of.OfKind(ValueKind::kConstant))
      if (ClassOf(of.value(id).type.element) == ElementClass::kFloat) ids.push_back(id);
    return ids;
  };
  const std::vector<ValueId> from = numbers(exact), to = numbers(graph);
  for (size_t i = 0; from.size() == to.size() && i < to.size(); ++i)
    if (exact.value(from[i]).type.shape == graph.value(to[i]).type.shape)
      graph.value(to[i]).data = exact.value(from[i]).data;
}

// The output merged from the ranks' pieces; nullopt if their types do not fit.
std::optional<Tensor> Merged(const Factor& factor,
                             int output,
                             const std::vector<const Tensor*>& parts,
                             const TensorType& type) {
  const int64_t ranks = static_cast<int64_t>(parts.size());
  const Cut* cut = CutOf(factor.outputs, output);
  if (cut != nullptr && cut->size() != type.shape[static_cast<size_t>(cut->dim)])
    return std::nullopt;
  Tensor merged = Tensor::Zeros(type);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const Tensor& part = *parts[static_cast<size_t>(rank)];
    TensorType expected = type;
    std::vector<int64_t> indices;
    if (cut != nullptr) {
      indices = IndicesOf(*cut, ranks, rank);
      expected.shape[static_cast<size_t>(cut->dim)] = static_cast<int64_t>(indices.size());
    }
    if (part.type() != expected) return std::nullopt;
    if (cut != nullptr) Put(merged, cut->dim, indices, part);
  }
  if (cut != nullptr) return merged;
  merged = parts[0]->Clone();
  const auto reduction = factor.reductions.find(output);
  for (size_t rank = 1; rank < parts.size() && reduction != factor.reductions.end(); ++rank)
    Fold(reduction->second, merged, *parts[rank]);
  return merged;
}

}  // namespace

std::optional<ExactForm> ExactFormOf(const OpCall& call, bool all_numbers) {
  const OpCall wide = InF64(call);
  auto graph = call.op->decompose(call);
  if (!graph.ok()) return std::nullopt;
  auto exact = call.op->decompose(wide);
  if (!exact.ok()) return ExactForm{call, std::move(graph).value()};
  const auto same = [](const Node& a, const Node& b) { return a.op == b.op; };
  if (std::equal(graph.value().nodes.begin(),
                 graph.value().nodes.end(),
                 exact.value().nodes.begin(),
                 exact.value().nodes.end(),
                 same))
    return ExactForm{wide, std::move(exact).value()};
  if (all_numbers) TakeNumbers(exact.value(), graph.value());
  return ExactForm{call, std::move(graph).value()};
}

std::vector<int64_t> CompositeCheck::SizesFor(const SymbolicFactor& factor,
                                              int64_t tested,
                                              int64_t more,
                                              const std::set<int>& kept) {
  std::vector<int64_t> sizes = found_.atoms;
  std::vector<Shape> ignored;
  for (size_t a = 0; a < sizes.size(); ++a) {
    if (kept.count(static_cast<int>(a)) > 0) continue;
    std::vector<int64_t> next = sizes;
    const bool own = Divides(factor, static_cast<int>(a));
    next[a] = own ? tested : sizes[a] + more;
    if (own || box_.Infer(ValuesAt(found_, box_, next), ignored)) sizes = std::move(next);
  }
  return sizes;
}

CompositeCheck::Verdict CompositeCheck::HoldsAt(const SymbolicFactor& factor, int64_t times) {
  const Verdict even = Judge(factor, SizesFor(factor, times * kEvenGroups, 0), kEven);
  if (even != Verdict::kHolds) return even;
  return Judge(factor, SizesFor(factor, times * kUnevenGroups, 1), kUneven);
}

// What joins pieces may do so only while few elements are selected from many.
bool CompositeCheck::DiffersIfLonger(const SymbolicFactor& factor) {
  if (factor.inner.recipe.empty()) return false;
  const std::set<int> apart = AtomsApart(found_, factor);
  for (int64_t times = 1; times <= kMostTimesLong; times *= 2) {
    const std::vector<int64_t> sizes = SizesFor(factor, times * kEvenGroups, kLonger, apart);
    if (sizes == SizesFor(factor, times * kEvenGroups, 0)) return false;
    const Verdict verdict = Judge(factor, sizes, kOrdinary);
    if (verdict != Verdict::kRefused) return verdict == Verdict::kDiffers;
  }
  return false;
}

bool CompositeCheck::Holds(SymbolicFactor& factor) {
  const bool wide = !factor.inner.recipe.empty() || HasWindows(factor);
  Verdict verdict = HoldsAt(factor, 1);
  // A piece may need as many elements as the call selects from the whole, or as a window covers.
  for (int64_t times = 2; wide && verdict == Verdict::kRefused && times <= kMostTimes; times *= 2)
    verdict = HoldsAt(factor, times);
  leaves_range_ = verdict == Verdict::kHolds && IsScan(factor.inner.recipe) &&
                  Judge(factor, SizesFor(factor, kEvenGroups, 0), kSpread) != Verdict::kHolds;
  if (verdict != Verdict::kHolds || leaves_range_) return false;
  if (DiffersIfLonger(factor)) return false;
  if (Judge(factor, SizesFor(factor, kSingleGroups, 0), kSingle) != Verdict::kHolds)
    factor.least_piece = 2;
  return true;
}

bool CompositeCheck::Refutes(const SymbolicFactor& factor, std::span<const int64_t> sizes) {
  const std::optional<Factor> real = FactorOn(found_, factor, box_, sizes);
  for (const auto& [ranks, mode] : kOrdinary) {
    if (!real || real->groups() < ranks * std::max<int64_t>(factor.least_piece, 1)) continue;
    const std::pair<int64_t, InputMode> run{ranks, mode};
    if (Judge(factor, sizes, std::span(&run, 1)) == Verdict::kDiffers) return true;
  }
  return false;
}

std::optional<CompositeCheck::Eager> CompositeCheck::EagerOf(const InnerUse& use,
                                                             std::span<const int64_t> values) {
  if (!calls_) {
    const auto base =
        ExactFormOf(box_.CallAt(ValuesAt(found_, box_, found_.atoms)), /*all_numbers=*/false);
    if (!base) return std::nullopt;
    calls_.emplace(tested_.ops, tested_.inner, base->graph);
  }
  auto form = ExactFormOf(box_.CallAt(values), use.recipe.empty());
  if (!form || use.nodes.size() != form->graph.nodes.size()) return std::nullopt;
  Eager eager{std::move(*form), {}, {}};
  eager.rules.resize(use.nodes.size());
  eager.factors.assign(use.nodes.size(), nullptr);
  for (size_t n = 0; n < use.nodes.size(); ++n) {
    if (use.nodes[n].empty() || use.nodes[n][0] == '~') continue;
    eager.rules[n] = calls_->RuleOf(eager.form.graph, n);
    eager.factors[n] = eager.rules[n].Find(use.nodes[n]);
    if (eager.factors[n] == nullptr) return std::nullopt;
  }
  return eager;
}

std::optional<CompositeCheck::Way> CompositeCheck::WayOf(const InnerUse& use,
                                                         const Factor& factor,
                                                         std::span<const int64_t> values,
                                                         const std::optional<Eager>& eager,
                                                         int64_t ranks) {
  Way way;
  if (eager && use.recipe.empty()) {
    way.pieces = {eager->form.graph, {}, use.exchanges};
    way.factors = eager->factors;
    return way;
  }
  auto pieces =
      eager ? BuildLate(use.recipe,
                        {tested_.ops,
                         eager->form.call,
                         eager->form.graph,
                         eager->factors,
                         use,
                         factor.groups()},
                        ranks)
            : BuildRecipe(use.recipe,
                          {IsSteps(use.recipe) ? InF64(box_.CallAt(values)) : box_.CallAt(values),
                           factor.inputs,
                           factor.outputs},
                          ranks,
                          RulesBy(tested_.ops, tested_.inner));
  if (!pieces.ok()) return std::nullopt;
  way.pieces = std::move(pieces).value();
  for (const Factor& step : way.pieces.steps)
    way.factors.push_back(step.name.empty() ? nullptr : &step);
  return way;
}

CompositeCheck::Verdict CompositeCheck::Judge(const SymbolicFactor& symbolic,
                                              std::span<const int64_t> sizes,
                                              std::span<const std::pair<int64_t, InputMode>> runs) {
  const std::vector<int64_t> values = ValuesAt(found_, box_, sizes);
  const std::optional<Factor> at = FactorOn(found_, symbolic, box_, sizes);
  if (!at) return Verdict::kRefused;
  const Factor& factor = *at;
  std::vector<size_t> present;
  for (size_t i = 0; i < box_.num_inputs(); ++i)
    if (box_.role(i) != BlackBox::Role::kAbsent) present.push_back(i);
  std::optional<Eager> eager;
  if (!symbolic.inner.nodes.empty()) {
    eager = EagerOf(symbolic.inner, values);
    if (!eager) return Verdict::kRefused;
  }
  struct Made {
    Way way;
    std::optional<Lockstep> ranks = {};
  };
  std::map<int64_t, Made> ways;  // by ranks; a decomposition has one entry for all
  for (const auto& [count, mode] : runs) {
    if (!sampler_.Tells(mode)) continue;
    if (HasWindows(symbolic) && !WindowsFit(factor, count)) return Verdict::kRefused;
    const int64_t key = symbolic.inner.recipe.empty() ? 0 : count;
    if (ways.count(key) == 0) {
      auto next = WayOf(symbolic.inner, factor, values, eager, count);
      if (!next) return Verdict::kRefused;
      Made& made = ways[key];
      made.way = std::move(*next);
      made.ranks.emplace(made.way.pieces.graph, tested_.ops, made.way.factors);
    }
    const Way& way = ways[key].way;
    Lockstep& ranks = *ways[key].ranks;
    const bool own_types = mode == InputMode::kSpread;
    if (own_types) ranks.RoundResults();
    std::vector<Tensor> inputs, whole;
    std::map<int, Focus> focus;
    // After the small total of the first rank, a large one brings the running total back into
    // range.
    for (const Cut& cut : factor.inputs)
      focus[cut.tensor] = {
          cut.dim,
          HeldOf(cut, count, own_types ? 1 : sampler_.random().Below(count), /*halo=*/true)};
    if (!sampler_.Draw(values, mode, focus, inputs)) return Verdict::kRefused;
    if (!box_.Run(values, inputs, whole)) return Verdict::kRefused;
    ++executions_;
    double epsilon = 1e-10;  // allowed error, relative to the largest element
    for (size_t o = 0; own_types && o < whole.size(); ++o) {
      const ElementType type = way.pieces.graph.value(way.pieces.graph.outputs[o]).type.element;
      whole[o] = Rounded(whole[o], type);
      epsilon = kResultRoundings * EpsilonOf(type);
    }
    std::vector<std::vector<Tensor>> local(static_cast<size_t>(count));
    std::vector<const Cut*> cuts;
    for (const size_t i : present) {
      const Cut* cut = CutOf(factor.inputs, i);
      cuts.push_back(cut);
      for (int64_t rank = 0; rank < count; ++rank) {
        const Tensor given =
            box_.is_tensor(i) ? inputs[i] : box_.constant(i).Cast(ComputeType(box_.element(i)));
        local[static_cast<size_t>(rank)].push_back(
            cut == nullptr ? given
                           : Take(given, cut->dim, HeldOf(*cut, count, rank, /*halo=*/true)));
      }
    }
    if (!ranks.Run(local, cuts, way.pieces.exchanges)) return Verdict::kRefused;
    for (size_t o = 0; o < whole.size(); ++o) {
      std::vector<const Tensor*> parts;
      double rounding = 0;  // of a sum with cancellation
      for (int64_t rank = 0; rank < count; ++rank) {
        parts.push_back(&ranks.At(rank, way.pieces.graph.outputs[o]));
        rounding = std::max(rounding, 1e-14 * Largest(*parts.back()));
      }
      const auto merged = Merged(factor, static_cast<int>(o), parts, whole[o].type());
      const double slack = epsilon * std::max(Largest(whole[o]), 1e-300) + rounding;
      if (!merged || !Close(*merged, whole[o], slack)) return Verdict::kDiffers;
    }
  }
  return Verdict::kHolds;
}

}  // namespace metadist
