// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/small_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace metadist {
namespace {

enum class Beyond : uint8_t { kInfinity, kNan, kLargest };

struct Form {
  int mantissa;     // stored bits
  int bias;         // of the exponent
  double largest;   // the largest finite number
  uint8_t sign;     // the sign bit; 0: no negative numbers
  uint8_t nan;      // encoding of NaN
  Beyond beyond;    // result for numbers too large
  bool minus_zero;  // has a negative zero
};

constexpr std::array<Form, 6> kForms = {{
    {3, 7, 448, 0x80, 0x7f, Beyond::kNan, true},
    {3, 8, 240, 0x80, 0x80, Beyond::kNan, false},
    {2, 15, 57344, 0x80, 0x7e, Beyond::kInfinity, true},
    {2, 16, 57344, 0x80, 0x80, Beyond::kNan, false},
    {0, 127, 0x1p127, 0, 0xff, Beyond::kNan, false},
    {1, 1, 6, 0x08, 0x08, Beyond::kLargest, true},
}};
constexpr uint8_t kInfinityE5M2 = 0x7c;

const Form& FormOf(SmallFloatForm form) { return kForms[static_cast<size_t>(form)]; }

// The value of a magnitude's bits, without sign; no special values.
double Magnitude(const Form& form, int bits) {
  const int units = 1 << form.mantissa;
  const int exponent = bits / units;
  const int fraction = bits % units;
  if (form.mantissa == 0) return std::ldexp(1.0, exponent - form.bias);  // E8M0 has no zero
  return exponent == 0 ? std::ldexp(fraction, 1 - form.bias - form.mantissa)
                       : std::ldexp(units + fraction, exponent - form.bias - form.mantissa);
}

double ValueOf(SmallFloatForm which, int bits) {
  const Form& form = FormOf(which);
  const int magnitude = bits & (form.sign == 0 ? 0xff : form.sign - 1);
  const double sign = (bits & form.sign) == 0 ? 1 : -1;
  if (which == SmallFloatForm::kE5M2 && magnitude >= kInfinityE5M2)
    return magnitude == kInfinityE5M2 ? sign * std::numeric_limits<double>::infinity()
                                      : std::numeric_limits<double>::quiet_NaN();
  const int nan = form.minus_zero ? magnitude : bits;
  if (nan == form.nan) return std::numeric_limits<double>::quiet_NaN();
  return sign * Magnitude(form, magnitude);
}

using Values = std::array<std::array<double, 256>, kForms.size()>;

Values AllValues() {
  Values values;
  for (size_t form = 0; form < values.size(); ++form)
    for (int bits = 0; bits < 256; ++bits)
      values[form][static_cast<size_t>(bits)] = ValueOf(static_cast<SmallFloatForm>(form), bits);
  return values;
}

uint8_t PowerBits(double value) {
  constexpr int kBias = 127;
  const double size = std::abs(value);
  if (!std::isfinite(size)) return FormOf(SmallFloatForm::kE8M0).nan;
  if (size == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent);  // in [0.5, 1)
  return static_cast<uint8_t>(
      std::clamp(exponent - 1 + (fraction >= 0.75 ? 1 : 0) + kBias, 0, 2 * kBias));
}

}  // namespace

uint8_t SmallFloatBits(SmallFloatForm which, double value) {
  if (which == SmallFloatForm::kE8M0) return PowerBits(value);
  const Form& form = FormOf(which);
  if (std::isnan(value)) return form.nan;
  const uint8_t sign = std::signbit(value) ? form.sign : 0;
  const double size = std::abs(value);
  // One step between numbers of this magnitude; ties go to the even one.
  const int exponent = size == 0 ? 1 - form.bias : std::max(std::ilogb(size), 1 - form.bias);
  const double steps =
      std::isinf(size) ? size : std::nearbyint(std::ldexp(size, form.mantissa - exponent));
  if (std::ldexp(steps, exponent - form.mantissa) > form.largest) {
    if (form.beyond == Beyond::kNan)
      return static_cast<uint8_t>(form.nan | (form.minus_zero ? sign : 0));
    if (form.beyond == Beyond::kInfinity) return static_cast<uint8_t>(kInfinityE5M2 | sign);
    return static_cast<uint8_t>((form.sign - 1) | sign);
  }
  // If `steps` reaches the next power of two, the carry increments the exponent's bits.
  const int units = 1 << form.mantissa;
  const int bits = (exponent + form.bias - 1) * units + static_cast<int>(steps);
  if (bits == 0 && !form.minus_zero) return 0;
  return static_cast<uint8_t>(bits | sign);
}

double SmallFloatValue(SmallFloatForm form, uint8_t bits) {
  static const Values kValues = AllValues();
  return kValues[static_cast<size_t>(form)][bits];
}

double LargestOf(SmallFloatForm form) { return FormOf(form).largest; }

}  // namespace metadist
