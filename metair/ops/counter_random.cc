// SPDX-License-Identifier: Apache-2.0
// Random numbers that can be generated in parts.
//
// A generator with state assigns its n-th number to the n-th element requested, so a rank would
// have to generate all numbers before its own. Here the number of an element is a function of the
// key (which identifies the call) and of the element's position, so any part of an array can be
// generated alone, with the same values as in the whole array. The position is the index in every
// dim, not the linear offset: a rank then only needs to know where its part begins, not how large
// the whole array is.
//
// The last four dims are the words of a Philox counter, whose key is the block generated from the
// up to four dims before them, and so on. The last index is halved, because a block has bits for
// two elements.
#include "metair/ops/counter_random.h"

#include <cmath>
#include <utility>

#include "metair/ir/check.h"
#include "metair/ir/split_mix.h"

namespace metadist {
namespace {

constexpr size_t kWords = 4;

PhiloxKey KeyOf(uint64_t bits) {
  return {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
}

// a[0] + a[1] x + ... + a[7] x^7
double Polynomial(const double (&a)[8], double x) {
  double sum = a[7];
  for (int i = 6; i >= 0; --i) sum = sum * x + a[i];
  return sum;
}

struct Ratio {
  double over[8];
  double under[8];
  double At(double x) const { return Polynomial(over, x) / Polynomial(under, x); }
};

constexpr Ratio kCentre = {{3.3871328727963666080e0,
                            1.3314166789178437745e+2,
                            1.9715909503065514427e+3,
                            1.3731693765509461125e+4,
                            4.5921953931549871457e+4,
                            6.7265770927008700853e+4,
                            3.3430575583588128105e+4,
                            2.5090809287301226727e+3},
                           {1.0,
                            4.2313330701600911252e+1,
                            6.8718700749205790830e+2,
                            5.3941960214247511077e+3,
                            2.1213794301586595867e+4,
                            3.9307895800092710610e+4,
                            2.8729085735721942674e+4,
                            5.2264952788528545610e+3}};
constexpr Ratio kNear = {{1.42343711074968357734e0,
                          4.63033784615654529590e0,
                          5.76949722146069140550e0,
                          3.64784832476320460504e0,
                          1.27045825245236838258e0,
                          2.41780725177450611770e-1,
                          2.27238449892691845833e-2,
                          7.74545014278341407640e-4},
                         {1.0,
                          2.05319162663775882187e0,
                          1.67638483018380384940e0,
                          6.89767334985100004550e-1,
                          1.48103976427480074590e-1,
                          1.51986665636164571966e-2,
                          5.47593808499534494600e-4,
                          1.05075007164441684324e-9}};
constexpr Ratio kFar = {{6.65790464350110377720e0,
                         5.46378491116411436990e0,
                         1.78482653991729133580e0,
                         2.96560571828504891230e-1,
                         2.65321895265761230930e-2,
                         1.24266094738807843860e-3,
                         2.71155556874348757815e-5,
                         2.01033439929228813265e-7},
                        {1.0,
                         5.99832206555887937690e-1,
                         1.36929880922735805310e-1,
                         1.48753612908506148525e-2,
                         7.86869131145613259100e-4,
                         1.84631831751005468180e-5,
                         1.42151175831644588870e-7,
                         2.04426310338993978564e-15}};

}  // namespace

PhiloxBlock Philox(PhiloxBlock counter, PhiloxKey key) {
  uint32_t x[kWords][philox::kLanes] = {};
  for (size_t w = 0; w < kWords; ++w) x[w][0] = counter[w];
  philox::Rounds(key, x[0], x[1], x[2], x[3]);
  return {x[0][0], x[1][0], x[2][0], x[3][0]};
}

CounterRandom::CounterRandom(const Shape& shape, std::vector<int64_t> start)
    : outer_(shape), start_(std::move(start)) {
  if (start_.empty()) start_.assign(shape.size(), 0);
  CHECK(start_.size() == shape.size(), "one start for each dim");
  if (!shape.empty()) {
    length_ = shape.back();
    outer_.pop_back();
  }
  inner_.assign(outer_.size(), 1);
  for (size_t d = outer_.size(); d-- > 1;) inner_[d - 1] = inner_[d] * outer_[d];
  lines_ = length_ == 0 ? 0 : NumElements(outer_);
}

uint32_t CounterRandom::Place(size_t dim, int64_t line) const {
  return static_cast<uint32_t>(start_[dim] + line / inner_[dim] % outer_[dim]);
}

RandomLine CounterRandom::Line(PhiloxKey key, int64_t line) const {
  RandomLine out{key, {}, start_.empty() ? 0 : start_.back()};
  size_t used = 0;
  while (outer_.size() - used >= kWords) {
    PhiloxBlock counter = {};
    const size_t words = std::min(kWords, outer_.size() - used - (kWords - 1));
    for (size_t w = 0; w < words; ++w) counter[w] = Place(used + w, line);
    used += words;
    const PhiloxBlock block = Philox(counter, out.key);
    out.key = {block[0], block[1]};
  }
  for (size_t d = used; d < outer_.size(); ++d) out.outer[outer_.size() - 1 - d] = Place(d, line);
  return out;
}

void CounterRandom::Fill(PhiloxKey key, int64_t line, uint64_t* bits) const {
  philox::FillLine(Line(key, line), length_, bits);
}

int UniformDigits(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return 24;
    case ElementType::kF16:
      return 11;
    case ElementType::kBF16:
      return 8;
    default:
      return 53;
  }
}

double NormalQuantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * kCentre.At(0.180625 - q * q);
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? kNear.At(r - 1.6) : kFar.At(r - 5);
  return q < 0 ? -x : x;
}

double NormalOf(uint64_t bits) {
  return NormalQuantile((static_cast<double>(bits >> 12) + 0.5) * 0x1p-52);
}

PhiloxKey KeyOfSeed(uint64_t seed) { return KeyOf(SplitMixBits(seed + kSplitMixStep)); }

PhiloxKey KeyOfWords(const int64_t* two) {
  return {static_cast<uint32_t>(two[0]), static_cast<uint32_t>(two[1])};
}

// FNV-1a, mixed. Source: draft-eastlake-fnv.
PhiloxKey KeyOfName(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return KeyOf(SplitMixBits(hash));
}

}  // namespace metadist
