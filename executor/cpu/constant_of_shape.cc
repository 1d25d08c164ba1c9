// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "executor/cpu/item.h"
#include "executor/cpu/makers.h"

namespace metadist::cpu {
namespace {

template <typename T>
Prepared Bind(const Tensor* value, int64_t count) {
  T element{};
  if (value != nullptr) std::memcpy(&element, value->bytes(), sizeof(element));
  return Accept("fill", [element, count](const KernelArgs& args) {
    std::fill_n(args.out<T>(), count, element);
  });
}

}  // namespace

Prepared ConstantOfShape(const KernelSite& site) {
  const Tensor* value = site.attributes().Array("value");
  const int64_t count = NumElements(site.out().shape);
  return VisitItem(ByteSize(site.out().element),
                   [&](auto zero) { return Bind<decltype(zero)>(value, count); });
}

}  // namespace metadist::cpu
