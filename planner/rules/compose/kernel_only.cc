// SPDX-License-Identifier: Apache-2.0
// Recipes that need only the operator's kernel.
//
// An atom that no factor divides is cut in all dims of exactly its size, and in all dims of outputs
// that depend on it. Of the recipes that these shapes allow, the first one is taken that reproduces
// the kernel's results for the whole inputs, on 2, 3 and 4 ranks, even and uneven, on inputs of all
// kinds (composite_check.h). A recipe that does not suit the operator costs one or two runs. If a
// state is carried from piece to piece, the factors of a call on a single element are tried for the
// whole sequence; also if an input holds sequence lengths, which would differ for each piece.
#include "planner/rules/compose/kernel_only.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "planner/rules/compose/composite_check.h"
#include "planner/rules/compose/recipe.h"
#include "planner/rules/factor/notation.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/factor/step_recipe.h"
#include "planner/rules/instance/instance.h"

namespace metadist {
namespace {

class KernelOnlyFinder {
 public:
  KernelOnlyFinder(const TestedCall& call, SymbolicRule& found)
      : box_(call.box), rules_(RulesBy(call.ops, call.inner)), found_(found), check_(call, found) {}

  void Run() {
    const size_t known = found_.factors.size();
    for (size_t atom = 0; atom < found_.atoms.size(); ++atom) TryAtom(static_cast<int>(atom));
    for (size_t f = known, carried = found_.factors.size(); f < carried; ++f) {
      const auto recipe = StepsAlong(FactorAt(found_, found_.factors[f], found_.atoms));
      if (recipe) TrySteps(found_.factors[f].atoms.front(), *recipe);
    }
    for (const auto& [atom, recipe] : counted_)
      if (IsFree(atom)) TrySteps(atom, recipe);
    found_.executions += check_.executions();
    if (found_.factors.size() == known) return;
    NameFactors(found_);
    std::vector<Shape> outputs;
    if (box_.Infer(box_.values(), outputs)) found_.text = Notation(found_, outputs);
    found_.reason.clear();
  }

 private:
  bool IsFree(int atom) const {
    for (const SymbolicFactor& factor : found_.factors)
      if (Divides(factor, atom)) return false;
    return std::ranges::none_of(
        found_.literals, [&](const SymbolicLiteral& literal) { return literal.size.Has(atom); });
  }

  // All dims of inputs that contain the atom; empty if one of them is not exactly that long.
  std::vector<SymbolicCut> InputsAlong(int atom) const {
    const SymbolicSize alone{{Product{1, {atom}}}};
    std::vector<SymbolicCut> cuts;
    for (size_t i = 0; i < found_.dims.size(); ++i)
      for (size_t d = 0; found_.dims[i].is_tensor && d < found_.dims[i].sizes.size(); ++d) {
        const SymbolicSize& size = found_.dims[i].sizes[d];
        if (!size.Has(atom)) continue;
        const bool twice = !cuts.empty() && cuts.back().tensor == static_cast<int>(i);
        if (size != alone || twice) return {};
        cuts.push_back({static_cast<int>(i), static_cast<int>(d), {}, {{atom, {}}}});
      }
    return cuts;
  }

  // All dims of outputs that change with the atom; nullopt if one is not exactly that long.
  std::optional<std::vector<SymbolicCut>> OutputsAlong(int atom) {
    std::vector<int64_t> sizes = found_.atoms;
    std::vector<Shape> shapes, longer;
    const int64_t base = sizes[static_cast<size_t>(atom)];
    if (!box_.Infer(ValuesAt(found_, box_, sizes), shapes)) return std::nullopt;
    sizes[static_cast<size_t>(atom)] = 2 * base;
    if (!box_.Infer(ValuesAt(found_, box_, sizes), longer)) return std::nullopt;
    std::vector<SymbolicCut> cuts;
    for (size_t o = 0; o < shapes.size(); ++o)
      for (size_t d = 0; d < shapes[o].size(); ++d) {
        if (shapes[o][d] == longer[o][d]) continue;
        const bool twice = !cuts.empty() && cuts.back().tensor == static_cast<int>(o);
        if (shapes[o][d] != base || longer[o][d] != 2 * base || twice) return std::nullopt;
        cuts.push_back({static_cast<int>(o), static_cast<int>(d), {}, {{atom, {}}}});
      }
    return cuts;
  }

  void TryAtom(int atom) {
    if (!IsFree(atom)) return;
    SymbolicFactor factor;
    factor.atoms = {atom};
    factor.inputs = InputsAlong(atom);
    if (factor.inputs.empty()) return;
    auto outputs = OutputsAlong(atom);
    if (!outputs) return;
    factor.outputs = std::move(*outputs);
    factor.composite = true;
    const Factor real = FactorAt(found_, factor, found_.atoms);
    const std::vector<std::string> recipes =
        RecipesFor({box_.CallAt(box_.values()), real.inputs, real.outputs});
    for (const std::string& recipe : recipes) {
      factor.inner.recipe = recipe;
      if (!check_.Holds(factor)) {
        if (check_.leaves_range()) found_.refuted.push_back(factor);
        continue;
      }
      factor.least_piece = 2;  // intermediate pieces are one element shorter
      found_.factors.push_back(std::move(factor));
      return;
    }
    const std::vector<int> lengths = LengthsOf(atom);
    if (lengths.empty()) return;
    Factor carry = real;
    for (const std::string& recipe : recipes) {
      carry.inner.recipe = recipe;
      if (auto steps = StepsAlong(carry, lengths)) counted_.emplace_back(atom, std::move(*steps));
    }
  }

