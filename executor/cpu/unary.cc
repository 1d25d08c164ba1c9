// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/unary.h"

#include <cmath>

#include "executor/cpu/multiversion.h"
#include "executor/cpu/vector_math.h"

namespace metadist::cpu {
namespace {

using F = UnaryFunction;

template <typename X, typename Y, typename Function>
METADIST_INLINE void Map(const X* x, Y* y, int64_t count, Function f) {
  for (int64_t i = 0; i < count; ++i) y[i] = f(x[i]);
}

METADIST_MULTIVERSION
void FloatMap(F function, const float* x, float* y, int64_t count) {
  switch (function) {
    case F::kAbsolute:
      return Map(x, y, count, [](float a) { return __builtin_fabsf(a); });
    case F::kErrorFunction:
      return Map(x, y, count, [](float a) { return ErrorFunction(a); });
    case F::kExponential:
      return Map(x, y, count, [](float a) { return Exp(a); });
    case F::kGaussianError:
      return Map(x, y, count, [](float a) {
        return 0.5f * a * (1.0f + ErrorFunction(a * 0.70710678118654752f));
      });
    case F::kGaussianErrorTangent:
      return Map(x, y, count, [](float a) {
        const float inner = 0.79788456080286536f * (a + 0.044715f * a * a * a);
        return 0.5f * a * (1.0f + HyperbolicTangent(inner));
      });
    case F::kHyperbolicTangent:
      return Map(x, y, count, [](float a) { return HyperbolicTangent(a); });
    case F::kInverse:
      return Map(x, y, count, [](float a) { return 1.0f / a; });
    case F::kLogistic:
      return Map(x, y, count, [](float a) { return Logistic(a); });
    case F::kMinus:
      return Map(x, y, count, [](float a) { return -a; });
    case F::kRectifier:
      return Map(x, y, count, [](float a) { return a < 0.0f ? 0.0f : a; });
    case F::kRoot:
      return Map(x, y, count, [](float a) { return __builtin_sqrtf(a); });
    case F::kCosine:
      return Map(x, y, count, [](float a) { return std::cos(a); });
    case F::kSine:
      return Map(x, y, count, [](float a) { return std::sin(a); });
  }
}

}  // namespace

Prepared PrepareUnary(const KernelSite& site, UnaryFunction function) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const int64_t count = NumElements(site.out().shape);
  return Accept("loop", [function, count](const KernelArgs& args) -> Result<void> {
    FloatMap(function,
             reinterpret_cast<const float*>(args.inputs[0]),
             reinterpret_cast<float*>(args.outputs[0]),
             count);
    return {};
  });
}

Prepared Negation(const KernelSite& site) {
  if (site.element(0) != ElementType::kBool) return Decline("bool only");
  const int64_t count = NumElements(site.out().shape);
  return Accept("loop", [count](const KernelArgs& args) -> Result<void> {
    Map(reinterpret_cast<const bool*>(args.inputs[0]),
        reinterpret_cast<bool*>(args.outputs[0]),
        count,
        [](bool a) { return !a; });
    return {};
  });
}

Prepared NanTest(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const int64_t count = NumElements(site.out().shape);
  return Accept("loop", [count](const KernelArgs& args) -> Result<void> {
    Map(reinterpret_cast<const float*>(args.inputs[0]),
        reinterpret_cast<bool*>(args.outputs[0]),
        count,
        [](float a) { return a != a; });
    return {};
  });
}

}  // namespace metadist::cpu
