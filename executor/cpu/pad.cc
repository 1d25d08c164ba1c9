// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "executor/cpu/makers.h"
#include "executor/cpu/mapped_copy.h"
#include "metair/ops/maps.h"

namespace metadist::cpu {

Prepared Pad(const KernelSite& site) {
  if (NumElements(site.out().shape) == 0) return Decline("nothing to do");
  auto maps = PadMaps(*site.call);
  if (!maps.ok()) return Decline(maps.error().message);
  const MappedCopy copy =
      MappedCopy::Make(site.shape(0), std::move(maps.value()), ByteSize(site.element(0)));
  const bool given = site.call->has(2);
  return Accept("copy", [copy, given](const KernelArgs& args) {
    static constexpr std::array<std::byte, 16> kZero{};
    copy.Run(args.inputs[0], args.outputs[0], given ? args.inputs[2] : kZero.data());
  });
}

}  // namespace metadist::cpu
