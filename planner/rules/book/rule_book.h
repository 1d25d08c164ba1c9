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

// One line of the report: a signature at sizes that give one rule, the nodes that have it, and what
// was found.
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
  bool faulty = false;  // the operator's code misbehaved, see `reason`
  std::vector<UncutDim> uncut;
  // Of the signature; 0 if an earlier line has them.
  int64_t executions = 0;
  int64_t kernel_runs = 0;
  double seconds = 0;  // not deterministic
};

// The rules of all operators of a plan: each signature is discovered once. A signature is the call
// without everything that does not affect its rule: two calls have the same signature if they
// shrink to the same small call. Rules depend only on signature and seed, not on the order of
// requests or the number of threads. Thread-safe.
class RuleBook {
 public:
  explicit RuleBook(const OpTable& table, DiscoveryOptions options = {}, int threads = 1);
  ~RuleBook();
  RuleBook(const RuleBook&) = delete;
  RuleBook& operator=(const RuleBook&) = delete;

  // Loads rules that were found earlier, at most once and before the first request. Those of other
  // kernels or another version of metadist, and those that do not fit the call they are for, are
  // discovered again when they are needed. Not for a book of primitive rules: rules of a file are
  // not primitive.
  void Learn(RuleFile file);
  // Number of rules of the file that belong to another kernel, and of requested ones that did not
  // fit.
  int64_t stale() const;
  int64_t misfits() const;
  // All rules that were loaded and are not stale, and all that were discovered.
  RuleFile File() const;

  // Discovers all missing rules of the graph's nodes, on all threads. Optional: For() does the same
  // one by one.
  void Discover(const Graph& graph);

  // The rule at the node's own sizes. Unknown operators and nodes with regions have no factors and
  // a reason. The reference stays valid while the book lives.
  const Rule& For(const Graph& graph, const Node& node);

  // The symbolic rule of which the node's rule is an instance; nullptr if nothing was run. Valid
  // while the book lives.
  const SymbolicRule* Found(const Graph& graph, const Node& node);

  // Signatures and rules of the graph's nodes, in order of first use.
  std::vector<SignatureReport> Report(const Graph& graph);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace metadist
