// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "planner/solvers/evaluate.h"

namespace metadist {
namespace {

using Json = nlohmann::json;

// Reads fields and collects every problem with its path.
class Reader {
 public:
  Result<Problem> Run(std::string_view text) {
    const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (root.is_discarded()) return BadInput("", "expected JSON, got text that does not parse");
    const Json* body = Field(root, "", "problem");
    if (body == nullptr) return Join(std::move(errors_));
    ReadBody(*body);
    if (!errors_.empty()) return Join(std::move(errors_));
    TRY(Checked());
    return std::move(problem_);
  }

 private:
  Result<bool> Checked() {
    const Result<void> valid = Validate(problem_);
    if (!valid.ok()) return valid.error();
    return true;
  }

  void Fail(std::string path, std::string message) {
    constexpr size_t kMostErrors = 20;
    if (errors_.size() < kMostErrors) {
      errors_.push_back(BadInput(std::move(path), std::move(message)));
    }
  }

  const Json* Field(const Json& object, const std::string& path, const char* name) {
    if (!object.is_object()) {
      Fail(path.empty() ? "root" : path,
           fmt::format("expected an object, got {}", object.type_name()));
      return nullptr;
    }
    const auto found = object.find(name);
    if (found != object.end()) return &*found;
    Fail(path.empty() ? name : path + "." + name, "expected a value, got none");
    return nullptr;
  }

  const Json* Array(const Json& object, const std::string& path, const char* name) {
    const Json* field = Field(object, path, name);
    if (field == nullptr || field->is_array()) return field;
    Fail(path + "." + name, fmt::format("expected an array, got {}", field->type_name()));
    return nullptr;
  }

  bool Integer(const Json& value, const std::string& path, int64_t& out) {
    const bool overflow = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
    if (!value.is_number_integer() || overflow) {
      Fail(path, fmt::format("expected an integer of 64 bits, got {}", Shown(value)));
      return false;
    }
    out = value.get<int64_t>();
    return true;
  }

  static std::string Shown(const Json& value) {
    return value.is_number() ? value.dump() : value.type_name();
  }

  std::vector<int64_t> Integers(const Json& value, const std::string& path) {
    std::vector<int64_t> out;
    if (!value.is_array()) {
      Fail(path, fmt::format("expected an array, got {}", value.type_name()));
      return out;
    }
    out.reserve(value.size());
    for (size_t k = 0; k < value.size(); ++k) {
      int64_t number = 0;
      if (!Integer(value[k], fmt::format("{}[{}]", path, k), number)) break;
      out.push_back(number);
    }
    return out;
  }

  void ReadBody(const Json& body) {
    if (const Json* name = Field(body, "problem", "name")) {
      if (name->is_string()) {
        problem_.name = name->get<std::string>();
      } else {
        Fail("problem.name", fmt::format("expected a string, got {}", name->type_name()));
      }
    }
    if (const Json* nodes = Field(body, "problem", "nodes")) ReadNodes(*nodes);
    const Json* edges = body.is_object() ? Field(body, "problem", "edges") : nullptr;
    if (edges != nullptr && errors_.empty()) ReadEdges(*edges);
    if (body.is_object() && body.contains("usage_limit")) {
      int64_t limit = 0;
      if (Integer(body["usage_limit"], "problem.usage_limit", limit)) problem_.usage_limit = limit;
    }
  }

