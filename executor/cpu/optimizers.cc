// SPDX-License-Identifier: Apache-2.0
// Optimizer steps, and sums of gradients, in one pass over all arrays, block by block: f16 and bf16
// weights and gradients are converted on the stack. Results may replace the operands of the same
// shape: each block is read before it is written.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "executor/cpu/half_floats.h"
#include "executor/cpu/makers.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kBlock = 1024;

// The factors of one step of AdamW.
struct MomentStep {
  float beta1 = 0, beta2 = 0, epsilon = 0;
  float rest1 = 1, rest2 = 1;  // 1 - beta
  float scale = 1;             // of the gradient
  float kept = 1;              // of x
  float added = 0;             // of x, to the gradient
  float rate = 0;              // of the mean, corrected for its bias
  float correct = 1;           // of the root of the squares
};

METADIST_MULTIVERSION
void RunMoments(const MomentStep& s,
                int64_t count,
                const float* const* in,
                float* x,
                float* mean,
                float* square) {
  const float beta1 = s.beta1, beta2 = s.beta2, epsilon = s.epsilon;
  const float rest1 = s.rest1, rest2 = s.rest2;
  const float scale = s.scale, kept = s.kept, added = s.added, rate = s.rate, correct = s.correct;
  for (int64_t i = 0; i < count; ++i) {
    const float old = in[0][i];
    const float g = scale * in[1][i] + added * old;
    const float m = beta1 * in[2][i] + rest1 * g;
    const float v = beta2 * in[3][i] + rest2 * g * g;
    mean[i] = m;
    square[i] = v;
    x[i] = kept * old - rate * m / (std::sqrt(v) * correct + epsilon);
  }
}

METADIST_MULTIVERSION
void AddTo(int64_t count, const float* sum, const float* x, float* y) {
  for (int64_t i = 0; i < count; ++i) y[i] = sum[i] + x[i];
}

struct SgdFactors {
  float rate = 0, decay = 0, momentum = 0, scale = 1;
};

METADIST_MULTIVERSION
void RunSgd(int64_t count, const SgdFactors& f, const float* from, const float* g, float* x) {
  const float rate = f.rate, decay = f.decay, scale = f.scale;
  for (int64_t i = 0; i < count; ++i) x[i] = from[i] - rate * (scale * g[i] + decay * from[i]);
}

METADIST_MULTIVERSION
void RunVelocity(
    int64_t count, const SgdFactors& f, const float* const* in, float* x, float* velocity) {
  const float rate = f.rate, decay = f.decay, momentum = f.momentum, scale = f.scale;
  for (int64_t i = 0; i < count; ++i) {
    const float old = in[0][i];
    const float v = momentum * in[2][i] + scale * in[1][i] + decay * old;
    velocity[i] = v;
    x[i] = old - rate * v;
  }
}

// A block in f32: in place, or converted to `to`.
const float* ReadBlock(
    const std::byte* from, ElementType type, int64_t begin, int64_t size, float* to) {
  const std::byte* const at = from + begin * ByteSize(type);
  if (type == ElementType::kF32) return reinterpret_cast<const float*>(at);
  WidenHalves(type, at, to, size);
  return to;
}

// What both optimizers have: x and its gradient in f32, f16 or bf16, perhaps a master of x.
struct Weights {
  ElementType x_type = ElementType::kF32;
  ElementType gradient_type = ElementType::kF32;
  int64_t count = 0;
  size_t step_input = 0;    // the number of the step
  size_t master_input = 0;  // its result is the last output
  size_t scale_input = 0;   // of the gradient

  // 0: nothing is updated.
  float scale(const KernelArgs& args) const {
    const float* scale = args.in_or_null(scale_input);
    return scale == nullptr ? 1 : *scale;
  }
  // Calls update(begin, count, x, gradient, made) for every block. `made`: where new weights go.
  template <typename Update>
  void Run(const KernelArgs& args, const Update& update) const {
    const bool master = args.in_or_null(master_input) != nullptr;
    const bool from_master = master && *args.in(step_input) > (scale(args) == 0 ? 0 : 1);
    float* const masters = master ? args.out(args.outputs.size() - 1) : nullptr;
    std::array<float, kBlock> x, gradient, new_x;
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t size = std::min(kBlock, count - begin);
      const float* const old = from_master
                                   ? args.in(master_input) + begin
                                   : ReadBlock(args.inputs[0], x_type, begin, size, x.data());
      const float* const g = ReadBlock(args.inputs[1], gradient_type, begin, size, gradient.data());
      float* const own = x_type == ElementType::kF32 ? args.out(0) + begin : new_x.data();
      float* const made = master ? masters + begin : own;
      update(begin, size, old, g, made);
      if (x_type != ElementType::kF32)
        NarrowToHalves(x_type, made, args.outputs[0] + begin * ByteSize(x_type), size);
      else if (made != own)
        std::memcpy(own, made, static_cast<size_t>(size) * sizeof(float));
    }
  }
};

