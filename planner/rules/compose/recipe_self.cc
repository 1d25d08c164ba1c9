// SPDX-License-Identifier: Apache-2.0
// Selections such as TopK: the best elements of the whole are among the best of each piece.
//
// A rank selects as many candidates from its piece as the call selects from the whole; all
// candidates are gathered, and the operator runs on them once more. The indices it then returns are
// positions among the candidates, at which the candidates' own indices, counted from the start of
// the dim, are looked up. The integer of the call that gives the number of results is found by
// inference: the one that scales the dim of all outputs. If a piece has too few elements, inference
// rejects the rank's call. Moves n K elements, and as many indices, per line.
//
// If a call only returns an index (SELF index), the candidate is the element at that index.
#include "planner/rules/compose/changed_call.h"
#include "planner/rules/compose/recipe_forms.h"

namespace metadist {
namespace {

// Calls visit(literal, value) for every integer of the call.
template <typename Visit>
void ForEachInteger(const OpCall& call, Visit visit) {
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor* constant = call.inputs[i].constant;
    if (constant == nullptr || ClassOf(constant->element()) != ElementClass::kInt) continue;
    const std::vector<int64_t> values = constant->ToInts();
    for (size_t e = 0; e < values.size(); ++e)
      visit(LiteralCut{static_cast<int>(i), "", static_cast<int>(e)}, values[e]);
  }
  for (const auto& [name, attribute] : call.attributes->all()) {
    if (const int64_t* number = std::get_if<int64_t>(&attribute))
      visit(LiteralCut{-1, name, 0}, *number);
    if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute))
      for (size_t e = 0; e < list->size(); ++e)
        visit(LiteralCut{-1, name, static_cast<int>(e)}, (*list)[e]);
  }
}

// The integer that scales `dim` of all outputs, and nothing else; tested with `wanted` times its
// value.
std::optional<LiteralCut> CountOf(const OpCall& call, size_t dim, int64_t wanted) {
  const auto types = InferTypes(call);
  if (!types.ok()) return std::nullopt;
  std::optional<LiteralCut> found;
  ForEachInteger(call, [&](const LiteralCut& at, int64_t value) {
    if (found || value < 1 || value != types.value()[0].shape[dim]) return;
    ChangedCall changed(call);
    changed.Replace(at, [&](int64_t) { return value * wanted; });
    const auto now = InferTypes(changed.call);
    if (!now.ok()) return;
    std::vector<TensorType> expected = types.value();
    for (TensorType& type : expected) type.shape[dim] *= wanted;
    if (now.value() == expected) found = at;
  });
  return found;
}

constexpr char kBest[] = "SELF";
constexpr char kIndex[] = "SELF index";

// By candidate, `count` of each rank along the dim: the start of the piece that it comes from.
ValueId Starts(PieceComposer& pieces, const Cut& cut, const Shape& whole, int64_t count) {
  const size_t dim = static_cast<size_t>(cut.dim);
  Composer& compose = pieces.compose();
  const int64_t behind = static_cast<int64_t>(whole.size() - dim) - 1;
  const ValueId places = PositionsAlong(compose, count * pieces.ranks(), behind);
  const ValueId rank = compose.Add("Div", {places, compose.Integer(count)});
  // The first ranks have one more element.
  const ValueId least = compose.Add("Mul", {rank, compose.Integer(whole[dim] / pieces.ranks())});
  const ValueId more = compose.Add("Min", {rank, compose.Integer(whole[dim] % pieces.ranks())});
  return pieces.Cut(compose.Add("Add", {least, more}), 0);
}

// Places a rank's one element per line at the rank's position among the elements of all ranks.
ValueId AmongAll(PieceComposer& pieces, const Cut& cut, ValueId value) {
  const ValueId mask = pieces.Mask(pieces.shape(value).size(),
                                   static_cast<size_t>(cut.dim),
                                   pieces.ranks(),
                                   {0, pieces.ranks()});
  return pieces.Add("Where", {mask, value, value}, cut.dim);
}

