// SPDX-License-Identifier: Apache-2.0
// Two caches: symbolic rules, by canonical signature (the shrunk call), and rules at real sizes, by
// the call itself. Sizes that coincide can be separated in several ways, and each order of
// shrinking tries one; of the results that have the call as an instance, the one with most cuts is
// taken. Dims that only the others can cut are recorded (UncutDim). A call that no order shrinks is
// a signature of its own, with only a reason. Discovery of a signature depends only on the
// signature and the seed, so it may run on any thread, and possibly twice, with the same result.
#include "planner/rules/book/rule_book.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "metair/ir/parallel.h"
#include "metair/ops/op_guard.h"
#include "planner/rules/book/confirm.h"
#include "planner/rules/book/operand_row.h"
#include "planner/rules/book/rule_version.h"
#include "planner/rules/book/signature.h"
#include "planner/rules/compose/composite.h"
#include "planner/rules/compose/kernel_only.h"
#include "planner/rules/instance/instance.h"
#include "planner/rules/probe/shrink.h"
#include "planner/rules/search/discover_small.h"
#include "planner/rules/search/following.h"

namespace metadist {
namespace {

// A rule at real sizes, and its origin.
struct Entry {
  Rule rule;
  std::string signature;                // "" if nothing was run
  const SymbolicRule* found = nullptr;  // nullptr if nothing was run
};

}  // namespace

struct RuleBook::State {
  const OpTable& table;
  DiscoveryOptions options;
  int threads;
  std::mutex mutex = {};
  std::map<std::string, RuleRecord> discovered = {};  // by canonical signature; addresses are
                                                      // stable
  std::map<std::string, Entry> rules = {};            // by call
  std::map<std::string, Entry> refused = {};          // by reason: unknown operators, regions
  std::map<std::string, RuleRecord> learned = {};     // by canonical signature; not yet checked for
                                                      // fit
  std::set<std::string> misfits = {};         // signatures in `learned` that do not fit their call
  std::deque<SymbolicRule> grown_rules = {};  // from calls with fewer operands; addresses are
                                              // stable
  int64_t stale = 0;

  // nullptr: this node's operator has no rules.
  const OpDef* DefinitionOf(const Node& node) const {
    return node.regions.empty() ? table.Find(node) : nullptr;
  }
  // Symbolic rules of the nodes of decompositions.
  InnerFound Inner() {
    return [this](const Graph& graph, const Node& node) { return Find(graph, node).found; };
  }

  // The rule discovered or loaded for this call.
  const SymbolicRule* Known(BlackBox& box, const std::string& signature) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto known = discovered.find(signature);
    if (known != discovered.end()) return &known->second.found;
    const auto told = learned.find(signature);
    if (told == learned.end() || misfits.count(signature) > 0) return nullptr;
    if (!SameForm(told->second.found, box)) {
      misfits.insert(signature);
      return nullptr;
    }
    return &discovered.insert(*told).first->second.found;
  }

  const SymbolicRule& Keep(const OpDef& op, const std::string& signature, SymbolicRule found) {
    RuleRecord record{op.domain, op.name, op.since_version, CodeFingerprint(op), std::move(found)};
    const std::lock_guard<std::mutex> lock(mutex);
    return discovered.emplace(signature, std::move(record)).first->second.found;
  }

