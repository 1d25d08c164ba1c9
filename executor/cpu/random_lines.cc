// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/random_lines.h"

namespace metadist::cpu {

KeySource::KeySource(const KernelSite& site) : settled_(KeyOfSeed(site.attributes())) {
  if (!site.call->has(kKeyInput)) return;
  given_ = true;
  ok_ = site.element(kKeyInput) == ElementType::kI64;
}

PhiloxKey KeySource::At(const KernelArgs& args) const {
  if (!given_) return settled_;
  return KeyOfWords(args.in<int64_t>(kKeyInput));
}

}  // namespace metadist::cpu
