// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/shape.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

// Letter of the i-th atom that is cut: a..z, then a1, b1, ...
std::string LetterOf(size_t index);

// Names each factor by the letters of its atoms: "k"; "a+b" if several atoms are cut together.
void NameFactors(SymbolicRule& found);

// The rule in the one-line notation of docs/sharding.md: `([i,k],[k,j])->([i,j]) reduction={k}`.
// outputs: their shapes at the sample's atom sizes. Factors must be named.
std::string Notation(const SymbolicRule& found, const std::vector<Shape>& outputs);

}  // namespace metadist
