// SPDX-License-Identifier: Apache-2.0
// Random data that is legal for a model. The operators that use an input restrict its values
// (InputDomain). If the direct user has no restriction (a copy, a cast, a sum of positions), the
// users of its results are examined in turn.
#include "executor/host/random_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "metair/ir/parallel.h"
#include "metair/ir/split_mix.h"
#include "metair/spmd/collective.h"

namespace metadist {
namespace {

class Generator {
 public:
  Generator(uint64_t seed, std::string_view name) : state_(seed) {
    for (unsigned char c : name) state_ = (state_ ^ c) * 0x100000001b3u;
  }
  uint64_t Bits() { return SplitMixBits(state_ += kSplitMixStep); }
  // In (0, 1].
  double Uniform() { return static_cast<double>((Bits() >> 11) + 1) * 0x1p-53; }
  // Two independent normal variates, from two calls of Bits(). Source: Box and Muller 1958, "A note
  // on the generation of random normal deviates".
  std::pair<double, double> Normals() {
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    const double angle = 2 * std::numbers::pi * Uniform();
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(Bits() % static_cast<uint64_t>(limit));
  }
  // The generator after `count` calls of Bits().
  Generator After(int64_t count) const {
    Generator later = *this;
    later.state_ += static_cast<uint64_t>(count) * kSplitMixStep;
    return later;
  }

 private:
  uint64_t state_;
};

// The restrictions that the users of a value put on its elements.
struct Legal {
  bool index = false;
  bool positive = false;
  bool range = false;
  int64_t limit = std::numeric_limits<int64_t>::max();  // exclusive limit of an index
  double low = 0;
  double high = 0;
  InputDomain rows = {};  // a range that depends on the row
};

}  // namespace

class RandomData::LegalValues {
 public:
  LegalValues(const Graph& graph, const OpTable& ops)
      : graph_(graph), ops_(ops), uses_(UsesOf(graph)) {}

  Legal Of(ValueId value) const {
    Legal legal;
    Follow(value, value, 0, legal);
    return legal;
  }

 private:
  static constexpr int kDepth = 12;

  // A node of the lowered program that is no collective and keeps the type of its only operand: it
  // converts indices between pieces.
  bool CountsElsewhere(const Node& node) const {
    return node.domain == kCollectiveDomain && node.inputs.size() == 1 &&
           node.outputs.size() == 1 &&
           graph_.value(node.inputs[0]).type == graph_.value(node.outputs[0]).type;
  }

  void Follow(ValueId origin, ValueId value, int depth, Legal& legal) const {
    for (const Use& use : uses_[static_cast<size_t>(value)]) {
      if (use.node == kNone) continue;
      const Node& node = graph_.node(use.node);
      if (CollectiveOf(node) || CountsElsewhere(node)) {  // holds the same values
        const ValueId moved = node.outputs[0];
        Follow(value == origin ? moved : origin, moved, depth, legal);
        continue;
      }
      const OpDef* op = ops_.Find(node);
      if (op == nullptr || static_cast<size_t>(use.input) >= node.inputs.size()) continue;
      InputDomain domain;
      if (op->domain_of != nullptr) {
        const OpCall call = CallOf(*op, graph_, node);
        const std::vector<InputDomain> domains = op->domain_of(call);
        if (static_cast<size_t>(use.input) < domains.size())
          domain = domains[static_cast<size_t>(use.input)];
      }
      Add(node, domain, value == origin, legal);
      const bool integers = ClassOf(graph_.value(value).type.element) == ElementClass::kInt;
      if (domain.kind != InputDomain::Kind::kAny || !integers || depth == kDepth) continue;
      for (ValueId output : node.outputs)
        if (output != kNone && graph_.value(output).type.element == ElementType::kI64)
          Follow(origin, output, depth + 1, legal);
    }
  }

  void Add(const Node& node, const InputDomain& domain, bool direct, Legal& legal) const {
    switch (domain.kind) {
      case InputDomain::Kind::kAny:
        return;
      case InputDomain::Kind::kPositive:
        legal.positive |= direct;
        return;
      case InputDomain::Kind::kRange:
        if (!direct) return;
        legal.range = true;
        legal.low = domain.low;
        legal.high = domain.high;
        if (domain.step != 0) legal.rows = domain;
        return;
      case InputDomain::Kind::kIndex:
        legal.index = true;
        for (const InputDomain::Bound& bound : domain.bounds) {
          const Shape& shape =
              graph_.value(node.inputs[static_cast<size_t>(bound.input)]).type.shape;
          legal.limit = std::min(legal.limit, shape[static_cast<size_t>(bound.dim)]);
        }
        return;
    }
  }

