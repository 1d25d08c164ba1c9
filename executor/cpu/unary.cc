// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/unary.h"

#include <cmath>
#include <limits>

#include "executor/cpu/layout.h"
#include "executor/cpu/nest_range.h"
#include "executor/cpu/strided_copy.h"
#include "executor/cpu/vector_math.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

using F = UnaryFunction;

template <typename X, typename Y, typename Function>
METADIST_INLINE void Map(const X* x, Y* y, int64_t count, Function f) {
  for (int64_t i = 0; i < count; ++i) y[i] = f(x[i]);
}

// x clamped to [0, 1]; NaN stays NaN.
METADIST_INLINE float UnitRange(float x) {
  const float low = x > 1.0f ? 1.0f : x;
  return low < 0.0f ? 0.0f : low;
}

// tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2); it rounds to 1 long before e is infinite.
METADIST_INLINE float Mish(float x) {
  const float e = Exp(x > 20.0f ? 20.0f : x);
  const float n = e * (e + 2.0f);
  return x * (n / (n + 2.0f));
}

// A function with its parameters.
struct Parameters {
  F function;
  float alpha = 0;
  float beta = 0;
};

// Common activation functions.
METADIST_MULTIVERSION
void ActivationMap(const Parameters& p, const float* x, float* y, int64_t count) {
  const float alpha = p.alpha;
  const float beta = p.beta;
  switch (p.function) {
    case F::kElu:
      return Map(x, y, count, [=](float a) {
        const float low = alpha * ExpLessOne(a);
        return a < 0.0f ? low : a;
      });
    case F::kHardSigmoid:
      return Map(x, y, count, [=](float a) { return UnitRange(alpha * a + beta); });
    case F::kHardSwish:
      return Map(x, y, count, [](float a) { return a * UnitRange(a * (1.0f / 6.0f) + 0.5f); });
    case F::kLeakyRelu:
      return Map(x, y, count, [=](float a) { return a < 0.0f ? alpha * a : a; });
    case F::kSoftplus:
      return Map(x, y, count, [](float a) {
        return (a < 0.0f ? 0.0f : a) + std::log1p(std::exp(-std::fabs(a)));
      });
    case F::kGelu:
      return Map(x, y, count, [](float a) {
        return 0.5f * a * (1.0f + ErrorFunction(a * 0.70710678118654752f));
      });
    case F::kGeluTanh:
      return Map(x, y, count, [](float a) {
        const float inner = 0.79788456080286536f * (a + 0.044715f * a * a * a);
        return 0.5f * a * (1.0f + HyperbolicTangent(inner));
      });
    case F::kCelu:
      return Map(x, y, count, [=](float a) {
        const float low = alpha * ExpLessOne(a / alpha);
        return a < 0.0f ? low : a;
      });
    case F::kSelu:
      return Map(x, y, count, [=](float a) {
        const float low = alpha * ExpLessOne(a);
        return beta * (a <= 0.0f ? low : a);
      });
    case F::kSwish:
      return Map(x, y, count, [=](float a) { return a * Logistic(alpha * a); });
    case F::kMish:
      return Map(x, y, count, [](float a) { return Mish(a); });
    case F::kShrink:
      return Map(x, y, count, [=](float a) {
        const float high = a > alpha ? a - beta : 0.0f;
        return a < -alpha ? a + beta : high;
      });
    case F::kSoftsign:
      return Map(x, y, count, [](float a) { return a / (1.0f + __builtin_fabsf(a)); });
    case F::kThresholdedRelu:
      return Map(x, y, count, [=](float a) { return a > alpha ? a : 0.0f; });
    case F::kSigmoid:
      return Map(x, y, count, [](float a) { return Logistic(a); });
    case F::kRelu:
      return Map(x, y, count, [](float a) { return a < 0.0f ? 0.0f : a; });
    default:
      break;
  }
}