bool IsF32(const KernelSite& site, size_t input) {
  return !site.call->has(input) || site.element(input) == ElementType::kF32;
}

// Whether x and the gradient are f32, f16 or bf16, and all others f32.
bool Suits(const KernelSite& site) {
  for (size_t i = 0; i < site.call->inputs.size(); ++i)
    if (!IsF32(site, i) && (i > 1 || !IsHalf(site.element(i)))) return false;
  return true;
}

// step_input: the master and the scale come after it.
Weights WeightsOf(const KernelSite& site, size_t step_input) {
  return {.x_type = site.element(0),
          .gradient_type = site.element(1),
          .count = NumElements(site.out().shape),
          .step_input = step_input,
          .master_input = step_input + 1,
          .scale_input = step_input + 2};
}

void Copy(const float* from, int64_t count, float* to) {
  if (from != to) std::memmove(to, from, static_cast<size_t>(count) * sizeof(float));
}

Result<void> CheckRequested(const KernelArgs& args) {
  for (const std::byte* out : args.outputs)
    if (out == nullptr) return BadInput("", "all outputs must be requested");
  return {};
}

}  // namespace

Prepared Accumulate(const KernelSite& site) {
  const ElementType type = site.element(1);
  if (!IsF32(site, 0) || (!IsF32(site, 1) && !IsHalf(type)))
    return Decline("sums in f32 of floats of 16 or 32 bits only");
  const int64_t count = NumElements(site.out().shape);
  return Accept("loop", [=](const KernelArgs& args) -> Result<void> {
    std::array<float, kBlock> block;
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t size = std::min(kBlock, count - begin);
      const float* const x = ReadBlock(args.inputs[1], type, begin, size, block.data());
      AddTo(size, args.in(0) + begin, x, args.out(0) + begin);
    }
    return {};
  });
}

Prepared AdamW(const KernelSite& site) {
  if (!Suits(site)) return Decline("weights of floats of 16 or 32 bits and states of 32 only");
  const Attributes& attributes = site.attributes();
  const double beta1 = attributes.Float("beta1", 0.9);
  const double beta2 = attributes.Float("beta2", 0.999);
  const double decay = attributes.Float("decay", 0.01);
  const bool decoupled = attributes.Int("decoupled", 1) != 0;
  MomentStep every;
  every.beta1 = static_cast<float>(beta1);
  every.beta2 = static_cast<float>(beta2);
  every.rest1 = static_cast<float>(1 - beta1);
  every.rest2 = static_cast<float>(1 - beta2);
  every.epsilon = static_cast<float>(attributes.Float("epsilon", 1e-8));
  const Weights weights = WeightsOf(site, 5);
  return Accept("loop", [=](const KernelArgs& args) -> Result<void> {
    TRY(CheckRequested(args));
    const double rate = *args.in(4);
    const double step = *args.in(5);
    MomentStep now = every;
    now.kept = decoupled ? static_cast<float>(1 - rate * static_cast<float>(decay)) : 1;
    now.added = decoupled ? 0 : static_cast<float>(decay);
    now.rate = static_cast<float>(rate / (1 - std::pow(beta1, step)));
    now.correct = static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, step)));
    now.scale = weights.scale(args);
    weights.Run(args,
                [&](int64_t begin, int64_t count, const float* x, const float* g, float* made) {
                  if (now.scale == 0) {
                    Copy(x, count, made);
                    for (const size_t i : {1, 2})
                      Copy(args.in(i + 1) + begin, count, args.out(i) + begin);
                    return;
                  }
                  const float* const in[] = {x, g, args.in(2) + begin, args.in(3) + begin};
                  RunMoments(now, count, in, made, args.out(1) + begin, args.out(2) + begin);
                });
    return {};
  });
}

Prepared Sgd(const KernelSite& site) {
  if (!Suits(site)) return Decline("weights of floats of 16 or 32 bits and states of 32 only");
  const auto momentum = static_cast<float>(site.attributes().Float("momentum", 0));
  const auto decay = static_cast<float>(site.attributes().Float("decay", 0));
  const Weights weights = WeightsOf(site, 4);
  const bool has_momentum = site.call->has(3);
  return Accept("loop", [=](const KernelArgs& args) -> Result<void> {
    TRY(CheckRequested(args));
    const SgdFactors factors{*args.in(2), decay, momentum, weights.scale(args)};
    weights.Run(args,
                [&](int64_t begin, int64_t count, const float* x, const float* g, float* made) {
                  if (factors.scale == 0) {
                    Copy(x, count, made);
                    if (has_momentum) Copy(args.in(3) + begin, count, args.out(1) + begin);
                  } else if (has_momentum) {
                    const float* const in[] = {x, g, args.in(3) + begin};
                    RunVelocity(count, factors, in, made, args.out(1) + begin);
                  } else {
                    RunSgd(count, factors, x, g, made);
                  }
                });
    return {};
  });
}

}  // namespace metadist::cpu
