// SPDX-License-Identifier: Apache-2.0
#include "executor/bind_data.h"

#include <fmt/format.h>

#include "executor/shake.h"

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

// Parameters that nothing gives elements: hundreds of them are one problem.
Error AbsentWeights(const std::vector<const Value*>& absent) {
  const Value& first = *absent.front();
  std::string message =
      fmt::format("elements must be given, got none for {}", TypeText(first.type));
  if (absent.size() > 1) message += fmt::format(", nor for {} more", absent.size() - 1);
  return BadInput(PlaceText(first), std::move(message), "run with --random-weights");
}

void ReportUnknown(const Graph& graph,
                   const NamedTensors& given,
                   bool inputs,
                   std::vector<Error>& problems) {
  for (const auto& [name, tensor] : given) {
    const ValueId id = graph.FindValue(name);
    const bool fits = id != kNone && (graph.value(id).kind == ValueKind::kInput) == inputs &&
                      graph.value(id).kind != ValueKind::kResult;
    if (!fits)
      problems.push_back(BadInput(fmt::format("{} '{}'", inputs ? "input" : "parameter", name),
                                  "the model has none of that name"));
  }
}

}  // namespace

// Where everything fits, a run may as well hold each whole tensor until it ends. But the parts of
// all ranks are as large again as the model, so what is drawn is let go once it has been cut. Ranks
// are bound to cores, and threads they start stay on theirs: every rank draws a part.

Result<WholeData> WholeData::Bind(const Graph& graph,
                                  const NamedTensors& weights,
                                  const NamedTensors& inputs,
                                  const RunOptions& options) {
  const OpTable& ops = options.ops != nullptr ? *options.ops : OpTable::BuiltIn();
  std::vector<Error> problems;
  ReportUnknown(graph, weights, /*inputs=*/false, problems);
  ReportUnknown(graph, inputs, /*inputs=*/true, problems);
  WholeData data;
  data.whole_.resize(graph.values.size());
  data.sources_.resize(graph.values.size());
  data.shake_ = options.shake;
  for (const Value& value : graph.values)
    data.given_.push_back(value.kind == ValueKind::kInput || value.kind == ValueKind::kParameter);
  std::vector<const Graph*> drawn_for = {&graph};
  if (options.drawn_for != nullptr) drawn_for.insert(drawn_for.begin(), options.drawn_for);
  for (const Graph* of : drawn_for)
    data.random_.push_back(std::make_unique<const RandomData>(*of, options.seed, ops));
  const auto source = [&](const Value& value) {
    for (size_t i = 0; i < drawn_for.size(); ++i) {
      const ValueId id = drawn_for[i]->FindValue(value.name);
      if (id != kNone && drawn_for[i]->value(id).type == value.type)
        return Source{data.random_[i].get(), id};
    }
    return Source{};
  };
  std::vector<const Value*> absent;  // parameters
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    if (value.kind == ValueKind::kResult) continue;
    const bool input = value.kind == ValueKind::kInput;
    const NamedTensors& given = input ? inputs : weights;
    Tensor& whole = data.whole_[v];
    if (const auto found = given.find(value.name); found != given.end())
      whole = FromBits(found->second, value.type.element);
    else if (value.data.has_data())
      whole = value.data;
    else if (input ? options.random_inputs : options.random_weights)
      data.sources_[v] = source(value);
    if (data.sources_[v].data != nullptr) continue;
    if (!whole.has_data() && value.kind == ValueKind::kParameter)
      absent.push_back(&value);
    else if (!whole.has_data())
      problems.push_back(BadInput(
          PlaceText(value),
          fmt::format("elements must be given, got none for {}", TypeText(value.type)),
          input ? "give it with --input, or let `run` draw it" : "run with --random-weights"));
    else if (whole.type() != value.type)
      problems.push_back(
          BadInput(PlaceText(value),
                   fmt::format("must be {}, got {}", TypeText(value.type), TypeText(whole.type())),
                   whole.shape() == value.type.shape ? BitsHint(value.type.element) : ""));
  }
  if (!absent.empty()) problems.push_back(AbsentWeights(absent));
  if (!problems.empty()) return Join(std::move(problems));
  return data;
}

Tensor WholeData::ShakenAs(size_t value, Tensor whole) const {
  if (shake_ == 0) return whole;
  return Shaken(whole,
                shake_ * whole_.size() + value,
                given_[value] ? ShakenNumbers::kAll : ShakenNumbers::kFractions);
}

Result<Tensor> WholeData::Take(size_t value, Communicator& world) const {
  const Source& source = sources_[value];
  if (source.data == nullptr) return ShakenAs(value, whole_[value]);
  const bool leads = world.rank() == 0;
  if (leads) {
    drawn_ = Tensor::Zeros(source.data->TypeOf(source.value));
    drawn_bytes_ = drawn_.mutable_bytes();
  }
  TRY(world.Barrier());
  Tensor whole = drawn_;
  source.data->DrawPart(source.value,
                        static_cast<size_t>(world.rank()),
                        static_cast<size_t>(world.size()),
                        drawn_bytes_);
  TRY(world.Barrier());
  if (leads) drawn_ = {};
  return ShakenAs(value, std::move(whole));
}

Result<std::vector<std::vector<Transfer>>> PlanAllTransfers(const Program& program) {
  const Stage& stage = program.stages[0];
  std::vector<std::vector<Transfer>> transfers(stage.graph.nodes.size());
  for (size_t n = 0; n < stage.graph.nodes.size(); ++n) {
    const Node& node = stage.graph.nodes[n];
    if (!CollectiveOf(node)) continue;
    const CollectiveStep step = StepOf(stage, program.mesh, static_cast<NodeId>(n));
    auto planned = PlanTransfers(step, MovedType(stage, static_cast<NodeId>(n)), program.mesh);
    if (!planned.ok())
      return std::move(planned).error().in(fmt::format("node '{}' ({})", node.name, node.op));
    transfers[n] = std::move(planned).value();
  }
  return transfers;
}

}  // namespace metadist
