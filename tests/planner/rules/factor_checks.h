// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "planner/rules/discover.h"
#include "planner/rules/instantiate.h"
#include "tests/planner/rules/family_calls.h"
#include "tests/planner/rules/rule_checker.h"

// What discovery found, judged on shapes and inputs it never saw.
namespace metadist::testing {

struct Tally {
  int checks = 0;
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

// Every factor, alone, on shapes that discovery never saw.
inline void CheckFactors(const std::string& what,
                         const OpCall& sample,
                         const Discovered& found,
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
      }
      EXPECT_GT(done, 0) << what << " " << found.text << ": factor " << factor.name
                         << " was never checked on " << ranks;
    }
  }
}

// Sizes at which every piece is a single group: it may look like a broadcast.
inline std::optional<OwnedCall> SingleGroups(const OpCall& sample,
                                             const Discovered& found,
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

// Two factors on meshes of 2 x 2 and 2 x 4: pieces of single groups, and shapes that discovery
// never saw.
inline void CheckPair(const std::string& what,
                      const OpCall& sample,
                      const Discovered& found,
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
                       const Discovered& found,
                       Generator& random,
                       Tally& tally) {
  for (const SymbolicFactor& first : found.factors)
    for (const SymbolicFactor& second : found.factors)
      if (first.name != second.name)
        CheckPair(what, sample, found, {&first, &second}, random, tally);
}

}  // namespace metadist::testing
