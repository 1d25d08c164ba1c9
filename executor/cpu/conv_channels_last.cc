// SPDX-License-Identifier: Apache-2.0
// oneDNN multiplies blocks of pixels by blocks of output channels directly from channels-last
// images, for any number of channels and without unfolding; also grouped convolutions with one
// channel per group. Weights need a special order, so they must be constant.
#include "executor/cpu/conv_channels_last.h"

#include <algorithm>

#include "executor/cpu/layout.h"
#include "executor/cpu/onednn.h"
#include "executor/cpu/plain_product.h"

namespace metadist::cpu {
namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
constexpr auto kF32 = dnnl::memory::data_type::f32;

Desc Dense(const Dims& dims) { return {dims, kF32, Strides(Shape(dims))}; }
Desc ChannelsLast(const Shape& shape) { return {Dims(shape), kF32, ChannelsLastStrides(shape)}; }

constexpr int64_t kOwnScratch = 9 << 10;  // the most scratch that the library may need for itself

int64_t Aligned(size_t bytes) { return (static_cast<int64_t>(bytes) + 63) / 64 * 64; }

Prepared Reorder(const OneDnnArgument& from, const OneDnnArgument& to) {
  const dnnl::reorder::primitive_desc desc(
      Engine(), from.desc, Engine(), to.desc, UserScratchpad());
  OneDnnArgument source = from;
  OneDnnArgument target = to;
  source.id = DNNL_ARG_FROM;
  target.id = DNNL_ARG_TO;
  return BindOneDnn(dnnl::reorder(desc), desc.scratchpad_desc(), {source, target});
}

Prepared Bind(const KernelSite& site, const Window& window) {
  const ConvOperands dense = DenseOperands(site);
  const ConvOperands call{
      ChannelsLast(site.shape(0)), AnyOrder(dense.w), dense.bias, ChannelsLast(site.out().shape)};
  const bool x_reordered = !site.strided(0);
  const bool y_reordered = site.out_strides.empty();
  const auto desc = ConvDescriptor(call, window);
  if (IsSlow(desc)) return Decline("oneDNN has only its plain loops for it");
  const Desc packed = desc.weights_desc();
  const int64_t allowed = std::max(ScratchLimit(site), kOwnScratch);
  if (static_cast<int64_t>(packed.get_size() - dense.w.get_size()) > allowed)
    return Decline("packed weights are too large");
  OneDnnArgument x{DNNL_ARG_SRC, call.x, 0};
  OneDnnArgument y{DNNL_ARG_DST, call.y, -1, 0};
  int64_t begin = 0;
  if (x_reordered) {
    x = {DNNL_ARG_SRC, call.x, -1, -1, begin};
    begin += Aligned(call.x.get_size());
  }
  if (y_reordered) {
    y = {DNNL_ARG_DST, call.y, -1, -1, begin};
    begin += Aligned(call.y.get_size());
  }
  std::vector<OneDnnArgument> arguments{x, {DNNL_ARG_WEIGHTS, packed, 1}, y};
  if (site.call->has(2)) arguments.push_back({DNNL_ARG_BIAS, call.bias, 2});
  Prepared prepared = BindOneDnn(
      dnnl::convolution_forward(desc), desc.scratchpad_desc(), std::move(arguments), begin);
  if (!prepared.ok()) return prepared;
  if (prepared.scratch_bytes > allowed) return Decline("reordering needs too much memory");
  std::vector<Runner> steps;
  if (x_reordered) steps.push_back(Reorder({0, dense.x, 0}, x).run);
  steps.push_back(std::move(prepared.run));
  if (y_reordered) steps.push_back(Reorder(y, {0, dense.y, -1, 0}).run);
  if (steps.size() == 1) {
    prepared.run = std::move(steps[0]);
  } else {
    prepared.run = [steps](const KernelArgs& args) -> Result<void> {
      for (const Runner& step : steps) TRY(step(args));
      return {};
    };
  }
  prepared.packings.push_back(PackOneDnn(1, dense.w, packed));
  return prepared;
}

}  // namespace

ConvOperands DenseOperands(const KernelSite& site) {
  const int64_t groups = site.attributes().Int("group", 1);
  Dims weights(site.shape(1).begin(), site.shape(1).end());
  const int64_t channels = weights[0];
  if (groups > 1) {
    weights[0] /= groups;
    weights.insert(weights.begin(), groups);
  }
  return {Dense(site.shape(0)),
          Dense(weights),
          site.call->has(2) ? Dense({channels}) : Desc(),
          Dense(site.out().shape)};
}

dnnl::convolution_forward::primitive_desc ConvDescriptor(const ConvOperands& operands,
                                                         const Window& window) {
  Dims gaps = window.dilations;  // elements between taps
  for (int64_t& gap : gaps) --gap;
  return {{dnnl::prop_kind::forward_inference,
           dnnl::algorithm::convolution_direct,
           operands.x,
           operands.w,
           operands.bias,
           operands.y,
           window.strides,
           gaps,
           window.pads_begin,
           window.pads_end},
          UserScratchpad(),
          Engine()};
}

Prepared ConvChannelsLast(const KernelSite& site, const Window& window) {
  if (!site.packable(1)) return Decline("weights cannot be packed");
  if (site.strided(0) && site.strides[0] != ChannelsLastStrides(site.shape(0)))
    return Decline("channels of x must be its last dim");
  if (site.strided(2)) return Decline("the bias must be row-major");
  return CatchOneDnn([&] { return Bind(site, window); });
}

}  // namespace metadist::cpu