  // Inputs of integers from 0 to the size of the atom.
  std::vector<int> LengthsOf(int atom) {
    std::vector<int64_t> sizes = found_.atoms;
    const int64_t size = sizes[static_cast<size_t>(atom)];
    const std::vector<InputDomain> now = box_.DomainsOf(ValuesAt(found_, box_, sizes));
    sizes[static_cast<size_t>(atom)] = 2 * size;
    const std::vector<InputDomain> longer = box_.DomainsOf(ValuesAt(found_, box_, sizes));
    std::vector<int> lengths;
    for (size_t i = 0; i < now.size() && i < longer.size(); ++i)
      if (box_.is_tensor(i) && now[i].kind == InputDomain::Kind::kRange && now[i].low == 0 &&
          now[i].high == static_cast<double>(size) &&
          longer[i].high == static_cast<double>(2 * size))
        lengths.push_back(static_cast<int>(i));
    return lengths;
  }

  // Tries the factors of a single step of a sequence.
  void TrySteps(int sequence, const std::string& recipe) {
    std::vector<int64_t> sizes = found_.atoms;
    sizes[static_cast<size_t>(sequence)] = 1;
    const auto step = SingleStep(recipe, box_.CallAt(ValuesAt(found_, box_, found_.atoms)));
    if (!step) return;
    const Rule single = rules_.rule(*step, step->nodes[0]);
    for (const Factor& factor : single.factors) {
      if (!factor.composite || !factor.inner.recipe.empty()) continue;
      SymbolicFactor next;
      next.composite = true;
      next.inner.recipe = recipe;
      if (Symbolic(factor, sizes, next) && !Overlaps(next) && check_.Holds(next))
        found_.factors.push_back(std::move(next));
    }
  }

  // Makes the cuts of a factor of a single step symbolic. False: one is not a product of known
  // atoms, or the cuts are along different atoms.
  bool Symbolic(const Factor& factor,
                const std::vector<int64_t>& sizes,
                SymbolicFactor& out) const {
    for (const Cut& cut : factor.inputs) {
      const SymbolicSize& size =
          found_.dims[static_cast<size_t>(cut.tensor)].sizes[static_cast<size_t>(cut.dim)];
      const auto same = SymbolicCutOf(cut, size, sizes);
      if (!same) return false;
      out.inputs.push_back(*same);
    }
    if (out.inputs.empty()) return false;
    out.atoms = {out.inputs[0].parts[0].atom};
    const SymbolicSize alone{{Product{1, out.atoms}}};
    for (const Cut& cut : factor.outputs) {
      const auto same = SymbolicCutOf(cut, alone, sizes);
      if (!same) return false;
      out.outputs.push_back(*same);
    }
    return std::ranges::all_of(
        out.inputs, [&](const SymbolicCut& cut) { return cut.parts[0].atom == out.atoms[0]; });
  }

  // The cut of a dim of this size along one of its atoms, inside blocks of the others or
  // contiguous.
  static std::optional<SymbolicCut> SymbolicCutOf(const Cut& cut,
                                                  const SymbolicSize& size,
                                                  const std::vector<int64_t>& sizes) {
    if (size.terms.size() != 1) return std::nullopt;
    for (const int atom : size.terms[0].atoms) {
      Product rest = size.terms[0];
      rest.atoms.erase(std::ranges::find(rest.atoms, atom));
      for (const SymbolicCut& one : {SymbolicCut{cut.tensor, cut.dim, rest, {{atom, {}}}},
                                     SymbolicCut{cut.tensor, cut.dim, {}, {{atom, rest}}}})
        if (CutAt(one, sizes) == cut) return one;
    }
    return std::nullopt;
  }

  // Whether some factor already cuts one of the dims.
  bool Overlaps(const SymbolicFactor& next) const {
    const auto meet = [](const std::vector<SymbolicCut>& a, const std::vector<SymbolicCut>& b) {
      return std::ranges::any_of(a, [&](const SymbolicCut& x) {
        return std::ranges::any_of(
            b, [&](const SymbolicCut& y) { return x.tensor == y.tensor && x.dim == y.dim; });
      });
    };
    return std::ranges::any_of(found_.factors, [&](const auto& other) {
      return meet(other.inputs, next.inputs) || meet(other.outputs, next.outputs);
    });
  }

  BlackBox& box_;
  const StepRules rules_;
  SymbolicRule& found_;
  CompositeCheck check_;
  // Recurrences with sequence lengths: the atom, and the STEPS recipe to try.
  std::vector<std::pair<int, std::string>> counted_;
};

}  // namespace

void FindKernelOnly(const TestedCall& call, SymbolicRule& found) {
  if (!found.atoms.empty()) KernelOnlyFinder(call, found).Run();
}

}  // namespace metadist
