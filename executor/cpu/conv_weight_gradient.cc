// SPDX-License-Identifier: Apache-2.0
// The gradient of a convolution's weight, by oneDNN on row-major images.
#include <algorithm>

#include "executor/cpu/makers.h"
#include "executor/cpu/onednn.h"
#include "metair/ops/window.h"

namespace metadist::cpu {
namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;

Desc DenseDesc(const Dims& dims) {
  return {dims, dnnl::memory::data_type::f32, Strides(Shape(dims))};
}

Prepared Bind(const KernelSite& site, const Window& window) {
  const int64_t groups = site.attributes().Int("group", 1);
  const Shape& weight = site.out().shape;
  Dims by_group(weight.begin(), weight.end());
  if (groups > 1) {
    by_group[0] /= groups;
    by_group.insert(by_group.begin(), groups);
  }
  const Desc x = DenseDesc(Dims(site.shape(0)));
  const Desc w = DenseDesc(by_group);
  const Desc y = DenseDesc(Dims(site.shape(1)));
  Dims gaps = window.dilations;  // elements between taps
  for (int64_t& gap : gaps) --gap;
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::primitive_desc forward({dnnl::prop_kind::forward_training,
                                                           kDirect,
                                                           x,
                                                           w,
                                                           y,
                                                           window.strides,
                                                           gaps,
                                                           window.pads_begin,
                                                           window.pads_end},
                                                          UserScratchpad(),
                                                          Engine());
  const dnnl::convolution_backward_weights::primitive_desc desc(
      {kDirect, x, w, y, window.strides, gaps, window.pads_begin, window.pads_end},
      UserScratchpad(),
      Engine(),
      forward);
  if (IsSlow(desc)) return Decline("oneDNN has only its plain loops for it");
  return BindOneDnn(
      dnnl::convolution_backward_weights(desc),
      desc.scratchpad_desc(),
      {{DNNL_ARG_SRC, x, 0}, {DNNL_ARG_DIFF_DST, y, 1}, {DNNL_ARG_DIFF_WEIGHTS, w, -1, 0}});
}

}  // namespace

Prepared ConvWeightGradient(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Shape& x = site.shape(0);
  const Shape& dy = site.shape(1);
  if (x.size() > 5) return Decline("one to three spatial dims only");
  if (NumElements(x) == 0 || NumElements(dy) == 0) return Decline("an empty operand");
  const auto window =
      WindowOf(site.attributes(), {x.begin() + 2, x.end()}, site.attributes().Ints("kernel_shape"));
  if (!window.ok()) return Decline(window.error().message);
  if (window.value().output != Shape(dy.begin() + 2, dy.end()))
    return Decline("dy does not have the positions of the window");
  return CatchOneDnn([&] { return Bind(site, window.value()); });
}

}  // namespace metadist::cpu
