// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "planner/plan/plan.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// An alternative's name and its template, as --template has it.
using NamedTemplate = std::pair<std::string, std::string>;

// The templates that suit the graph and a mesh.
std::vector<NamedTemplate> TemplatesFor(const PlanRequest& request, const Mesh& mesh);

// The best choice that a template allows.
struct TemplateChoice {
  std::string name;  // of the alternative
  size_t mesh = 0;
  LoweredChoice candidate;
  bool fits = false;      // the memory limit
  Prediction prediction;  // with its collectives bundled, as in a plan
};

// The templates that suit the graph and one of the meshes, each solved with repeated layers tied
// and without the others' results. Those that the mesh does not allow are left out.
std::vector<TemplateChoice> TryTemplates(const SearchSetting& setting, size_t mesh);

// Alternatives to the plan: one device, the templates, no memory limit. free: the best plan without
// a limit, if it was searched.
std::vector<Alternative> AlternativesTo(const Plan& plan,
                                        const SearchSetting& setting,
                                        const std::vector<TemplateChoice>& templates,
                                        const BestPlan& free);

}  // namespace metadist
