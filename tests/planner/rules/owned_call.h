// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "metair/ops/op_def.h"
#include "metair/spmd/sharding.h"

// Calls and valid inputs for the rule checker; shares no code with discovery.
namespace metadist::testing {

using Generator = std::mt19937_64;

// A call with all data it points to; copyable.
struct OwnedCall {
  const OpDef* op = nullptr;
  Attributes attributes;
  std::vector<bool> present;
  std::vector<TensorType> types;
  std::vector<std::optional<Tensor>> constants;
  int num_outputs = 1;

  explicit OwnedCall(const OpCall& call)
      : op(call.op), attributes(*call.attributes), num_outputs(call.num_outputs) {
    for (const OpCall::Input& in : call.inputs) {
      present.push_back(in.present);
      types.push_back(in.type);
      constants.push_back(in.constant ? std::optional<Tensor>(*in.constant) : std::nullopt);
    }
  }
  OpCall call() const {
    OpCall c;
    c.op = op;
    c.attributes = &attributes;
    c.num_outputs = num_outputs;
    for (size_t i = 0; i < types.size(); ++i)
      c.inputs.push_back({present[i], types[i], constants[i] ? &*constants[i] : nullptr});
    return c;
  }
  // nullopt if the operator rejects it.
  std::optional<std::vector<Tensor>> Run(const std::vector<Tensor>& inputs) const {
    OwnedCall local = *this;
    std::vector<Tensor> wide(types.size());
    for (size_t i = 0; i < types.size(); ++i) {
      if (!present[i]) continue;
      if (!constants[i]) local.types[i].shape = inputs[i].shape();
      wide[i] = constants[i] ? constants[i]->Cast(ComputeType(types[i].element)) : inputs[i];
    }
    const OpCall c = local.call();
    auto out_types = op->infer(c);
    if (!out_types.ok()) return std::nullopt;
    std::vector<Tensor> outputs;
    for (const TensorType& type : out_types.value())
      outputs.push_back(Tensor::Zeros({ComputeType(type.element), type.shape}));
    if (!op->reference(c, wide, outputs).ok()) return std::nullopt;
    return outputs;
  }
};

// Valid inputs of a call; nullopt if the domain has none.
inline std::optional<std::vector<Tensor>> DrawInputs(const OwnedCall& owned, Generator& random) {
  const OpCall call = owned.call();
  std::vector<InputDomain> domains;
  if (owned.op->domain_of != nullptr) domains = owned.op->domain_of(call);
  domains.resize(owned.types.size());
  std::vector<Tensor> inputs(owned.types.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!owned.present[i] || owned.constants[i]) continue;
    inputs[i] = Tensor::Zeros({ComputeType(owned.types[i].element), owned.types[i].shape});
    const int64_t count = inputs[i].size();
    const InputDomain& domain = domains[i];
    const uint64_t kind = random() % 4;
    std::vector<int64_t> bag;
    for (int64_t e = 0; e < count; ++e) {
      if (domain.kind == InputDomain::Kind::kIndex) {
        const auto& bound = domain.bounds[static_cast<size_t>(e) % domain.bounds.size()];
        const int64_t size =
            owned.types[static_cast<size_t>(bound.input)].shape[static_cast<size_t>(bound.dim)];
        if (size < 1) return std::nullopt;
        if (domain.distinct) {
          if (bag.empty())
            for (int64_t v = 0; v < size; ++v) bag.push_back(v);
          std::swap(bag.back(), bag[random() % bag.size()]);
          inputs[i].mutable_data<int64_t>()[e] = bag.back();
          bag.pop_back();
          if (bag.empty() && e + 1 < count) return std::nullopt;
          continue;
        }
        const int64_t low = domain.negative_ok ? -size : 0;
        inputs[i].mutable_data<int64_t>()[e] =
            low + static_cast<int64_t>(random() % static_cast<uint64_t>(size - low));
      } else if (inputs[i].element() == ElementType::kBool) {
        inputs[i].mutable_data<bool>()[e] = random() % 100 < (kind == 0 ? 3 : kind == 1 ? 97 : 50);
      } else {
        double v = kind == 0   ? std::normal_distribution<>(0, 3)(random)
                   : kind == 1 ? static_cast<double>(static_cast<int64_t>(random() % 19) - 9)
                   : kind == 2 ? std::normal_distribution<>(-6, 1)(random)
                               : std::uniform_real_distribution<>(-40, 40)(random);
        if (domain.kind == InputDomain::Kind::kPositive) v = std::abs(v) + 1;
        if (domain.kind == InputDomain::Kind::kRange)
          v = std::uniform_real_distribution<>(domain.low, domain.high)(random);
        if (inputs[i].element() == ElementType::kI64)
          inputs[i].mutable_data<int64_t>()[e] = static_cast<int64_t>(std::llround(v));
        else
          inputs[i].mutable_data<double>()[e] = v;
      }
    }
  }
  return inputs;
}

// Element i of an array of compute type, and the reduction of two values.
inline double Value(const Tensor& x, int64_t i) {
  if (x.element() == ElementType::kF64) return x.data<double>()[i];
  if (x.element() == ElementType::kBool) return x.data<bool>()[i] ? 1 : 0;
  return static_cast<double>(x.data<int64_t>()[i]);
}

inline double Merge(ReduceOp op, double a, double b) {
  switch (op) {
    case ReduceOp::kSum:
      return a + b;
    case ReduceOp::kProd:
      return a * b;
    case ReduceOp::kMax:
      return std::max(a, b);
    case ReduceOp::kMin:
      return std::min(a, b);
    case ReduceOp::kAnd:
      return a != 0 && b != 0 ? 1 : 0;
    case ReduceOp::kOr:
      return a != 0 || b != 0 ? 1 : 0;
  }
  return 0;
}

}  // namespace metadist::testing
