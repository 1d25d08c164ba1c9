// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "metair/ir/tensor.h"
#include "metair/ops/philox.h"

namespace metadist {

// 64 random bits for every element of an array: a function of a key and of the element's position
// in the whole array, so a part of the array gets the same bits as the whole. Positions count
// modulo 2^32.
class CounterRandom {
 public:
  // start: position of the part's first element, by dim; empty: the part is the whole.
  CounterRandom(const Shape& shape, std::vector<int64_t> start);

  // The number of lines of the array, 0 if it is empty, and of elements in each.
  int64_t lines() const { return lines_; }
  int64_t length() const { return length_; }
  // Allocates nothing.
  RandomLine Line(PhiloxKey key, int64_t line) const;
  // The bits of a line.
  void Fill(PhiloxKey key, int64_t line, uint64_t* bits) const;

 private:
  uint32_t Place(size_t dim, int64_t line) const;

  Shape outer_;                 // the shape without its last dim
  std::vector<int64_t> inner_;  // by dim of outer_: lines from one index to the next
  std::vector<int64_t> start_;  // one for each dim of the shape
  int64_t lines_ = 1;
  int64_t length_ = 1;
};

// A number in [0, 1): the upper `digits` bits, at most 53.
inline double UniformOf(uint64_t bits, int digits = 53) {
  return static_cast<double>(bits >> (64 - digits)) / static_cast<double>(uint64_t{1} << digits);
}
// The number of bits that an element type represents without rounding.
int UniformDigits(ElementType type);
// A sample of the normal distribution with mean 0 and variance 1: its quantile at the middle of one
// of 2^52 equal parts of [0, 1], hence below 8.3 in magnitude.
double NormalOf(uint64_t bits);
// x with P(X < x) = p for X of that distribution, to 16 digits; p in (0, 1).
// Source: Wichura 1988, "Algorithm AS 241: The Percentage Points of the Normal Distribution".
double NormalQuantile(double p);

// Keys, which depend on all 64 bits of the seed, on the lower halves of two words, or on the name.
PhiloxKey KeyOfSeed(uint64_t seed);
PhiloxKey KeyOfWords(const int64_t* two);
PhiloxKey KeyOfName(std::string_view name);

}  // namespace metadist
