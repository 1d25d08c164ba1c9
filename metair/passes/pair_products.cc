// SPDX-License-Identifier: Apache-2.0
//
// A sum of products of three or more arrays becomes a chain of sums of two, from the left: an index
// is summed as soon as no later array and no dim of the result has it. "bi,oij,bj->bo" becomes
// "bi,oij->boj", "boj,bj->bo". The intermediate values are ordinary values of the graph, so they
// are planned, counted and sharded like all others, and each step is a batch of matrix products.
// Equations with an ellipsis, or with an index twice in one term, are not changed.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "metair/ops/einsum_equation.h"
#include "metair/ops/graph_builder.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

bool HasTwice(const std::string& term) {
  return std::set<char>(term.begin(), term.end()).size() != term.size();
}

// nullopt for an equation that is not changed.
std::optional<EinsumTerms> ParsePlain(const std::string& equation) {
  if (equation.find('.') != std::string::npos) return std::nullopt;
  EinsumTerms terms = SplitEinsum(equation);
  if (std::any_of(terms.inputs.begin(), terms.inputs.end(), HasTwice)) return std::nullopt;
  if (!terms.output) terms.output = ImplicitOutput(terms.inputs);
  return terms;
}

// The indices of two terms that later terms or the result still need: those of both, of the first,
// of the second.
std::string Kept(const std::string& a, const std::string& b, const std::string& behind) {
  const auto has = [](const std::string& term, char letter) {
    return term.find(letter) != std::string::npos;
  };
  std::string both, first, second;
  for (const char letter : a)
    if (has(behind, letter)) (has(b, letter) ? both : first) += letter;
  for (const char letter : b)
    if (has(behind, letter) && !has(a, letter)) second += letter;
  return both + first + second;
}

// Adds the node as a chain.
void AddChain(const Node& node, const EinsumTerms& terms, GraphBuilder& b) {
  ValueId left = node.inputs[0];
  std::string term = terms.inputs[0];
  for (size_t i = 1; i < terms.inputs.size(); ++i) {
    const bool last = i + 1 == terms.inputs.size();
    std::string behind = *terms.output;
    for (size_t later = i + 1; later < terms.inputs.size(); ++later) behind += terms.inputs[later];
    const std::string& right = terms.inputs[i];
    const std::string kept = last ? *terms.output : Kept(term, right, behind);
    Node step = node;
    step.inputs = {left, node.inputs[i]};
    step.attributes.set("equation", fmt::format("{},{}->{}", term, right, kept));
    if (last) return b.Keep(std::move(step));
    step.name += "/" + kept;
    left = b.Append(std::move(step), {b.graph().value(node.outputs[0]).name + "/" + kept})[0];
    term = kept;
  }
}

Result<Graph> PairProducts(const Graph& graph, const PassInput& input) {
  GraphBuilder b = GraphBuilder::Rewrite(graph, input.ops);
  for (const Node& node : graph.nodes) {
    std::optional<EinsumTerms> terms;
    if (node.domain.empty() && node.op == "Einsum" && node.inputs.size() > 2)
      terms = ParsePlain(node.attributes.String("equation", ""));
    if (terms && terms->inputs.size() == node.inputs.size())
      AddChain(node, *terms, b);
    else
      b.Keep(node);
  }
  return WithoutDeadCode(TRY(b.Done()));
}

}  // namespace

extern const PassDef kPass_pair_products = {
    .name = "pair_products",
    .summary = "sums of products of many arrays two at a time",
    .run = PairProducts};

}  // namespace metadist::passes