  void ReadNodes(const Json& nodes) {
    const Json* intervals = Array(nodes, "problem.nodes", "intervals");
    const Json* costs = Array(nodes, "problem.nodes", "costs");
    const Json* usages = Array(nodes, "problem.nodes", "usages");
    if (intervals == nullptr || costs == nullptr || usages == nullptr) return;
    for (const auto& [name, list] : {std::pair("intervals", intervals), {"usages", usages}}) {
      if (list->size() == costs->size()) continue;
      Fail(fmt::format("problem.nodes.{}", name),
           fmt::format("expected {} entries as costs, got {}", costs->size(), list->size()));
      return;
    }
    for (size_t i = 0; i < costs->size(); ++i) {
      ProblemNode& node = problem_.nodes.emplace_back();
      const std::string at = fmt::format("problem.nodes.intervals[{}]", i);
      const std::vector<int64_t> interval = Integers((*intervals)[i], at);
      if (interval.size() != 2) {
        Fail(at, fmt::format("expected two times, got {}", interval.size()));
        continue;
      }
      node.costs = Integers((*costs)[i], fmt::format("problem.nodes.costs[{}]", i));
      const std::string usage_at = fmt::format("problem.nodes.usages[{}]", i);
      std::vector<int64_t> usage = Integers((*usages)[i], usage_at);
      if (usage.size() != node.costs.size()) {
        Fail(usage_at,
             fmt::format("expected {} entries as costs, got {}", node.costs.size(), usage.size()));
      }
      node.rows.push_back({interval[0], interval[1], std::move(usage)});
    }
  }

  void ReadEdges(const Json& edges) {
    const Json* ends = Array(edges, "problem.edges", "nodes");
    const Json* costs = Array(edges, "problem.edges", "costs");
    if (ends == nullptr || costs == nullptr) return;
    if (ends->size() != costs->size()) {
      Fail("problem.edges.costs",
           fmt::format("expected {} entries as nodes, got {}", ends->size(), costs->size()));
      return;
    }
    for (size_t e = 0; e < ends->size(); ++e) {
      ReadEdge((*ends)[e], (*costs)[e], e);
    }
  }

  void ReadEdge(const Json& ends_json, const Json& costs_json, size_t index) {
    const std::string at = fmt::format("problem.edges.nodes[{}]", index);
    const std::string costs_at = fmt::format("problem.edges.costs[{}]", index);
    const std::vector<int64_t> ends = Integers(ends_json, at);
    std::vector<int64_t> costs = Integers(costs_json, costs_at);
    if (ends.empty() || ends.size() > 2) {
      Fail(at, fmt::format("expected one or two nodes, got {}", ends.size()));
      return;
    }
    size_t expected = 1;
    for (int64_t end : ends) {
      if (end < 0 || static_cast<size_t>(end) >= problem_.nodes.size()) {
        Fail(at, fmt::format("expected nodes below {}, got {}", problem_.nodes.size(), end));
        return;
      }
      expected *= problem_.nodes[end].costs.size();
    }
    if (costs.size() != expected) {
      Fail(costs_at, fmt::format("expected {} entries, got {}", expected, costs.size()));
      return;
    }
    if (ends.size() == 1) {
      AddToNode(problem_.nodes[ends[0]].costs, costs);
      return;
    }
    if (ends[0] == ends[1]) {
      Fail(at, fmt::format("expected two different nodes, got {} twice", ends[0]));
      return;
    }
    problem_.edges.push_back(
        {static_cast<int>(ends[0]), static_cast<int>(ends[1]), Shared(std::move(costs))});
  }

  static void AddToNode(std::vector<int64_t>& node, const std::vector<int64_t>& costs) {
    for (size_t p = 0; p < node.size(); ++p) {
      const bool forbidden = node[p] >= kForbiddenFrom || costs[p] >= kForbiddenFrom;
      const WideCost sum = static_cast<WideCost>(node[p]) + costs[p];
      // A sum below is refused by Validate, a sum above would pass for forbidden.
      const WideCost finite = std::clamp<WideCost>(sum, -kForbidden, kForbiddenFrom - 1);
      node[p] = forbidden ? kForbidden : static_cast<int64_t>(finite);
    }
  }

  CostMatrix Shared(std::vector<int64_t> costs) {
    CostMatrix& shared = matrices_[costs];
    if (!shared) shared = std::make_shared<const std::vector<int64_t>>(std::move(costs));
    return shared;
  }

