// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

  // The size of the dim in these shapes of all outputs.
  template <typename Shapes>
  auto& In(Shapes& shapes) const {
    return shapes[static_cast<size_t>(output)][static_cast<size_t>(dim)];
  }
};

// Dims whose sizes differ, ascending; nullopt if the numbers of outputs or their ranks differ.
std::optional<std::vector<OutDim>> ChangedDims(const std::vector<Shape>& from,
                                               const std::vector<Shape>& to);

// A minimal set of slots that an operator accepts scaled together.
struct Atom {
  std::vector<int> slots = {};     // ascending
  int64_t base = 1;                // its size in the sample call
  std::vector<OutDim> exact = {};  // outputs that scale with it
  std::vector<OutDim> other = {};  // outputs that change in another way: windows, concatenations

  bool has(int slot) const;
};

// All legal calls related to a sample call: every slot is a constant times the product of its
// atoms, or a sum of literals that are atoms. A size for each atom gives a call; a shard's literals
// are those of the family at the shard's sizes.
struct Family {
  // The slot grows from its value in the sample by `unit` for each increment of the atom.
  struct Grown {
    int atom = 0;
    int64_t unit = 1;
  };

  std::vector<Atom> atoms;
  std::map<int, std::vector<int>> sums;  // dim slot -> literal slots that add up to it
  std::map<int, Grown> grown;            // literal slots that grow with an atom
  std::vector<int64_t> base;             // slot values of the sample
  std::vector<int64_t> surrogate;        // small size of each atom while others are tested
  std::vector<uint8_t> distinct;         // whether it is a prime of its own, which distinguishes it
  int64_t largest_literal = 0;           // among the integers that are independent of dims
  std::vector<Shape> outputs;            // of the sample

  const Atom& atom(int index) const { return atoms[static_cast<size_t>(index)]; }
  std::vector<int64_t> ValuesAt(std::span<const int64_t> sizes) const;
  // Atoms that contain the slot, ascending.
  std::vector<int> AtomsOf(int slot) const;
  // The slot's symbolic value.
  SymbolicSize SizeOf(int slot) const;
};

}  // namespace metadist
