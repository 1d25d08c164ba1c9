// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metair/ops/elementwise.h"
#include "metair/ops/op_def.h"
#include "metair/ops/window.h"

// Shared by convolutions: data [n, c, spatial...], weight [m, c / group, kernel...], bias [m],
// output [n, m, positions...].
namespace metadist {

// Positions of a convolution's operands among its inputs. bias: past the end = no bias.
struct ConvolutionInputs {
  size_t data = 0;
  size_t weight = 1;
  size_t bias = 2;
};

// The window described by the attributes and the weight. Shapes must have been checked.
Result<Window> ConvolutionWindow(const OpCall& call, const ConvolutionInputs& at);

// Shape of the output. Operands that are present must have at least 3 dims. Errors: kBadInput for
// inconsistent shapes and attributes.
Result<Shape> ConvolutionShape(const OpCall& call, const ConvolutionInputs& at);

// Writes out the window and the groups (OpDef::spell).
Result<Spelling> SpellConvolution(const OpCall& call, const ConvolutionInputs& at);

// The work of im2col's matrix products, one for each group.
Work ConvolutionWork(const OpCall& call,
                     const ConvolutionInputs& at,
                     std::span<const TensorType> outputs);

// y = x correlated with the weight, plus bias unless nullptr, in T: double or int64_t.
template <typename T>
void Convolve(const Window& window,
              int64_t group,
              const Tensor& x,
              const Tensor& weight,
              const Tensor* bias,
              Tensor& y) {
  const std::vector<int64_t> taps = TapsOf(window);
  const int64_t channels = weight.dim(1);  // per group
  const int64_t filters = weight.dim(0);
  const int64_t spatial = NumElements(window.input);
  const int64_t positions = NumElements(window.output);
  const int64_t kernel = NumElements(window.kernel);
  T* to = y.mutable_data<T>();
  for (int64_t plane = 0; plane < x.dim(0) * filters; ++plane) {
    const int64_t n = plane / filters;
    const int64_t m = plane % filters;
    const int64_t first = m / (filters / group) * channels;
    const T* from = x.data<T>() + (n * x.dim(1) + first) * spatial;
    const T* filter = weight.data<T>() + m * channels * kernel;
    for (int64_t position = 0; position < positions; ++position) {
      T sum = bias == nullptr ? 0 : bias->data<T>()[m];
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t tap = 0; tap < kernel; ++tap) {
          const int64_t at = taps[static_cast<size_t>(position * kernel + tap)];
          if (at < 0) continue;
          if constexpr (std::is_integral_v<T>)
            sum = WrapAdd(sum, WrapMul(from[c * spatial + at], filter[c * kernel + tap]));
          else
            sum += from[c * spatial + at] * filter[c * kernel + tap];
        }
      }
      to[plane * positions + position] = sum;
    }
  }
}

}  // namespace metadist
