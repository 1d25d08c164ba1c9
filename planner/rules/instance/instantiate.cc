// SPDX-License-Identifier: Apache-2.0
// Instantiates a rule at a call's own sizes. Every slot of the call is an equation (12288 = a * b,
// 96 = a). Equations with one unknown atom are solved until none is left, then all are checked.
// Each cut is also checked against the real shapes, so a rule is never applied to a call of another
// form.
#include "planner/rules/instance/instantiate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "planner/rules/factor/notation.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/factor/step_recipe.h"
#include "planner/rules/instance/instance.h"
#include "planner/rules/instance/window.h"

namespace metadist {
namespace {

constexpr int64_t kUnknown = 0;
constexpr double kLargestDim = 0x1p62;

struct Equation {
  const SymbolicSize* size;
  int64_t value;
};

// Returns false if the call has other slots.
bool Equations(const SymbolicRule& found, const BlackBox& box, std::vector<Equation>& equations) {
  if (found.dims.size() != box.num_inputs()) return false;
  for (size_t i = 0; i < box.num_inputs(); ++i) {
    if (found.dims[i].is_tensor != box.is_tensor(i)) return false;
    if (!box.is_tensor(i)) continue;
    if (found.dims[i].sizes.size() != box.rank(i)) return false;
    for (size_t d = 0; d < box.rank(i); ++d)
      equations.push_back(
          {&found.dims[i].sizes[d], box.values()[static_cast<size_t>(box.dim_slot(i, d))]});
  }
  size_t next = 0;
  for (size_t s = 0; s < box.slots().size(); ++s) {
    const Slot& slot = box.slots()[s];
    if (slot.is_dim) continue;
    if (next == found.literals.size()) return false;
    const SymbolicLiteral& literal = found.literals[next++];
    if (literal.input != slot.input || literal.attribute != slot.attribute ||
        literal.entry != slot.entry)
      return false;
    equations.push_back({&literal.size, box.values()[s]});
  }
  return next == found.literals.size();
}

// Solves for the unknown atom of a product if it has exactly one. Returns false if no integer
// solves the equation.
bool SolveOne(const Product& product, int64_t value, std::vector<int64_t>& sizes, bool& progress) {
  int64_t known = product.constant;
  int unknown = -1;
  for (const int a : product.atoms) {
    const int64_t size = sizes[static_cast<size_t>(a)];
    if (size == kUnknown && unknown >= 0) return true;
    if (size == kUnknown)
      unknown = a;
    else if (__builtin_mul_overflow(known, size, &known))
      return false;
  }
  if (unknown < 0) return true;
  if (known == 0 || value % known != 0 || value / known < 1) return false;
  sizes[static_cast<size_t>(unknown)] = value / known;
  progress = true;
  return true;
}

int64_t LocalUnit(const SymbolicLiteral& literal, int atom, std::span<const int64_t> sizes) {
  // Atoms of a literal nest in their order, the constant innermost.
  const Product& product = literal.size.terms.front();
  int64_t unit = product.constant;
  for (auto it = product.atoms.rbegin(); it != product.atoms.rend() && *it != atom; ++it)
    unit *= sizes[static_cast<size_t>(*it)];
  return unit;
}

// Wraps around: a model's integers may have any value.
int64_t Wrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

void AddOffsets(const SymbolicRule& found,
                const SymbolicFactor& factor,
                std::span<const int64_t> sizes,
                Factor& out) {
  for (const SymbolicShift& shift : factor.shifts) {
    const SymbolicLiteral& literal = found.literals[static_cast<size_t>(shift.literal)];
    const int64_t times =
        shift.times < 0 ? 1 : found.literals[static_cast<size_t>(shift.times)].size.At(sizes);
    out.literals.push_back({literal.input,
                            literal.attribute,
                            literal.entry,
                            CutAt(shift.view, sizes),
                            shift.is_index ? LocalEntry::Kind::kIndex : LocalEntry::Kind::kShifted,
                            Wrapped(times, shift.by_start),
                            Wrapped(times, shift.by_end)});
  }
  for (const SymbolicIndex& index : factor.indices)
    out.indices.push_back({index.input, index.column, index.from_end, CutAt(index.view, sizes)});
}

double Real(const Product& product, std::span<const int64_t> sizes) {
  double value = static_cast<double>(product.constant);
  for (const int atom : product.atoms)
    value *= static_cast<double>(sizes[static_cast<size_t>(atom)]);
  return value;
}

// Whether the factor's sizes are representable at these atom sizes, and its literals positive.
bool Representable(const SymbolicRule& found,
                   const SymbolicFactor& factor,
                   std::span<const int64_t> sizes) {
  for (const SymbolicLiteral& literal : found.literals)
    if (factor.local_literals && literal.size.At(sizes) < 1)
      for (const int atom : literal.size.terms.front().atoms)
        if (Divides(factor, atom)) return false;
  const auto fits = [&](const SymbolicCut& cut) {
    double total = 0;
    for (const SymbolicCut::Part& part : cut.parts)
      total += static_cast<double>(sizes[static_cast<size_t>(part.atom)]) * Real(part.unit, sizes);
    return total * Real(cut.repeat, sizes) < kLargestDim;
  };
  return std::ranges::all_of(factor.inputs, fits) && std::ranges::all_of(factor.outputs, fits) &&
         std::ranges::all_of(factor.shifts,
                             [&](const SymbolicShift& shift) { return fits(shift.view); }) &&
         std::ranges::all_of(factor.indices,
                             [&](const SymbolicIndex& index) { return fits(index.view); });
}

// The notation of the given factors at the call's sizes.
std::string TextAt(const SymbolicRule& found,
                   std::vector<SymbolicFactor> factors,
                   std::vector<PassThrough> passes,
                   std::vector<int64_t> sizes,
                   const std::vector<Shape>& outputs) {
  SymbolicRule own;
  own.atoms = std::move(sizes);
  own.dims = found.dims;
  own.literals = found.literals;
  own.factors = std::move(factors);
  own.pass_through = std::move(passes);
  return Notation(own, outputs);
}

// Shapes of the tensors of the call at these slot values; an empty shape for an input that is not a
// tensor.
bool ShapesOf(BlackBox& box,
              std::span<const int64_t> values,
              std::vector<Shape>& inputs,
              std::vector<Shape>& outputs) {
  for (size_t i = 0; i < box.num_inputs(); ++i)
    inputs.push_back(box.is_tensor(i) ? box.ShapeOf(i, values) : Shape());
  return box.Infer(values, outputs);
}

// Dims of a call: whether of an input, the tensor, the dim.
using DimSet = std::set<std::tuple<bool, int, int>>;

DimSet CutDims(const Rule& rule) {
  DimSet out;
  for (const Factor& factor : rule.factors) {
    for (const Cut& cut : factor.inputs) out.emplace(/*is_input=*/true, cut.tensor, cut.dim);
    for (const Cut& cut : factor.outputs) out.emplace(/*is_input=*/false, cut.tensor, cut.dim);
  }
  return out;
}

// The dims that are cut, and those for which the rule gives a reason.
DimSet SettledDims(const Rule& rule) {
  DimSet out = CutDims(rule);
  for (const UncutDim& at : rule.uncut) out.emplace(at.is_input, at.tensor, at.dim);
  return out;
}

// The dims of at least two elements that are not in the set.
std::vector<UncutDim> DimsBeside(const DimSet& dims,
                                 const std::vector<Shape>& inputs,
                                 const std::vector<Shape>& outputs) {
  std::vector<UncutDim> out;
  for (const bool is_input : {true, false}) {
    const std::vector<Shape>& shapes = is_input ? inputs : outputs;
    for (size_t t = 0; t < shapes.size(); ++t)
      for (size_t d = 0; d < shapes[t].size(); ++d) {
        const UncutDim at{is_input, static_cast<int>(t), static_cast<int>(d)};
        if (shapes[t][d] > 1 && !dims.contains({is_input, at.tensor, at.dim})) out.push_back(at);
      }
  }
  return out;
}

void SortUncut(Rule& rule) {
  std::ranges::sort(rule.uncut, {}, [](const UncutDim& at) {
    return std::make_tuple(!at.is_input, at.tensor, at.dim);
  });
}

// Why the factor does not apply to the call; empty: it has too few groups.
std::string WhyNot(const SymbolicFactor& factor,
                   const std::optional<std::vector<int64_t>>& sizes,
                   const std::vector<Shape>& inputs) {
  if (!sizes) return "calls of this form with other sizes can be cut here, these sizes coincide";
  if (!IsAt(factor, *sizes)) return "the factor that cuts it holds only at other sizes of the call";
  if (!StepsFit(factor.inner.recipe, inputs))
    return "it can be cut only in sequences of few elements";
  return "";
}

// Size of the dim that a cut (Cut, SymbolicCut) refers to; nullopt if there is no such dim.
template <typename AnyCut>
std::optional<int64_t> SizeIn(const std::vector<Shape>& shapes, const AnyCut& cut) {
  const size_t tensor = static_cast<size_t>(cut.tensor);
  const size_t dim = static_cast<size_t>(cut.dim);
  if (tensor >= shapes.size() || dim >= shapes[tensor].size()) return std::nullopt;
  return shapes[tensor][dim];
}

bool Fits(const std::vector<Cut>& cuts, const std::vector<Shape>& shapes) {
  return std::ranges::all_of(cuts,
                             [&](const Cut& cut) { return SizeIn(shapes, cut) == cut.size(); });
}

}  // namespace

Factor FactorAt(const SymbolicRule& found,
                const SymbolicFactor& factor,
                std::span<const int64_t> sizes) {
  Factor out;
  out.name = factor.name;
  for (const SymbolicCut& cut : factor.inputs) out.inputs.push_back(CutAt(cut, sizes));
  for (const SymbolicCut& cut : factor.outputs) out.outputs.push_back(CutAt(cut, sizes));
  out.reductions = factor.reductions;
  out.partial_inputs = factor.partial_inputs;
  out.even_only = factor.even_only;
  out.least_piece = factor.least_piece;
  out.any_order = factor.any_order;
  AddOffsets(found, factor, sizes, out);
  out.inner = factor.inner;
  out.composite = factor.composite;
  out.others = factor.others;
  if (!factor.local_literals) return out;
  for (const SymbolicLiteral& literal : found.literals)
    for (const int atom : literal.size.terms.front().atoms) {
      if (!Divides(factor, atom)) continue;
      const int64_t size = sizes[static_cast<size_t>(atom)];
      const int64_t unit = LocalUnit(literal, atom, sizes);
      Cut view{0, 0, literal.size.At(sizes) / (size * unit), {{size, unit}}, false};
      out.literals.push_back({literal.input, literal.attribute, literal.entry, std::move(view)});
    }
  return out;
}

std::optional<Factor> FactorOn(const SymbolicRule& found,
                               const SymbolicFactor& factor,
                               BlackBox& box,
                               std::span<const int64_t> sizes) {
  if (!HasWindows(factor)) return FactorAt(found, factor, sizes);
  std::vector<Shape> inputs, outputs;
  if (!ShapesOf(box, ValuesAt(found, box, sizes), inputs, outputs)) return std::nullopt;
  return WindowFactorAt(factor, sizes, inputs, outputs);
}

std::vector<int64_t> ValuesAt(const SymbolicRule& found,
                              const BlackBox& box,
                              std::span<const int64_t> sizes) {
  std::vector<int64_t> values;
  size_t literal = 0;
  for (const Slot& slot : box.slots()) {
    const SymbolicSize& size =
        slot.is_dim
            ? found.dims[static_cast<size_t>(slot.input)].sizes[static_cast<size_t>(slot.entry)]
            : found.literals[literal++].size;
    values.push_back(size.At(sizes));
  }
  return values;
}

std::optional<std::vector<int64_t>> SolveAtoms(const SymbolicRule& found, const BlackBox& box) {
  std::vector<Equation> equations;
  if (!Equations(found, box, equations)) return std::nullopt;
  std::vector<int64_t> sizes(found.atoms.size(), kUnknown);
  for (bool progress = true; progress;) {
    progress = false;
    for (const Equation& e : equations) {
      const std::vector<Product>& terms = e.size->terms;
      const bool shifted = terms.size() == 2 && terms[1].atoms.empty();
      if (terms.size() > 1 && !shifted) continue;
      const int64_t value = shifted ? e.value - terms[1].constant : e.value;
      if (!SolveOne(terms[0], value, sizes, progress)) return std::nullopt;
    }
  }
  if (std::ranges::find(sizes, kUnknown) != sizes.end()) return std::nullopt;
  for (const int64_t size : sizes)
    if (size > kLargestSize) return std::nullopt;
  for (const Equation& e : equations) {
    double real = 0;
    for (const Product& term : e.size->terms) real += std::abs(Real(term, sizes));
    const bool alone = e.size->terms.size() == 1 && e.size->terms[0].atoms.empty();
    if ((!alone && real >= kLargestDim) || e.size->At(sizes) != e.value) return std::nullopt;
  }
  return sizes;
}

std::set<int> AtomsApart(const SymbolicRule& found, const SymbolicFactor& factor) {
  std::set<int> apart;
  for (const SymbolicFactor& other : found.factors)
    if (!other.composite && other.reductions.empty() && !HasWindows(other))
      apart.insert(other.atoms.begin(), other.atoms.end());
  for (const int atom : factor.atoms) apart.erase(atom);
  for (const auto& [atom, size] : factor.fixed) apart.erase(atom);
  return apart;
}

size_t CutsIn(const Rule& rule) {
  size_t cuts = 0;
  for (const Factor& factor : rule.factors) cuts += factor.inputs.size() + factor.outputs.size();
  return cuts;
}

bool CutsAll(const Rule& rule, BlackBox& box) {
  std::vector<Shape> inputs, outputs;
  return ShapesOf(box, box.values(), inputs, outputs) &&
         DimsBeside(CutDims(rule), inputs, outputs).empty();
}

void AddUncut(const SymbolicRule& found,
              BlackBox& box,
              const std::set<std::string>& refused,
              Rule& rule) {
  std::vector<Shape> inputs, outputs;
  if (!ShapesOf(box, box.values(), inputs, outputs)) return;
  const auto sizes = SolveAtoms(found, box);
  DimSet settled = SettledDims(rule);
  for (const bool refuted : {false, true})
    for (const SymbolicFactor& known : refuted ? found.refuted : found.factors)
      for (const bool is_input : {true, false})
        for (const SymbolicCut& cut : is_input ? known.inputs : known.outputs) {
          const int64_t size = SizeIn(is_input ? inputs : outputs, cut).value_or(0);
          if (size < 2 || settled.contains({is_input, cut.tensor, cut.dim})) continue;
          std::string reason =
              refuted ? "pieces differ from the whole at the edges of the element types"
              : refused.contains(known.name) ? "the pieces of this call differ from the whole"
                                             : WhyNot(known, sizes, inputs);
          if (reason.empty()) continue;
          settled.emplace(is_input, cut.tensor, cut.dim);
          rule.uncut.push_back({is_input, cut.tensor, cut.dim, std::move(reason), /*known=*/true});
        }
  SortUncut(rule);
}

void AddUncutRest(BlackBox& box, Rule& rule) {
  std::vector<Shape> inputs, outputs;
  if (!ShapesOf(box, box.values(), inputs, outputs)) return;
  for (UncutDim& at : DimsBeside(SettledDims(rule), inputs, outputs)) {
    at.reason =
        rule.factors.empty() ? rule.reason : "no cut of it was found to reproduce the whole";
    rule.uncut.push_back(std::move(at));
  }
  SortUncut(rule);
}

bool SameForm(const SymbolicRule& found, BlackBox& box) {
  if (found.factors.empty() && found.dims.empty()) return true;
  std::vector<Equation> equations;
  std::vector<Shape> outputs;
  if (!Equations(found, box, equations) || !box.Infer(box.values(), outputs)) return false;
  return std::ranges::all_of(found.factors, [&](const SymbolicFactor& factor) {
    const bool inside = std::ranges::all_of(
        factor.outputs, [&](const SymbolicCut& cut) { return SizeIn(outputs, cut).has_value(); });
    return inside && (factor.reductions.empty() ||
                      static_cast<size_t>(factor.reductions.rbegin()->first) < outputs.size());
  });
}

Rule InstantiateAt(const SymbolicRule& found,
                   BlackBox& box,
                   bool& fits,
                   const FactorFilter& holds,
                   const PassFilter& passes) {
  const std::optional<std::vector<int64_t>> sizes = SolveAtoms(found, box);
  std::vector<Shape> outputs;
  fits = sizes && box.Infer(box.values(), outputs);
  if (!fits) return NoRule(found.reason.empty() ? kOtherForm : found.reason);
  Rule rule;
  rule.text = found.text;
  rule.reason = found.reason;
  std::vector<Shape> inputs;
  for (size_t i = 0; i < box.num_inputs(); ++i) inputs.push_back(box.ShapeOf(i, box.values()));
  std::vector<SymbolicFactor> factors;  // symbolic form of rule.factors
  for (const SymbolicFactor& factor : found.factors) {
    fits = Representable(found, factor, *sizes);
    if (!fits) return NoRule(kOtherForm);
    if (!IsAt(factor, *sizes)) continue;
    std::optional<Factor> at = HasWindows(factor) ? WindowFactorAt(factor, *sizes, inputs, outputs)
                                                  : FactorAt(found, factor, *sizes);
    if (!at || !StepsFit(at->inner.recipe, inputs)) continue;
    Factor& next = *at;
    fits = Fits(next.inputs, inputs) && Fits(next.outputs, outputs);
    if (!fits) return NoRule(kOtherForm);
    if (next.groups() < 2 * std::max<int64_t>(1, next.least_piece))
      continue;  // not even two pieces
    if (holds && !holds(factor, *sizes)) continue;
    rule.factors.push_back(std::move(next));
    factors.push_back(factor);
  }
  for (const PassThrough& pass : found.pass_through)
    if (!passes || passes(pass, *sizes)) rule.pass_through.push_back(pass);
  if (rule.text != "none")
    rule.text = TextAt(found, std::move(factors), rule.pass_through, *sizes, outputs);
  if (rule.factors.empty() && rule.reason.empty())
    rule.reason = "every size that could be divided is 1, or too small for two pieces";
  return rule;
}

Rule Instantiate(const SymbolicRule& found, const OpCall& call) {
  BlackBox box(call);
  bool fits = false;
  return InstantiateAt(found, box, fits);
}

}  // namespace metadist
