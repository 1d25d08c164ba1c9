// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"
#include "planner/rules/book/rule_file.h"
#include "planner/rules/factor/rule.h"
#include "planner/rules/search/discover.h"

namespace metadist {

// One line of the report: a signature at the sizes that give one rule, how many nodes have it, and
// what was found.
struct SignatureReport {
  struct Input {
    bool present = false;
    TensorType type = {};              // of the first node with this signature
    std::vector<int64_t> values = {};  // of a literal input; otherwise empty
  };

  std::string domain;
  std::string op;
  int opset = 1;
  Attributes attributes;
  std::vector<Input> inputs;
  std::vector<TensorType> outputs;
  std::vector<std::string> nodes;  // by name

  std::string rule;  // one-line notation
  std::vector<std::string> factors;
  std::string reason;
  bool faulty = false;  // the operator's code failed, as the reason says
  std::vector<UncutDim> uncut;
  // Of the signature; 0 where an earlier line tells them.
  int64_t executions = 0;
  int64_t kernel_runs = 0;
  double seconds = 0;  // not deterministic
};

// The rules of all operators a plan meets: each signature is discovered once. A signature is the
// call without what does not matter to its rule: two calls have the same one if they shrink to the
// same small call. Rules depend on signature and seed alone, not on the order of questions or the
// number of threads. Thread-safe.
class RuleBook {
 public:
  explicit RuleBook(const OpTable& table, DiscoveryOptions options = {}, int threads = 1);
  ~RuleBook();
  RuleBook(const RuleBook&) = delete;
  RuleBook& operator=(const RuleBook&) = delete;

  // Takes over rules that were found before, at most once and before any question. Those of other
  // kernels or another metadist, and those that turn out not to be of the call they are for, are
  // found anew when they are needed. Not for a book of primitive rules: those of a file are not.
  void Learn(RuleFile file);
  // How many rules of the file are of another kernel, and how many of those asked for did not fit.
  int64_t stale() const;
  int64_t misfits() const;
  // All that was learned and is not stale, and all that was discovered.
  RuleFile File() const;

  // Discovers whatever the graph's nodes need and is not known yet, on all threads. Optional: For()
  // does the same one by one.
  void Discover(const Graph& graph);

  // The rule at the node's own sizes. Unknown operators and nodes with regions have no factors and
  // a reason. The reference stays valid while the book lives.
  const Rule& For(const Graph& graph, const Node& node);

  // What the node's rule is an instance of, whatever its sizes; nullptr where nothing was run.
  // Stays valid likewise.
  const SymbolicRule* Found(const Graph& graph, const Node& node);

  // Signatures and rules of the graph's nodes, in order of first use.
  std::vector<SignatureReport> Report(const Graph& graph);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace metadist
