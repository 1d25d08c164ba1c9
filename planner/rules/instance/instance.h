// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {

// Why there is no rule where there are no such sizes.
inline constexpr char kOtherForm[] =
    "its sizes are not those of a larger form of the small call that was run";

// Atom sizes for which the family of `found` is the call `box.values()`; none if it is not one of
// its calls.
std::optional<std::vector<int64_t>> SolveAtoms(const SymbolicRule& found, const BlackBox& box);

// Whether `found` is about calls with the inputs, integers and outputs of `box`, which may be at
// any of its family's sizes: then its rule can be asked for.
bool SameForm(const SymbolicRule& found, BlackBox& box);

// A factor at these atom sizes.
Factor FactorAt(const SymbolicRule& found,
                const SymbolicFactor& factor,
                std::span<const int64_t> sizes);

// Number of dims of the call's inputs and outputs that the rule cuts, each as often as it does.
size_t CutsIn(const Rule& rule);
// Whether every dim of the call that has several elements is cut.
bool CutsAll(const Rule& rule, BlackBox& box);
// Adds to `rule` what `found`, of whatever form, can cut of the call's dims and the rule does not.
// refused: names of factors that the filter of InstantiateAt refused.
void AddUncut(const SymbolicRule& found,
              BlackBox& box,
              const std::set<std::string>& refused,
              Rule& rule);

// Whether a factor may be used at these sizes of the atoms, and whether partial values pass there.
using FactorFilter =
    std::function<bool(const SymbolicFactor& factor, std::span<const int64_t> sizes)>;
using PassFilter = std::function<bool(const PassThrough& pass, std::span<const int64_t> sizes)>;

// Adds all other dims that the rule does not cut, with the reason why it has no factors, or that no
// cut was found.
void AddUncutRest(BlackBox& box, Rule& rule);

// Instantiate() for a call already taken apart. `fits` tells whether it is of the signature.
// holds, passes: asked of every factor and pass-through that the call could use; without them all
// are taken.
Rule InstantiateAt(const SymbolicRule& found,
                   BlackBox& box,
                   bool& fits,
                   const FactorFilter& holds = nullptr,
                   const PassFilter& passes = nullptr);

}  // namespace metadist
