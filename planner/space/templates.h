// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"
#include "metair/spmd/mesh.h"
#include "planner/space/formulate.h"

namespace metadist {

// What the ranks along a mesh axis are for.
enum class AxisRole : uint8_t {
  kFree,              // the solver's choice
  kReplicate,         // all do the same work
  kData,              // inputs are cut along their first dim, everything else is on every rank
  kZero1,             // the same, but optimizer states are cut
  kZero2,             // and gradients
  kZero3,             // and parameters, gathered for every use
  kMegatron,          // weights of contractions are cut; activations meet in all-reduces only
  kMegatronSequence,  // the same with reduce-scatters and all-gathers
};

// A well-known way to run a model, as restrictions of what a solver may choose.
struct PlanTemplate {
  std::string name = "auto";  // as given
  AxisRole all = AxisRole::kFree;
  std::vector<std::pair<std::string, AxisRole>> axes;  // instead of `all`, by name

  bool free() const { return all == AxisRole::kFree && axes.empty(); }
};

// "zero3": for all axes together; "data:zero3,model:megatron": by axis, others are free. Errors:
// kUsage.
Result<PlanTemplate> ParseTemplate(std::string_view text);
// "auto, replicate, dp, ...": for help and errors.
std::string TemplateNames();

// Forbids what the template excludes. The problem keeps its nodes and strategies, so a choice for
// the restricted problem is one for the whole. Along axes with a role, values are redistributed
// only as the role says; if the graph cannot be run so, also by all-gathers and reduce-scatters,
// and if that is not enough, in any way. Errors: kUsage: for axes that the mesh lacks, and for a
// template that has nothing to act on.
Result<void> Restrict(const PlanTemplate& wanted,
                      const Graph& graph,
                      const Mesh& mesh,
                      Formulation& formulation);

}  // namespace metadist
