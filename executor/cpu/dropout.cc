// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "executor/cpu/makers.h"

namespace metadist::cpu {

Prepared KeepAll(const KernelSite& site) {
  const OpCall& call = *site.call;
  const bool trains = call.has(2) && call.inputs[2].constant->ToInts()[0] != 0;
  if (trains) return Decline("drops at random");
  const int64_t count = NumElements(site.shape(0));
  const int64_t bytes = count * ByteSize(site.element(0));
  const bool masks = site.outputs.size() > 1;
  return Accept("copy", [count, bytes, masks](const KernelArgs& args) -> Result<void> {
    if (bytes > 0 && args.outputs[0] != nullptr)
      std::memcpy(args.outputs[0], args.inputs[0], static_cast<size_t>(bytes));
    if (masks && args.outputs[1] != nullptr) std::fill_n(args.outputs[1], count, std::byte{1});
    return {};
  });
}

}  // namespace metadist::cpu
