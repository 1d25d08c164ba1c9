// SPDX-License-Identifier: Apache-2.0
// Normalisations other than layer normalisation: by root mean square, by plane (per instance and
// channel), and by channel over the batch. Variances take a second pass over the elements.
#include <cmath>

#include "executor/cpu/layout.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/row.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

bool AllF32(const KernelSite& site) {
  for (size_t i = 0; i < site.call->inputs.size(); ++i)
    if (site.call->has(i) && site.element(i) != ElementType::kF32) return false;
  return true;
}

struct Planes {
  int64_t batch = 1, channels = 1, inner = 1;
  float epsilon = 0;
};

float EpsilonOf(const KernelSite& site) {
  return static_cast<float>(site.attributes().Float("epsilon", 1e-5f));
}

Planes PlanesOf(const KernelSite& site) {
  const AxisSplit split = SplitAround(site.shape(0), 1);
  return {split.outer, split.size, split.inner, EpsilonOf(site)};
}

METADIST_MULTIVERSION
void ByRootMeanSquare(const Planes& p, const float* x, const float* scale, float* y) {
  const int64_t n = p.inner;
  for (int64_t r = 0; r < p.batch; ++r, x += n, y += n) {
    const float squares = SumRow(x, n, [](float v) { return v * v; });
    const float factor = 1.0f / __builtin_sqrtf(squares / static_cast<float>(n) + p.epsilon);
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * factor * scale[i];
  }
}

// Over the planes of `channels` consecutive channels at a time.
METADIST_MULTIVERSION
void ByGroup(const Planes& p,
             int64_t channels,
             const float* x,
             const float* scale,
             const float* bias,
             float* y) {
  const int64_t groups = p.channels / channels;
  const int64_t n = channels * p.inner;
  const auto count = static_cast<float>(n);
  for (int64_t r = 0; r < p.batch * groups; ++r, x += n, y += n) {
    const float mean = SumRow(x, n, [](float v) { return v; }) / count;
    const float variance =
        SumRow(x, n, [mean](float v) { return (v - mean) * (v - mean); }) / count;
    const float root = __builtin_sqrtf(variance + p.epsilon);
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t channel = r % groups * channels + c;
      const float factor = scale[channel] / root;
      const float shift = bias[channel];
      const float* const from = x + c * p.inner;
      float* const to = y + c * p.inner;
      for (int64_t i = 0; i < p.inner; ++i) to[i] = (from[i] - mean) * factor + shift;
    }
  }
}

// Mean and variance of each channel over the batch; sums of planes are accumulated in f64.
METADIST_MULTIVERSION
void MomentsOfPlanes(const Planes& p, const float* x, double* mean, double* variance) {
  const double count = static_cast<double>(p.batch * p.inner);
  for (int64_t c = 0; c < p.channels; ++c) {
    double sum = 0;
    for (int64_t b = 0; b < p.batch; ++b)
      sum += SumRow(x + (b * p.channels + c) * p.inner, p.inner, [](float v) { return v; });
    const auto middle = static_cast<float>(sum / count);
    double squares = 0;
    for (int64_t b = 0; b < p.batch; ++b)
      squares += SumRow(x + (b * p.channels + c) * p.inner, p.inner, [middle](float v) {
        return (v - middle) * (v - middle);
      });
    mean[c] = sum / count;
    variance[c] = squares / count;
  }
}

// The same with channels last.
METADIST_MULTIVERSION
void MomentsOfPixels(const Planes& p, const float* x, double* mean, double* variance) {
  const int64_t pixels = p.batch * p.inner;
  const int64_t n = p.channels;
  for (int64_t c = 0; c < n; ++c) mean[c] = variance[c] = 0;
  for (int64_t i = 0; i < pixels; ++i)
    for (int64_t c = 0; c < n; ++c) mean[c] += x[i * n + c];
  for (int64_t c = 0; c < n; ++c) mean[c] /= static_cast<double>(pixels);
  for (int64_t i = 0; i < pixels; ++i)
    for (int64_t c = 0; c < n; ++c) {
      const double away = x[i * n + c] - mean[c];
      variance[c] += away * away;
    }
  for (int64_t c = 0; c < n; ++c) variance[c] /= static_cast<double>(pixels);
}

