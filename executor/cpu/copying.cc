// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/copying.h"

namespace metadist::cpu {

Prepared Copying(const KernelSite& site, const Shape& shape, const StridedCopy::Side& from) {
  const auto copy =
      StridedCopy::Make(shape,
                        ByteSize(site.element(0)),
                        from,
                        {site.out_strides.empty() ? Strides(shape) : site.out_strides});
  if (!copy) return Decline("too many dims");
  return Accept("copy", [copy = *copy](const KernelArgs& args) {
    copy.Run(args.inputs[0], args.outputs[0]);
  });
}

Prepared CopyingView(const KernelSite& site, const StridedCopy::Side& from) {
  Prepared prepared = Copying(site, site.out().shape, from);
  if (prepared.ok())
    prepared.view = StridedView{from.strides, from.begin * ByteSize(site.element(0))};
  return prepared;
}

}  // namespace metadist::cpu
