// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "planner/rules/factor/symbolic.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// A dim of an output.
struct OutDim {
  int output = 0;
  int dim = 0;
  auto operator<=>(const OutDim&) const = default;
};

// A smallest set of slots that an operator accepts scaled together.
struct Atom {
  std::vector<int> slots = {};     // ascending
  int64_t base = 1;                // its size in the sample call
  std::vector<OutDim> exact = {};  // outputs that scale with it
  std::vector<OutDim> other = {};  // outputs that move in another way: windows, concatenations

  bool has(int slot) const;
};

// All legal calls around a sample: every slot is a constant times the product of its atoms, or a
// sum of literals that are atoms. A size for each atom gives a call; a shard's literals are the
// same family at the shard's sizes.
struct Family {
  // The slot is its value in the sample and `unit` for each more of the atom.
  struct Grown {
    int atom = 0;
    int64_t unit = 1;
  };

  std::vector<Atom> atoms;
  std::map<int, std::vector<int>> sums;  // dim slot -> literal slots that add up to it
  std::map<int, Grown> grown;            // literal slots that grow with an atom
  std::vector<int64_t> base;             // slot values of the sample
  std::vector<int64_t> surrogate;        // small size of each atom while others are tested
  std::vector<uint8_t> distinct;         // whether it is a prime of its own, that tells it apart
  int64_t largest_literal = 0;           // among the integers that no dim follows
  std::vector<Shape> outputs;            // of the sample

  std::vector<int64_t> ValuesAt(std::span<const int64_t> sizes) const;
  // Atoms holding the slot, ascending.
  std::vector<int> AtomsOf(int slot) const;
  // The slot's value on symbols.
  SymbolicSize SizeOf(int slot) const;
};

}  // namespace metadist
