// SPDX-License-Identifier: Apache-2.0
#include "metair/training/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "metair/ir/suggest.h"
#include "metair/ops/gradient.h"
#include "metair/training/loss.h"
#include "metair/training/optimizers.h"
#include "metair/training/trained.h"
#include "metair/training/value_roles.h"

namespace metadist {
namespace {

// The same graph with each update right after its gradient, so that few gradients exist at a time;
// but after the last use of the states that it replaces, which it may overwrite.
Graph UpdatedEarly(Graph graph) {
  const std::vector<bool> updates = UpdateNodes(graph);
  const auto uses = UsesOf(graph);
  std::vector<std::pair<NodeId, bool>> places;  // by node: the node that it is or follows
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    NodeId last = updates[n] ? -1 : static_cast<NodeId>(n);
    for (const ValueId id : graph.nodes[n].inputs) {
      if (!updates[n] || id == kNone) continue;
      const NodeId producer = graph.value(id).producer;
      if (producer != kNone) last = std::max(last, places[static_cast<size_t>(producer)].first);
      for (const Use& use : uses[static_cast<size_t>(id)])
        if (use.node != kNone && !updates[static_cast<size_t>(use.node)])
          last = std::max(last, use.node);
    }
    places.emplace_back(last, updates[n]);
  }
  std::vector<size_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t n) { return places[n]; });
  std::vector<Node> nodes;
  std::swap(nodes, graph.nodes);
  for (const size_t n : order) graph.AddNode(std::move(nodes[n]));
  return graph;
}

// Writes a step after the forward pass.
class StepWriter {
 public:
  StepWriter(const Graph& model, const TrainingOptions& options, const OpTable& ops)
      : options_(options), ops_(ops), b_(model, ops) {}

  Result<TrainingStep> Run() {
    optimizer_ = FindOptimizer(options_.optimizer);
    if (optimizer_ == nullptr)
      return Usage(fmt::format("--train: unknown optimizer '{}'", options_.optimizer),
                   "known: " + OptimizerNames());
    step_.loss = TRY(AddLoss(b_, options_.loss));
    named_ = std::ranges::count(b_.graph().outputs, step_.loss) > 0;
    TRY(Differentiate());
    LimitNorm();
    outputs_.push_back(step_.loss);
    const Tensor rate = Tensor::Scalar(options_.learning_rate).Cast(ElementType::kF32);
    rate_ = b_.Input("lr", rate.type());
    if (optimizer_->counts_steps) CountSteps();
    for (size_t i = 0; i < step_.trained.size(); ++i) Update(i);
    step_.graph = TRY(b_.Done());
    step_.graph.value(rate_).data = rate;
    if (!named_) NameLoss();
    NameGradients();
    step_.graph.outputs = outputs_;
    return Finish();
  }

 private:
  Result<void> Differentiate() {
    const std::vector<ValueId> chosen =
        TRY(TrainedParameters(b_.graph(), options_.trainable, ops_));
    const Term loss(b_, step_.loss);
    const Term one = loss.Number(1).Expanded(loss.shape());
    const std::vector<ValueId> gradients =
        TRY(AddGradients(b_, ops_, {{step_.loss, one.value()}}, chosen));
    for (size_t i = 0; i < chosen.size(); ++i) {
      const std::string& name = b_.graph().value(chosen[i]).name;
      if (gradients[i] == kNone)
        step_.without_effect.push_back(name);
      else
        step_.trained.push_back({name, chosen[i], gradients[i]});
    }
    if (step_.trained.empty())
      return Usage("--train: the loss depends on no parameter that may be trained",
                   "choose parameters with --trainable, or another --loss");
    for (const Trained& trained : step_.trained) clipped_.push_back(trained.gradient);
    return {};
  }

  // Scales all gradients so that their norm is at most the limit.
  // Source: Pascanu, Mikolov, Bengio 2013, "On the difficulty of training recurrent neural
  // networks".
  void LimitNorm() {
    if (options_.clip <= 0) return;
    constexpr double kSmall = 1e-6;  // as PyTorch's clip_grad_norm_
    std::vector<Term> squares;
    for (const ValueId id : clipped_) {
      const Term gradient = Term(b_, id).As(ElementType::kF32);
      squares.push_back((gradient * gradient).SumAllBut({}, /*keep=*/false));
    }
    const std::vector<Term> others(squares.begin() + 1, squares.end());
    const Term norm = squares[0].Apply("Sum", others).Apply("Sqrt");
    const Term share = options_.clip / (norm + kSmall);
    const Term scale = share.Apply("Min", {share.Number(1)});
    for (ValueId& id : clipped_) {
      const Term gradient = Term(b_, id).Wide();
      id = (gradient * scale.As(gradient.element())).value();
    }
  }

  void CountSteps() {
    const ValueId before = b_.Input("steps", {ElementType::kF32, {}});
    steps_ = (Term(b_, before) + 1).value();
    Carry(before, steps_);
  }

  void Carry(ValueId before, ValueId after) {
    b_.State(before, after);
    outputs_.push_back(after);
  }

  void Update(size_t place) {
    const Trained& trained = step_.trained[place];
    UpdateOperands update{trained.parameter, clipped_[place], {}, rate_, steps_};
    std::vector<std::string> names{trained.name + ".next"};
    for (const std::string& suffix : optimizer_->states(options_)) {
      const std::string name = trained.name + "." + suffix;
      update.states.push_back(b_.Input(name, {ElementType::kF32, b_.shape(trained.parameter)}));
      names.push_back(name + ".next");
    }
    Node node = optimizer_->node(options_);
    node.name = trained.name + ".update";
    node.inputs = optimizer_->inputs(update);
    const std::vector<ValueId> made = b_.Append(std::move(node), names);
    Carry(trained.parameter, made[0]);
    for (size_t s = 0; s < update.states.size(); ++s) Carry(update.states[s], made[s + 1]);
  }

  // What is added to the model is found under a name of its own.
  void NameLoss() {
    if (step_.graph.FindValue("loss") == kNone) step_.graph.value(step_.loss).name = "loss";
  }

  void NameGradients() {
    for (const Trained& trained : step_.trained) {
      const std::string name = trained.name + ".gradient";
      Value& value = step_.graph.value(trained.gradient);
      if (value.kind == ValueKind::kResult && step_.graph.FindValue(name) == kNone)
        value.name = name;
    }
  }

  // Drops what the step does not need, and finds the values again.
  Result<TrainingStep> Finish() {
    TrainingStep out = std::move(step_);
    const Graph whole = std::move(out.graph);
    out.graph = UpdatedEarly(WithoutDeadCode(whole));
    const auto found = [&](ValueId id) { return out.graph.FindValue(whole.value(id).name); };
    out.loss = found(out.loss);
    for (Trained& trained : out.trained) {
      trained.parameter = found(trained.parameter);
      trained.gradient = found(trained.gradient);
    }
    return out;
  }

  const TrainingOptions& options_;
  const OpTable& ops_;
  GraphBuilder b_;
  const OptimizerDef* optimizer_ = nullptr;
  TrainingStep step_;
  std::vector<ValueId> clipped_;  // gradients, by trained parameter
  std::vector<ValueId> outputs_;
  bool named_ = false;  // the loss is an output of the model
  ValueId rate_ = kNone;
  ValueId steps_ = kNone;
};

}  // namespace

Result<TrainingStep> MakeTrainingStep(const Graph& model,
                                      const TrainingOptions& options,
                                      const OpTable& ops) {
  return StepWriter(model, options, ops).Run();
}

}  // namespace metadist
