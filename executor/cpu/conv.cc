// SPDX-License-Identifier: Apache-2.0
// Convolutions in ONNX layout: [batch, channels, space...]. With two spatial dims, by a loop of our
// own, because oneDNN unfolds whole images of this layout. By oneDNN with other numbers of spatial
// dims, and where channels-last is faster or already the layout.
#include <algorithm>

#include "executor/cpu/conv_channels_last.h"
#include "executor/cpu/conv_planes.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/onednn.h"

namespace metadist::cpu {
namespace {

Prepared Bind(const KernelSite& site, const Window& window) {
  const ConvOperands call = DenseOperands(site);
  const auto desc = ConvDescriptor(call, window);
  std::vector<OneDnnArgument> arguments{
      {DNNL_ARG_SRC, call.x, 0}, {DNNL_ARG_WEIGHTS, call.w, 1}, {DNNL_ARG_DST, call.y, -1, 0}};
  if (site.call->has(2)) arguments.push_back({DNNL_ARG_BIAS, call.bias, 2});
  return BindOneDnn(dnnl::convolution_forward(desc), desc.scratchpad_desc(), std::move(arguments));
}

// Whether there are so many multiplications per element of x and y that reordering both costs
// little.
bool IsDeep(const KernelSite& site) {
  constexpr int64_t kDeep = 128;
  const Shape& w = site.shape(1);
  return std::min(NumElements(w) / w[0], NumElements(w) / w[1]) >= kDeep;
}

}  // namespace

Prepared Conv(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const size_t rank = site.shape(0).size();
  if (rank < 3 || rank > 5) return Decline("one to three spatial dims only");
  const std::string pad = site.attributes().String("auto_pad", "NOTSET");
  if (pad != "NOTSET" && pad != "VALID") return Decline("padding is derived");
  if (NumElements(site.out().shape) == 0 || NumElements(site.shape(0)) == 0)
    return Decline("an empty operand");
  const auto made = WindowOf(site.attributes(),
                             {site.shape(0).begin() + 2, site.shape(0).end()},
                             {site.shape(1).begin() + 2, site.shape(1).end()});
  if (!made.ok()) return Decline(made.error().message);
  const Window& window = made.value();
  if (site.strided() || !site.out_strides.empty()) return ConvChannelsLast(site, window);
  if (rank == 4 && IsDeep(site)) {
    Prepared prepared = ConvChannelsLast(site, window);
    if (prepared.ok()) return prepared;
  }
  if (rank != 4) return CatchOneDnn([&] { return Bind(site, window); });
  return ConvByPlanes(site,
                      {window.strides[0],
                       window.strides[1],
                       window.dilations[0],
                       window.dilations[1],
                       window.pads_begin[0],
                       window.pads_begin[1]});
}

}  // namespace metadist::cpu
