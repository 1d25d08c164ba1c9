// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// SplitMix64: random bits that are the same on every machine.
// Source: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators".
namespace metadist {

// The increment of the state from one number to the next.
inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;

// The number for a state. Every bit of it depends on every bit of the state.
constexpr uint64_t SplitMixBits(uint64_t state) {
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
  return state ^ (state >> 31);
}

}  // namespace metadist
