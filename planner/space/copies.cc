// SPDX-License-Identifier: Apache-2.0
// Memory that depends on two decisions.
//
// A weight that is stored sharded and used whole is gathered right before its use; original and
// copy both exist while the node runs. A memory row of the problem belongs to one decision
// (memory_rows.h), so such a copy needs a node between the two decisions, whose strategies are
// "they agree, no copy" and "a copy of that size". Its edges only forbid pairs. Counting all copies
// would double the problem, and few of them ever decide the peak: a copy is added once a lowered
// program has exceeded its limit. A problem that counts some of the copies never requires more
// memory than its programs need, so its bounds hold.
#include "planner/space/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "planner/space/counted_rank.h"

namespace metadist {
namespace {

class CopyFinder {
 public:
  CopyFinder(const Graph& graph, const Mesh& mesh, const Formulation& formulation)
      : graph_(graph),
        mesh_(mesh),
        formulation_(formulation),
        decision_(formulation.where.of_value) {}

  std::vector<UseCopy> Run() const {
    std::vector<UseCopy> out;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const std::vector<ValueId>& inputs = graph_.nodes[n].inputs;
      for (auto id = inputs.begin(); id != inputs.end(); ++id) {
        const bool decided = *id != kNone && decision_[static_cast<size_t>(*id)] >= 0;
        if (!decided || std::find(inputs.begin(), id, *id) != id) continue;
        UseCopy copy = CopyOf(n, *id);
        if (std::ranges::any_of(copy.bytes, [](int64_t bytes) { return bytes > 0; }))
          out.push_back(std::move(copy));
      }
    }
    return out;
  }

 private:
  int64_t Bytes(ValueId value, const Sharding& sharding) const {
    return LocalBytes(graph_.value(value).type, sharding, mesh_, formulation_.counted_rank);
  }

  UseCopy CopyOf(size_t node, ValueId value) const {
    UseCopy out;
    out.node = static_cast<int>(node);
    out.decision = decision_[static_cast<size_t>(value)];
    const std::vector<Sharding>& candidates =
        *formulation_.decisions[static_cast<size_t>(out.decision)].candidates;
    const std::vector<ValueId>& inputs = graph_.nodes[node].inputs;
    for (const PricedStrategy& s : *formulation_.strategies[node]) {
      const Sharding* wanted = nullptr;
      bool one = s.strategy.expansion == nullptr;
      for (size_t i = 0; i < inputs.size() && one; ++i) {
        if (inputs[i] != value) continue;
        one = wanted == nullptr || *wanted == s.strategy.inputs[i];
        wanted = &s.strategy.inputs[i];
      }
      if (!one) wanted = nullptr;
      const auto at = wanted ? std::ranges::find(candidates, *wanted) : candidates.end();
      out.fitting.push_back(at == candidates.end() ? -1
                                                   : static_cast<int>(at - candidates.begin()));
      // Dropping spare elements only needs a view.
      const bool copied = wanted != nullptr && IsCopied(candidates, *wanted);
      out.bytes.push_back(copied ? Bytes(value, *wanted) : 0);
    }
    return out;
  }

  static bool IsCopied(const std::vector<Sharding>& candidates, const Sharding& wanted) {
    return std::none_of(candidates.begin(), candidates.end(), [&](const Sharding& from) {
      return from.has_spares() && from.WithoutSpares() == wanted;
    });
  }

  const Graph& graph_;
  const Mesh& mesh_;
  const Formulation& formulation_;
  const std::vector<int>& decision_;  // by value
};

// Indices of the strategies of a counted copy.
struct Numbers {
  std::map<int, int> agreed;      // by candidate
  std::map<int64_t, int> copied;  // by bytes
  int count = 0;
};

Numbers NumbersOf(const UseCopy& copy) {
  Numbers out;
  for (size_t s = 0; s < copy.bytes.size(); ++s)
    if (copy.bytes[s] > 0 && copy.fitting[s] >= 0) out.agreed.try_emplace(copy.fitting[s], 0);
  for (const int64_t bytes : copy.bytes) out.copied.try_emplace(bytes, 0);
  for (auto& [candidate, number] : out.agreed) number = out.count++;
  for (auto& [bytes, number] : out.copied) number = out.count++;
  return out;
}

// [node's strategies][copy's strategies]; every pair is forbidden unless allowed.
class Pairs {
 public:
  Pairs(size_t rows, size_t columns) : columns_(columns), entries_(rows * columns, kForbidden) {}
  void Allow(size_t row, size_t column) { entries_[row * columns_ + column] = 0; }
  CostMatrix Done() { return std::make_shared<const std::vector<int64_t>>(std::move(entries_)); }