Result<PieceGraph> BuildIndex(const RecipeCall& at, int64_t ranks) {
  const Cut& cut = at.inputs[0];
  const size_t input = static_cast<size_t>(cut.tensor);
  PieceComposer pieces(at.call, ranks);
  Composer& compose = pieces.compose();
  std::vector<ValueId> inputs = pieces.Inputs();
  const ValueId x = pieces.Cut(inputs[input], cut.dim);
  const ValueId index = pieces.Again(inputs)[0];
  pieces.OnPieces();
  const ValueId element = compose.Add("GatherElements", {x, index}, {{"axis", cut.dim}});
  pieces.OnPieces();
  const ValueId candidates = AmongAll(pieces, cut, element);
  const ValueId starts = Starts(pieces, cut, at.call.shape(input), 1);
  const ValueId indices = pieces.Add("Add", {index, starts}, cut.dim);
  inputs[input] = candidates;
  const ValueId best = pieces.Again(inputs)[0];
  return pieces.Done({compose.Add("GatherElements", {indices, best}, {{"axis", cut.dim}})});
}

}  // namespace

std::vector<std::string> SelfRecipes(const RecipeCall& at) {
  if (at.inputs.size() != 1 || !at.outputs.empty()) return {};
  const Cut& cut = at.inputs[0];
  const TensorType& x = at.call.type(static_cast<size_t>(cut.tensor));
  const auto types = InferTypes(at.call);
  if (!types.ok() || types.value().empty()) return {};
  const size_t dim = static_cast<size_t>(cut.dim);
  Shape single = x.shape;
  single[dim] = 1;
  if (types.value() == std::vector<TensorType>{{ElementType::kI64, single}} &&
      x.element != ElementType::kI64)
    return {kIndex};
  if (types.value()[0].element != x.element) return {};
  for (size_t o = 0; o < types.value().size(); ++o) {
    Shape shape = types.value()[o].shape;
    if (o > 0 && types.value()[o].element != ElementType::kI64) return {};
    if (shape.size() != x.shape.size()) return {};
    shape[dim] = x.shape[dim];
    if (shape != x.shape) return {};
  }
  return {kBest};
}

Result<PieceGraph> BuildSelf(const std::string& name, const RecipeCall& at, int64_t ranks) {
  if (name == kIndex) return BuildIndex(at, ranks);
  const Cut& cut = at.inputs[0];
  const size_t dim = static_cast<size_t>(cut.dim);
  auto literal = CountOf(at.call, dim, ranks);
  if (!literal) return BadInput("", "no integer of the call says how many results there are");
  const std::vector<TensorType> types = TRY(InferTypes(at.call));
  const int64_t count = types[0].shape[dim];

  PieceComposer pieces(at.call, ranks);
  Composer& compose = pieces.compose();
  std::vector<ValueId> inputs = pieces.Inputs();
  std::vector<ValueId> local = inputs;
  pieces.Cut(inputs[static_cast<size_t>(cut.tensor)], cut.dim);
  ChangedCall more(at.call);
  more.Replace(*literal, [&](int64_t) { return count * ranks; });
  if (const size_t input = static_cast<size_t>(literal->input); literal->input >= 0)
    local[input] = compose.Constant(more.constants[input]);
  std::vector<ValueId> candidates = compose.Again(local, more.attributes);
  for (const ValueId candidate : candidates) pieces.Cut(candidate, cut.dim);
  literal->view.parts = {{count * ranks, 1}};
  pieces.OnPieces({*literal});

  const Shape& whole = at.call.shape(static_cast<size_t>(cut.tensor));
  for (size_t o = 1; o < candidates.size(); ++o) {
    const ValueId start = Starts(pieces, cut, whole, count);
    candidates[o] = pieces.Add("Add", {candidates[o], start}, cut.dim);
  }

  inputs[static_cast<size_t>(cut.tensor)] = candidates[0];
  std::vector<ValueId> results = pieces.Again(inputs);
  for (size_t o = 1; o < results.size(); ++o)
    results[o] = compose.Add("GatherElements", {candidates[o], results[o]}, {{"axis", cut.dim}});
  return pieces.Done(results);
}

}  // namespace metadist
