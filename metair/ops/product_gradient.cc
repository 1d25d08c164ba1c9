// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/product_gradient.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "metair/ops/call_check.h"

namespace metadist {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string Spelled(const std::vector<size_t>& indices) {
  std::string letters;
  for (const size_t index : indices) letters += kLetters[index];
  return letters;
}

}  // namespace

Result<Term> GradientOfFactor(const SumOfProducts& product, size_t factor, const Term& dy) {
  size_t count = 0;  // of indices
  for (const std::vector<size_t>& own : product.indices)
    for (const size_t index : own) count = std::max(count, index + 1);
  if (count > kLetters.size()) return BadCall("{} indices are too many", count);

  std::vector<Term> terms{dy};
  std::string equation = Spelled(product.kept);
  std::vector<int64_t> sizes(count, 1);  // of each index, among dy and the other factors
  const auto measure = [&](const Term& term, const std::vector<size_t>& indices) {
    for (size_t d = 0; d < indices.size(); ++d)
      sizes[indices[d]] = std::max(sizes[indices[d]], term.shape()[d]);
  };
  measure(dy, product.kept);
  for (size_t f = 0; f < product.factors.size(); ++f) {
    if (f == factor) continue;
    terms.push_back(product.factors[f]);
    equation += "," + Spelled(product.indices[f]);
    measure(product.factors[f], product.indices[f]);
  }
  // An index that only this factor has, or along which it is broadcast, is no dim of the sum.
  const Shape shape = product.factors[factor].shape();
  std::vector<size_t> found;
  std::vector<int64_t> added;
  for (size_t d = 0; d < shape.size(); ++d) {
    const size_t index = product.indices[factor][d];
    if (shape[d] == sizes[index] && equation.find(kLetters[index]) != std::string::npos)
      found.push_back(index);
    else
      added.push_back(static_cast<int64_t>(d));
  }
  return Einsum(equation + "->" + Spelled(found), terms).Unsqueezed(added).Expanded(shape);
}

}  // namespace metadist
