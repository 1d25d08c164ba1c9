// SPDX-License-Identifier: Apache-2.0
#include "metair/training/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metair/ir/suggest.h"
#include "metair/ops/gradient.h"
#include "metair/training/early_updates.h"
#include "metair/training/loss.h"
#include "metair/training/loss_scale.h"
#include "metair/training/optimizers.h"
#include "metair/training/trained.h"

namespace metadist {
namespace {

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
    if (options_.micro_batches > 1) SumMicroBatches();
    for (const Trained& trained : step_.trained) clipped_.push_back(trained.gradient);
    if (!scale_.none()) inverse_ = scale_.AddInverse(b_, clipped_);
    LimitNorm();
    outputs_.push_back(step_.loss);
    const Tensor rate = Tensor::Scalar(options_.learning_rate).Cast(ElementType::kF32);
    rate_ = b_.Input("lr", rate.type());
    if (optimizer_->counts_steps || std::ranges::any_of(step_.trained, [&](const Trained& trained) {
          return HasMaster(trained);
        }))
      CountSteps();
    for (size_t i = 0; i < step_.trained.size(); ++i) Update(i);
    for (const auto& [before, after] : scale_.AddNext(b_, inverse_)) Carry(before, after);
    step_.graph = TRY(b_.Done());
    step_.graph.micro_batches = options_.micro_batches;
    scale_.WriteData(step_.graph);
    step_.graph.value(rate_).data = rate;
    NameLoss();
    NameGradients();
    NameStates();
    step_.graph.outputs = outputs_;
    return Finish();
  }

 private:
  Result<void> Differentiate() {
    const std::vector<ValueId> chosen =
        TRY(TrainedParameters(b_.graph(), options_.trainable, ops_));
    scale_ = TRY(LossScale::Add(b_, options_.loss_scale));
    const Term loss(b_, step_.loss);
    const Term factor =
        scale_.none() ? loss.Number(1) : Term(b_, scale_.scale()).As(loss.element());
    const Term seed = Share(factor).Expanded(loss.shape());
    const std::vector<ValueId> gradients =
        TRY(AddGradients(b_, ops_, {{step_.loss, seed.value()}}, chosen));
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
    return {};
  }

  // What one micro-batch adds to the mean over all.
  Term Share(const Term& of_one) const {
    if (options_.micro_batches == 1) return of_one;
    return of_one * (1 / static_cast<double>(options_.micro_batches));
  }

  // Makes loss and gradients of one micro-batch those of the step.
  void SumMicroBatches() {
    const auto sum = [&](const Term& part, const std::string& name) {
      const bool narrow = ByteSize(part.element()) < 4;
      const ValueId before =
          b_.Input(name + ".sum", {narrow ? ElementType::kF32 : part.element(), part.shape()});
      const ValueId after = Term(b_, before).Apply("metadist.Accumulate", {part}).value();
      b_.Sum(before, after);
      return after;
    };
    part_ = step_.loss;
    step_.loss = sum(Share(Term(b_, part_).Wide()), "loss");
    for (Trained& trained : step_.trained)
      trained.gradient = sum({b_, trained.gradient}, trained.name + ".gradient");
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
    Term norm = squares[0].Apply("Sum", others).Apply("Sqrt");
    if (inverse_ != kNone) norm = norm * Term(b_, inverse_);
    const Term share = options_.clip / (norm + kSmall);
    const Term scale = share.Apply("Min", {share.Number(1)});
    for (ValueId& id : clipped_) {
      const Term gradient = Term(b_, id).Wide();
      id = (gradient * scale.As(gradient.element())).value();
    }
  }

  void CountSteps() {
    const ValueId before = b_.Input("steps", {ElementType::kF32, {}});
    const Term next = Term(b_, before) + 1;
    steps_ = scale_.dynamic() ? Choose(Term(b_, inverse_) > 0, next, Term(b_, before)).value()
                              : next.value();
    Carry(before, steps_);
  }

  void Carry(ValueId before, ValueId after) {
    b_.State(before, after);
    outputs_.push_back(after);
  }

  bool HasMaster(const Trained& trained) const {
    return options_.masters && ByteSize(b_.type(trained.parameter).element) < 4;
  }

  void Update(size_t place) {
    const Trained& trained = step_.trained[place];
    UpdateOperands update{.parameter = trained.parameter,
                          .gradient = clipped_[place],
                          .rate = rate_,
                          .step = steps_,
                          .scale = inverse_};
    std::vector<ValueId> before{trained.parameter};
    std::vector<std::string> names{trained.name + ".next"};
    const auto add = [&](const std::string& suffix) {
      const std::string name = trained.name + "." + suffix;
      before.push_back(b_.Input(name, {ElementType::kF32, b_.shape(trained.parameter)}));
      names.push_back(name + ".next");
      return before.back();
    };
    for (const std::string& suffix : optimizer_->states(options_))
      update.states.push_back(add(suffix));
    if (HasMaster(trained)) update.master = add("master");
    Node node = optimizer_->node(options_);
    node.name = trained.name + ".update";
    node.inputs = optimizer_->inputs(update);
    const std::vector<ValueId> made = b_.Append(std::move(node), names);
    for (size_t s = 0; s < before.size(); ++s) Carry(before[s], made[s]);
  }

  // What is added to the model is found under a name of its own.
  void NameLoss() {
    Value& loss = step_.graph.value(step_.loss);
    if (named_ && part_ != kNone)
      std::swap(loss.name, step_.graph.value(part_).name);
    else if (!named_ && step_.graph.FindValue("loss") == kNone)
      loss.name = "loss";
  }

  void NameGradients() {
    for (const Trained& trained : step_.trained) {
      const std::string name = trained.name + ".gradient";
      Value& value = step_.graph.value(trained.gradient);
      if (value.kind == ValueKind::kResult && step_.graph.FindValue(name) == kNone)
        value.name = name;
    }
  }

  void NameStates() {
    for (const StatePair& pair : step_.graph.state) {
      Value& after = step_.graph.value(pair.output);
      if (pair.sums || after.name.ends_with(".next")) continue;
      const std::string name = step_.graph.value(pair.input).name + ".next";
      if (step_.graph.FindValue(name) == kNone) after.name = name;
    }
  }

  // Drops what the step does not need, and finds the values again.
  Result<TrainingStep> Finish() {
    TrainingStep out = std::move(step_);
    const Graph whole = std::move(out.graph);
    out.graph = WithEarlyUpdates(WithoutDeadCode(whole));
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
  bool named_ = false;    // the loss is an output of the model
  ValueId part_ = kNone;  // the loss of one of several micro-batches
  LossScale scale_;
  ValueId inverse_ = kNone;  // of the loss scale
  ValueId rate_ = kNone;
  ValueId steps_ = kNone;
};

}  // namespace

Result<TrainingStep> MakeTrainingStep(const Graph& model,
                                      const TrainingOptions& options,
                                      const OpTable& ops) {
  TiedWeights tied;
  const Graph whole = WithTiedWeights(model, ops, &tied);
  TrainingStep step = TRY(StepWriter(whole, options, ops).Run());
  step.tied = std::move(tied);
  return step;
}

}  // namespace metadist
