// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "executor/cpu/makers.h"

namespace metadist::cpu {
namespace {

template <typename T>
Prepared Bind(const Tensor* value, int64_t count) {
  T element{};
  if (value != nullptr) std::memcpy(&element, value->bytes(), sizeof(element));
  return Accept("fill", [element, count](const KernelArgs& args) -> Result<void> {
    std::fill_n(reinterpret_cast<T*>(args.outputs[0]), count, element);
    return {};
  });
}

}  // namespace

Prepared ConstantOfShape(const KernelSite& site) {
  const Tensor* value = site.attributes().Array("value");
  const int64_t count = NumElements(site.out().shape);
  switch (ByteSize(site.out().element)) {
    case 1:
      return Bind<uint8_t>(value, count);
    case 2:
      return Bind<uint16_t>(value, count);
    case 4:
      return Bind<uint32_t>(value, count);
    case 8:
      return Bind<uint64_t>(value, count);
    default:
      return Decline("no loop for this element type");
  }
}

}  // namespace metadist::cpu
