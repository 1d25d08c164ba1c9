// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/compose/piece_graph.h"

#include <utility>

#include "metair/ops/range.h"

namespace metadist {
namespace {

std::vector<Cut> CutsOf(const Graph& graph,
                        const std::vector<ValueId>& values,
                        const std::map<ValueId, int64_t>& cut) {
  std::vector<Cut> cuts;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = cut.find(values[i]);
    if (at == cut.end()) continue;
    const size_t dim = static_cast<size_t>(at->second);
    cuts.push_back({static_cast<int>(i),
                    static_cast<int>(dim),
                    1,
                    {{graph.value(values[i]).type.shape[dim], 1}}});
  }
  return cuts;
}

LiteralCut SizeAt(int input, int64_t value) { return {input, "", 0, {.parts = {{value, 1}}}}; }

}  // namespace

ValueId SliceOf(Composer& compose, ValueId value, int64_t dim, int64_t begin, int64_t end) {
  return compose.Add(
      "Slice",
      {value, compose.Integers({begin}), compose.Integers({end}), compose.Integers({dim})});
}

ValueId PositionsAlong(Composer& compose, int64_t count, int64_t behind) {
  const ValueId positions = ComposePositions(compose, 0, count);
  if (behind == 0) return positions;
  std::vector<int64_t> dims;
  for (int64_t d = 1; d <= behind; ++d) dims.push_back(d);
  return compose.With("Unsqueeze", positions, dims);
}

std::vector<ValueId> PieceComposer::Inputs() {
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < call_.inputs.size(); ++i) {
    const Tensor* constant = call_.inputs[i].constant;
    inputs.push_back(!call_.has(i)         ? kNone
                     : constant != nullptr ? compose_.Constant(*constant)
                                           : compose_.Given(i));
  }
  return inputs;
}

ValueId PieceComposer::Cut(ValueId value, int64_t dim) {
  cut_[value] = dim;
  return value;
}

void PieceComposer::OnPieces(std::vector<LiteralCut> sizes, bool summed) {
  if (compose_.graph().nodes.empty()) return;
  const Node& node = compose_.graph().nodes.back();
  Factor& step = steps_[compose_.graph().nodes.size() - 1];
  step.name = kPieceFactor;
  step.inputs = CutsOf(compose_.graph(), node.inputs, cut_);
  step.outputs = CutsOf(compose_.graph(), node.outputs, cut_);
  step.literals = std::move(sizes);
  if (summed) step.reductions[0] = ReduceOp::kSum;
}

ValueId PieceComposer::Add(const std::string& op,
                           const std::vector<ValueId>& inputs,
                           int64_t dim,
                           const Attributes& attributes) {
  const ValueId made = Cut(compose_.Add(op, inputs, attributes), dim);
  OnPieces();
  return made;
}

ValueId PieceComposer::Mask(size_t dims, size_t dim, int64_t size, const Interval& where) {
  const ValueId places = PositionsAlong(compose_, size, static_cast<int64_t>(dims - dim) - 1);
  ValueId mask = compose_.Add("Less", {places, compose_.Integer(where.end)});
  if (where.begin > 0) {
    const ValueId before = compose_.Add("Less", {places, compose_.Integer(where.begin)});
    const ValueId no = compose_.Constant(Tensor::Zeros({ElementType::kBool, {}}));
    mask = compose_.Add("Where", {before, no, mask});
  }
  return Cut(mask, 0);
}

void PieceComposer::Step(Factor step) {
  if (!compose_.graph().nodes.empty()) steps_[compose_.graph().nodes.size() - 1] = std::move(step);
}

void PieceComposer::Exchanged(ReduceOp op) {
  exchanges_.push_back({static_cast<int>(compose_.graph().nodes.size()) - 1, op});
}

ValueId PieceComposer::Joined(const std::vector<ValueId>& values, int64_t dim) {
  const ValueId made = Cut(compose_.Add("Concat", values, {{"axis", dim}}), dim);
  OnPieces();
  return made;
}

ValueId PieceComposer::Span(ValueId value, int64_t dim, int64_t begin, int64_t end) {
  const ValueId made = Cut(SliceOf(compose_, value, dim, begin, end), dim);
  std::vector<LiteralCut> sizes{SizeAt(2, end)};
  if (begin > 0) sizes.push_back(SizeAt(1, begin));
  OnPieces(std::move(sizes));
  return made;
}

std::vector<ValueId> PieceComposer::Again(const std::vector<ValueId>& inputs) {
  return compose_.Again(inputs, *call_.attributes);
}

Result<PieceGraph> PieceComposer::Done(const std::vector<ValueId>& results) {
  PieceGraph out;
  out.graph = TRY(compose_.Done(results));
  out.steps.resize(out.graph.nodes.size());
  for (auto& [node, step] : steps_) out.steps[node] = std::move(step);
  out.exchanges = std::move(exchanges_);
  return out;
}

}  // namespace metadist
