// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "planner/rules/instance/instantiate.h"
#include "planner/rules/search/discover.h"
#include "tests/planner/rules/family_calls.h"
#include "tests/planner/rules/rule_checker.h"

// Checks discovered rules on shapes and inputs that discovery did not use.
namespace metadist::testing {

struct Tally {
  int checks = 0;
  int in_blocks = 0;
  int pairs = 0;
  int passes = 0;
};

inline bool Divisible(const Factor& factor, int64_t ranks) {
  for (const auto* cuts : {&factor.inputs, &factor.outputs})
    for (const Cut& cut : *cuts)
      for (const Cut::Part& part : cut.parts)
        if (part.size < ranks * factor.least_piece || (factor.even_only && part.size % ranks != 0))
          return false;
  return HasRoom(factor, ranks);
}

inline const Factor* Named(const Rule& rule, const std::string& name) {
  for (const Factor& factor : rule.factors)
    if (factor.name == name) return &factor;
  return nullptr;
}

// A factor with groups in any order, with its groups in blocks, a few of them in bundles; nullopt
// if there are too few groups.
inline std::optional<Factor> InBlocks(const Factor& factor, int64_t ranks, Generator& random) {
  const int64_t least = factor.least_piece * ranks;
  std::vector<Cut::Part> blocks;
  for (int64_t left = factor.groups(); left > 0; left -= blocks.back().size * blocks.back().unit) {
    int64_t size = least * (1 + static_cast<int64_t>(random() % 2));
    if (!factor.even_only) size += static_cast<int64_t>(random() % static_cast<uint64_t>(ranks));
    int64_t unit = 1 + static_cast<int64_t>(random() % 2);
    if (left < size * unit + least) {
      size = left;
      unit = 1;
    }
    blocks.push_back({size, unit});
  }
  if (blocks.size() < 2) return std::nullopt;
  Factor out = factor;
  const auto lay_out = [&](Cut& cut) {
    const int64_t unit = cut.parts[0].unit;
    cut.parts = blocks;
    for (Cut::Part& part : cut.parts) part.unit *= unit;
  };
  for (Cut& cut : out.inputs) lay_out(cut);
  for (Cut& cut : out.outputs) lay_out(cut);
  for (LiteralCut& literal : out.literals) lay_out(literal.view);
  return out;
}

// Checks every factor alone, on shapes that discovery did not use.
inline void CheckFactors(const std::string& what,
                         const OpCall& sample,
                         const SymbolicRule& found,
                         Generator& random,
                         Tally& tally) {
  for (const SymbolicFactor& factor : found.factors) {
    for (const int64_t ranks : {2, 3, 4, 8}) {
      int done = 0;
      for (int attempt = 0; attempt < 30 && done < (ranks == 8 ? 2 : 3); ++attempt) {
        const auto call = RandomCall(sample, found, factor.atoms, ranks, attempt, random);
        if (!call) continue;
        const Rule rule = Instantiate(found, call->call());
        const Factor* at = Named(rule, factor.name);
        if (at == nullptr || !Divisible(*at, ranks)) continue;
        const auto inputs = DrawInputs(*call, random);
        if (!inputs) continue;
        const auto whole = call->Run(*inputs);
        if (!whole) continue;
        EXPECT_EQ("", RuleChecker::Check(*call, {{at, ranks}}, *inputs, *whole))
            << what << " " << found.text << " factor " << factor.name << " on " << ranks;
        ++done;
        ++tally.checks;
        if (!at->any_order) continue;
        const auto in_blocks = InBlocks(*at, ranks, random);
        if (!in_blocks || !Divisible(*in_blocks, ranks)) continue;
        EXPECT_EQ("", RuleChecker::Check(*call, {{&*in_blocks, ranks}}, *inputs, *whole))
            << what << " " << found.text << " factor " << factor.name << " in blocks on " << ranks;
        ++tally.in_blocks;
      }
      EXPECT_GT(done, 0) << what << " " << found.text << ": factor " << factor.name
                         << " was never checked on " << ranks;
    }
  }
}

// Sizes at which every piece is a single group, which may look like a broadcast.
inline std::optional<OwnedCall> SingleGroups(const OpCall& sample,
                                             const SymbolicRule& found,
                                             const std::vector<int>& first,
                                             const std::vector<int>& second,
                                             int64_t ranks) {
  std::vector<int64_t> sizes = found.atoms;
  for (const int atom : second) sizes[static_cast<size_t>(atom)] = ranks;
  for (const int atom : first)
    sizes[static_cast<size_t>(atom)] =
        std::max<int64_t>(2, std::count(second.begin(), second.end(), atom) * ranks);
  return CallAt(sample, found, sizes);
}

// Checks two factors on meshes of 2 x 2 and 2 x 4: pieces of single groups, and shapes that
// discovery did not use.
inline void CheckPair(const std::string& what,
                      const OpCall& sample,
                      const SymbolicRule& found,
                      const std::array<const SymbolicFactor*, 2>& pair,
                      Generator& random,
                      Tally& tally) {
  const auto& [first, second] = pair;
  std::vector<int> atoms = first->atoms;
  atoms.insert(atoms.end(), second->atoms.begin(), second->atoms.end());
  for (const int64_t ranks : {2, 4}) {
    bool done = false;
    for (int attempt = 0; attempt < 4 && !done; ++attempt) {
      const auto call = attempt == 0
                            ? SingleGroups(sample, found, first->atoms, second->atoms, ranks)
                            : RandomCall(sample, found, atoms, ranks, attempt, random);
      if (!call) continue;
      const Rule rule = Instantiate(found, call->call());
      const Factor* a = Named(rule, first->name);
      const Factor* b = Named(rule, second->name);
      if (a == nullptr || b == nullptr || !Divisible(*a, 2) || !Divisible(*b, ranks)) continue;
      const auto inputs = DrawInputs(*call, random);
      if (!inputs) continue;
      const auto whole = call->Run(*inputs);
      if (!whole) continue;
      EXPECT_EQ("", RuleChecker::Check(*call, {{a, 2}, {b, ranks}}, *inputs, *whole))
          << what << " " << found.text << " factors " << first->name << ", " << second->name
          << " on 2 x " << ranks;
      ++tally.pairs;
      done = attempt > 0;
    }
  }
}

inline void CheckPairs(const std::string& what,
                       const OpCall& sample,
                       const SymbolicRule& found,
                       Generator& random,
                       Tally& tally) {
  for (const SymbolicFactor& first : found.factors)
    for (const SymbolicFactor& second : found.factors)
      if (first.name != second.name)
        CheckPair(what, sample, found, {&first, &second}, random, tally);
}

}  // namespace metadist::testing
