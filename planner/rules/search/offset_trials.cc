// SPDX-License-Identifier: Apache-2.0
// Cuts that only hold if the call depends on where a piece begins.
//
// The rows of a triangle can be cut if its diagonal is shifted, a range if both its ends are, the
// rows of a table if indices count from the first row of the piece. So if every plain variant of a
// cut fails, generic offsets are tried:
//
//   one literal is shifted by the start of the piece, up or down, times 1 or another literal;
//   for a result made from literals alone, one is shifted by the start and another by the end;
//   an input of indices counts from the start of the piece of the dim that bounds it. Indices
//   outside the piece point at a spare element behind it, which is zero in inputs and dropped from
//   outputs. (An operator that defines a meaning for such indices needs no spare.) A literal with
//   which indices are compared is shifted with them.
//
// It is not known which literal is an offset. A shift by the start of the piece is 0 on the first
// rank, so unless that rank's result is already correct no such trial is made; nor is one in which
// a literal affects sizes. So nearly every operator costs at most two runs here. Which inputs are
// indices, and their bounds, follow from the domain of legal inputs; an index that is a literal of
// the call is counted in the same way.
//
// Cost: 1 + ranks kernel runs for a trial that fails.
#include "planner/rules/search/offset_trials.h"

#include <algorithm>
#include <cstdlib>

#include "planner/rules/factor/pieces.h"
#include "planner/rules/search/offsets.h"

