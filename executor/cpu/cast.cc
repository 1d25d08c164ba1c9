// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "executor/cpu/makers.h"

namespace metadist::cpu {
namespace {

// As Tensor::Cast: floats truncate and saturate at i64, NaN gives 0, narrower integers wrap.
template <typename To, typename From>
To Convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const double x = value;
    if (std::isnan(x)) return To(0);
    if (x >= 0x1p63) return static_cast<To>(std::numeric_limits<int64_t>::max());
    if (x < -0x1p63) return static_cast<To>(std::numeric_limits<int64_t>::min());
    return static_cast<To>(static_cast<int64_t>(x));
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
Runner Bind(int64_t count) {
  return [count](const KernelArgs& args) -> Result<void> {
    const From* x = reinterpret_cast<const From*>(args.inputs[0]);
    To* y = reinterpret_cast<To*>(args.outputs[0]);
    for (int64_t i = 0; i < count; ++i) y[i] = Convert<To>(x[i]);
    return {};
  };
}

template <typename From>
Runner BindFrom(ElementType to, int64_t count) {
  switch (to) {
    case ElementType::kF32:
      return Bind<From, float>(count);
    case ElementType::kI32:
      return Bind<From, int32_t>(count);
    case ElementType::kI64:
      return Bind<From, int64_t>(count);
    case ElementType::kBool:
      return Bind<From, bool>(count);
    default:
      return {};
  }
}

}  // namespace

Prepared Cast(const KernelSite& site) {
  const int64_t count = NumElements(site.out().shape);
  const ElementType to = site.out().element;
  Runner run;
  switch (site.element(0)) {
    case ElementType::kF32:
      run = BindFrom<float>(to, count);
      break;
    case ElementType::kI32:
      run = BindFrom<int32_t>(to, count);
      break;
    case ElementType::kI64:
      run = BindFrom<int64_t>(to, count);
      break;
    case ElementType::kBool:
      run = BindFrom<bool>(to, count);
      break;
    default:
      break;
  }
  if (!run) return Decline("no loop for these element types");
  return Accept("loop", std::move(run));
}

}  // namespace metadist::cpu
