// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/program.h"

#include <fmt/format.h>

#include <cstring>

#include "metair/ops/held_call.h"

namespace metadist {
namespace {

void LocalizeLiteral(Graph& graph,
                     NodeId node,
                     const LocalLiteral& literal,
                     const Mesh& mesh,
                     const std::vector<int64_t>& coordinate) {
  if (literal.input == kNone) {
    Attribute& value = graph.node(node).attributes.all()[literal.attribute];
    if (auto* number = std::get_if<int64_t>(&value))
      *number = LocalValues({*number}, literal.entries, mesh, coordinate)[0];
    else
      value = LocalValues(std::get<std::vector<int64_t>>(value), literal.entries, mesh, coordinate);
    return;
  }
  const size_t input = static_cast<size_t>(literal.input);
  Value own = graph.value(graph.node(node).inputs[input]);
  CHECK(own.data.has_data(), "the integers of a call are known");
  own.name = fmt::format("{}@{}", own.name, graph.node(node).name);
  const std::vector<int64_t> local =
      LocalValues(own.data.ToInts(), literal.entries, mesh, coordinate);
  own.data = Tensor::Of(own.type.shape, local).Cast(own.type.element);
  graph.node(node).inputs[input] = graph.AddValue(std::move(own));
}

// Copies between a whole array and the blocks of it that a rank holds, by contiguous runs. Spare
// elements are not touched.
class BlockCopy {
 public:
  BlockCopy(const TensorType& whole,
            const Sharding& sharding,
            const Mesh& mesh,
            const std::vector<int64_t>& coordinate)
      : shape_(whole.shape), item_(ByteSize(whole.element)) {
    for (size_t d = 0; d < shape_.size(); ++d) {
      runs_.push_back(LocalIntervals(sharding.dims[d], shape_[d], mesh, coordinate));
      own_.push_back(LocalSize(sharding.dims[d], shape_[d], mesh, coordinate));
    }
  }

  // Calls visit(byte offset in the whole, byte offset in the local array, bytes).
  template <typename Visitor>
  void Run(Visitor&& visit) const {
    Walk(0, 0, 0, visit);
  }

 private:
  // offset, local: counted in elements of the dims before `dim`.
  template <typename Visitor>
  void Walk(size_t dim, int64_t offset, int64_t local, Visitor& visit) const {
    if (dim == shape_.size()) return visit(offset * item_, local * item_, item_);
    int64_t at = local * own_[dim];
    for (const Interval& run : runs_[dim]) {
      if (dim + 1 == shape_.size()) {
        visit((offset * shape_[dim] + run.begin) * item_, at * item_, run.size() * item_);
        at += run.size();
        continue;
      }
      for (int64_t i = run.begin; i < run.end; ++i)
        Walk(dim + 1, offset * shape_[dim] + i, at++, visit);
    }
  }

  const Shape& shape_;
  int64_t item_;
  std::vector<std::vector<Interval>> runs_;
  Shape own_;  // local size of each dim
};

}  // namespace

std::optional<std::vector<int64_t>> WholeValues(const Graph& graph,
                                                const Node& node,
                                                const LocalLiteral& literal) {
  if (literal.input != kNone) {
    const size_t input = static_cast<size_t>(literal.input);
    const ValueId id = input < node.inputs.size() ? node.inputs[input] : kNone;
    if (id == kNone || !graph.value(id).data.has_data()) return std::nullopt;
    return graph.value(id).data.ToInts();
  }
  const auto found = node.attributes.all().find(literal.attribute);
  if (found == node.attributes.all().end()) return std::nullopt;
  if (const auto* one = std::get_if<int64_t>(&found->second)) return std::vector{*one};
  const auto* list = std::get_if<std::vector<int64_t>>(&found->second);
  return list == nullptr ? std::nullopt : std::optional(*list);
}

void HoldSums(const Operands& inputs, const Operands& outputs, Attributes& attributes) {
  const auto held = [](const Operands& operands) {
    std::vector<std::optional<ElementType>> types(operands.types.size());
    for (size_t i = 0; i < types.size(); ++i)
      if (HeldType(operands.types[i], operands.shardings[i]) != operands.types[i])
        types[i] = operands.types[i].element;
    return types;
  };
  const HeldOperands all{held(inputs), held(outputs)};
  if (all.any()) SetHeld(all, attributes);
}

Graph Instantiate(const Stage& stage, int64_t rank) {
  const Mesh& mesh = stage.mesh;
  Graph graph = stage.graph;
  const std::vector<int64_t> coordinate = mesh.CoordinateOf(rank);
  for (const auto& [node, literals] : stage.literals)
    for (const LocalLiteral& literal : literals)
      LocalizeLiteral(graph, node, literal, mesh, coordinate);
  for (size_t v = 0; v < stage.shardings.size(); ++v) {
    Value& value = graph.values[v];
    if (stage.shardings[v].CuttingAxes().empty() && value.kind != ValueKind::kParameter) continue;
    value.type.shape = LocalShape(value.type.shape, stage.shardings[v], mesh, rank);
    if (value.kind == ValueKind::kParameter || value.kind == ValueKind::kConstant)
      value.data = Tensor::Absent(value.type);
  }
  return graph;
}

Tensor SliceLocal(const Tensor& whole, const Sharding& sharding, const Mesh& mesh, int64_t rank) {
  Tensor local = Tensor::Zeros({whole.element(), LocalShape(whole.shape(), sharding, mesh, rank)});
  std::byte* to = local.mutable_bytes();
  BlockCopy(whole.type(), sharding, mesh, mesh.CoordinateOf(rank))
      .Run([&](int64_t global, int64_t own, int64_t bytes) {
        std::memcpy(to + own, whole.bytes() + global, static_cast<size_t>(bytes));
      });
  return local;
}

void PlaceLocal(
    const Tensor& local, const Sharding& sharding, const Mesh& mesh, int64_t rank, Tensor& whole) {
  std::byte* to = whole.mutable_bytes();
  BlockCopy(whole.type(), sharding, mesh, mesh.CoordinateOf(rank))
      .Run([&](int64_t global, int64_t own, int64_t bytes) {
        std::memcpy(to + global, local.bytes() + own, static_cast<size_t>(bytes));
      });
}

CollectiveStep StepOf(const Stage& stage, NodeId id) {
  const Node& node = stage.graph.node(id);
  CollectiveStep step;
  step.kind = *CollectiveOf(node);
  for (const std::string& name : node.attributes.Strings("axes"))
    step.axes.push_back(stage.mesh.Find(name));
  step.from = stage.shardings[static_cast<size_t>(node.inputs[0])];
  step.to = stage.shardings[static_cast<size_t>(node.outputs[0])];
  return step;
}

const std::string& Stage::NameOfOutput(size_t position) const {
  const auto named = output_names.find(position);
  return named == output_names.end() ? graph.value(graph.outputs[position]).name : named->second;
}

const TensorType& MovedType(const Stage& stage, NodeId id) {
  const Node& node = stage.graph.node(id);
  const TensorType& from = stage.graph.value(node.inputs[0]).type;
  const TensorType& to = stage.graph.value(node.outputs[0]).type;
  return IsNarrowFloat(to.element) ? to : from;
}

}  // namespace metadist
