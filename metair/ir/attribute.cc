// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/attribute.h"

#include <algorithm>

namespace metadist {
namespace {

bool Identical(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  if (const Tensor* tensor = std::get_if<Tensor>(&a))
    return Identical(*tensor, std::get<Tensor>(b));
  return std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Tensor>)
          return false;
        else
          return x == std::get<T>(b);
      },
      a);
}

}  // namespace

bool Identical(const Attributes& a, const Attributes& b) {
  return a.all().size() == b.all().size() &&
         std::equal(
             a.all().begin(), a.all().end(), b.all().begin(), [](const auto& x, const auto& y) {
               return x.first == y.first && Identical(x.second, y.second);
             });
}

}  // namespace metadist
