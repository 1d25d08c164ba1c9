// SPDX-License-Identifier: Apache-2.0
// Optimizer steps in one pass over all arrays. Results may replace the operands of the same shape:
// each element is read before it is written.
#include <cmath>

#include "executor/cpu/makers.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

struct MomentFactors {
  float beta1 = 0, beta2 = 0, epsilon = 0, decay = 0;
  float rest1 = 1, rest2 = 1;  // 1 - beta
  bool decoupled = true;
  int64_t count = 0;
};

// The factors of one step.
struct MomentStep {
  float kept = 1;     // of x
  float added = 0;    // of x, to the gradient
  float rate = 0;     // of the mean, corrected for its bias
  float correct = 1;  // of the root of the squares
};

METADIST_MULTIVERSION
void RunMoments(const MomentFactors& f,
                const MomentStep& step,
                const float* const* in,
                float* x,
                float* mean,
                float* square) {
  const float beta1 = f.beta1, beta2 = f.beta2, epsilon = f.epsilon;
  const float rest1 = f.rest1, rest2 = f.rest2;
  const float kept = step.kept, added = step.added, rate = step.rate, correct = step.correct;
  for (int64_t i = 0; i < f.count; ++i) {
    const float old = in[0][i];
    const float g = in[1][i] + added * old;
    const float m = beta1 * in[2][i] + rest1 * g;
    const float v = beta2 * in[3][i] + rest2 * g * g;
    mean[i] = m;
    square[i] = v;
    x[i] = kept * old - rate * m / (std::sqrt(v) * correct + epsilon);
  }
}

METADIST_MULTIVERSION
void RunSgd(int64_t count, float rate, float decay, const float* from, const float* g, float* x) {
  for (int64_t i = 0; i < count; ++i) x[i] = from[i] - rate * (g[i] + decay * from[i]);
}

struct VelocityFactors {
  float rate = 0, decay = 0, momentum = 0;
};

METADIST_MULTIVERSION
void RunVelocity(
    int64_t count, const VelocityFactors& f, const float* const* in, float* x, float* velocity) {
  const float rate = f.rate, decay = f.decay, momentum = f.momentum;
  for (int64_t i = 0; i < count; ++i) {
    const float old = in[0][i];
    const float v = momentum * in[3][i] + in[1][i] + decay * old;
    velocity[i] = v;
    x[i] = old - rate * v;
  }
}

bool AllF32(const KernelSite& site) {
  for (size_t i = 0; i < site.call->inputs.size(); ++i)
    if (site.call->has(i) && site.element(i) != ElementType::kF32) return false;
  return true;
}

// Whether the node requests the first outputs, so many.
Result<void> CheckRequested(const KernelArgs& args, size_t count) {
  for (size_t o = 0; o < count; ++o)
    if (args.out_or_null(o) == nullptr) return BadInput("", "all outputs must be requested");
  return {};
}

}  // namespace

Prepared AdamW(const KernelSite& site) {
  if (!AllF32(site)) return Decline("f32 only");
  const Attributes& attributes = site.attributes();
  const double beta1 = attributes.Float("beta1", 0.9);
  const double beta2 = attributes.Float("beta2", 0.999);
  MomentFactors factors;
  factors.beta1 = static_cast<float>(beta1);
  factors.beta2 = static_cast<float>(beta2);
  factors.rest1 = static_cast<float>(1 - beta1);
  factors.rest2 = static_cast<float>(1 - beta2);
  factors.epsilon = static_cast<float>(attributes.Float("epsilon", 1e-8));
  factors.decay = static_cast<float>(attributes.Float("decay", 0.01));
  factors.decoupled = attributes.Int("decoupled", 1) != 0;
  factors.count = NumElements(site.out().shape);
  return Accept("loop", [=](const KernelArgs& args) -> Result<void> {
    TRY(CheckRequested(args, 3));
    const double rate = *args.in(4);
    const double step = *args.in(5);
    MomentStep now;
    now.kept = factors.decoupled ? static_cast<float>(1 - rate * factors.decay) : 1;
    now.added = factors.decoupled ? 0 : factors.decay;
    now.rate = static_cast<float>(rate / (1 - std::pow(beta1, step)));
    now.correct = static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, step)));
    const float* const in[] = {args.in(0), args.in(1), args.in(2), args.in(3)};
    RunMoments(factors, now, in, args.out(0), args.out(1), args.out(2));
    return {};
  });
}

Prepared Sgd(const KernelSite& site) {
  if (!AllF32(site)) return Decline("f32 only");
  const auto momentum = static_cast<float>(site.attributes().Float("momentum", 0));
  const auto decay = static_cast<float>(site.attributes().Float("decay", 0));
  const int64_t count = NumElements(site.out().shape);
  if (!site.call->has(3))
    return Accept("loop", [=](const KernelArgs& args) {
      RunSgd(count, *args.in(2), decay, args.in(0), args.in(1), args.out());
    });
  return Accept("loop", [=](const KernelArgs& args) -> Result<void> {
    TRY(CheckRequested(args, 2));
    const float* const in[] = {args.in(0), args.in(1), nullptr, args.in(3)};
    RunVelocity(count, {*args.in(2), decay, momentum}, in, args.out(0), args.out(1));
    return {};
  });
}

}  // namespace metadist::cpu