// Functions without a vectorised loop.
void RareMap(const Parameters& p, const float* x, float* y, int64_t count) {
  switch (p.function) {
    case F::kAcosh:
      return Map(x, y, count, [](float a) { return std::acosh(a); });
    case F::kAsinh:
      return Map(x, y, count, [](float a) { return std::asinh(a); });
    case F::kAtanh:
      return Map(x, y, count, [](float a) { return std::atanh(a); });
    case F::kAcos:
      return Map(x, y, count, [](float a) { return std::acos(a); });
    case F::kAsin:
      return Map(x, y, count, [](float a) { return std::asin(a); });
    case F::kAtan:
      return Map(x, y, count, [](float a) { return std::atan(a); });
    case F::kCosh:
      return Map(x, y, count, [](float a) { return std::cosh(a); });
    case F::kSinh:
      return Map(x, y, count, [](float a) { return std::sinh(a); });
    case F::kTan:
      return Map(x, y, count, [](float a) { return std::tan(a); });
    default:
      return ActivationMap(p, x, y, count);
  }
}

METADIST_MULTIVERSION
void FloatMap(const Parameters& p, const float* x, float* y, int64_t count) {
  switch (p.function) {
    case F::kAbs:
      return Map(x, y, count, [](float a) { return __builtin_fabsf(a); });
    case F::kCeil:
      return Map(x, y, count, [](float a) { return __builtin_ceilf(a); });
    case F::kFloor:
      return Map(x, y, count, [](float a) { return __builtin_floorf(a); });
    case F::kLog:
      return Map(x, y, count, [](float a) { return std::log(a); });
    case F::kErf:
      return Map(x, y, count, [](float a) { return ErrorFunction(a); });
    case F::kExp:
      return Map(x, y, count, [](float a) { return Exp(a); });
    case F::kRound:
      return Map(x, y, count, [](float a) { return __builtin_nearbyintf(a); });
    case F::kSign:
      return Map(x, y, count, [](float a) {
        const float low = a < 0.0f ? -1.0f : a;
        return a > 0.0f ? 1.0f : low;
      });
    case F::kTanh:
      return Map(x, y, count, [](float a) { return HyperbolicTangent(a); });
    case F::kReciprocal:
      return Map(x, y, count, [](float a) { return 1.0f / a; });
    case F::kNeg:
      return Map(x, y, count, [](float a) { return -a; });
    case F::kSqrt:
      return Map(x, y, count, [](float a) { return __builtin_sqrtf(a); });
    case F::kCos:
      return Map(x, y, count, [](float a) { return std::cos(a); });
    case F::kSin:
      return Map(x, y, count, [](float a) { return std::sin(a); });
    default:
      return RareMap(p, x, y, count);
  }
}

Parameters ParametersOf(const Attributes& attributes, F function) {
  const auto alpha = [&](double absent) {
    return static_cast<float>(attributes.Float("alpha", absent));
  };
  const auto number = [&](const char* name, double absent) {
    return static_cast<float>(attributes.Float(name, absent));
  };
  switch (function) {
    case F::kElu:
    case F::kCelu:
    case F::kSwish:
    case F::kThresholdedRelu:
      return {function, alpha(1)};
    case F::kSelu:
      return {
          function, alpha(1.67326319217681884765625), number("gamma", 1.05070102214813232421875)};
    case F::kShrink:
      return {function, number("lambd", 0.5), number("bias", 0)};
    case F::kLeakyRelu:
      return {function, alpha(0.01)};
    case F::kHardSigmoid:
      return {function, alpha(0.2), number("beta", 0.5)};
    default:
      return {function};
  }
}

