// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "planner/rules/factor/symbolic_rule.h"
#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"
#include "planner/rules/search/offsets.h"

namespace metadist {

// A factor to be tested: what is cut, and what else changes in a rank's call.
struct Trial : SymbolicFactor {
  std::set<int> reached;  // outputs that depend on a cut input
};

// Runs a trial divided and whole, and compares the results.
class ExecutionTest {
 public:
  struct Configuration;  // sizes, ranks and inputs of one test
  struct Undivided;      // what the ranks' results are compared with
  using Reductions = std::map<int, std::vector<ReduceOp>>;  // by output: those that are left
  static constexpr int64_t kLargeCall = 4096;

  ExecutionTest(BlackBox& box, Sampler& sampler, const Family& family)
      : box_(box), sampler_(sampler), family_(family) {}

  // The factor, unnamed, if every configuration agrees with it; otherwise nullopt.
  std::optional<SymbolicFactor> Run(const Trial& trial);

  // Whether the first rank's outputs are its pieces of the whole outputs, in one configuration. A
  // shift by the start of the piece is 0 on that rank, so no shift can correct an error there.
  bool FirstRankAgrees(const Trial& trial);

  // Atom sizes in which one atom at a time, except the tested ones, is larger than the call's
  // literals; empty if there are no literals.
  std::vector<std::vector<int64_t>> WideSizes(std::span<const int> tested) const;

  // Surrogate sizes with all atoms except the tested ones larger by `more`, if that is legal; only
  // as many of them as keep the call small.
  std::vector<int64_t> OtherSizes(std::span<const int> tested, int64_t more) const;

  // Number of elements of all inputs.
  int64_t Elements(std::span<const int64_t> sizes) const;
  // Whether the call has many elements even at surrogate sizes.
  bool IsLarge() const { return Elements(family_.surrogate) > kLargeCall; }

  // Factors that only fail at the edges of the call's own element types.
  const std::vector<SymbolicFactor>& refuted() const { return refuted_; }

  int64_t executions() const { return executions_; }
  // Number of trials that several reductions survived: the inputs did not distinguish them.
  int64_t ambiguous() const { return ambiguous_; }

 private:
  // Size of an atom at which all its dims have this many elements or more.
  int64_t SizeFor(int atom, int64_t elements) const;
  // Size of an atom at which all its dims exceed the call's literals.
  int64_t AboveLiterals(int atom) const;
  std::vector<Configuration> Configurations(const Trial& trial) const;
  std::vector<Configuration> SingleGroups(const Trial& trial) const;
  // Three ranks with two groups each, and with as many as each of the call's literals; none if the
  // trial counts no indices.
  std::vector<Configuration> IndexEdges(const Trial& trial) const;
  bool HoldsInAnyOrder(const Trial& trial, const SymbolicFactor& factor, const Reductions& left);
  bool HoldsAtEdges(const Trial& trial, const SymbolicFactor& factor, const Reductions& left);
  // For atoms tested at one size only, adds a second size at which the trial holds, in calls of at
  // most `most_elements` elements.
  void VaryOthers(const Trial& trial,
                  const Reductions& left,
                  int64_t most_elements,
                  std::vector<std::set<int64_t>>& seen);
  bool Agrees(const Trial& trial, const Configuration& at, Reductions& left);
  // Whether the trial agrees at every legal value of the indices that it counts.
  bool AgreesAtAllIndices(const Trial& trial, Configuration at, Reductions& left);
  // Legal inputs, focused on the piece of one rank. False: there are none.
  bool DrawInputs(const Trial& trial,
                  const Configuration& at,
                  std::span<const int64_t> values,
                  std::vector<Tensor>& inputs);
  bool RunRanks(const Trial& trial,
                const Configuration& at,
                std::span<const Tensor> inputs,
                const Undivided& whole,
                Reductions& left);
  // inputs: whole, apart from partial ones.
  bool RunRank(const Trial& trial,
               const Configuration& at,
               int64_t rank,
               std::vector<Tensor> inputs,
               const Undivided& whole,
               std::vector<Tensor>& outputs);
  bool Matters(const Trial& trial,
               const Configuration& at,
               std::vector<Tensor> inputs,
               const Undivided& whole);

  BlackBox& box_;
  Sampler& sampler_;
  const Family& family_;
  std::vector<SymbolicFactor> refuted_;
  int told_ = 0;                   // settings of the current trial in which the cut inputs matter
  std::map<int, int64_t> folded_;  // by output of the current trial: elements compared that are
                                   // extremes
  int64_t executions_ = 0;
  int64_t ambiguous_ = 0;
};

}  // namespace metadist
