// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "metair/ops/elementwise.h"
#include "metair/ops/op_def.h"
#include "metair/ops/window.h"

// Shared by convolutions: data [n, c, spatial...], weight [m, c / group, kernel...], bias [m],
// output [n, m, positions...].
namespace metadist {

// Filters whose sums Convolve makes side by side.
inline constexpr int64_t kFiltersAtATime = 4;

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

// Attributes of the convolution, its transpose and the gradient of its weight, all with this
// window.
Attributes ConvolutionAttributes(const OpCall& call, const Window& window);

// Writes out the window and the groups (OpDef::spell).
Result<Spelling> SpellConvolution(const OpCall& call, const ConvolutionInputs& at);

// The work of im2col's matrix products, one for each group.
Work ConvolutionWork(const OpCall& call,
                     const ConvolutionInputs& at,
                     std::span<const TensorType> outputs);

// The weights of kFiltersAtATime filters from `first` on side by side, 0 past `end`:
// [channels * kernel, kFiltersAtATime].
template <typename T>
std::vector<T> PackedFilters(const Tensor& weight, int64_t first, int64_t end) {
  const int64_t size = weight.size() / weight.dim(0);
  std::vector<T> packed(static_cast<size_t>(size * kFiltersAtATime));
  for (int64_t filter = first; filter < end; ++filter)
    for (int64_t i = 0; i < size; ++i)
      packed[static_cast<size_t>(i * kFiltersAtATime + filter - first)] =
          weight.data<T>()[filter * size + i];
  return packed;
}

// y = x correlated with the weight, plus bias unless nullptr, in T: double or int64_t. Each element
// is summed from the bias on, channel by channel and tap by tap; those of several filters side by
// side, so that no addition waits for the one before.
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
  const int64_t filters_of_group = filters / group;
  const int64_t spatial = NumElements(window.input);
  const int64_t positions = NumElements(window.output);
  const int64_t kernel = NumElements(window.kernel);
  for (int64_t first = 0, end = 0; first < filters; first = end) {
    const int64_t of_group = first / filters_of_group;
    end = std::min(first + kFiltersAtATime, (of_group + 1) * filters_of_group);
    const std::vector<T> packed = PackedFilters<T>(weight, first, end);
    std::array<T, kFiltersAtATime> start{};
    for (int64_t filter = first; bias != nullptr && filter < end; ++filter)
      start[static_cast<size_t>(filter - first)] = bias->data<T>()[filter];
    for (int64_t n = 0; n < x.dim(0); ++n) {
      const T* const from = x.data<T>() + (n * x.dim(1) + of_group * channels) * spatial;
      T* const to = y.mutable_data<T>() + n * filters * positions;
      for (int64_t position = 0; position < positions; ++position) {
        std::array<T, kFiltersAtATime> sums = start;
        const int64_t* const elements = taps.data() + position * kernel;
        const T* factors = packed.data();
        for (int64_t c = 0; c < channels; ++c)
          for (int64_t tap = 0; tap < kernel; ++tap, factors += kFiltersAtATime) {
            if (elements[tap] < 0) continue;
            const T value = from[c * spatial + elements[tap]];
            for (size_t i = 0; i < sums.size(); ++i)
              if constexpr (std::is_integral_v<T>)
                sums[i] = WrapAdd(sums[i], WrapMul(value, factors[i]));
              else
                sums[i] += value * factors[i];
          }
        for (int64_t filter = first; filter < end; ++filter)
          to[filter * positions + position] = sums[static_cast<size_t>(filter - first)];
      }
    }
  }
}

}  // namespace metadist
