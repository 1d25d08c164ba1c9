// SPDX-License-Identifier: Apache-2.0
#include "executor/host/bind_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "executor/host/perturb.h"

namespace metadist {
namespace {

std::string_view KindText(ValueKind kind) {
  switch (kind) {
    case ValueKind::kInput:
      return "input";
    case ValueKind::kParameter:
      return "parameter";
    default:
      return "constant";
  }
}

std::string PlaceText(const Value& value) {
  return fmt::format("{} '{}'", KindText(value.kind), value.name);
}

// One error for all parameters without data; there may be hundreds.
Error AbsentWeights(const std::vector<const Value*>& absent) {
  const Value& first = *absent.front();
  std::string message =
      fmt::format("elements must be given, got none for {}", TypeText(first.type));
  if (absent.size() > 1) message += fmt::format(", nor for {} more", absent.size() - 1);
  return BadInput(PlaceText(first), std::move(message), "run with --random-weights");
}

// Whether the value is a stage input that another stage sends.
bool IsReceived(const Program& program, int stage, ValueId value) {
  const std::vector<ValueId>& inputs = program.stages[static_cast<size_t>(stage)].graph.inputs;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] == value) return program.IsReceived(stage, i);
  return false;
}

// A copy of the stage's graph whose batched inputs hold all micro-batches; nullptr if it has none.
std::shared_ptr<const Graph> WithAllBatches(const Program& program, const Graph& graph) {
  Graph copy = graph;
  bool any = false;
  for (ValueId id : copy.inputs) {
    copy.value(id).type = GivenType(program, graph.value(id));
    any = any || copy.value(id).type != graph.value(id).type;
  }
  return any ? std::make_shared<const Graph>(std::move(copy)) : nullptr;
}

}  // namespace

TensorType GivenType(const Program& program, const Value& input) {
  TensorType type = input.type;
  if (program.IsBatched(input.name)) type.shape[0] *= program.micro_batches();
  return type;
}

// Holding every whole tensor until the end of the run would be simpler. But the parts of all ranks
// together are as large as the model, so a drawn tensor is freed as soon as every rank has cut its
// part. Ranks are bound to cores, and threads they start inherit the binding, so each rank draws a
// share of the tensor.

class WholeData::Binder {
 public:
  Binder(const Program& program,
         const NamedTensors& weights,
         const NamedTensors& inputs,
         const RunOptions& options)
      : program_(program), weights_(weights), inputs_(inputs), options_(options) {}

  Result<WholeData> Run() {
    ReportUnknown(weights_, /*inputs=*/false);
    ReportUnknown(inputs_, /*inputs=*/true);
    data_.perturbation_ = options_.perturbation;
    data_.drawing_.resize(program_.stages.size());
    for (size_t s = 0; s < program_.stages.size(); ++s) BindStage(static_cast<int>(s));
    if (!absent_.empty()) problems_.push_back(AbsentWeights(absent_));
    if (!problems_.empty()) return Join(std::move(problems_));
    return std::move(data_);
  }

 private:
  // Graphs to draw from, in order of preference.
  using DrawnFor = std::vector<std::pair<const Graph*, const RandomData*>>;

  const OpTable& ops() const {
    return options_.ops != nullptr ? *options_.ops : OpTable::BuiltIn();
  }

  void ReportUnknown(const NamedTensors& given, bool inputs) {
    const auto has = [&](const std::string& name) {
      return std::any_of(program_.stages.begin(), program_.stages.end(), [&](const Stage& stage) {
        const ValueId id = stage.graph.FindValue(name);
        if (id == kNone) return false;
        const ValueKind kind = stage.graph.value(id).kind;
        return inputs ? kind == ValueKind::kInput
                      : kind == ValueKind::kParameter || kind == ValueKind::kConstant;
      });
    };
    for (const auto& [name, tensor] : given)
      if (!has(name))
        problems_.push_back(BadInput(fmt::format("{} '{}'", inputs ? "input" : "parameter", name),
                                     "the model has none of that name"));
  }

  DrawnFor GraphsToDrawFor(const Graph& graph) {
    DrawnFor out;
    for (const Graph* of : {options_.drawn_for, &graph}) {
      if (of == nullptr) continue;
      if (auto all_batches = WithAllBatches(program_, *of)) {
        of = all_batches.get();
        data_.graphs_.push_back(std::move(all_batches));
      }
      data_.random_.push_back(std::make_shared<const RandomData>(*of, options_.seed, ops()));
      out.emplace_back(of, data_.random_.back().get());
    }
    return out;
  }