  // nullptr: the small call is of another form than the real one.
  const SymbolicRule* SymbolicRuleAt(BlackBox& box,
                                     const std::string& signature,
                                     const BlackBox& real) {
    if (const SymbolicRule* known = Known(box, signature)) return known;
    SymbolicRule found = DiscoverSmall(box, options, &real);
    if (found.reason == kOtherForm) return nullptr;
    const InnerFound inner = Inner();
    const TestedCall small{box, table, inner, options.seed};
    const auto start = std::chrono::steady_clock::now();
    const int64_t runs = box.kernel_runs();
    if (!options.primitive) FindComposites(small, found);
    if (!found.faulty) FindKernelOnly(small, found);
    found.kernel_runs += box.kernel_runs() - runs;
    found.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!found.faulty && !box.fault().empty()) found = NoneFor(box);
    return &Keep(box.op(), signature, std::move(found));
  }

  // The entry of a call for which only a reason is known.
  Entry Without(const OpDef& op, const std::string& signature, SymbolicRule nothing) {
    const SymbolicRule& kept = Keep(op, signature, std::move(nothing));
    return {NoRule(kept.reason), signature, &kept};
  }

  // The rule of the call given that of a smaller one, with only what also holds for the call
  // itself. fits: set to whether the call is an instance of the smaller one. refused: receives the
  // names of factors that do not hold.
  Rule Confirmed(const SymbolicRule& found,
                 BlackBox& real,
                 bool& fits,
                 std::set<std::string>* refused = nullptr) {
    const InnerFound inner = Inner();
    Confirmation confirmation({real, table, inner, options.seed}, found);
    return InstantiateAt(
        found,
        real,
        fits,
        [&](const SymbolicFactor& factor, auto sizes) {
          const bool holds = !confirmation.Refutes(factor, sizes);
          if (!holds && refused != nullptr) refused->insert(factor.name);
          return holds;
        },
        [&](const PassThrough& pass, auto sizes) { return !confirmation.Refutes(pass, sizes); });
  }

  // If no factor cuts a dim on which an integer of the call may depend, the call is also tried with
  // that dependence.
  Entry Make(const OpCall& call, BlackBox& real) {
    if (std::optional<Entry> grown = MakeByRow(call, real)) {
      AddUncutRest(real, grown->rule);
      return std::move(*grown);
    }
    Entry best = MakeAs(call, real, {});
    if (best.found != nullptr && !best.found->faulty) {
      const std::vector<BlackBox::Following> following = FollowingOf(real, best.rule);
      Entry other = following.empty() ? Entry() : MakeAs(call, real, following);
      if (CutsIn(other.rule) > CutsIn(best.rule)) best = std::move(other);
    }
    AddUncutRest(real, best.rule);
    return best;
  }

  Entry MakeAs(const OpCall& call,
               BlackBox& real,
               const std::vector<BlackBox::Following>& following) {
    Entry entry{NoRule("no small call of its form was found"), "", nullptr};
    const std::string unshrunk = "unshrunk|" + SignatureText(real);
    if (const SymbolicRule* known = following.empty() ? Known(real, unshrunk) : nullptr)
      return {NoRule(known->reason), unshrunk, known};
    if (!real.fault().empty()) return Without(*call.op, unshrunk, NoneFor(real));
    std::set<std::string> tried;                  // signatures
    std::vector<const SymbolicRule*> discovered;  // their rules
    // Names of their factors that do not hold for this call.
    std::vector<std::set<std::string>> refused;
    BlackBox whole(call);
    whole.set_following(following);
    SmallCalls small(whole);
    if (!whole.fault().empty()) return Without(*call.op, unshrunk, NoneFor(whole));
    bool any = false;  // whether some order led to a call of which the real one is an instance
    for (const ShrinkOrder order : kShrinkOrders) {
      std::string reason;
      std::optional<std::vector<int64_t>> values = small.By(order, reason);
      if (!values) {
        if (!any) entry.rule = NoRule(std::move(reason));
        continue;
      }
      BlackBox box(call);
      box.set_following(following);
      box.set_values(std::move(*values));
      const std::string signature = SignatureText(box);
      if (!tried.insert(signature).second) continue;
      const SymbolicRule* found = SymbolicRuleAt(box, signature, real);
      if (found == nullptr) {
        if (!any) entry.rule = NoRule(kOtherForm);
        continue;
      }
      discovered.push_back(found);
      refused.emplace_back();
      bool fits = false;
      Rule rule = Confirmed(*found, real, fits, &refused.back());
      // If code misbehaves while a rule is confirmed, no rule of the operator is trusted.
      if (!real.fault().empty()) return Without(*call.op, unshrunk, NoneFor(real));
      if (any && (!fits || CutsIn(rule) <= CutsIn(entry.rule))) continue;
      entry = {std::move(rule), signature, found};
      any = fits;
      if (found->faulty || (fits && CutsAll(entry.rule, real))) break;
    }
    for (size_t i = 0; i < discovered.size(); ++i)
      AddUncut(*discovered[i], real, refused[i], entry.rule);
    if (entry.found != nullptr || !following.empty()) return entry;
    SymbolicRule nothing;
    nothing.text = entry.rule.text;
    nothing.reason = entry.rule.reason;
    return Without(*call.op, unshrunk, std::move(nothing));
  }

  // From a call with fewer operands; nullopt: its rule cannot be extended to this call.
  std::optional<Entry> MakeByRow(const OpCall& call, BlackBox& real) {
    const std::optional<OperandRow> row = LongRowOf(real);
    if (!row) return std::nullopt;
    const SymbolicRule* found[2] = {};
    std::string signature;
    for (size_t i = 0; i < 2; ++i) {
      const OpCall shorter = WithRow(call, *row, kShortRows[i]);
      BlackBox box(shorter);
      const Entry entry = Make(shorter, box);
      if (entry.found == nullptr || entry.found->faulty || entry.rule.factors.empty())
        return std::nullopt;
      found[i] = entry.found;
      signature = entry.signature;
    }
    if (!GrowsAlike(*found[0], *found[1], *row, WithRow(call, *row, kShortRows[1])))
      return std::nullopt;
    std::optional<SymbolicRule> grown = Grown(*found[1], *row, row->count - kShortRows[1]);
    if (!grown) return std::nullopt;
    bool fits = false;
    Rule rule = Confirmed(*grown, real, fits);
    if (!real.fault().empty())
      return Without(*call.op, "unshrunk|" + SignatureText(real), NoneFor(real));
    if (!fits || rule.factors.size() < grown->factors.size()) return std::nullopt;
    const std::lock_guard<std::mutex> lock(mutex);
    grown_rules.push_back(std::move(*grown));
    return Entry{std::move(rule), std::move(signature), &grown_rules.back()};
  }

  // The entry of a node; discovers it if it is missing.
  const Entry& Find(const Graph& graph, const Node& node) {
    const OpDef* op = DefinitionOf(node);
    if (op == nullptr) {
      const std::string reason = table.Find(node) == nullptr
                                     ? "the operator is unknown: --op-library can give its kernel"
                                     : "the operator runs a body of its own";
      const std::string key = node.domain + "|" + node.op + "|" + reason;
      const std::lock_guard<std::mutex> lock(mutex);
      return refused.try_emplace(key, Entry{NoRule(reason), key, nullptr}).first->second;
    }
    const OpCall call = CallOf(*op, graph, node);
    BlackBox real(call);
    const std::string key = SignatureText(real);
    {
      const std::lock_guard<std::mutex> lock(mutex);
      const auto known = rules.find(key);
      if (known != rules.end()) return known->second;
    }
    Entry entry = Make(call, real);
    const std::lock_guard<std::mutex> lock(mutex);
    return rules.emplace(key, std::move(entry)).first->second;
  }
};

