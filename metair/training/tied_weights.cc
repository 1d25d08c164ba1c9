// SPDX-License-Identifier: Apache-2.0
// Idea: an exporter that folds constants stores a shared weight twice: as it is for one layer, and
// transposed for a product. Matrices are looked up by 64 of their elements, in either order; those
// that are found are compared as a whole.
#include "metair/training/tied_weights.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "metair/ir/unique_names.h"
#include "metair/ops/graph_builder.h"
#include "metair/ops/term.h"
#include "metair/training/readers.h"

namespace metadist {
namespace {

// A matrix of whole bytes, read as it is or transposed.
struct Matrix {
  const Tensor& data;
  bool transposed = false;

  int64_t rows() const { return data.dim(transposed ? 1 : 0); }
  int64_t columns() const { return data.dim(transposed ? 0 : 1); }
  std::string_view at(int64_t row, int64_t column) const {
    const int64_t size = ByteSize(data.element());
    const int64_t place = transposed ? column * data.dim(1) + row : row * data.dim(1) + column;
    return {reinterpret_cast<const char*>(data.bytes()) + place * size, static_cast<size_t>(size)};
  }
};

// Type, shape and some elements; "" if fewer than 8 of these differ.
std::string KeyOf(const Matrix& matrix) {
  constexpr int64_t kSamples = 64;
  constexpr int64_t kRowStep = 7919;  // primes: rows and columns in no order
  constexpr int64_t kColumnStep = 104729;
  constexpr size_t kLeastDifferent = 8;
  std::string key = TypeText({matrix.data.element(), {matrix.rows(), matrix.columns()}});
  std::set<std::string_view> different;
  for (int64_t i = 0; i < kSamples; ++i) {
    const std::string_view element =
        matrix.at(i * kRowStep % matrix.rows(), i * kColumnStep % matrix.columns());
    different.insert(element);
    key += element;
  }
  return different.size() < kLeastDifferent ? "" : key;
}

bool AreEqual(const Matrix& a, const Matrix& b) {
  for (int64_t row = 0; row < a.rows(); ++row)
    for (int64_t column = 0; column < a.columns(); ++column)
      if (a.at(row, column) != b.at(row, column)) return false;
  return true;
}

bool IsMatrix(const Value& value) {
  constexpr int kByte = 8;
  const TensorType& type = value.type;
  return value.kind == ValueKind::kParameter && value.data.has_data() && type.shape.size() == 2 &&
         NumElements(type.shape) > 0 && ClassOf(type.element) == ElementClass::kFloat &&
         BitSize(type.element) >= kByte;
}

// A node that transposes a matrix; it belongs to no graph yet.
Node Transposing(const TensorType& type, const OpTable& ops) {
  GraphBuilder b("tied", ops);
  b.Output(Term(b, b.Input("weight", type)).Transposed({1, 0}).value());
  return b.Done().value().nodes[0];
}

// Makes each copy, a parameter, the transpose of its weight.
void Tie(const std::vector<std::pair<ValueId, ValueId>>& copies, const OpTable& ops, Graph& graph) {
  UniqueNames names(graph);
  std::vector<Node> nodes;
  for (const auto& [copy, weight] : copies) {
    Value& value = graph.value(copy);
    value.kind = ValueKind::kResult;
    value.data = {};
    value.producer = static_cast<NodeId>(nodes.size());
    Node node = Transposing(graph.value(weight).type, ops);
    node.name = names.Fresh(value.name + ".tied");
    node.inputs = {weight};
    node.outputs = {copy};
    nodes.push_back(std::move(node));
  }
  const auto added = static_cast<NodeId>(nodes.size());
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.outputs)
      if (id != kNone) graph.value(id).producer += added;
  std::ranges::move(graph.nodes, std::back_inserter(nodes));
  graph.nodes = std::move(nodes);
}

// Matrices of the same elements: as the first holds them, and transposed.
struct Group {
  std::vector<ValueId> own;
  std::vector<ValueId> turned;
};

std::vector<Group> GroupsOf(const Graph& graph) {
  std::vector<Group> groups;
  std::map<std::string, size_t> found;  // by key, of the first matrix and of its transpose
  for (const ValueId id : graph.OfKind(ValueKind::kParameter)) {
    const Value& value = graph.value(id);
    if (!IsMatrix(value)) continue;
    const std::string key = KeyOf({value.data});
    if (key.empty()) continue;
    const auto same = found.find(key);
    if (same == found.end()) {
      found.emplace(key, groups.size());
      found.emplace(KeyOf({value.data, true}), groups.size());
      groups.push_back({{id}, {}});
      continue;
    }
    Group& group = groups[same->second];
    const Tensor& first = graph.value(group.own[0]).data;
    if (Identical(first, value.data))
      group.own.push_back(id);
    else if (first.dim(0) == value.data.dim(1) && AreEqual({first}, {value.data, true}))
      group.turned.push_back(id);
  }
  return groups;
}

}  // namespace

Graph WithTiedWeights(Graph model, const OpTable& ops, TiedWeights* found) {
  const std::vector<std::vector<Use>> uses = UsesOf(model);
  const auto only_products = [&](ValueId id) {
    return ReadersOf(model, uses[static_cast<size_t>(id)], ops).all_products;
  };
  std::vector<std::pair<ValueId, ValueId>> copies;
  for (Group& group : GroupsOf(model)) {
    auto& [own, turned] = group;
    // Of several equal ones nobody can tell whose transpose a copy is.
    if (own.size() > 1 && turned.size() == 1) std::swap(own, turned);
    if (own.size() == 1 && turned.size() == 1 && only_products(own[0]) && !only_products(turned[0]))
      std::swap(own, turned);
    const bool tied = own.size() == 1;
    for (const ValueId copy : turned)
      if (tied) copies.emplace_back(copy, own[0]);
    for (const std::vector<ValueId>& equal : {own, tied ? std::vector<ValueId>{} : turned})
      for (size_t i = 1; i < equal.size(); ++i)
        found->equal.emplace_back(model.value(equal[i]).name, model.value(equal[0]).name);
  }
  for (const auto& [copy, weight] : copies)
    found->transposed.emplace_back(model.value(copy).name, model.value(weight).name);
  if (!copies.empty()) Tie(copies, ops, model);
  return model;
}

}  // namespace metadist