 private:
  size_t columns_;
  std::vector<int64_t> entries_;
};

CountedCopy Matched(const UseCopy& copy, const Numbers& numbers, const Problem& problem) {
  CountedCopy out;
  const size_t count = static_cast<size_t>(numbers.count);
  Pairs user(copy.bytes.size(), count);
  for (size_t s = 0; s < copy.bytes.size(); ++s) {
    const auto agreed = numbers.agreed.find(copy.fitting[s]);
    const bool without = copy.bytes[s] > 0 && agreed != numbers.agreed.end();
    out.without.push_back(without ? agreed->second : -1);
    out.with.push_back(numbers.copied.at(copy.bytes[s]));
    if (without) user.Allow(s, static_cast<size_t>(agreed->second));
    user.Allow(s, static_cast<size_t>(out.with.back()));
  }
  const size_t candidates = problem.nodes[static_cast<size_t>(copy.decision)].costs.size();
  Pairs decision(candidates, count);
  for (const auto& [candidate, number] : numbers.agreed)
    decision.Allow(static_cast<size_t>(candidate), static_cast<size_t>(number));
  for (const auto& [bytes, number] : numbers.copied)
    for (size_t c = 0; c < candidates; ++c) decision.Allow(c, static_cast<size_t>(number));
  out.user_pairs = user.Done();
  out.decision_pairs = decision.Done();
  return out;
}

}  // namespace

std::vector<UseCopy> CopiesOf(const Graph& graph,
                              const Mesh& mesh,
                              const Formulation& formulation) {
  return CopyFinder(graph, mesh, formulation).Run();
}

bool AreTied(const UseCopy& a, const UseCopy& b, const Problem& problem) {
  if (problem.tied.empty()) return false;
  const auto root = [&](int node) { return problem.tied[static_cast<size_t>(node)]; };
  return root(a.node) == root(b.node) && root(a.decision) == root(b.decision) &&
         a.bytes == b.bytes && a.fitting == b.fitting;
}

CountedCopy CountCopy(const UseCopy& copy,
                      const std::vector<CountedCopy>& counted,
                      Formulation& formulation) {
  Problem& problem = formulation.problem;
  const auto leader = std::find_if(counted.begin(), counted.end(), [&](const CountedCopy& one) {
    return AreTied(one.copy, copy, problem);
  });
  const Numbers numbers = NumbersOf(copy);
  CountedCopy out = leader == counted.end() ? Matched(copy, numbers, problem) : *leader;
  out.copy = copy;
  out.self = static_cast<int>(problem.nodes.size());
  const int64_t time = 2 * static_cast<int64_t>(copy.node);
  MemoryRow row{time, time + 1, {}};
  row.usage.assign(static_cast<size_t>(numbers.count), 0);
  for (const auto& [bytes, number] : numbers.copied) row.usage[static_cast<size_t>(number)] = bytes;
  problem.nodes.push_back(
      {std::vector<int64_t>(static_cast<size_t>(numbers.count), 0), {std::move(row)}});
  problem.edges.push_back({copy.node, out.self, out.user_pairs});
  problem.edges.push_back({copy.decision, out.self, out.decision_pairs});
  if (!problem.node_names.empty())
    problem.node_names.push_back(fmt::format("copy of {} for {}",
                                             problem.node_names[static_cast<size_t>(copy.decision)],
                                             problem.node_names[static_cast<size_t>(copy.node)]));
  if (!problem.tied.empty())
    problem.tied.push_back(
        leader == counted.end() ? out.self : problem.tied[static_cast<size_t>(leader->self)]);
  formulation.decisions.push_back({Formulation::Decision::Kind::kFixed, 0, {}});
  return out;
}

Choice WithCopies(Choice choice, size_t own, const std::vector<CountedCopy>& counted) {
  choice.resize(own);
  for (const CountedCopy& one : counted) {
    const size_t s = static_cast<size_t>(choice[static_cast<size_t>(one.copy.node)]);
    const bool agrees = one.without[s] >= 0 && one.copy.BytesAt(choice) == 0;
    choice.push_back(agrees ? one.without[s] : one.with[s]);
  }
  return choice;
}

}  // namespace metadist
