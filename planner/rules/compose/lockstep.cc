// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/compose/lockstep.h"

#include <utility>

#include "planner/rules/compose/changed_call.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/instance/window.h"
#include "planner/rules/probe/arrays.h"
#include "planner/rules/probe/own_type.h"

namespace metadist {
namespace {

int64_t LocalSize(const Cut& cut, int64_t ranks, int64_t rank) {
  return static_cast<int64_t>(IndicesOf(cut, ranks, rank).size());
}

}  // namespace

// One rank's call of a node.
struct Lockstep::OwnCall : ChangedCall {
  using ChangedCall::ChangedCall;

  std::vector<Tensor> wide;         // the rank's constants in compute types, by input
  std::vector<TensorType> outputs;  // of compute types
};

Lockstep::Lockstep(const Graph& graph, const OpTable& ops, std::vector<const Factor*> factors)
    : graph_(graph), ops_(ops), factors_(std::move(factors)) {}

Lockstep::~Lockstep() = default;

bool Lockstep::Run(const std::vector<std::vector<Tensor>>& inputs,
                   const std::vector<const Cut*>& cut,
                   const std::vector<InnerExchange>& exchanges) {
  cut_.assign(graph_.values.size(), nullptr);
  shared_.assign(graph_.values.size(), 0);
  values_.assign(inputs.size(), std::vector<Tensor>(graph_.values.size()));
  calls_[ranks()].resize(graph_.nodes.size() * inputs.size());
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    const size_t value = static_cast<size_t>(graph_.inputs[i]);
    for (size_t rank = 0; rank < inputs.size(); ++rank) values_[rank][value] = inputs[rank][i];
    cut_[value] = cut[i];
    shared_[value] = cut[i] == nullptr ? 1 : 0;
  }
  size_t next = 0;
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (!RunNode(static_cast<NodeId>(n))) return false;
    if (next < exchanges.size() && exchanges[next].node == static_cast<int>(n))
      Exchange(exchanges[next++]);
  }
  return true;
}

bool Lockstep::IsShared(const Node& node, const Factor* factor) const {
  if (factor != nullptr) return false;
  for (const ValueId id : node.inputs) {
    if (id == kNone || graph_.value(id).kind == ValueKind::kConstant) continue;
    const size_t value = static_cast<size_t>(id);
    if (shared_[value] == 0 && cut_[value] == nullptr) return false;
  }
  return true;
}

bool Lockstep::RunNode(NodeId id) {
  const Node& node = graph_.node(id);
  const Factor* factor = factors_[static_cast<size_t>(id)];
  const bool shared = IsShared(node, factor);
  std::vector<Tensor> outputs;
  for (int64_t rank = 0; rank < ranks(); ++rank) {
    if ((rank == 0 || !shared) && !RunOnRank(id, rank, outputs)) return false;
    for (size_t o = 0; o < node.outputs.size(); ++o)
      if (node.outputs[o] != kNone)
        values_[static_cast<size_t>(rank)][static_cast<size_t>(node.outputs[o])] = outputs[o];
  }
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    if (node.outputs[o] == kNone) continue;
    const size_t value = static_cast<size_t>(node.outputs[o]);
    shared_[value] = shared ? 1 : 0;
    if (factor != nullptr) cut_[value] = CutOf(factor->outputs, o);
  }
  return true;
}

Shape Lockstep::Arriving(ValueId value, const Cut* wanted, int64_t rank) const {
  Shape shape = At(rank, value).shape();
  const Cut* cut = cut_[static_cast<size_t>(value)];
  if (cut != nullptr && wanted == nullptr) shape[static_cast<size_t>(cut->dim)] = cut->size();
  if (cut == nullptr && wanted != nullptr)
    shape[static_cast<size_t>(wanted->dim)] = LocalSize(*wanted, ranks(), rank);
  return shape;
}

