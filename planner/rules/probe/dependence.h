// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "planner/rules/probe/family.h"
#include "planner/rules/probe/sampler.h"

namespace metadist {

// Which index of an input dim affects which index of an output dim, for the dims that change with
// some atoms.
struct Relation {
  std::vector<int64_t> values;  // of the slots when measured
  std::vector<int64_t> sizes;   // of all atoms
  std::vector<Shape> outputs;
  std::vector<int> inputs;  // slots of the input dims
  std::vector<OutDim> out_dims;
  std::vector<std::vector<std::vector<uint8_t>>> depends;  // [input dim][output dim][p * size + q]
  std::vector<std::set<int>> touched;                      // outputs each input dim affects

  // Nodes are input dims, then output dims.
  size_t num_nodes() const { return inputs.size() + out_dims.size(); }
  bool is_input(size_t node) const { return node < inputs.size(); }
  const OutDim& out(size_t node) const { return out_dims[node - inputs.size()]; }
  int64_t size(size_t node) const;
  int64_t out_size(size_t out_dim) const { return out_dims[out_dim].In(outputs); }
};

// Measures dependence by running the kernel.
class Prober {
 public:
  Prober(BlackBox& box, Sampler& sampler) : box_(box), sampler_(sampler) {}

  // The dims that change with `atoms` at the given atom sizes. False: no legal call there.
  bool FindDims(const Family& family,
                std::span<const int> atoms,
                std::vector<int64_t> sizes,
                Relation& relation);
  // Fills depends and touched. False: the kernel rejected the call.
  bool Measure(Relation& relation);

  // For each group of indices of input dim `w`: whether the output has a product term of any of
  // them and the indices `focus` of input dim `x`, that is, f(x',w') - f(x',w) - f(x,w') + f(x,w)
  // is not 0. Empty: rejected.
  std::vector<uint8_t> MixedDifference(const Relation& relation,
                                       size_t x,
                                       std::span<const int64_t> focus,
                                       size_t w,
                                       const std::vector<std::vector<int64_t>>& groups);

 private:
  struct Baseline {
    InputMode mode;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    std::vector<double> slacks;  // by output: smaller differences count as rounding
  };
  // Drawn on demand.
  struct Baselines {
    std::vector<Baseline> drawn;
    size_t next = 0;  // next kind to draw
  };
  bool HasBaselines(const Relation& relation, size_t count, Baselines& bases);
  void ProbeDim(Relation& relation, size_t x, Baselines& bases);
  // Several indices, told apart. The ends of the dim come before any others.
  void Probe(Relation& relation, size_t x, std::span<const int64_t> indices, Baselines& bases);
  // The same with one baseline. False: no output changes.
  bool ProbeTogether(Relation& relation,
                     size_t x,
                     std::span<const int64_t> indices,
                     const Baseline& base);
  // All positions at once. False: some element depends on several positions, or the result is not
  // conclusive.
  bool ProbeByBits(Relation& relation, size_t x, Baselines& bases);
  // inputs: those of `from`, with the slab [indices] of the dim drawn anew (bools: flipped).
  bool Disturb(const Slot& dim,
               std::span<const int64_t> indices,
               InputMode mode,
               const std::vector<Tensor>& from,
               std::vector<Tensor>& inputs);

  BlackBox& box_;
  Sampler& sampler_;
};

}  // namespace metadist
