// SPDX-License-Identifier: Apache-2.0
// A state that is passed from piece to piece.
//
// An output with the type of an uncut input may be that input for the next piece: the hidden state
// of a recurrence over time. Ranks then take turns. All run one program, so in every turn all of
// them run with the current state; the new state of the rank whose turn it is goes to all (a sum in
// which the others contribute zeros), and only that rank's results are correct and kept. If several
// outputs have the same type, all pairings of outputs and inputs are tried, and both orders of
// ranks. With n ranks there are n turns of 1/n of the work: only memory is saved, and n states are
// exchanged.
#include <fmt/format.h>

#include <algorithm>

#include "planner/rules/compose/recipe_forms.h"
#include "planner/rules/factor/pieces.h"

namespace metadist {
namespace {

constexpr size_t kMostPairings = 8;

struct State {
  int output = 0;
  int input = 0;
};
using States = std::vector<State>;

// Adds every way to assign distinct inputs to the outputs from `output` on.
void AddPairings(const RecipeCall& at,
                 const std::vector<TensorType>& types,
                 int output,
                 States& states,
                 std::vector<States>& all) {
  if (all.size() == kMostPairings) return;
  if (output == static_cast<int>(types.size())) {
    if (!states.empty()) all.push_back(states);
    return;
  }
  if (CutOf(at.outputs, output) != nullptr) return AddPairings(at, types, output + 1, states, all);
  for (int i = 0; i < static_cast<int>(at.call.inputs.size()); ++i) {
    const OpCall::Input& input = at.call.inputs[static_cast<size_t>(i)];
    const bool taken =
        std::ranges::any_of(states, [&](const State& state) { return state.input == i; });
    if (!input.present || input.constant != nullptr || taken || CutOf(at.inputs, i) != nullptr ||
        input.type != types[static_cast<size_t>(output)])
      continue;
    states.push_back({output, i});
    AddPairings(at, types, output + 1, states, all);
    states.pop_back();
  }
}

std::vector<States> PairingsOf(const RecipeCall& at) {
  std::vector<States> all;
  States states;
  const auto types = InferTypes(at.call);
  if (types.ok()) AddPairings(at, types.value(), 0, states, all);
  return all;
}

std::string NameOf(const States& states, bool reversed) {
  std::string name = reversed ? "CARRY reversed" : "CARRY";
  for (const State& state : states) name += fmt::format(" {}<-{}", state.input, state.output);
  return name;
}

class Turns {
 public:
  Turns(const RecipeCall& at, const States& states, int64_t ranks)
      : at_(at), states_(states), pieces_(at.call, ranks), inputs_(pieces_.Inputs()) {
    for (const Cut& cut : at.inputs) pieces_.Cut(inputs_[static_cast<size_t>(cut.tensor)], cut.dim);
  }

  Result<PieceGraph> Run(bool reversed) {
    const int64_t ranks = pieces_.ranks();
    std::vector<ValueId> results;
    for (int64_t turn = 0; turn < ranks; ++turn) {
      const int64_t rank = reversed ? ranks - 1 - turn : turn;
      std::vector<ValueId> made = pieces_.Again(inputs_);
      for (const Cut& cut : at_.outputs)
        pieces_.Cut(made[static_cast<size_t>(cut.tensor)], cut.dim);
      pieces_.OnPieces();
      for (const State& state : states_) {
        ValueId& next = made[static_cast<size_t>(state.output)];
        next = OfRank(rank, next);
        inputs_[static_cast<size_t>(state.input)] = next;
      }
      for (const Cut& cut : at_.outputs) {
        ValueId& mine = made[static_cast<size_t>(cut.tensor)];
        if (turn > 0) mine = Kept(rank, cut.dim, mine, results[static_cast<size_t>(cut.tensor)]);
      }
      results = std::move(made);
    }
    return pieces_.Done(results);
  }

 private:
  // The rank's value, on all ranks.
  ValueId OfRank(int64_t rank, ValueId value) {
    Composer& compose = pieces_.compose();
    const ValueId mask =
        pieces_.Mask(pieces_.shape(value).size() + 1, 0, pieces_.ranks(), {rank, rank + 1});
    const ValueId mine = pieces_.Add("Where", {mask, value, compose.Number(0, value)}, 0);
    const ValueId all = compose.Fold("ReduceSum", mine, {0}, /*keep=*/false);
    pieces_.OnPieces({}, /*summed=*/true);
    pieces_.Exchanged(ReduceOp::kSum);
    return all;
  }

  // The rank's piece of `now`, the other ranks' pieces of `before`.
  ValueId Kept(int64_t rank, int64_t dim, ValueId now, ValueId before) {
    const Shape shape = pieces_.shape(now);
    const int64_t size = shape[static_cast<size_t>(dim)];
    const ValueId mask = pieces_.Mask(
        shape.size(), static_cast<size_t>(dim), size, Piece(size, pieces_.ranks(), rank));
    return pieces_.Add("Where", {mask, now, before}, dim);
  }

  const RecipeCall& at_;
  const States& states_;
  PieceComposer pieces_;
  std::vector<ValueId> inputs_;
};

}  // namespace

std::vector<std::string> CarryRecipes(const RecipeCall& at) {
  std::vector<std::string> names;
  for (const States& states : PairingsOf(at))
    for (const bool reversed : {false, true}) names.push_back(NameOf(states, reversed));
  return names;
}

Result<PieceGraph> BuildCarry(const std::string& name, const RecipeCall& at, int64_t ranks) {
  for (const States& states : PairingsOf(at))
    for (const bool reversed : {false, true})
      if (NameOf(states, reversed) == name) return Turns(at, states, ranks).Run(reversed);
  return BadInput("", "no such states");
}

}  // namespace metadist
