// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/op_table.h"

namespace metadist {

namespace ops {
#define OP(name) OpDef Make##name();
#include "metair/ops/ops.def"
#undef OP
}  // namespace ops

const OpTable& OpTable::BuiltIn() {
  static const OpTable table = [] {
    OpTable ops;
#define OP(name) ops.Add(ops::Make##name());
#include "metair/ops/ops.def"
#undef OP
    return ops;
  }();
  return table;
}

const OpDef* OpTable::Find(const std::string& domain, const std::string& name) const {
  const auto found = ops_.find({domain, name});
  return found == ops_.end() ? nullptr : &found->second;
}

void OpTable::Add(OpDef op) {
  const std::pair<std::string, std::string> key(op.domain, op.name);
  ops_[key] = std::move(op);
}

std::vector<const OpDef*> OpTable::all() const {
  std::vector<const OpDef*> out;
  for (const auto& [key, op] : ops_) out.push_back(&op);
  return out;
}

bool MayReadWeights(const OpTable& ops, const Graph& graph, const Use& use) {
  if (use.node == kNone) return false;
  const OpDef* op = ops.Find(graph.node(use.node));
  constexpr int kBits = 32;
  return op == nullptr || use.input >= kBits || (op->untrained >> use.input & 1) == 0;
}

}  // namespace metadist
