// SPDX-License-Identifier: Apache-2.0
// Operators for which only the kernel determines the valid integers.
#include <algorithm>

#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

Result<void> CheckIndex(int64_t index, int64_t count) {
  if (index >= 0 && index < count) return {};
  return BadInput("", "index out of range");
}

// dy [n,c,p,q], x [n,c,h,w] (only its shape is used), and for each element of dy its index in a
// plane of x: dx.
Types MaxPoolBackwardTypes(const OpCall& call) {
  const Shape &dy = call.shape(0), &x = call.shape(1);
  if (call.shape(2) != dy || dy[0] != x[0] || dy[1] != x[1])
    return BadInput("", "shapes do not fit");
  return FloatTypes({x});
}
Result<void> MaxPoolBackward(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t places = in[0].dim(2) * in[0].dim(3);
  const int64_t plane = out[0].dim(2) * out[0].dim(3);
  for (int64_t i = 0; i < in[0].size(); ++i) {
    const int64_t index = in[2].data<int64_t>()[i];
    TRY(CheckIndex(index, plane));
    out[0].mutable_data<double>()[i / places * plane + index] += in[0].data<double>()[i];
  }
  return {};
}
std::vector<InputDomain> InAPlane(const OpCall& call) {
  const int64_t plane = call.shape(1)[2] * call.shape(1)[3];
  return {{},
          {},
          {.kind = InputDomain::Kind::kRange, .low = 0, .high = static_cast<double>(plane - 1)}};
}

// table [r,d], row indices [i], where a negative one counts from the end: [i,d].
Types LookupTypes(const OpCall& call) { return FloatTypes({{call.shape(1)[0], call.shape(0)[1]}}); }
Result<void> Lookup(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  for (int64_t i = 0; i < in[1].size(); ++i) {
    const int64_t index = in[1].data<int64_t>()[i];
    const int64_t row = index < 0 ? index + in[0].dim(0) : index;
    TRY(CheckIndex(row, in[0].dim(0)));
    for (int64_t d = 0; d < out[0].dim(1); ++d) Row(out[0], i)[d] = Row(in[0], row)[d];
  }
  return {};
}
std::vector<InputDomain> OfTheRows(const OpCall&) {
  return {{}, {.kind = InputDomain::Kind::kIndex, .bounds = {{0, 0}}, .negative_ok = true}};
}

// sums [r,d], rows [u], updates [u,d]: sums with the updates added.
Types AddRowsTypes(const OpCall& call) {
  if (call.shape(2) != Shape{call.shape(1)[0], call.shape(0)[1]})
    return BadInput("", "shapes do not fit");
  return FloatTypes({call.shape(0)});
}
Result<void> AddRows(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  std::copy_n(in[0].data<double>(), in[0].size(), out[0].mutable_data<double>());
  for (int64_t i = 0; i < in[1].size(); ++i) {
    const int64_t row = in[1].data<int64_t>()[i];
    TRY(CheckIndex(row, in[0].dim(0)));
    for (int64_t d = 0; d < out[0].dim(1); ++d) Row(out[0], row)[d] += Row(in[2], i)[d];
  }
  return {};
}
std::vector<InputDomain> OfTheSums(const OpCall&) {
  return {{}, {.kind = InputDomain::Kind::kIndex, .bounds = {{0, 0}}}, {}};
}

}  // namespace

std::vector<ReferenceCase> UnstatedCases() {
  return {
      {"C2",
       "max_pool2d_backward",
       MakeOp("MaxPoolBackward", MaxPoolBackwardTypes, MaxPoolBackward),
       {.inputs = {Floats({4, 6, 5, 5}), Floats({4, 6, 10, 10}), Integers({4, 6, 5, 5})}},
       "([a,b,c,d],[a,b,_,_],[a,b,c,d])->([a,b,_,_]) reduction={c,d} linear={0} max={1} min={1}",
       InAPlane},
      {"C2",
       "lookup_without_stated_rows",
       MakeOp("Lookup", LookupTypes, Lookup),
       {.inputs = {Floats({40, 6}), Integers({10})}},
       "([a,b],[c])->([c,b]) reduction={a} off={a:1-} linear={0} max={0} min={0}",
       OfTheRows},
      {"C2",
       "add_rows_without_stated_rows",
       MakeOp("AddRows", AddRowsTypes, AddRows),
       {.inputs = {Floats({40, 6}), Integers({10}), Floats({10, 6})}},
       "([a,b],[c],[c,b])->([a,b]) reduction={c} partial={0:c} off={a:1-} linear={0+2} max={0} "
       "min={0}",
       OfTheSums},
  };
}

}  // namespace metadist::testing
