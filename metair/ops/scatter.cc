// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/scatter.h"

#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/extremes.h"

namespace metadist {
namespace {

double ScatterAdd(double a, double b) { return a + b; }
double ScatterMultiply(double a, double b) { return a * b; }
int64_t ScatterAdd(int64_t a, int64_t b) { return WrapAdd(a, b); }
int64_t ScatterMultiply(int64_t a, int64_t b) { return WrapMul(a, b); }

}  // namespace

Result<void> CheckScatterReduction(const OpCall& call) {
  const std::string reduction = call.attributes->String("reduction", "none");
  if (reduction == "none") return {};
  if (reduction != "add" && reduction != "mul" && reduction != "max" && reduction != "min")
    return BadCall("reduction must be none, add, mul, max or min, got {}", reduction);
  if (ClassOf(call.type(0).element) == ElementClass::kBool)
    return BadCall("reduction must be none for bools, got {}", reduction);
  return {};
}

void GiveScattered(GradientCall& g, const std::function<Term(const Term&)>& picked) {
  const std::string reduction = g.attributes().String("reduction", "none");
  const Term x = g.x(0);
  const Term dy = g.dy();
  if (reduction == "none") {
    const Term zeros = dy.Zeros(g.call().shape(2));
    g.Give(0, dy.Apply(g.call().op->name, {g.x(1), zeros}, g.attributes()));
    g.Give(2, picked(dy));
  } else if (reduction == "add") {
    g.Give(0, dy);
    g.Give(2, picked(dy));
  } else if (reduction == "mul") {
    const Term update = g.x(2);
    const Term none = update == 0;
    const Term others = picked(dy * g.y()) / Choose(none, 1, update);
    g.Give(0, dy * g.Again(x.Number(1).Expanded(x.shape())));
    g.Give(2, Choose(none, picked(dy * x), others));
  } else {
    // Those that tie for the extreme share its gradient.
    const Term kept = (x == g.y()).As(dy.element());
    const Term hit = (g.x(2) == picked(g.y())).As(dy.element());
    Attributes adding = g.attributes();
    adding.set("reduction", std::string("add"));
    const Term share = dy / kept.Apply(g.call().op->name, {g.x(1), hit}, adding);
    g.Give(0, share * kept);
    g.Give(2, picked(share) * hit);
  }
}

void ScatterInto(const std::string& reduction,
                 const Tensor& updates,
                 int64_t from,
                 int64_t count,
                 Tensor& to,
                 int64_t at) {
  if (reduction == "none") {
    VisitComputeType(to.element(), [&](auto zero) {
      using T = decltype(zero);
      std::copy_n(updates.data<T>() + from, count, to.mutable_data<T>() + at);
    });
    return;
  }
  VisitNumberType(to.element(), [&](auto zero) {
    using T = decltype(zero);
    const T* x = updates.data<T>() + from;
    T* y = to.mutable_data<T>() + at;
    for (int64_t i = 0; i < count; ++i) {
      if (reduction == "add") y[i] = ScatterAdd(y[i], x[i]);
      if (reduction == "mul") y[i] = ScatterMultiply(y[i], x[i]);
      if (reduction == "max") y[i] = Larger(x[i], y[i]);
      if (reduction == "min") y[i] = Smaller(x[i], y[i]);
    }
  });
}

}  // namespace metadist