std::unique_ptr<Lockstep::OwnCall> Lockstep::MakeCall(NodeId id, int64_t rank) const {
  const Node& node = graph_.node(id);
  const Factor* factor = factors_[static_cast<size_t>(id)];
  const OpDef* op = ops_.Find(node);
  if (op == nullptr || op->reference == nullptr) return nullptr;
  auto own = std::make_unique<OwnCall>(CallOf(*op, graph_, node));
  own->wide.resize(node.inputs.size());
  if (factor != nullptr)
    for (const LiteralCut& literal : factor->literals)
      own->Replace(literal,
                   [&](int64_t whole) { return LocalValueOf(literal, whole, ranks(), rank); });
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone) continue;
    OpCall::Input& input = own->call.inputs[i];
    const Cut* cut = factor == nullptr ? nullptr : CutOf(factor->inputs, i);
    if (input.constant == nullptr) {
      input.type.shape = Arriving(node.inputs[i], cut, rank);
      continue;
    }
    Tensor& wide = own->wide[i];
    wide = own->constants[i].Cast(ComputeType(input.type.element));
    if (cut != nullptr) {
      wide = Take(wide, cut->dim, IndicesOf(*cut, ranks(), rank));
      input.constant = nullptr;
    }
    input.type.shape = wide.shape();
  }
  auto types = op->infer(own->call);
  if (!types.ok() || types.value().size() < node.outputs.size()) return nullptr;
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    const TensorType& type = types.value()[o];
    const Cut* cut = factor == nullptr ? nullptr : CutOf(factor->outputs, o);
    if (cut != nullptr &&
        type.shape[static_cast<size_t>(cut->dim)] != LocalSize(*cut, ranks(), rank))
      return nullptr;
  }
  for (const TensorType& type : types.value())
    own->outputs.push_back({ComputeType(type.element), type.shape});
  return own;
}

Lockstep::OwnCall* Lockstep::CallFor(NodeId id, int64_t rank) {
  std::unique_ptr<OwnCall>& own =
      calls_[ranks()][static_cast<size_t>(id) * values_.size() + static_cast<size_t>(rank)];
  if (own == nullptr) own = MakeCall(id, rank);
  return own.get();
}

bool Lockstep::RunOnRank(NodeId id, int64_t rank, std::vector<Tensor>& outputs) {
  const Node& node = graph_.node(id);
  const Factor* factor = factors_[static_cast<size_t>(id)];
  const OwnCall* own = CallFor(id, rank);
  if (own == nullptr) return false;
  std::vector<Tensor> wide = own->wide;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId value = node.inputs[i];
    if (value == kNone || wide[i].has_data()) continue;
    const Cut* cut = factor == nullptr ? nullptr : CutOf(factor->inputs, i);
    const bool whole = cut_[static_cast<size_t>(value)] == nullptr;
    wide[i] = cut == nullptr && !whole ? Gathered(value) : At(rank, value);
    if (cut != nullptr && whole) wide[i] = Take(wide[i], cut->dim, IndicesOf(*cut, ranks(), rank));
  }
  outputs.clear();
  for (const TensorType& type : own->outputs) outputs.push_back(Tensor::Zeros(type));
  if (!own->call.op->reference(own->call, wide, outputs).ok()) return false;
  for (size_t o = 0; rounds_ && o < node.outputs.size(); ++o)
    if (node.outputs[o] != kNone)
      outputs[o] = Rounded(outputs[o], graph_.value(node.outputs[o]).type.element);
  return true;
}

Tensor Lockstep::Gathered(ValueId value) const {
  const Cut& cut = *cut_[static_cast<size_t>(value)];
  TensorType type = At(0, value).type();
  type.shape[static_cast<size_t>(cut.dim)] = cut.size();
  Tensor whole = Tensor::Zeros(type);
  for (int64_t rank = 0; rank < ranks(); ++rank)
    Put(whole, cut.dim, IndicesOf(cut, ranks(), rank), At(rank, value));
  return whole;
}

void Lockstep::Exchange(const InnerExchange& exchange) {
  const size_t value = static_cast<size_t>(graph_.node(exchange.node).outputs[0]);
  Tensor total = values_[0][value].Clone();
  for (size_t rank = 1; rank < values_.size(); ++rank)
    Fold(exchange.op, total, values_[rank][value]);
  for (std::vector<Tensor>& mine : values_) mine[value] = total;
  shared_[value] = 1;
}

}  // namespace metadist
