// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "planner/rules/search/discover.h"
#include "tests/planner/rules/rule_checker.h"

namespace metadist::testing {

// The call of a signature at given atom sizes; nullopt if the operator rejects it.
inline std::optional<OwnedCall> CallAt(const OpCall& sample,
                                       const SymbolicRule& found,
                                       const std::vector<int64_t>& sizes) {
  OwnedCall call(sample);
  int64_t elements = 1;
  for (size_t i = 0; i < found.dims.size(); ++i) {
    if (!found.dims[i].is_tensor) continue;
    call.constants[i].reset();
    for (size_t d = 0; d < found.dims[i].sizes.size(); ++d)
      call.types[i].shape[d] = found.dims[i].sizes[d].At(sizes);
    elements = std::max(elements, NumElements(call.types[i].shape));
  }
  for (const SymbolicLiteral& literal : found.literals) {
    const int64_t value = literal.size.At(sizes);
    const size_t entry = static_cast<size_t>(literal.entry);
    if (literal.input < 0) {
      Attribute& attribute = call.attributes.all()[literal.attribute];
      if (int64_t* single = std::get_if<int64_t>(&attribute))
        *single = value;
      else
        std::get<std::vector<int64_t>>(attribute)[entry] = value;
      continue;
    }
    std::optional<Tensor>& constant = call.constants[static_cast<size_t>(literal.input)];
    std::vector<int64_t> values = constant->ToInts();
    values[entry] = value;
    constant = Tensor::Of<int64_t>(constant->shape(), values).Cast(constant->element());
  }
  auto types = sample.op->infer(call.call());
  if (!types.ok()) return std::nullopt;
  for (const TensorType& type : types.value())
    elements = std::max(elements, NumElements(type.shape));
  if (elements > 60000) return std::nullopt;
  return call;
}

// Random sizes: the atoms of interest can be cut over `ranks`; the others are small, or
// occasionally large. Later attempts keep the others as in the sample, for operators that accept
// few sizes.
inline std::optional<OwnedCall> RandomCall(const OpCall& sample,
                                           const SymbolicRule& found,
                                           const std::vector<int>& atoms,
                                           int64_t ranks,
                                           int attempt,
                                           Generator& random) {
  std::vector<int64_t> sizes = found.atoms;
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  if (attempt < 15)
    for (int64_t& size : sizes) size = attempt % 5 == 4 ? 7 + below(12) : 2 + below(5);
  for (const int atom : atoms)
    sizes[static_cast<size_t>(atom)] = ranks * (1 + below(attempt % 3 == 2 ? 7 : 3)) + below(ranks);
  return CallAt(sample, found, sizes);
}

}  // namespace metadist::testing
