// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/problem_io.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "planner/solvers/problem/jagged.h"
#include "planner/solvers/problem/problem_stream.h"

namespace metadist {
namespace {

using Json = nlohmann::json;

// The only array of numbers in the text: the whole text, or the value of `choice`.
Result<std::vector<int64_t>> ChoiceEntries(JsonScanner& scanner,
                                           std::vector<JsonScanner::Misfit>& misfits) {
  std::vector<int64_t> out;
  bool found = scanner.NextKind() == JsonScanner::Kind::kArray;
  if (found) {
    scanner.Integers(out, misfits);
  } else if (scanner.NextKind() == JsonScanner::Kind::kObject) {
    std::string key;
    bool named = false;
    for (bool more = scanner.Open('{'); more; more = scanner.Another('}')) {
      if (!scanner.Key(key)) break;
      if (key == "choice" && std::exchange(named, true))
        return BadInput("choice", "expected once, got twice");
      if (key == "choice" && scanner.NextKind() == JsonScanner::Kind::kArray) {
        scanner.Integers(out, misfits);
        found = true;
      } else {
        scanner.Skip();
      }
    }
  }
  if (found) scanner.End();
  if (scanner.error()) return Error(*scanner.error()).in("choice");
  if (!found) return BadInput("choice", "expected an array of strategy indices");
  return out;
}

// Number of nodes that WriteProblem adds.
size_t ExtraNodes(const Problem& problem) {
  size_t extra = 0;
  for (const ProblemNode& node : problem.nodes) {
    if (node.rows.size() > 1) extra += node.rows.size() - 1;
  }
  return extra;
}

std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

template <typename Int>
void AppendList(const std::vector<Int>& values, std::string& out, const char* separator = ",") {
  out += '[';
  for (size_t k = 0; k < values.size(); ++k) {
    if (k > 0) out += separator;
    const fmt::format_int digits(values[k]);
    out.append(digits.data(), digits.size());
  }
  out += ']';
}

// `"key":[`, one element per line, `]`.
template <typename Append>
void AppendLines(const char* key, size_t count, Append append, std::string& out) {
  out += fmt::format("\"{}\":[", key);
  for (size_t i = 0; i < count; ++i) {
    out += i == 0 ? "\n" : ",\n";
    append(i);
  }
  out += count == 0 ? "]" : "\n]";
}

// Every row after a node's first becomes a node of its own with the same name, tied to that node; a
// node without rows gets an empty one.
Problem OneRowPerNode(const Problem& problem) {
  Problem out = problem;
  if (out.tied.empty()) out.tied = Indices(problem.nodes.size());
  for (size_t i = out.node_names.size(); i < problem.nodes.size(); ++i)
    out.node_names.push_back(fmt::format("node {}", i));
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    const ProblemNode& node = problem.nodes[i];
    for (size_t r = 1; r < node.rows.size(); ++r) {
      out.nodes.push_back({std::vector<int64_t>(node.costs.size(), 0), {node.rows[r]}});
      out.node_names.push_back(out.node_names[i]);
      out.tied.push_back(static_cast<int>(i));
    }
    std::vector<MemoryRow>& rows = out.nodes[i].rows;
    if (rows.empty()) rows.push_back({0, 0, std::vector<int64_t>(node.costs.size(), 0)});
    rows.resize(1);
  }
  return WithTiesAsEdges(out);
}

}  // namespace

Result<Problem> ParseProblem(std::string_view text) {
  return TRY(ReadProblem(TextSource(text))).problem;
}

std::string WriteProblem(const Problem& problem) {
  const Problem flat = OneRowPerNode(problem);
  const std::vector<ProblemNode>& nodes = flat.nodes;
  const std::vector<ProblemEdge>& edges = flat.edges;
  std::string out = fmt::format("{{\"problem\":{{\"name\":{},\n\"nodes\":{{", Quoted(flat.name));
  const auto interval = [&](size_t i) {
    AppendList<int64_t>({nodes[i].rows[0].lo, nodes[i].rows[0].hi}, out);
  };
  const auto usage = [&](size_t i) { AppendList(nodes[i].rows[0].usage, out); };
  AppendLines("intervals", nodes.size(), interval, out);
  out += ",\n";
  AppendLines("costs", nodes.size(), [&](size_t i) { AppendList(nodes[i].costs, out); }, out);
  out += ",\n";
  AppendLines("usages", nodes.size(), usage, out);
  out += "},\n\"edges\":{";
  const auto ends = [&](size_t e) { AppendList<int>({edges[e].a, edges[e].b}, out); };
  AppendLines("nodes", edges.size(), ends, out);
  out += ",\n";
  AppendLines("costs", edges.size(), [&](size_t e) { AppendList(*edges[e].costs, out); }, out);
  out += "}";
  if (flat.usage_limit) out += fmt::format(",\n\"usage_limit\":{}", *flat.usage_limit);
  return out + "}}\n";
}

Result<Choice> ParseChoice(std::string_view text, const Problem& problem, ChoiceOf of) {
  JsonScanner scanner(TextSource(text));
  std::vector<JsonScanner::Misfit> misfits;
  const std::vector<int64_t> entries = TRY(ChoiceEntries(scanner, misfits));
  const size_t count = problem.nodes.size();
  const bool whole = entries.size() == count || entries.size() == count + ExtraNodes(problem);
  if (of == ChoiceOf::kBeginning ? entries.size() < count : !whole) {
    return BadInput("choice",
                    fmt::format("expected {} entries{}, got {}",
                                count,
                                of == ChoiceOf::kBeginning ? " or more" : "",
                                entries.size()));
  }
  std::vector<Error> errors;
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool misfit = next < misfits.size() && misfits[next].index == i;
    const int64_t size = static_cast<int64_t>(problem.nodes[i].costs.size());
    if (!misfit && entries[i] >= 0 && entries[i] < size) continue;
    errors.push_back(
        BadInput(fmt::format("choice[{}]", i),
                 fmt::format("expected a strategy in [0, {}], got {}",
                             size - 1,
                             misfit ? misfits[next++].text : std::to_string(entries[i]))));
  }
  if (!errors.empty()) return Join(std::move(errors));
  return Choice(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(count));
}

std::string WriteChoice(const Choice& choice) {
  std::string out;
  AppendList(choice, out, ", ");
  return out + "\n";
}

std::string WriteNodeNames(const Problem& problem) {
  const std::vector<std::string> names = OneRowPerNode(problem).node_names;
  std::string out = "[";
  for (size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    out += Quoted(names[i]);
  }
  return out + "\n]\n";
}

Result<void> ReadNodeNames(std::string_view text, Problem& problem) {
  JsonScanner scanner(TextSource(text));
  std::vector<std::string> names;
  for (bool more = scanner.Open('['); more; more = scanner.Another(']')) {
    if (!scanner.String(names.emplace_back())) break;
  }
  scanner.End();
  if (scanner.error()) return Error(*scanner.error()).in("node names");
  if (names.size() < problem.nodes.size()) {
    return BadInput("node names",
                    fmt::format("expected {} entries, got {}", problem.nodes.size(), names.size()));
  }
  names.resize(problem.nodes.size());
  problem.node_names = std::move(names);
  return {};
}

}  // namespace metadist