  Problem problem_;
  std::map<std::vector<int64_t>, CostMatrix> matrices_;
  std::vector<Error> errors_;
};

std::string List(const std::vector<int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

std::string Lines(const std::vector<std::string>& items) {
  return items.empty() ? "[]" : fmt::format("[\n{}\n]", fmt::join(items, ",\n"));
}

// Rows behind the first become nodes, tied to theirs.
Problem OneRowPerNode(const Problem& problem) {
  Problem out = problem;
  out.tied.resize(problem.nodes.size());
  for (size_t i = 0; i < out.tied.size(); ++i) {
    out.tied[i] = problem.tied.empty() ? static_cast<int>(i) : problem.tied[i];
  }
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    const ProblemNode& node = problem.nodes[i];
    for (size_t r = 1; r < node.rows.size(); ++r) {
      out.nodes.push_back({std::vector<int64_t>(node.costs.size(), 0), {node.rows[r]}});
      out.tied.push_back(static_cast<int>(i));
    }
    if (node.rows.size() > 1) out.nodes[i].rows.resize(1);
  }
  return WithTiesAsEdges(out);
}

}  // namespace

Result<Problem> ParseProblem(std::string_view text) { return Reader().Run(text); }

std::string WriteProblem(const Problem& problem) {
  const Problem flat = OneRowPerNode(problem);
  std::vector<std::string> intervals;
  std::vector<std::string> costs;
  std::vector<std::string> usages;
  for (const ProblemNode& node : flat.nodes) {
    const bool none = node.rows.empty();
    intervals.push_back(none ? "[0,0]" : fmt::format("[{},{}]", node.rows[0].lo, node.rows[0].hi));
    costs.push_back(List(node.costs));
    usages.push_back(List(none ? std::vector<int64_t>(node.costs.size(), 0) : node.rows[0].usage));
  }
  std::vector<std::string> ends;
  std::vector<std::string> edge_costs;
  for (const ProblemEdge& edge : flat.edges) {
    ends.push_back(fmt::format("[{},{}]", edge.a, edge.b));
    edge_costs.push_back(List(*edge.costs));
  }
  std::string out = fmt::format("{{\"problem\":{{\"name\":{},\n", Json(flat.name).dump());
  out += fmt::format("\"nodes\":{{\"intervals\":{},\n\"costs\":{},\n\"usages\":{}}},\n",
                     Lines(intervals),
                     Lines(costs),
                     Lines(usages));
  out += fmt::format("\"edges\":{{\"nodes\":{},\n\"costs\":{}}}", Lines(ends), Lines(edge_costs));
  if (flat.usage_limit) out += fmt::format(",\n\"usage_limit\":{}", *flat.usage_limit);
  return out + "}}\n";
}

Result<Choice> ParseChoice(std::string_view text, const Problem& problem) {
  const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_array()) return BadInput("choice", "expected an array of strategy indices");
  size_t extra = 0;
  for (const ProblemNode& node : problem.nodes) {
    if (node.rows.size() > 1) extra += node.rows.size() - 1;
  }
  const size_t count = problem.nodes.size();
  if (root.size() != count && root.size() != count + extra) {
    return BadInput("choice", fmt::format("expected {} entries, got {}", count, root.size()));
  }
  std::vector<Error> errors;
  Choice out;
  for (size_t i = 0; i < count; ++i) {
    const int64_t size = static_cast<int64_t>(problem.nodes[i].costs.size());
    const bool valid = root[i].is_number_integer() && root[i] >= 0 && root[i] < size;
    if (!valid) {
      errors.push_back(BadInput(
          fmt::format("choice[{}]", i),
          fmt::format("expected a strategy in [0, {}], got {}", size - 1, root[i].dump())));
    }
    out.push_back(valid ? root[i].get<int>() : 0);
  }
  if (!errors.empty()) return Join(std::move(errors));
  return out;
}

std::string WriteChoice(const Choice& choice) {
  return fmt::format("[{}]\n", fmt::join(choice, ", "));
}

}  // namespace metadist