// y = x factor + shift, by channel.
METADIST_MULTIVERSION
void Scale(
    const Planes& p, bool last, const float* x, const float* factor, const float* shift, float* y) {
  if (last) {
    for (int64_t i = 0; i < p.batch * p.inner; ++i, x += p.channels, y += p.channels)
      for (int64_t c = 0; c < p.channels; ++c) y[c] = x[c] * factor[c] + shift[c];
    return;
  }
  for (int64_t r = 0; r < p.batch * p.channels; ++r, x += p.inner, y += p.inner) {
    const float times = factor[r % p.channels];
    const float plus = shift[r % p.channels];
    for (int64_t i = 0; i < p.inner; ++i) y[i] = x[i] * times + plus;
  }
}

// Four arrays with one number per channel.
struct Workspace {
  double* mean;
  double* variance;
  float* factor;
  float* shift;

  static int64_t Bytes(int64_t channels) { return channels * 24; }
  Workspace(std::byte* scratch, int64_t channels)
      : mean(reinterpret_cast<double*>(scratch)),
        variance(mean + channels),
        factor(reinterpret_cast<float*>(variance + channels)),
        shift(factor + channels) {}
};

struct Batch {
  Planes planes;
  bool last = false;
  bool training = false;
  double momentum = 0.9;

  void Run(const KernelArgs& args) const {
    const Planes& p = planes;
    const Workspace w(args.scratch, p.channels);
    const float* x = args.in(0);
    if (training) (last ? MomentsOfPixels : MomentsOfPlanes)(p, x, w.mean, w.variance);
    for (int64_t c = 0; c < p.channels; ++c) {
      const double mean = training ? w.mean[c] : args.in(3)[c];
      const double variance = training ? w.variance[c] : args.in(4)[c];
      if (training && args.out_or_null(1) != nullptr)
        args.out_or_null(1)[c] =
            static_cast<float>(args.in(3)[c] * momentum + mean * (1 - momentum));
      if (training && args.out_or_null(2) != nullptr)
        args.out_or_null(2)[c] =
            static_cast<float>(args.in(4)[c] * momentum + variance * (1 - momentum));
      const double factor = args.in(1)[c] / std::sqrt(variance + p.epsilon);
      w.factor[c] = static_cast<float>(factor);
      w.shift[c] = static_cast<float>(args.in(2)[c] - mean * factor);
    }
    Scale(p, last, x, w.factor, w.shift, args.out());
  }
};

}  // namespace

Prepared RMSNormalization(const KernelSite& site) {
  if (!AllF32(site)) return Decline("f32 only");
  const auto axis = site.Axis(-1);
  if (!axis.ok()) return Decline(axis.error().message);
  const AxisSplit split = SplitAround(site.shape(0), axis.value());
  const Planes rows{split.outer, 1, split.size * split.inner, EpsilonOf(site)};
  if (NumElements(site.shape(1)) != rows.inner) return Decline("the scale must be a row");
  return Accept("rows", [rows](const KernelArgs& args) {
    ByRootMeanSquare(rows, args.in(0), args.in(1), args.out());
  });
}

Prepared InstanceNormalization(const KernelSite& site) {
  if (!AllF32(site)) return Decline("f32 only");
  const Planes planes = PlanesOf(site);
  return Accept("rows", [planes](const KernelArgs& args) {
    ByGroup(planes, 1, args.in(0), args.in(1), args.in(2), args.out());
  });
}

Prepared GroupNormalization(const KernelSite& site) {
  if (!AllF32(site)) return Decline("f32 only");
  const Planes planes = PlanesOf(site);
  if (NumElements(site.shape(0)) == 0) return Decline("nothing to do");
  const int64_t channels = planes.channels / site.attributes().Int("num_groups", 1);
  return Accept("rows", [planes, channels](const KernelArgs& args) {
    ByGroup(planes, channels, args.in(0), args.in(1), args.in(2), args.out());
  });
}

Prepared BatchNormalization(const KernelSite& site) {
  if (!AllF32(site)) return Decline("f32 only");
  if (site.shape(0).size() < 2 || !KeepsLayout(site))
    return Decline("x and y must have one layout");
  for (size_t i = 1; i < site.call->inputs.size(); ++i)
    if (site.strided(i)) return Decline("only x may have its channels last");
  Batch batch;
  batch.planes = PlanesOf(site);
  batch.last = site.strided(0);
  batch.training = site.attributes().Int("training_mode", 0) != 0;
  batch.momentum = site.attributes().Float("momentum", 0.9f);
  return Accept(
      batch.last ? "pixels" : "rows",
      [batch](const KernelArgs& args) { batch.Run(args); },
      Workspace::Bytes(batch.planes.channels));
}

}  // namespace metadist::cpu