  const Graph& graph_;
  const OpTable& ops_;
  std::vector<std::vector<Use>> uses_;
};

namespace {

// Integers and booleans that are not used as an index are mostly masks: the first element of each
// row is set, so that no row is empty.
Tensor DrawMask(const TensorType& type, Generator& generator) {
  Tensor wide = Tensor::Zeros({ElementType::kI64, type.shape});
  const int64_t row = type.shape.empty() ? 1 : type.shape.back();
  int64_t* out = wide.mutable_data<int64_t>();
  for (int64_t i = 0; i < wide.size(); ++i)
    out[i] = i % row == 0 ? 1 : static_cast<int64_t>(generator.Bits() & 1);
  return wide.Cast(type.element);
}

// Each element takes one Bits(), but normal numbers are drawn in pairs: blocks must begin at even
// positions.
constexpr size_t kBlock = 1 << 16;

void DrawFloats(const Legal& legal, double scale, Generator generator, std::span<float> out) {
  if (legal.range) {
    for (float& x : out)
      x = static_cast<float>(legal.low + (legal.high - legal.low) * generator.Uniform());
    return;
  }
  const auto value = [&](double normal) {
    const double x = normal * scale;
    return static_cast<float>(legal.positive ? std::abs(x) + 0.5 : x);
  };
  for (size_t i = 0; i < out.size(); i += 2) {
    const auto [first, second] = generator.Normals();
    out[i] = value(first);
    if (i + 1 < out.size()) out[i + 1] = value(second);
  }
}

// Values drawn one after another.
Tensor DrawIntegers(const TensorType& type, const Legal& legal, Generator generator) {
  if (legal.index && legal.limit > 0) {
    Tensor wide = Tensor::Zeros({ElementType::kI64, type.shape});
    int64_t* out = wide.mutable_data<int64_t>();
    for (int64_t i = 0; i < wide.size(); ++i) out[i] = generator.Below(legal.limit);
    return wide.Cast(type.element);
  }
  if (legal.rows.step != 0) {
    Tensor wide = Tensor::Zeros({ElementType::kI64, type.shape});
    int64_t* out = wide.mutable_data<int64_t>();
    const int64_t low = static_cast<int64_t>(legal.low);
    const int64_t count = static_cast<int64_t>(legal.high) - low + 1;
    for (int64_t i = 0; i < wide.size(); ++i)
      out[i] = low + legal.rows.Raised(type.shape, i) + generator.Below(count);
    return wide.Cast(type.element);
  }
  return DrawMask(type, generator);
}

bool IsDrawnInBlocks(const TensorType& type, const Legal& legal) {
  return ClassOf(type.element) == ElementClass::kFloat && legal.rows.step == 0 &&
         !(legal.index && legal.limit > 0);
}

size_t Cores() { return std::max(1u, std::thread::hardware_concurrency()); }

// 1 / sqrt(fan-in). Fan-in: the rows of a matrix, else the product of all dims but the first.
double WeightScale(const Shape& shape) {
  if (shape.size() < 2) return 0.5;
  const int64_t fan_in =
      shape.size() == 2 ? shape[0] : NumElements(shape) / std::max<int64_t>(shape[0], 1);
  return 1.0 / std::sqrt(static_cast<double>(std::max<int64_t>(fan_in, 1)));
}

}  // namespace

RandomData::RandomData(const Graph& graph, uint64_t seed, const OpTable& ops)
    : graph_(graph), seed_(seed), legal_(std::make_unique<const LegalValues>(graph, ops)) {}

RandomData::~RandomData() = default;

Tensor RandomData::Draw(ValueId value) const {
  Tensor out = Tensor::Zeros(graph_.value(value).type);
  DrawPart(value, 0, 1, out.mutable_bytes());
  return out;
}

void RandomData::DrawPart(ValueId id, size_t part, size_t parts, std::byte* out) const {
  const Value& value = graph_.value(id);
  const TensorType& type = value.type;
  const Legal legal = legal_->Of(id);
  const Generator generator(seed_, value.name);
  if (!IsDrawnInBlocks(type, legal)) {
    if (part > 0) return;
    const Tensor drawn = DrawIntegers(type, legal, generator);
    std::copy_n(drawn.bytes(), type.bytes(), out);
    return;
  }
  const double scale = value.kind == ValueKind::kInput ? 1 : WeightScale(type.shape);
  const size_t size = static_cast<size_t>(NumElements(type.shape));
  const size_t bytes_each = size == 0 ? 0 : static_cast<size_t>(type.bytes()) / size;
  const size_t blocks = (size + kBlock - 1) / kBlock;
  const size_t mine = blocks / parts + (part < blocks % parts ? 1 : 0);
  ParallelFor(mine, static_cast<int>(std::max<size_t>(1, Cores() / parts)), [&](size_t k) {
    const size_t begin = (k * parts + part) * kBlock;
    const size_t count = std::min(kBlock, size - begin);
    Tensor block = Tensor::Zeros({ElementType::kF32, {static_cast<int64_t>(count)}});
    DrawFloats(legal,
               scale,
               generator.After(static_cast<int64_t>(begin)),
               {block.mutable_data<float>(), count});
    const Tensor narrow = block.Cast(type.element);
    std::copy_n(narrow.bytes(), count * bytes_each, out + begin * bytes_each);
  });
}

NamedTensors RandomInputs(const Graph& graph, uint64_t seed, const OpTable& ops) {
  const RandomData data(graph, seed, ops);
  NamedTensors out;
  for (ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    if (!value.data.has_data()) out[value.name] = data.Draw(id);
  }
  return out;
}

NamedTensors RandomWeights(const Graph& graph, uint64_t seed, const OpTable& ops) {
  const RandomData data(graph, seed, ops);
  NamedTensors out;
  for (ValueId id = 0; id < static_cast<ValueId>(graph.values.size()); ++id) {
    const Value& value = graph.value(id);
    const bool stored = value.kind == ValueKind::kParameter || value.kind == ValueKind::kConstant;
    if (stored && !value.data.has_data()) out[value.name] = data.Draw(id);
  }
  return out;
}

}  // namespace metadist