RuleBook::RuleBook(const OpTable& table, DiscoveryOptions options, int threads)
    : state_(new State{table, options, threads}) {}

RuleBook::~RuleBook() = default;

void RuleBook::Learn(RuleFile file) {
  for (auto& [signature, record] : file.records) {
    const OpDef* op = state_->table.Find(record.domain, record.op);
    if (op == nullptr) continue;
    if (file.version == kRuleVersion && record.opset == op->since_version &&
        record.kernel == CodeFingerprint(*op))
      state_->learned.emplace(signature, std::move(record));
    else
      ++state_->stale;
  }
}

int64_t RuleBook::stale() const { return state_->stale; }

int64_t RuleBook::misfits() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return static_cast<int64_t>(state_->misfits.size());
}

RuleFile RuleBook::File() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  RuleFile file;
  file.seed = state_->options.seed;
  file.version = kRuleVersion;
  file.records = state_->discovered;
  for (const auto& [signature, record] : state_->learned)
    if (state_->misfits.count(signature) == 0) file.records.emplace(signature, record);
  return file;
}

// One node of each call, operators with decompositions first: they take longest, and starting them
// last would delay the end.
void RuleBook::Discover(const Graph& graph) {
  std::vector<std::string> keys(graph.nodes.size());
  std::vector<char> decomposed(graph.nodes.size());
  ParallelFor(keys.size(), state_->threads, [&](size_t i) {
    const OpDef* op = state_->DefinitionOf(graph.nodes[i]);
    if (op == nullptr) return;
    keys[i] = SignatureText(BlackBox(CallOf(*op, graph, graph.nodes[i])));
    decomposed[i] = op->decompose != nullptr;
  });
  std::set<std::string_view> seen = {""};
  std::vector<size_t> nodes;
  for (size_t i = 0; i < keys.size(); ++i)
    if (seen.insert(keys[i]).second) nodes.push_back(i);
  std::ranges::stable_partition(nodes, [&](size_t i) { return decomposed[i] != 0; });
  ParallelFor(
      nodes.size(), state_->threads, [&](size_t i) { state_->Find(graph, graph.nodes[nodes[i]]); });
}

const Rule& RuleBook::For(const Graph& graph, const Node& node) {
  return state_->Find(graph, node).rule;
}

const SymbolicRule* RuleBook::Found(const Graph& graph, const Node& node) {
  return state_->Find(graph, node).found;
}

std::vector<SignatureReport> RuleBook::Report(const Graph& graph) {
  std::vector<SignatureReport> reports;
  std::map<std::pair<std::string, std::string>, size_t> index;  // by signature and rule
  std::set<std::string> told;                                   // signatures
  for (const Node& node : graph.nodes) {
    const Entry& entry = state_->Find(graph, node);
    const auto [at, first] = index.try_emplace({entry.signature, entry.rule.text}, reports.size());
    if (!first) {
      reports[at->second].nodes.push_back(node.name);
      continue;
    }
    SignatureReport report;
    report.domain = node.domain;
    report.op = node.op;
    report.attributes = node.attributes;
    report.nodes = {node.name};
    if (const OpDef* op = state_->table.Find(node)) {
      report.opset = op->since_version;
      const BlackBox box(CallOf(*op, graph, node));
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i] == kNone) {
          report.inputs.push_back({});
          continue;
        }
        SignatureReport::Input input{true, graph.value(node.inputs[i]).type, {}};
        if (box.role(i) == BlackBox::Role::kLiteral) input.values = box.constant(i).ToInts();
        report.inputs.push_back(std::move(input));
      }
    }
    for (const ValueId id : node.outputs)
      if (id != kNone) report.outputs.push_back(graph.value(id).type);
    report.rule = entry.rule.text;
    report.reason = entry.rule.reason;
    report.faulty = entry.found != nullptr && entry.found->faulty;
    for (const Factor& factor : entry.rule.factors) report.factors.push_back(factor.name);
    report.uncut = entry.rule.uncut;
    if (entry.found != nullptr && told.insert(entry.signature).second) {
      report.executions = entry.found->executions;
      report.kernel_runs = entry.found->kernel_runs;
      report.seconds = entry.found->seconds;
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace metadist
