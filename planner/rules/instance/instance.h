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

// The reason for having no rule if SolveAtoms finds no sizes.
inline constexpr char kOtherForm[] =
    "its sizes do not match a larger form of the small call that was run";

// Atom sizes at which the family of `found` is the call `box.values()`; nullopt if the call is not
// one of the family.
std::optional<std::vector<int64_t>> SolveAtoms(const SymbolicRule& found, const BlackBox& box);

// Slot values of the call of the family of `found` at these atom sizes.
std::vector<int64_t> ValuesAt(const SymbolicRule& found,
                              const BlackBox& box,
                              std::span<const int64_t> sizes);

// Whether `found` describes calls with the inputs, integers and outputs of `box`, at any sizes of
// its family, so that InstantiateAt may be called.
bool SameForm(const SymbolicRule& found, BlackBox& box);

// The factor at these atom sizes.
Factor FactorAt(const SymbolicRule& found,
                const SymbolicFactor& factor,
                std::span<const int64_t> sizes);

// The factor on the call of the family of `found` at these atom sizes, with the halos of its
// windows; nullopt if they do not fit.
std::optional<Factor> FactorOn(const SymbolicRule& found,
                               const SymbolicFactor& factor,
                               BlackBox& box,
                               std::span<const int64_t> sizes);

// Atoms, not of this factor, of which another one cuts inputs and outputs: if the factor holds on
// each of their pieces, it holds on the whole.
std::set<int> AtomsApart(const SymbolicRule& found, const SymbolicFactor& factor);

// Number of cuts of input and output dims in all factors of the rule.
size_t CutsIn(const Rule& rule);
// Whether every dim of at least two elements is cut.
bool CutsAll(const Rule& rule, BlackBox& box);
// Adds to `rule.uncut` the dims that `found` can cut at some sizes but the rule does not cut, with
// the reason. `found` may be of another form than the call.
void AddUncut(const SymbolicRule& found,
              BlackBox& box,
              const std::set<std::string>& refused,
              Rule& rule);

// Whether a factor may be used, and whether a partial value may pass through, at these atom sizes.
using FactorFilter =
    std::function<bool(const SymbolicFactor& factor, std::span<const int64_t> sizes)>;
using PassFilter = std::function<bool(const PassThrough& pass, std::span<const int64_t> sizes)>;

// Adds all other dims that the rule does not cut, with the reason: that of the rule if it has no
// factors, otherwise that no cut was found.
void AddUncutRest(BlackBox& box, Rule& rule);

// Instantiate() for a BlackBox. fits: set to whether the call has the signature of `found`. holds,
// passes: called for every factor and pass-through that the call could use; if null, all are taken.
Rule InstantiateAt(const SymbolicRule& found,
                   BlackBox& box,
                   bool& fits,
                   const FactorFilter& holds = nullptr,
                   const PassFilter& passes = nullptr);

}  // namespace metadist
