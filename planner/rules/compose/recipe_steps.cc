// SPDX-License-Identifier: Apache-2.0
// A recurrence, step by step.
//
// A layer over a sequence has no decomposition whose size is known before that of the sequence;
// over one element it may have one. If a state is carried from piece to piece of the sequence
// (CARRY), pieces may have a single element: the layer is its own single step, repeated for each
// element, and a factor that divides the decomposition of a single step divides all of them. So
// nothing is searched here: the factors are those of a step, and a few steps are compared with the
// kernel (composite_check.h); the cost does not grow with the length of the sequence. Work that
// does not depend on the element or the state (transposed weights) is done once.
//
// Every step does the exchanges of a single one, and gathers a state that the next one needs whole:
// short messages, one after the other, so long sequences are not supported.
#include "planner/rules/compose/recipe_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "planner/rules/factor/pieces.h"
#include "planner/rules/factor/step_recipe.h"
#include "planner/rules/instance/instantiate.h"

namespace metadist {
namespace {

// The number of steps; nullopt if the recipe's numbers are not inputs and outputs of the call.
std::optional<int64_t> StepsOf(const StepRecipe& r, const OpCall& call) {
  const auto is_given = [&](int input) {
    return static_cast<size_t>(input) < call.inputs.size() && call.has(static_cast<size_t>(input));
  };
  if (!is_given(r.given.tensor) || r.made.tensor >= call.num_outputs) return std::nullopt;
  const Shape& shape = call.shape(static_cast<size_t>(r.given.tensor));
  if (static_cast<size_t>(r.given.dim) >= shape.size()) return std::nullopt;
  for (const StepRecipe::LoopState& state : r.states)
    if (!is_given(state.input) || state.output >= call.num_outputs) return std::nullopt;
  if (!std::ranges::all_of(r.lengths, is_given)) return std::nullopt;
  return shape[static_cast<size_t>(r.given.dim)];
}

OpCall OneStep(const StepRecipe& r, const OpCall& call) {
  OpCall one = call;
  OpCall::Input& x = one.inputs[static_cast<size_t>(r.given.tensor)];
  x.type.shape[static_cast<size_t>(r.given.dim)] = 1;
  x.constant = nullptr;
  for (const int input : r.lengths) one.inputs[static_cast<size_t>(input)].constant = nullptr;
  return one;
}

std::optional<Graph> GraphOf(const OpCall& call) {
  GraphBuilder builder("step");
  for (const ValueId made : builder.AddCall(call, "step")) builder.Output(made);
  auto graph = builder.Done();
  return graph.ok() ? std::optional(std::move(graph).value()) : std::nullopt;
}

bool SameCuts(std::vector<Cut> a, std::vector<Cut> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

// A single step, divided.
struct DividedStep {
  Graph graph;
  InnerUse use;
  std::vector<Factor> factors;  // by node; without a name if the node has none
};

// one: a single step, cut like the sequence.
Result<DividedStep> Divide(const RecipeCall& one, const StepRules& rules) {
  const auto alone = GraphOf(one.call);
  if (!alone || !rules.rule || one.call.op->decompose == nullptr)
    return BadInput("", "there is no single step");
  DividedStep step;
  const Rule single = rules.rule(*alone, alone->nodes[0]);
  for (const Factor& factor : single.factors)
    if (factor.composite && factor.inner.recipe.empty() && factor.reductions.empty() &&
        SameCuts(factor.inputs, one.inputs) && SameCuts(factor.outputs, one.outputs))
      step.use = factor.inner;
  step.graph = TRY(one.call.op->decompose(one.call));
  if (step.use.nodes.empty() || step.use.nodes.size() != step.graph.nodes.size())
    return BadInput("", "a single step cannot be divided this way");
  step.factors.resize(step.graph.nodes.size());
  for (size_t n = 0; n < step.graph.nodes.size(); ++n) {
    const std::string& name = step.use.nodes[n];
    step.factors[n].name = name;
    if (name.empty() || name[0] == '~') continue;
    const Rule rule = rules.rule(step.graph, step.graph.nodes[n]);
    const Factor* factor = rule.Find(name);
    if (factor == nullptr) return BadInput("", "a node cannot be divided this way at these sizes");
    step.factors[n] = *factor;
    step.factors[n].name = kPieceFactor;
  }
  return step;
}

class Steps {
 public:
  // ops: for the step's nodes.
  Steps(const OpTable& ops,
        const RecipeCall& at,
        const StepRecipe& r,
        const DividedStep& step,
        int64_t ranks)
      : ops_(ops), at_(at), r_(r), step_(step), pieces_(at.call, ranks) {
    size_t position = 0;
    for (size_t i = 0; i < at.call.inputs.size(); ++i) {
      given_.push_back(kNone);
      if (!at.call.has(i)) continue;
      given_[i] = step.graph.inputs[position++];
      ids_[given_[i]] = pieces_.compose().Given(i);
    }
    moving_.insert(given_[static_cast<size_t>(r.given.tensor)]);
    for (const StepRecipe::LoopState& state : r.states)
      moving_.insert(given_[static_cast<size_t>(state.input)]);
    for (const int input : r.lengths) moving_.insert(given_[static_cast<size_t>(input)]);
  }

  Result<PieceGraph> Run(int64_t steps) {
    std::vector<ValueId> made(static_cast<size_t>(steps));
    const ValueId x = pieces_.compose().Given(static_cast<size_t>(r_.given.tensor));
    for (int64_t turn = 0; turn < steps; ++turn) {
      const int64_t t = r_.reversed ? steps - 1 - turn : turn;
      ids_[given_[static_cast<size_t>(r_.given.tensor)]] =
          Element(x, t, CutOf(at_.inputs, r_.given.tensor));
      for (const int input : r_.lengths)
        ids_[given_[static_cast<size_t>(input)]] = Within(input, t, CutOf(at_.inputs, input));
      for (size_t n = 0; n < step_.graph.nodes.size(); ++n) Emit(n, /*first=*/turn == 0);
      made[static_cast<size_t>(t)] = Output(r_.made.tensor);
      std::vector<ValueId> next;
      for (const StepRecipe::LoopState& state : r_.states) next.push_back(Output(state.output));
      for (size_t s = 0; s < next.size(); ++s)
        ids_[given_[static_cast<size_t>(r_.states[s].input)]] = next[s];
    }
    std::vector<ValueId> results;
    for (int o = 0; o < at_.call.num_outputs; ++o)
      results.push_back(o == r_.made.tensor ? Joined(made, CutOf(at_.outputs, o)) : Output(o));
    return pieces_.Done(results);
  }

 private:
  ValueId Output(int output) { return Get(step_.graph.outputs[static_cast<size_t>(output)]); }

  ValueId Get(ValueId value) {
    const auto known = ids_.find(value);
    if (known != ids_.end()) return known->second;
    return ids_[value] = pieces_.compose().Constant(step_.graph.value(value).data);
  }

  // Element t of the sequence, on pieces if its other dims are cut.
  ValueId Element(ValueId x, int64_t t, const Cut* cut) {
    const ValueId element = SliceOf(pieces_.compose(), x, r_.given.dim, t, t + 1);
    OnPieces(1, cut);
    return element;
  }

  // 1 where element t is within the sequence length, else 0.
  ValueId Within(int input, int64_t t, const Cut* cut) {
    Composer& compose = pieces_.compose();
    const ValueId lengths = compose.Given(static_cast<size_t>(input));
    const ValueId left =
        compose.Add("Sub", {lengths, compose.Number(static_cast<double>(t), lengths)});
    OnPieces(1, cut);
    const ValueId within =
        compose.Add("Clip", {left, compose.Number(0, lengths), compose.Number(1, lengths)});
    OnPieces(1, cut);
    return within;
  }

  ValueId Joined(const std::vector<ValueId>& made, const Cut* cut) {
    const ValueId joined = pieces_.compose().Add("Concat", made, {{"axis", r_.made.dim}});
    OnPieces(made.size(), cut);
    return joined;
  }

  // All inputs of the last node, and its output, are cut in the same way.
  void OnPieces(size_t inputs, const Cut* cut) {
    if (cut == nullptr) return;
    Factor factor;
    factor.name = kPieceFactor;
    for (size_t i = 0; i < inputs; ++i) {
      factor.inputs.push_back(*cut);
      factor.inputs.back().tensor = static_cast<int>(i);
    }
    factor.outputs = {factor.inputs.front()};
    pieces_.Step(std::move(factor));
  }

  void Emit(size_t n, bool first) {
    const Node& node = step_.graph.nodes[n];
    const bool moves = std::ranges::any_of(
        node.inputs, [&](ValueId input) { return input != kNone && moving_.count(input) > 0; });
    if (!moves && !first) return;
    if (moves) moving_.insert(node.outputs.begin(), node.outputs.end());
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(input == kNone ? kNone : Get(input));
    const std::vector<ValueId> made = pieces_.compose().Like(*ops_.Find(node), node, inputs);
    for (size_t o = 0; o < made.size(); ++o) ids_[node.outputs[o]] = made[o];
    pieces_.Step(step_.factors[n]);
    for (const InnerExchange& exchange : step_.use.exchanges)
      if (exchange.node == static_cast<int>(n)) pieces_.Exchanged(exchange.op);
  }

  const OpTable& ops_;
  const RecipeCall& at_;
  const StepRecipe& r_;
  const DividedStep& step_;
  PieceComposer pieces_;
  std::vector<ValueId> given_;      // by input of the call: the step's input
  std::map<ValueId, ValueId> ids_;  // from values of the step to current values
  std::set<ValueId> moving_;        // values of the step that differ between steps
};

}  // namespace

StepRules RulesBy(const OpTable& ops, const InnerFound& found) {
  const auto rule = [&](const Graph& graph, const Node& node) {
    const SymbolicRule* known = found ? found(graph, node) : nullptr;
    return known == nullptr ? Rule() : Instantiate(*known, CallOf(*ops.Find(node), graph, node));
  };
  return {ops, rule};
}

std::optional<Graph> SingleStep(const std::string& recipe, const OpCall& call) {
  const auto recurring = ParseSteps(recipe);
  if (!recurring || !StepsOf(*recurring, call)) return std::nullopt;
  return GraphOf(OneStep(*recurring, call));
}

Result<PieceGraph> BuildSteps(const std::string& recipe,
                              const RecipeCall& at,
                              int64_t ranks,
                              const StepRules& rules) {
  const auto recurring = ParseSteps(recipe);
  const auto steps = recurring ? StepsOf(*recurring, at.call) : std::nullopt;
  if (!steps) return BadInput("", fmt::format("recipe '{}' does not fit the call", recipe));
  if (*steps > kMostSteps)
    return BadInput("", fmt::format("expected at most {} steps, got {}", kMostSteps, *steps));
  const OpCall one = OneStep(*recurring, at.call);
  const DividedStep step = TRY(Divide({one, at.inputs, at.outputs}, rules));
  return Steps(rules.ops, at, *recurring, step, ranks).Run(*steps);
}

}  // namespace metadist
