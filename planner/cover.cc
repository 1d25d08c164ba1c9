// SPDX-License-Identifier: Apache-2.0
//
// A strategy is forced by an additional problem node with a single strategy, whose edges forbid all
// but the required strategies of the nodes they lead to. The rest is solved as usual.
#include "planner/cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "planner/lower/lower.h"
#include "planner/solvers/solver.h"
#include "planner/space/expansion.h"
#include "planner/space/formulate.h"
#include "planner/space/redistribution.h"
#include "planner/space/signature.h"

namespace metadist {
namespace {

class Coverer {
 public:
  explicit Coverer(const CoverRequest& request)
      : request_(request), graph_(*request.graph), routes_(request.mesh, request.cluster) {}

  Result<Cover> Run() {
    FormulateRequest formulate;
    formulate.graph = request_.graph;
    formulate.ops = request_.ops;
    formulate.rule_of = [&](const Node& node) -> const Rule& {
      return request_.rules->For(graph_, node);
    };
    formulate.inner_rules = [&](const Graph& graph, const Node& node) -> const Rule& {
      return request_.rules->For(graph, node);
    };
    formulate.every_pass = true;
    formulation_ = TRY(Formulate(formulate, routes_));
    TRY(Validate(formulation_.problem));
    formulation_.problem.tied.clear();
    FindProblemNodes();
    int most = 0;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) most = std::max(most, Count(n));
    for (int k = 1; k < most; ++k) {
      std::map<size_t, int> wanted;
      for (size_t n = 0; n < graph_.nodes.size(); ++n) wanted[n] = k % Count(n);
      if (!TRY(Add(wanted))) TRY(AddOneByOne(k));
    }
    return Finish();
  }

 private:
  int Count(size_t node) const {
    return std::max(1, static_cast<int>(formulation_.strategies[node]->size()));
  }

  void FindProblemNodes() {
    problem_node_.assign(graph_.nodes.size(), -1);
    for (size_t p = 0; p < formulation_.decisions.size(); ++p)
      if (formulation_.decisions[p].kind == Formulation::Decision::Kind::kNode)
        problem_node_[static_cast<size_t>(formulation_.decisions[p].id)] = static_cast<int>(p);
    for (const Node& node : graph_.nodes)
      signatures_.push_back(SignatureOf(graph_, node, request_.ops->Find(node)));
  }

  // Adds a program in which nodes use these strategies; false if there is none.
  Result<bool> Add(const std::map<size_t, int>& wanted) {
    Problem problem = formulation_.problem;
    const int force = static_cast<int>(problem.nodes.size());
    problem.nodes.push_back({{0}, {}});
    if (!problem.node_names.empty()) problem.node_names.push_back("force");
    for (const auto& [node, strategy] : wanted) {
      std::vector<int64_t> costs(static_cast<size_t>(Count(node)), kForbidden);
      costs[static_cast<size_t>(strategy)] = 0;
      problem.edges.push_back({problem_node_[node],
                               force,
                               std::make_shared<const std::vector<int64_t>>(std::move(costs))});
    }
    SolveResult solved = TRY(DefaultSolver().solve(problem, {.work_limit = kWorkPerSecond}));
    if (solved.choice.empty()) return false;
    solved.choice.pop_back();
    const Assignment assignment = formulation_.Decode(graph_, solved.choice);
    const Expansion expanded = ExpandNodes(graph_, assignment);
    const auto redistributions = RedistributionsOf(expanded.graph, expanded.assignment, routes_);
    CoverProgram made;
    made.program = TRY(Lower(expanded.graph, request_.mesh, expanded.assignment, redistributions));
    made.text = Text(assignment);
    cover_.programs.push_back(std::move(made));
    for (size_t n = 0; n < graph_.nodes.size(); ++n)
      used_.emplace(signatures_[n], solved.choice[static_cast<size_t>(problem_node_[n])]);
    return true;
  }

  Result<void> AddOneByOne(int k) {
    for (size_t n = 0; n < graph_.nodes.size(); ++n)
      if (k < Count(n) && used_.count({signatures_[n], k}) == 0) TRY(Add({{n, k}}));
    return {};
  }

  std::string Text(const Assignment& assignment) const {
    std::string text;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      std::string axes;
      bool split = false;
      for (const std::string& axis : assignment.nodes[n].axes) {
        axes += (axes.empty() ? "" : ",") + (axis.empty() ? "-" : axis);
        split = split || !axis.empty();
      }
      if (split)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", graph_.nodes[n].name, axes);
    }
    return text;
  }

  Cover Finish() {
    std::set<std::pair<std::string, int>> all;
    for (size_t n = 0; n < graph_.nodes.size(); ++n)
      for (int k = 1; k < Count(n); ++k) all.emplace(signatures_[n], k);
    for (const auto& one : all) ++(used_.count(one) > 0 ? cover_.strategies : cover_.left_out);
    return std::move(cover_);
  }

  const CoverRequest& request_;
  const Graph& graph_;
  Redistributor routes_;
  Formulation formulation_;
  std::vector<int> problem_node_;               // by node
  std::vector<std::string> signatures_;         // by node
  std::set<std::pair<std::string, int>> used_;  // signature, strategy
  Cover cover_;
};

}  // namespace

Result<Cover> CoverStrategies(const CoverRequest& request) { return Coverer(request).Run(); }

}  // namespace metadist
