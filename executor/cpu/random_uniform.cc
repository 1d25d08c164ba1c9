// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "executor/cpu/makers.h"
#include "executor/cpu/random_lines.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

// The arithmetic matches the reference kernel, in f64, so results are bit-identical.
METADIST_MULTIVERSION
void UniformLine(RandomLine line, int64_t count, double low, double width, float* y) {
  uint64_t bits[kRandomChunk];
  for (int64_t done = 0; done < count; done += kRandomChunk) {
    const int64_t some = std::min(kRandomChunk, count - done);
    philox::FillLine(line, some, bits);
    for (int64_t i = 0; i < some; ++i) {
      const double drawn = static_cast<double>(static_cast<int32_t>(bits[i] >> 40)) * 0x1p-24;
      y[done + i] = static_cast<float>(low + width * drawn);
    }
    line.first += some;
  }
}

}  // namespace

Prepared RandomUniform(const KernelSite& site) {
  const auto declared = DrawnFloat(*site.call, ElementType::kF32);
  if (!declared.ok() || declared.value() != ElementType::kF32 ||
      site.out().element != ElementType::kF32)
    return Decline("f32 only");
  const KeySource key(site);
  if (!key.ok()) return Decline("the key is not i64");
  const CounterRandom random(site.out().shape, site.attributes().Ints("start"));
  const double low = site.attributes().Float("low", 0);
  const double width = site.attributes().Float("high", 1) - low;
  return Accept("lines", [=](const KernelArgs& args) {
    float* y = args.out();
    ForEachLine(random, key.At(args), [&](const RandomLine& line, int64_t at) {
      UniformLine(line, random.length(), low, width, y + at);
    });
  });
}

}  // namespace metadist::cpu
