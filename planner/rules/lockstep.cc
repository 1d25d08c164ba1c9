// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/lockstep.h"

#include <utility>

#include "planner/rules/arrays.h"
#include "planner/rules/pieces.h"

namespace metadist {
namespace {

int64_t LocalSize(const Cut& cut, int64_t ranks, int64_t rank) {
  return static_cast<int64_t>(IndicesOf(cut, ranks, rank).size());
}

// The call of a node as one rank makes it, with what it points to.
struct OwnCall {
  Attributes attributes;
  std::vector<Tensor> constants;
  OpCall call;

  OwnCall(const OpDef& op, const Graph& graph, const Node& node)
      : attributes(node.attributes), constants(node.inputs.size()) {
    call = CallOf(op, graph, node);
    call.attributes = &attributes;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (call.has(i) && call.inputs[i].constant != nullptr) {
        constants[i] = *call.inputs[i].constant;
        call.inputs[i].constant = &constants[i];
      }
  }

  void Shrink(const LiteralCut& literal, int64_t ranks, int64_t rank) {
    const int64_t local = LocalSize(literal.view, ranks, rank);
    const size_t entry = static_cast<size_t>(literal.entry);
    if (literal.input < 0) {
      Attribute& value = attributes.all()[literal.attribute];
      if (int64_t* number = std::get_if<int64_t>(&value))
        *number = local;
      else
        std::get<std::vector<int64_t>>(value)[entry] = local;
      return;
    }
    Tensor& constant = constants[static_cast<size_t>(literal.input)];
    std::vector<int64_t> values = constant.ToInts();
    values[entry] = local;
    constant = Tensor::Of<int64_t>(constant.shape(), values).Cast(constant.element());
  }
};

}  // namespace

bool Lockstep::Run(const std::vector<std::vector<Tensor>>& inputs,
                   const std::vector<const Cut*>& cut,
                   const std::vector<InnerExchange>& exchanges) {
  cut_.assign(graph_.values.size(), nullptr);
  values_.assign(inputs.size(), std::vector<Tensor>(graph_.values.size()));
  for (size_t rank = 0; rank < inputs.size(); ++rank)
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const size_t value = static_cast<size_t>(graph_.inputs[i]);
      values_[rank][value] = inputs[rank][i];
      cut_[value] = cut[i];
    }
  size_t next = 0;
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    for (size_t rank = 0; rank < inputs.size(); ++rank)
      if (!RunNode(static_cast<NodeId>(n), static_cast<int64_t>(rank))) return false;
    const Factor* factor = factors_[n];
    for (size_t o = 0; o < graph_.nodes[n].outputs.size() && factor != nullptr; ++o)
      if (graph_.nodes[n].outputs[o] != kNone)
        cut_[static_cast<size_t>(graph_.nodes[n].outputs[o])] = CutOf(factor->outputs, o);
    if (next < exchanges.size() && exchanges[next].node == static_cast<int>(n))
      Exchange(exchanges[next++]);
  }
  return true;
}

bool Lockstep::RunNode(NodeId id, int64_t rank) {
  const Node& node = graph_.node(id);
  const Factor* factor = factors_[static_cast<size_t>(id)];
  const int64_t ranks = static_cast<int64_t>(values_.size());
  const OpDef* op = ops_.Find(node);
  if (op == nullptr || op->reference == nullptr) return false;
  OwnCall own(*op, graph_, node);
  if (factor != nullptr)
    for (const LiteralCut& literal : factor->literals) own.Shrink(literal, ranks, rank);
  std::vector<Tensor> wide(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone) continue;
    const Value& value = graph_.value(node.inputs[i]);
    const bool constant = own.call.inputs[i].constant != nullptr;
    const Cut* cut = factor == nullptr ? nullptr : CutOf(factor->inputs, i);
    const bool whole = constant || cut_[static_cast<size_t>(node.inputs[i])] == nullptr;
    if (constant)
      wide[i] = own.constants[i].Cast(ComputeType(value.type.element));
    else
      wide[i] = cut == nullptr && !whole ? Gathered(node.inputs[i]) : At(rank, node.inputs[i]);
    if (cut != nullptr && whole) wide[i] = Take(wide[i], cut->dim, IndicesOf(*cut, ranks, rank));
    if (cut != nullptr && constant) own.call.inputs[i].constant = nullptr;
    own.call.inputs[i].type.shape = wide[i].shape();
  }
  auto types = op->infer(own.call);
  if (!types.ok() || types.value().size() < node.outputs.size()) return false;
  std::vector<Tensor> outputs;
  for (const TensorType& type : types.value())
    outputs.push_back(Tensor::Zeros({ComputeType(type.element), type.shape}));
  if (!op->reference(own.call, wide, outputs).ok()) return false;
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    const Cut* cut = factor == nullptr ? nullptr : CutOf(factor->outputs, o);
    if (cut != nullptr && outputs[o].dim(cut->dim) != LocalSize(*cut, ranks, rank)) return false;
  }
  for (size_t o = 0; o < node.outputs.size(); ++o)
    if (node.outputs[o] != kNone)
      values_[static_cast<size_t>(rank)][static_cast<size_t>(node.outputs[o])] =
          std::move(outputs[o]);
  return true;
}

Tensor Lockstep::Gathered(ValueId value) const {
  const Cut& cut = *cut_[static_cast<size_t>(value)];
  const int64_t ranks = static_cast<int64_t>(values_.size());
  TensorType type = At(0, value).type();
  type.shape[static_cast<size_t>(cut.dim)] = cut.size();
  Tensor whole = Tensor::Zeros(type);
  for (int64_t rank = 0; rank < ranks; ++rank)
    Put(whole, cut.dim, IndicesOf(cut, ranks, rank), At(rank, value));
  return whole;
}

void Lockstep::Exchange(const InnerExchange& exchange) {
  const size_t value = static_cast<size_t>(graph_.node(exchange.node).outputs[0]);
  Tensor total = values_[0][value].Clone();
  for (size_t rank = 1; rank < values_.size(); ++rank)
    Fold(exchange.op, total, values_[rank][value]);
  for (std::vector<Tensor>& mine : values_) mine[value] = total;
}

}  // namespace metadist