  void BindStage(int stage) {
    const Graph& graph = program_.stages[static_cast<size_t>(stage)].graph;
    const DrawnFor drawn_for = GraphsToDrawFor(graph);
    std::vector<Entry> entries(graph.values.size());
    std::vector<bool> carried(graph.values.size(), false);  // inputs that steps hand on
    std::vector<bool> sums(graph.values.size(), false);     // begin at zero in every step
    for (const StatePair& pair : graph.state) {
      carried[static_cast<size_t>(pair.input)] = graph.value(pair.input).kind == ValueKind::kInput;
      sums[static_cast<size_t>(pair.input)] = pair.sums;
    }
    for (size_t v = 0; v < entries.size(); ++v) {
      const Value& value = graph.values[v];
      const bool input = value.kind == ValueKind::kInput;
      entries[v].given = input || value.kind == ValueKind::kParameter;
      if (value.kind == ValueKind::kResult || sums[v]) continue;
      if (input && IsReceived(program_, stage, static_cast<ValueId>(v))) continue;
      BindValue(value, GivenType(program_, value), carried[v], drawn_for, entries[v]);
    }
    data_.entries_.push_back(std::move(entries));
  }

  // carried: an input that steps hand on.
  void BindValue(const Value& value,
                 const TensorType& type,
                 bool carried,
                 const DrawnFor& from,
                 Entry& entry) {
    const bool input = value.kind == ValueKind::kInput;
    const NamedTensors& given = input ? inputs_ : weights_;
    Tensor& whole = entry.whole;
    if (const auto found = given.find(value.name); found != given.end())
      whole = ForAllBatches(FromBits(found->second, value.type.element), value);
    else if (value.data.has_data())
      whole = value.data;
    else if (carried && options_.zero_states)
      whole = Tensor::Zeros(type);
    else if (input ? options_.random_inputs : options_.random_weights)
      DrawFrom(value, type, from, entry);
    if (entry.data != nullptr) return;
    if (!whole.has_data() && value.kind == ValueKind::kParameter)
      absent_.push_back(&value);
    else if (!whole.has_data())
      problems_.push_back(BadInput(
          PlaceText(value),
          fmt::format("elements must be given, got none for {}", TypeText(type)),
          input ? "give it with --input, or let `run` draw it" : "run with --random-weights"));
    else if (whole.type() != type)
      problems_.push_back(
          BadInput(PlaceText(value),
                   fmt::format("must be {}, got {}", TypeText(type), TypeText(whole.type())),
                   whole.shape() == type.shape ? BitsHint(type.element) : ""));
  }

  // What is given for one micro-batch holds for all.
  Tensor ForAllBatches(Tensor given, const Value& value) const {
    const TensorType type = GivenType(program_, value);
    if (given.type() != value.type || type == value.type) return given;
    Tensor all = Tensor::Unset(type);
    const int64_t bytes = value.type.bytes();
    for (int64_t at = 0; at < type.bytes(); at += bytes)
      std::memcpy(all.mutable_bytes() + at, given.bytes(), static_cast<size_t>(bytes));
    return all;
  }

  static void DrawFrom(const Value& value,
                       const TensorType& type,
                       const DrawnFor& from,
                       Entry& entry) {
    for (const auto& [graph, data] : from) {
      const ValueId id = graph->FindValue(value.name);
      if (id == kNone || graph->value(id).type != type) continue;
      entry.data = data;
      entry.drawn = id;
      return;
    }
  }

  const Program& program_;
  const NamedTensors& weights_;
  const NamedTensors& inputs_;
  const RunOptions& options_;
  WholeData data_;
  std::vector<const Value*> absent_;  // parameters
  std::vector<Error> problems_;
};

Result<WholeData> WholeData::Bind(const Program& program,
                                  const NamedTensors& weights,
                                  const NamedTensors& inputs,
                                  const RunOptions& options) {
  return Binder(program, weights, inputs, options).Run();
}

Tensor WholeData::PerturbedAs(int stage, ValueId value, Tensor whole) const {
  if (perturbation_ == 0) return whole;
  uint64_t all = 0;
  uint64_t before = 0;
  for (size_t s = 0; s < entries_.size(); ++s) {
    if (static_cast<int>(s) < stage) before += entries_[s].size();
    all += entries_[s].size();
  }
  return Perturbed(whole,
                   perturbation_ * all + before + static_cast<uint64_t>(value),
                   At(stage, value).given ? PerturbedNumbers::kAll : PerturbedNumbers::kFractions);
}

Tensor WholeData::Take(int stage, ValueId value) const {
  const Entry& entry = At(stage, value);
  return PerturbedAs(
      stage, value, entry.data != nullptr ? entry.data->Draw(entry.drawn) : entry.whole);
}

Result<Tensor> WholeData::Take(int stage, ValueId value, Transport& ranks) const {
  const Entry& entry = At(stage, value);
  if (entry.data == nullptr) return PerturbedAs(stage, value, entry.whole);
  Drawing& drawing = drawing_[static_cast<size_t>(stage)];
  const bool leads = ranks.rank() == 0;
  if (leads) {
    drawing.whole = Tensor::Zeros(entry.data->TypeOf(entry.drawn));
    drawing.bytes = drawing.whole.mutable_bytes();
  }
  TRY(ranks.Barrier());
  Tensor whole = drawing.whole;
  entry.data->DrawPart(entry.drawn,
                       static_cast<size_t>(ranks.rank()),
                       static_cast<size_t>(ranks.size()),
                       drawing.bytes);
  TRY(ranks.Barrier());
  if (leads) drawing.whole = {};
  return PerturbedAs(stage, value, std::move(whole));
}

}  // namespace metadist
