// SPDX-License-Identifier: Apache-2.0
//
// A sum of products of three or more arrays becomes a chain of sums of two, from the left: an index
// is summed as soon as no later array and no dim of the result has it. "bi,oij,bj->bo" becomes
// "bi,oij->boj", "boj,bj->bo". The intermediate values are ordinary values of the graph, so they
// are planned, counted and sharded like all others, and each step is a batch of matrix products.
// Equations with an ellipsis, or with an index twice in one term, are not changed.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "metair/ops/graph_builder.h"
#include "metair/passes/passes.h"

namespace metadist::passes {
namespace {

struct Equation {
  std::vector<std::string> terms;
  std::string result;
};

bool HasTwice(const std::string& term) {
  return std::set<char>(term.begin(), term.end()).size() != term.size();
}

// Returns no terms for an equation that is not changed.
Equation ParsePlain(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  if (text.find('.') != std::string::npos) return {};
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  Equation equation;
  for (size_t from = 0; from <= left.size();) {
    const size_t comma = std::min(left.find(',', from), left.size());
    equation.terms.push_back(left.substr(from, comma - from));
    if (HasTwice(equation.terms.back())) return {};
    from = comma + 1;
  }
  if (arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
    return equation;
  }
  std::map<char, int> counts;
  for (const std::string& term : equation.terms)
    for (const char letter : term) ++counts[letter];
  for (const auto& [letter, count] : counts)
    if (count == 1) equation.result += letter;
  return equation;
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
void AddChain(const Node& node, const Equation& equation, GraphBuilder& b) {
  ValueId left = node.inputs[0];
  std::string term = equation.terms[0];
  for (size_t i = 1; i < equation.terms.size(); ++i) {
    const bool last = i + 1 == equation.terms.size();
    std::string behind = equation.result;
    for (size_t later = i + 1; later < equation.terms.size(); ++later)
      behind += equation.terms[later];
    const std::string& right = equation.terms[i];
    const std::string kept = last ? equation.result : Kept(term, right, behind);
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
    Equation equation;
    if (node.domain.empty() && node.op == "Einsum" && node.inputs.size() > 2)
      equation = ParsePlain(node.attributes.String("equation", ""));
    if (equation.terms.size() == node.inputs.size() && !equation.terms.empty())
      AddChain(node, equation, b);
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
