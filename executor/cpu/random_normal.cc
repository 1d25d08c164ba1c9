// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "executor/cpu/makers.h"
#include "executor/cpu/random_lines.h"

namespace metadist::cpu {

Prepared RandomNormal(const KernelSite& site) {
  if (site.out().element != ElementType::kF32) return Decline("f32 only");
  const KeySource key(site);
  if (!key.ok()) return Decline("the key is not i64");
  const CounterRandom random(site.out().shape, site.attributes().Ints("start"));
  const double mean = site.attributes().Float("mean", 0);
  const double scale = site.attributes().Float("scale", 1);
  return Accept("lines", [=](const KernelArgs& args) {
    float* y = args.out();
    ForEachLine(random, key.At(args), [&](RandomLine line, int64_t at) {
      uint64_t bits[kRandomChunk];
      for (int64_t done = 0; done < random.length(); done += kRandomChunk) {
        const int64_t some = std::min(kRandomChunk, random.length() - done);
        philox::FillLine(line, some, bits);
        for (int64_t i = 0; i < some; ++i)
          y[at + done + i] = static_cast<float>(mean + scale * NormalOf(bits[i]));
        line.first += some;
      }
    });
  });
}

}  // namespace metadist::cpu