// If operand and result have different layouts: the elements are moved first, then transformed in
// place.
Prepared AfterTurning(const KernelSite& site, const Parameters& parameters) {
  const Shape& shape = site.out().shape;
  const auto out = site.out_strides.empty() ? Strides(shape) : site.out_strides;
  const auto copy = StridedCopy::Make(shape, sizeof(float), {site.StridesOf(0)}, {out});
  if (!copy) return Decline("too many dims");
  const int64_t count = NumElements(shape);
  return Accept("turned", [=, copy = *copy](const KernelArgs& args) {
    auto* y = args.out();
    copy.Run(args.inputs[0], args.outputs[0]);
    FloatMap(parameters, y, y, count);
  });
}

template <typename X, typename Y, typename Function>
Prepared LoopOf(const KernelSite& site, Function map) {
  return Accept("loop", RangeOfMap<X, Y>(NumElements(site.out().shape), map));
}

template <typename X>
void Clamp(const X* x, X* y, int64_t count, X low, X high) {
  for (int64_t i = 0; i < count; ++i) {
    const X raised = x[i] < low ? low : x[i];
    y[i] = raised > high ? high : raised;
  }
}

METADIST_MULTIVERSION
void ClampFloats(const float* x, float* y, int64_t count, float low, float high) {
  Clamp(x, y, count, low, high);
}

template <typename X, typename Function>
Prepared Between(const KernelSite& site, X lowest, X highest, Function clamp) {
  const bool bounded[] = {site.call->has(1), site.call->has(2)};
  return LoopOf<X, X>(site, [=](const X* x, X* y, int64_t count, const KernelArgs& args) {
    const auto limit = [&](size_t i) { return *args.in<X>(i); };
    clamp(x, y, count, bounded[0] ? limit(1) : lowest, bounded[1] ? limit(2) : highest);
  });
}

METADIST_MULTIVERSION
void FindBeyond(const float* x, bool* y, int64_t count, float low, float high) {
  Map(x, y, count, [=](float a) { return (a < low) | (a > high); });
}

}  // namespace

Prepared Clip(const KernelSite& site) {
  if (!KeepsLayout(site)) return Decline("operand and result must have one layout");
  using Limits = std::numeric_limits<float>;
  switch (site.element(0)) {
    case ElementType::kF32:
      return Between<float>(site, -Limits::infinity(), Limits::infinity(), ClampFloats);
    case ElementType::kI32:
      return Between<int32_t>(site, INT32_MIN, INT32_MAX, Clamp<int32_t>);
    case ElementType::kI64:
      return Between<int64_t>(site, INT64_MIN, INT64_MAX, Clamp<int64_t>);
    default:
      return Decline("f32, i32 and i64 only");
  }
}

Prepared PrepareUnary(const KernelSite& site, UnaryFunction function) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Parameters parameters = ParametersOf(site.attributes(), function);
  if (!KeepsLayout(site)) return AfterTurning(site, parameters);
  return LoopOf<float, float>(
      site, [parameters](const float* x, float* y, int64_t count, const KernelArgs&) {
        FloatMap(parameters, x, y, count);
      });
}

Prepared Not(const KernelSite& site) {
  if (site.element(0) != ElementType::kBool) return Decline("bool only");
  return LoopOf<bool, bool>(site, [](const bool* x, bool* y, int64_t count, const KernelArgs&) {
    Map(x, y, count, [](bool a) { return !a; });
  });
}

Prepared IsNaN(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  return LoopOf<float, bool>(site, [](const float* x, bool* y, int64_t count, const KernelArgs&) {
    Map(x, y, count, [](float a) { return a != a; });
  });
}

Prepared IsInf(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  using Limits = std::numeric_limits<float>;
  const bool up = site.attributes().Int("detect_positive", 1) != 0;
  const bool down = site.attributes().Int("detect_negative", 1) != 0;
  const float high = up ? Limits::max() : Limits::infinity();
  const float low = down ? Limits::lowest() : -Limits::infinity();
  return LoopOf<float, bool>(site, [=](const float* x, bool* y, int64_t count, const KernelArgs&) {
    FindBeyond(x, y, count, low, high);
  });
}

}  // namespace metadist::cpu
