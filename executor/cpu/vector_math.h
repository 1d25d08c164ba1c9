// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "metair/ir/multiversion.h"

// Elementary functions without branches, for loops that the compiler vectorises. f32 in and out;
// NaN stays NaN.
namespace metadist::cpu {

// e^x within 2 units in the last place; 0 and infinity outside the range of normal numbers, because
// arithmetic on subnormal ones is a hundred times slower (in the masked half of attention). Source:
// Cody and Waite's reduction x = n ln 2 + r; the polynomial is that of Cephes' expf.
METADIST_INLINE float Exp(float x) {
  float t = x < -87.3f ? -87.3f : x;
  t = t > 89.0f ? 89.0f : t;
  t = t == t ? t : 0.0f;
  // Adding 1.5 * 2^23 rounds to an integer.
  const float n = (t * 1.44269504088896341f + 12582912.0f) - 12582912.0f;
  const float r = (t - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const float y = p * r * r + r + 1.0f;
  // Two factors, because 2^n alone may be outside the range of normal numbers.
  const int32_t k = static_cast<int32_t>(n);
  const int32_t half = k >> 1;
  const float scaled =
      y * std::bit_cast<float>((half + 127) << 23) * std::bit_cast<float>((k - half + 127) << 23);
  const float cut = x < -87.3f ? 0.0f : scaled;
  return x == x ? cut : x;
}

// e^x - 1, relative error below 1e-6: Taylor near zero.
METADIST_INLINE float ExpLessOne(float x) {
  float p = 1.0f / 720.0f;
  p = p * x + 1.0f / 120.0f;
  p = p * x + 1.0f / 24.0f;
  p = p * x + 1.0f / 6.0f;
  p = p * x + 0.5f;
  const float near = x + x * x * p;
  return x * x < 0.09f ? near : Exp(x) - 1.0f;
}

// 1 / (1 + e^-x).
METADIST_INLINE float Logistic(float x) { return 1.0f / (1.0f + Exp(-x)); }

// The hyperbolic tangent, relative error below 1e-6: Taylor near zero, else 1 - 2 / (e^2x + 1).
METADIST_INLINE float HyperbolicTangent(float x) {
  const float s = x * x;
  float p = -1382.0f / 155925.0f;
  p = p * s + 62.0f / 2835.0f;
  p = p * s - 17.0f / 315.0f;
  p = p * s + 2.0f / 15.0f;
  p = p * s - 1.0f / 3.0f;
  const float near = x + x * s * p;
  const float far = 1.0f - 2.0f / (Exp(2.0f * x) + 1.0f);
  return s < 0.09f ? near : far;
}

// The error function, absolute error below 3e-7, relative error below 1e-6 near zero.
// Source: Abramowitz and Stegun 1964, 7.1.26; Taylor near zero.
METADIST_INLINE float ErrorFunction(float x) {
  const float s = x * x;
  float q = -1.0f / 1320.0f;
  q = q * s + 1.0f / 216.0f;
  q = q * s - 1.0f / 42.0f;
  q = q * s + 1.0f / 10.0f;
  q = q * s - 1.0f / 3.0f;
  const float near = 1.12837916709551257f * (x + x * s * q);
  const float a = x < 0.0f ? -x : x;
  const float t = 1.0f / (1.0f + 0.3275911f * a);
  float p = 1.061405429f;
  p = p * t - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  const float tail = 1.0f - p * t * Exp(-s);
  const float far = x < 0.0f ? -tail : tail;
  return s < 0.25f ? near : far;
}

}  // namespace metadist::cpu
