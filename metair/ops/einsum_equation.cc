// SPDX-License-Identifier: Apache-2.0
// Parsing of einsum equations.
//
// A term is a list of letters, one for each dim, with at most one ellipsis for the remaining dims;
// these broadcast from the right. The output follows "->"; without it, the output has the dims of
// the ellipsis and then, in alphabetic order, the letters that occur once. A letter that occurs
// twice in one input selects its diagonal.
//
// An index is a number: a letter's code, or for a dim of the ellipsis minus its distance from the
// right (the last is -1). A term then is a list of numbers, and the stride of an input along an
// index is the sum of the strides of its dims with that index. Source: ONNX operator specification,
// Einsum-12; numpy.einsum.
#include "metair/ops/einsum_equation.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "metair/ops/call_check.h"

namespace metadist {
namespace {

constexpr char kEllipsis = '.';

// The letters, with one kEllipsis in place of "...".
Result<std::string> ParseTerm(const std::string& text) {
  std::string term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      term += text[i];
    } else if (text.compare(i, 3, "...") == 0 && term.find(kEllipsis) == std::string::npos) {
      term += kEllipsis;
      i += 2;
    } else {
      return BadCall("unexpected '{}' in the equation's term '{}'", text[i], text);
    }
  }
  return term;
}

Result<EinsumTerms> ParseTerms(const std::string& equation) {
  EinsumTerms terms = SplitEinsum(equation);
  for (std::string& term : terms.inputs) term = TRY(ParseTerm(term));
  terms.output = terms.output ? TRY(ParseTerm(*terms.output)) : ImplicitOutput(terms.inputs);
  return terms;
}

// The index of each dim; `extra` is the number of dims of the ellipsis.
std::vector<int> IndicesOf(const std::string& term, size_t extra) {
  std::vector<int> indices;
  for (char letter : term) {
    if (letter != kEllipsis) indices.push_back(letter);
    for (size_t d = extra; letter == kEllipsis && d > 0; --d)
      indices.push_back(-static_cast<int>(d));
  }
  return indices;
}

}  // namespace

EinsumTerms SplitEinsum(std::string equation) {
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const size_t arrow = equation.find("->");
  const std::string left = equation.substr(0, arrow);
  EinsumTerms terms;
  for (size_t from = 0; from <= left.size();) {
    const size_t comma = std::min(left.find(',', from), left.size());
    terms.inputs.push_back(left.substr(from, comma - from));
    from = comma + 1;
  }
  if (arrow != std::string::npos) terms.output = equation.substr(arrow + 2);
  return terms;
}

std::string ImplicitOutput(const std::vector<std::string>& inputs) {
  std::map<char, int> counts;
  for (const std::string& term : inputs)
    for (char letter : term) ++counts[letter];
  std::string output;
  for (const auto& [letter, count] : counts)  // in alphabetic order, the ellipsis first
    if (letter == kEllipsis || count == 1) output += letter;
  return output;
}

Result<EinsumSpace> ParseEinsum(const std::string& text, std::span<const Shape> inputs) {
  const EinsumTerms equation = TRY(ParseTerms(text));
  if (equation.inputs.size() != inputs.size())
    return BadCall(
        "equation '{}' is of {} inputs, got {}", text, equation.inputs.size(), inputs.size());
  std::map<int, int64_t> sizes;
  std::vector<std::vector<int>> terms;
  size_t broadest = 0;  // dims of the longest ellipsis
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& term = equation.inputs[i];
    const bool open = term.find(kEllipsis) != std::string::npos;
    const size_t named = term.size() - (open ? 1 : 0);
    if (inputs[i].size() < named || (!open && inputs[i].size() > named))
      return BadCall("the equation's term '{}' does not fit input {} of shape {}",
                     term,
                     i,
                     ShapeText(inputs[i]));
    broadest = std::max(broadest, inputs[i].size() - named);
    terms.push_back(IndicesOf(term, inputs[i].size() - named));
    for (size_t d = 0; d < terms[i].size(); ++d) {
      int64_t& size = sizes.emplace(terms[i][d], 1).first->second;
      if (size != 1 && inputs[i][d] != 1 && size != inputs[i][d])
        return BadCall("sizes {} and {} of one index of '{}' differ", size, inputs[i][d], text);
      if (size == 1) size = inputs[i][d];
    }
  }
  EinsumSpace space;
  std::map<int, size_t> places;
  for (int index : IndicesOf(*equation.output, broadest)) {
    if (sizes.count(index) == 0 || !places.emplace(index, places.size()).second)
      return BadCall("the output of '{}' has an index twice or anew", text);
    space.sizes.push_back(sizes[index]);
  }
  space.kept = space.sizes.size();
  for (const auto& [index, size] : sizes)
    if (places.emplace(index, places.size()).second) space.sizes.push_back(size);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<int64_t> strides = Strides(inputs[i]);
    std::vector<int64_t>& along = space.strides.emplace_back(space.sizes.size(), 0);
    std::vector<size_t>& of_dims = space.places.emplace_back();
    for (size_t d = 0; d < terms[i].size(); ++d) {
      of_dims.push_back(places[terms[i][d]]);
      if (inputs[i][d] != 1) along[of_dims[d]] += strides[d];
    }
  }
  return space;
}

}  // namespace metadist
