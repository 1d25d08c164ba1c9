// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "executor/cpu/kernel.h"
#include "metair/ops/draw.h"
#include "metair/ops/example_call.h"
#include "metair/ops/op_table.h"

// Compares kernels with the reference kernel of their operator, on drawn inputs. Bounds: |kernel -
// reference| <= atol + rtol |reference|.
namespace metadist::cpu {

struct Bound {
  double atol;
  double rtol;
};

inline Bound BoundOf(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return {2e-6, 2e-5};
    case ElementType::kF16:
      return {2e-3, 2e-3};
    case ElementType::kBF16:
      return {2e-2, 1e-2};
    default:
      return {0, 0};
  }
}

inline void ExpectClose(const Tensor& got, const Tensor& expected) {
  ASSERT_EQ(got.type(), expected.type());
  const Bound bound = BoundOf(got.element());
  const std::vector<double> a = got.ToDoubles();
  const std::vector<double> b = expected.ToDoubles();
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(b[i]) && std::isnan(a[i])) continue;
    if (a[i] == b[i]) continue;
    ASSERT_LE(std::abs(a[i] - b[i]), bound.atol + bound.rtol * std::abs(b[i]))
        << "element " << i << ": " << a[i] << " against " << b[i];
  }
}

// Runs the prepared kernel of the call. `kernel` receives its name.
inline std::vector<Tensor> RunKernel(const OpCall& call,
                                     const std::vector<Tensor>& inputs,
                                     std::string* kernel) {
  const auto types = InferTypes(call);
  EXPECT_TRUE(types.ok()) << types.error().text();
  const Prepared prepared = Prepare({&call, types.value()});
  *kernel = prepared.kernel;
  std::vector<Tensor> outputs;
  std::vector<std::byte*> to;
  for (const TensorType& type : types.value()) outputs.push_back(Tensor::Zeros(type));
  for (Tensor& output : outputs) {
    std::memset(output.mutable_bytes(), 0x5a, static_cast<size_t>(output.type().bytes()));
    to.push_back(output.mutable_bytes());
  }
  std::vector<const std::byte*> from;
  for (const Tensor& input : inputs) from.push_back(input.bytes());
  Tensor scratch = Tensor::Zeros({ElementType::kU8, {prepared.scratch_bytes}});
  const auto ran = prepared.run({from, to, scratch.mutable_bytes()});
  EXPECT_TRUE(ran.ok()) << ran.error().text();
  return outputs;
}

inline std::string Compare(const OpCall& call, uint64_t seed) {
  const auto inputs = DrawInputs(call, seed);
  EXPECT_TRUE(inputs.ok()) << inputs.error().text();
  const auto expected = Evaluate(call, inputs.value());
  EXPECT_TRUE(expected.ok()) << expected.error().text();
  std::string kernel;
  const std::vector<Tensor> got = RunKernel(call, inputs.value(), &kernel);
  for (size_t i = 0; i < got.size(); ++i) ExpectClose(got[i], expected.value()[i]);
  return kernel;
}

inline bool HasRunTimeSize(const std::vector<TensorType>& types) {
  for (const TensorType& type : types)
    for (int64_t size : type.shape)
      if (size < 0) return true;
  return false;
}

inline std::string CompareExample(const OpDef& op, const OpExample& example, uint64_t seed) {
  SCOPED_TRACE(op.name);
  const std::vector<Tensor> constants = ConstantsOf(example);
  const OpCall call = CallOf(op, example, constants);
  const auto types = InferTypes(call);
  if (!types.ok() || HasRunTimeSize(types.value())) return "skipped";
  return Compare(call, seed);
}

inline std::string CompareNamed(const std::string& name,
                                const OpExample& example,
                                const std::string& domain = "") {
  const OpDef* op = OpTable::BuiltIn().Find(domain, name);
  EXPECT_NE(op, nullptr) << name;
  return CompareExample(*op, example, 7);
}

inline OpExample::Input F32(Shape shape) { return {{ElementType::kF32, std::move(shape)}}; }
inline OpExample::Input Ints(const std::vector<int64_t>& values) {
  return {.type = {ElementType::kI64, {static_cast<int64_t>(values.size())}}, .constant = values};
}

inline OpExample::Input I64(Shape shape) { return {{ElementType::kI64, std::move(shape)}}; }
inline OpExample::Input Truth(Shape shape) { return {{ElementType::kBool, std::move(shape)}}; }

}  // namespace metadist::cpu