namespace metadist {
namespace {

bool AllContiguous(const std::vector<SymbolicCut>& cuts) {
  return std::ranges::all_of(cuts, IsContiguous);
}

}  // namespace

int64_t OffsetTrials::ValueOf(int literal) const {
  return family_.base[box_.first_literal() + static_cast<size_t>(literal)];
}

std::vector<int> OffsetTrials::Movable(const Trial& plain, bool coupled) const {
  std::vector<int> movable;
  const size_t first = box_.first_literal();
  for (size_t s = first; s < box_.slots().size(); ++s) {
    const int literal = static_cast<int>(s - first);
    if (ValueOf(literal) > kSentinel || ValueOf(literal) < -kSentinel) continue;
    const std::vector<int> atoms = family_.AtomsOf(static_cast<int>(s));
    if (atoms.empty() || (coupled && atoms == plain.atoms)) movable.push_back(literal);
  }
  return movable;
}

std::vector<int> OffsetTrials::Multipliers(int literal) const {
  std::vector<int> multipliers{-1};
  const size_t first = box_.first_literal();
  for (size_t s = first; s < box_.slots().size(); ++s) {
    const int other = static_cast<int>(s - first);
    if (other == literal || !family_.AtomsOf(static_cast<int>(s)).empty()) continue;
    if (std::abs(ValueOf(other)) > 1 && std::abs(ValueOf(other)) < kSentinel)
      multipliers.push_back(other);
  }
  return multipliers;
}

int OffsetTrials::LiteralOf(int input, int entry) const {
  const size_t first = box_.first_literal();
  for (size_t s = first; s < box_.slots().size(); ++s)
    if (box_.slots()[s].input == input && box_.slots()[s].entry == entry)
      return static_cast<int>(s - first);
  return -1;
}

bool OffsetTrials::KeepsShapes(const std::vector<SymbolicShift>& shifts) const {
  std::vector<int64_t> values = box_.values();
  std::vector<Shape> before, after;
  if (!box_.Infer(values, before)) return false;
  for (const SymbolicShift& shift : shifts)
    values[box_.first_literal() + static_cast<size_t>(shift.literal)] +=
        (shift.by_start + shift.by_end) * (shift.times < 0 ? 1 : ValueOf(shift.times));
  return box_.Infer(values, after) && before == after;
}

void OffsetTrials::AddIndices(const Trial& plain, std::vector<Trial>& trials) const {
  const std::vector<InputDomain> domains = box_.DomainsOf(box_.values());
  Trial counted = plain;
  bool bounded = false;  // some index is bounded by a dim of an input
  SymbolicCut view;      // of the dim that bounds the indices
  for (size_t i = 0; i < box_.num_inputs(); ++i) {
    const int input = static_cast<int>(i);
    if (CutOf(plain.inputs, i) != nullptr || box_.role(i) == BlackBox::Role::kAbsent ||
        box_.element_class(i) != ElementClass::kInt)
      continue;
    const InputDomain& domain = domains[i];
    const std::vector<InputDomain::Bound>& bounds = domain.bounds;
    for (size_t b = 0; domain.kind == InputDomain::Kind::kIndex && b < bounds.size(); ++b)
      for (const SymbolicCut& of : plain.inputs) {
        if (of.tensor != bounds[b].input || of.dim != bounds[b].dim) continue;
        const int column = bounds.size() > 1 ? static_cast<int>(b) : -1;
        const int literal = LiteralOf(input, std::max(column, 0));
        if (box_.is_tensor(i))
          counted.indices.push_back({input, column, domain.negative_ok, of});
        else if (literal >= 0)
          counted.shifts.push_back({literal, 0, 0, -1, /*is_index=*/true, of});
        else
          continue;
        view = of;
        bounded = true;
      }
    const bool made = plain.inputs.empty() && !plain.outputs.empty();
    if (domain.kind != InputDomain::Kind::kRange || !made || !box_.is_tensor(i)) continue;
    view = plain.outputs.front();
    counted.indices.push_back({input, -1, domain.low < 0, view});
  }
  if (counted.indices.empty() && counted.shifts.empty()) return;
  if (!AllContiguous(plain.inputs) || !AllContiguous(plain.outputs)) return;
  for (std::vector<SymbolicCut>* cuts : {&counted.inputs, &counted.outputs})
    for (SymbolicCut& cut : *cuts) cut.spare = bounded;
  for (int o = 0; o < box_.num_outputs(); ++o) counted.reached.insert(o);
  trials.push_back(counted);
  for (const int literal : Movable(plain, /*coupled=*/false)) {
    const SymbolicShift shift{literal, -1, 0, -1, false, view};
    if (!counted.shifts.empty() || !KeepsShapes({shift})) continue;
    trials.push_back(counted);
    trials.back().shifts = {shift};
  }
}

void OffsetTrials::AddPairs(const Trial& plain, std::vector<Trial>& trials) const {
  const SymbolicCut& view = plain.outputs.front();
  Trial both = plain;
  both.local_literals = false;
  const std::vector<int> movable = Movable(plain, /*coupled=*/true);
  for (const int begin : movable)
    for (const int end : movable) {
      if (begin == end) continue;
      for (const int times : Multipliers(begin))
        for (const int64_t sign : {1, -1}) {
          if (times == end) continue;
          both.shifts = {{begin, sign, 0, times, false, view}, {end, 0, sign, times, false, view}};
          if (KeepsShapes(both.shifts)) trials.push_back(both);
        }
    }
}

void OffsetTrials::AddLiterals(const Trial& plain, std::vector<Trial>& trials) const {
  if (plain.outputs.empty() || !IsContiguous(plain.outputs.front())) return;
  const std::vector<int> movable = Movable(plain, /*coupled=*/false);
  const SymbolicCut& view = plain.outputs.front();
  const bool made = plain.inputs.empty();
  const bool can_help = std::ranges::any_of(movable, [&](int literal) {
    return made || KeepsShapes({{literal, 1, 0, -1, false, view}}) ||
           KeepsShapes({{literal, -1, 0, -1, false, view}});
  });
  if (!can_help || !test_.FirstRankAgrees(plain)) return;
  for (const int literal : movable)
    for (const int times : Multipliers(literal))
      for (const int64_t sign : {1, -1}) {
        const SymbolicShift shift{literal, sign, 0, times, false, view};
        if (!KeepsShapes({shift})) continue;
        trials.push_back(plain);
        trials.back().shifts = {shift};
      }
  if (made) AddPairs(plain, trials);
}

std::vector<Trial> OffsetTrials::Of(const Trial& plain) const {
  std::vector<Trial> trials;
  if (plain.atoms.size() != 1) return trials;
  AddIndices(plain, trials);
  AddLiterals(plain, trials);
  return trials;
}

}  // namespace metadist
