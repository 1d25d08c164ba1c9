// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/draw.h"

#include <cmath>

#include "metair/ir/split_mix.h"

namespace metadist {
namespace {

constexpr double kGrid = 64;

// Every seed gives a full-period stream.
class Stream {
 public:
  explicit Stream(uint64_t seed) : state_(seed) {}

  // In [low, high], both included. The modulo bias is below 2^-50 for the small ranges drawn here.
  int64_t Int(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Next() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  uint64_t Next() { return SplitMixBits(state_ += kSplitMixStep); }

  uint64_t state_;
};

struct Range {
  double low;
  double high;
};

Range RangeOf(const InputDomain& domain, ElementType element) {
  const bool floats = ClassOf(element) == ElementClass::kFloat;
  switch (domain.kind) {
    case InputDomain::Kind::kPositive:
      return floats ? Range{1 / kGrid, 4} : Range{1, 9};
    case InputDomain::Kind::kRange:
      return {domain.low, domain.high};
    case InputDomain::Kind::kAny:
    case InputDomain::Kind::kIndex:
      break;
  }
  if (floats) return {-2, 2};
  return IsUnsigned(element) ? Range{0, 9} : Range{-9, 9};
}

Tensor DrawFromRange(const TensorType& type, const InputDomain& domain, Stream& stream) {
  const Range range = RangeOf(domain, type.element);
  Tensor wide = Tensor::Zeros({ComputeType(type.element), type.shape});
  const int64_t count = wide.size();
  switch (ClassOf(type.element)) {
    case ElementClass::kFloat:
      for (int64_t i = 0; i < count; ++i)
        wide.mutable_data<double>()[i] =
            static_cast<double>(
                stream.Int(std::llround(range.low * kGrid), std::llround(range.high * kGrid))) /
            kGrid;
      break;
    case ElementClass::kInt:
      for (int64_t i = 0; i < count; ++i)
        wide.mutable_data<int64_t>()[i] =
            domain.Raised(type.shape, i) +
            stream.Int(std::llround(range.low), std::llround(range.high));
      break;
    case ElementClass::kBool:
      for (int64_t i = 0; i < count; ++i) wide.mutable_data<bool>()[i] = stream.Int(0, 1) == 1;
      break;
  }
  return wide.Cast(type.element);
}

// Indices, each below the bound of its column (or below the only bound).
Result<Tensor> DrawIndices(const OpCall& call,
                           const TensorType& type,
                           const InputDomain& domain,
                           Stream& stream) {
  std::vector<int64_t> sizes;
  for (const InputDomain::Bound& bound : domain.bounds)
    sizes.push_back(call.shape(static_cast<size_t>(bound.input))[static_cast<size_t>(bound.dim)]);
  Tensor wide = Tensor::Zeros({ElementType::kI64, type.shape});
  int64_t* to = wide.mutable_data<int64_t>();
  const int64_t columns = static_cast<int64_t>(sizes.size());
  for (int64_t i = 0; i < wide.size(); ++i) {
    const int64_t size = sizes[static_cast<size_t>(i % columns)];
    if (size == 0) return BadInput("", "no index fits a dim of size 0");
    to[i] = stream.Int(domain.negative_ok ? -size : 0, size - 1);
  }
  return wide.Cast(type.element);
}

}  // namespace

Result<std::vector<Tensor>> DrawInputs(const OpCall& call, uint64_t seed) {
  std::vector<InputDomain> domains(call.inputs.size());
  if (call.op->domain_of != nullptr) domains = call.op->domain_of(call);
  domains.resize(call.inputs.size());
  std::vector<Tensor> drawn(call.inputs.size());
  for (size_t i = 0; i < drawn.size(); ++i) {
    const OpCall::Input& input = call.inputs[i];
    Stream stream(seed * 1000003 + i);
    if (!input.present) continue;
    if (input.constant != nullptr)
      drawn[i] = *input.constant;
    else if (domains[i].kind == InputDomain::Kind::kIndex)
      drawn[i] = TRY(DrawIndices(call, input.type, domains[i], stream));
    else
      drawn[i] = DrawFromRange(input.type, domains[i], stream);
  }
  return drawn;
}

}  // namespace metadist
