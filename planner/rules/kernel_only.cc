// SPDX-License-Identifier: Apache-2.0
// Combines that need nothing but the kernel.
//
// An atom that no factor divides is cut in all dims that are just as long, and in all dims of
// outputs that follow it. Of the recipes that these shapes allow the first is taken that
// reproduces the kernel's results on the whole, on 2, 3 and 4 ranks, even and uneven, on inputs of
// all kinds (composite_check.h). A recipe says what to do and claims nothing, so an operator that
// it does not suit costs a run or two.
#include "planner/rules/kernel_only.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "planner/rules/composite_check.h"
#include "planner/rules/instance.h"
#include "planner/rules/notation.h"
#include "planner/rules/recipe.h"

namespace metadist {
namespace {

class Finder {
 public:
  Finder(BlackBox& box, const OpTable& ops, uint64_t seed, Discovered& found)
      : box_(box), found_(found), check_(box, ops, no_rules_, seed, found) {}

  void Run() {
    const size_t known = found_.factors.size();
    for (size_t atom = 0; atom < found_.atoms.size(); ++atom) TryAtom(static_cast<int>(atom));
    found_.executions += check_.executions();
    if (found_.factors.size() == known) return;
    NameFactors(found_);
    std::vector<Shape> outputs;
    if (box_.Infer(box_.values(), outputs)) found_.text = Notation(found_, outputs);
    found_.reason.clear();
  }

 private:
  static bool Holds(const SymbolicSize& size, int atom) {
    return std::any_of(size.terms.begin(), size.terms.end(), [&](const Product& term) {
      return std::find(term.atoms.begin(), term.atoms.end(), atom) != term.atoms.end();
    });
  }

  bool IsFree(int atom) const {
    for (const SymbolicFactor& factor : found_.factors)
      if (std::find(factor.atoms.begin(), factor.atoms.end(), atom) != factor.atoms.end())
        return false;
    return std::none_of(found_.literals.begin(),
                        found_.literals.end(),
                        [&](const SymbolicLiteral& literal) { return Holds(literal.size, atom); });
  }

  // All dims of inputs that hold the atom; none where one of them is not just that long.
  std::vector<SymbolicCut> InputsAlong(int atom) const {
    const SymbolicSize alone{{Product{1, {atom}}}};
    std::vector<SymbolicCut> cuts;
    for (size_t i = 0; i < found_.dims.size(); ++i)
      for (size_t d = 0; found_.dims[i].is_tensor && d < found_.dims[i].sizes.size(); ++d) {
        const SymbolicSize& size = found_.dims[i].sizes[d];
        if (!Holds(size, atom)) continue;
        const bool twice = !cuts.empty() && cuts.back().tensor == static_cast<int>(i);
        if (size != alone || twice) return {};
        cuts.push_back({static_cast<int>(i), static_cast<int>(d), {}, {{atom, {}}}});
      }
    return cuts;
  }

  // All dims of outputs that move with the atom; nullopt where one is not just as long.
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
    for (const std::string& recipe :
         RecipesFor(box_.CallAt(box_.values()), real.inputs, real.outputs)) {
      factor.inner.recipe = recipe;
      if (!check_.Holds(factor)) continue;
      factor.least_piece = 2;  // sizes of pieces are one less on the way
      found_.factors.push_back(std::move(factor));
      return;
    }
  }

  BlackBox& box_;
  Discovered& found_;
  const InnerFound no_rules_ = nullptr;  // recipes are written with all that their steps need
  CompositeCheck check_;
};

}  // namespace

void FindKernelOnly(BlackBox& box, const OpTable& ops, uint64_t seed, Discovered& found) {
  if (found.atoms.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  const int64_t runs = box.kernel_runs();
  Finder(box, ops, seed, found).Run();
  found.kernel_runs += box.kernel_runs() - runs;
  found.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace metadist
