// SPDX-License-Identifier: Apache-2.0
// y = x / (bias + alpha / size sum(x^2))^beta, for a range of pixels at a time. The squares are
// summed afresh for each channel, because a running sum with subtractions would accumulate rounding
// errors.
#include <algorithm>
#include <cmath>

#include "executor/cpu/makers.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

struct Channels {
  int64_t batch = 0, count = 0, plane = 0;
  int64_t before = 0, after = 0;  // neighbouring channels in the sum
  double scale = 0, beta = 0, bias = 0;
  int64_t pixels = 0;  // at a time

  void Run(const float* x, float* y, double* sums) const;
};

void Channels::Run(const float* x, float* y, double* sums) const {
  for (int64_t first = 0; first < plane; first += pixels) {
    const int64_t some = std::min(pixels, plane - first);
    for (int64_t c = 0; c < count; ++c) {
      std::fill_n(sums, some, 0.0);
      const int64_t last = std::min(c + after, count - 1);
      for (int64_t other = std::max<int64_t>(c - before, 0); other <= last; ++other) {
        const float* row = x + other * plane + first;
        for (int64_t i = 0; i < some; ++i) sums[i] += static_cast<double>(row[i]) * row[i];
      }
      const float* from = x + c * plane + first;
      float* to = y + c * plane + first;
      for (int64_t i = 0; i < some; ++i)
        to[i] = static_cast<float>(from[i] / std::pow(bias + scale * sums[i], beta));
    }
  }
}

}  // namespace

Prepared LRN(const KernelSite& site) {
  constexpr int64_t kPixels = 64;
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const AxisSplit split = SplitAround(site.shape(0), 1);
  const int64_t size = site.attributes().Int("size", 0);
  Channels channels{split.outer, split.size, split.inner};
  channels.before = (size - 1) / 2;
  channels.after = size / 2;
  channels.scale =
      static_cast<double>(site.attributes().Float("alpha", 1e-4f)) / static_cast<double>(size);
  channels.beta = site.attributes().Float("beta", 0.75f);
  channels.bias = site.attributes().Float("bias", 1);
  channels.pixels = kPixels;
  return Accept(
      "rows",
      [channels](const KernelArgs& args) {
        const auto* x = args.in(0);
        auto* y = args.out();
        const int64_t image = channels.count * channels.plane;
        for (int64_t b = 0; b < channels.batch; ++b)
          channels.Run(x + b * image, y + b * image, reinterpret_cast<double*>(args.scratch));
      },
      kPixels * static_cast<int64_t>(sizeof(double)));
}

}  // namespace metadist::cpu
