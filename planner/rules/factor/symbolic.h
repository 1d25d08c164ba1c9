// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metair/spmd/sharding.h"

// Sizes as discovery sees them: sums of products of atoms. An atom is a smallest independent size
// of an operator's call (the rows of a matrix product, the heads inside a fused dim).
namespace metadist {

// constant * atoms[0] * atoms[1] * ...; `atoms` ascending ids.
struct Product {
  int64_t constant = 1;
  std::vector<int> atoms = {};

  // Wraps around on overflow.
  int64_t At(std::span<const int64_t> sizes) const;
  bool Has(int atom) const;
  bool operator==(const Product&) const = default;
};

// A dim or a literal integer: a sum of products (nearly always one term; Concat's output has
// several).
struct SymbolicSize {
  std::vector<Product> terms = {};

  int64_t At(std::span<const int64_t> sizes) const;
  bool Has(int atom) const;
  bool operator==(const SymbolicSize&) const = default;
};

// A dim along which a window slides: a rank with the groups [g, e) of the factor takes [g * unit -
// before, e * unit + behind) of an input, in the direction of `course`, and makes that range of an
// output, of which it keeps [g * unit, e * unit). The groups are those of the outputs.
struct SymbolicWindow {
  // constant + the sum of slope * size over some atoms (such as the size of a kernel).
  struct Width {
    int64_t constant = 0;
    std::vector<std::pair<int, int64_t>> slopes = {};  // (atom, slope), ascending, no slope 0

    int64_t At(std::span<const int64_t> sizes) const;
    // This width plus `times` the other.
    Width Plus(const Width& other, int64_t times) const;
    bool operator==(const Width&) const = default;
  };

  int64_t unit = 1;
  Width before = {};
  Width behind = {};
  Halo::Course course = Halo::Course::kStraight;
  bool operator==(const SymbolicWindow&) const = default;
};

// A dim cut by a factor, like `Cut` but with symbolic numbers: `repeat` blocks in a row, each the
// concatenation of `parts`; a part is `atom` groups of `unit` elements.
struct SymbolicCut {
  struct Part {
    int atom = 0;
    Product unit = {};
    bool operator==(const Part&) const = default;
  };

  int tensor = 0;  // index among the inputs or the outputs
  int dim = 0;
  Product repeat = {};
  std::vector<Part> parts = {};
  bool spare = false;
  std::optional<SymbolicWindow> window = {};  // if set, the parts only name the atom
  bool operator==(const SymbolicCut&) const = default;
};

// A literal integer that depends on the piece of a dim that is cut contiguously: literal + times *
// (by_start * start + by_end * (end - size)); or, with is_index, an index into that dim, counted
// from the start of the piece.
struct SymbolicShift {
  int literal = 0;  // index among all integers of the call
  int64_t by_start = 0;
  int64_t by_end = 0;
  int times = -1;  // the literal whose value is `times`; -1: 1
  bool is_index = false;
  SymbolicCut view = {};
  bool operator==(const SymbolicShift&) const = default;
};

// `CountedIndex` on symbols.
struct SymbolicIndex {
  int input = 0;
  int column = -1;
  bool from_end = false;
  SymbolicCut view = {};
  bool operator==(const SymbolicIndex&) const = default;
};

// A literal integer of the call: entry `entry` of constant input `input`, or of integer attribute
// `attribute` if input is -1.
struct SymbolicLiteral {
  int input = -1;
  std::string attribute = {};
  int entry = 0;
  SymbolicSize size = {};
  bool operator==(const SymbolicLiteral&) const = default;
};

// An integer of the call that depends on whether a rank's piece is at an end of the dim. Named as
// in SymbolicLiteral. One of:
//   padding  kept by the rank with the first (or the last) piece, 0 on the others;
//   size     by_size is not 0: the integer depends on the size of the dim along which the window
//            slides, and decreases by by_size for each element that a rank does not have;
//   bound    the position in the dim where the range that the call uses begins, or ends if
//            by_size is not 0; counted from the start of the piece.
struct EndLiteral {
  int input = -1;
  std::string attribute = {};
  int entry = 0;
  bool first = true;
  int64_t by_size = 0;
  bool bound = false;
  bool operator==(const EndLiteral&) const = default;
};

}  // namespace metadist
