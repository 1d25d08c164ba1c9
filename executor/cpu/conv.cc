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

using Dims = dnnl::memory::dims;

dnnl::memory::desc Dense(const Dims& dims) {
  return {dims, dnnl::memory::data_type::f32, Strides(Shape(dims))};
}

ConvWindow WindowOf(const Attributes& attributes, size_t space) {
  const auto list = [&](const char* name, size_t count, int64_t absent) {
    std::vector<int64_t> values = attributes.Ints(name);
    if (values.size() != count) values.assign(count, absent);
    return values;
  };
  ConvWindow window;
  window.strides = list("strides", space, 1);
  window.gaps = list("dilations", space, 1);
  for (int64_t& dilation : window.gaps) --dilation;
  const std::vector<int64_t> pads = list("pads", 2 * space, 0);
  window.before.assign(pads.begin(), pads.begin() + static_cast<int64_t>(space));
  window.after.assign(pads.begin() + static_cast<int64_t>(space), pads.end());
  return window;
}

Prepared Bind(const KernelSite& site, const ConvWindow& window) {
  const Shape& weights = site.shape(1);
  const int64_t groups = site.attributes().Int("group", 1);
  Dims kernel(weights.begin(), weights.end());
  if (groups > 1) {
    kernel[0] /= groups;
    kernel.insert(kernel.begin(), groups);
  }
  const auto x = Dense(site.shape(0));
  const auto w = Dense(kernel);
  const auto y = Dense(site.out().shape);
  const auto forward = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  std::vector<OneDnnArgument> arguments{
      {DNNL_ARG_SRC, x, 0}, {DNNL_ARG_WEIGHTS, w, 1}, {DNNL_ARG_DST, y, -1, 0}};
  const auto bind = [&](const dnnl::convolution_forward::desc& call) {
    const dnnl::convolution_forward::primitive_desc desc(call, UserScratchpad(), Engine());
    return BindOneDnn(
        dnnl::convolution_forward(desc), desc.scratchpad_desc(), std::move(arguments));
  };
  const ConvWindow& at = window;
  if (!site.call->has(2))
    return bind({forward, algorithm, x, w, y, at.strides, at.gaps, at.before, at.after});
  const auto bias = Dense({weights[0]});
  arguments.push_back({DNNL_ARG_BIAS, bias, 2});
  return bind({forward, algorithm, x, w, bias, y, at.strides, at.gaps, at.before, at.after});
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
  const ConvWindow window = WindowOf(site.attributes(), rank - 2);
  if (site.strided() || !site.out_strides.empty()) return ConvChannelsLast(site, window);
  if (rank == 4 && IsDeep(site)) {
    Prepared prepared = ConvChannelsLast(site, window);
    if (prepared.ok()) return prepared;
  }
  if (rank != 4) return CatchOneDnn([&] { return Bind(site, window); });
  return ConvByPlanes(site,
                      {window.strides[0],
                       window.strides[1],
                       window.gaps[0] + 1,
                       window.gaps[1] + 1,
                       window.before[0],
                       window.before[1]});
}

}  // namespace metadist::cpu
