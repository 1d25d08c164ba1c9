// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

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

// Two factors on a mesh of 2 x 2.
inline void CheckPairs(const std::string& what,
                       const OpCall& sample,
                       const Discovered& found,
                       Generator& random,
                       Tally& tally) {
  for (const SymbolicFactor& first : found.factors)
    for (const SymbolicFactor& second : found.factors) {
      std::vector<int> atoms = first.atoms;
      atoms.insert(atoms.end(), second.atoms.begin(), second.atoms.end());
      if (first.name == second.name) continue;
      const auto call = RandomCall(sample, found, atoms, 2, 0, random);
      if (!call) continue;
      const Rule rule = Instantiate(found, call->call());
      const Factor* a = Named(rule, first.name);
      const Factor* b = Named(rule, second.name);
      if (a == nullptr || b == nullptr || !Divisible(*a, 2) || !Divisible(*b, 2)) continue;
      const auto inputs = DrawInputs(*call, random);
      if (!inputs) continue;
      const auto whole = call->Run(*inputs);
      if (!whole) continue;
      EXPECT_EQ("", RuleChecker::Check(*call, {{a, 2}, {b, 2}}, *inputs, *whole))
          << what << " " << found.text << " factors " << first.name << ", " << second.name;
      ++tally.pairs;
    }
}

}  // namespace metadist::testing
