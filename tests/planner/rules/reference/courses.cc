// SPDX-License-Identifier: Apache-2.0
// Dims that are read in reverse, or with wrap-around.
#include <algorithm>
#include <limits>

#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

Types SameAs(const OpCall& call) { return FloatTypes({call.shape(0)}); }
Types SameAsInteger(const OpCall& call) { return std::vector<TensorType>{call.type(0)}; }

// y[i] = read(x, i, n) along the last dim.
template <double (*kRead)(const double* x, int64_t i, int64_t n, int64_t by)>
Result<void> Rows(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t n = in[0].shape().back();
  const int64_t by = call.attributes->Int("by", 0);
  for (int64_t row = 0; row < in[0].size() / n; ++row)
    for (int64_t i = 0; i < n; ++i) Row(out[0], row)[i] = kRead(Row(in[0], row), i, n, by);
  return {};
}

int64_t Wrapped(int64_t i, int64_t n) { return (i % n + n) % n; }
double Mirror(const double* x, int64_t i, int64_t n, int64_t) { return x[n - 1 - i]; }
double Rotated(const double* x, int64_t i, int64_t n, int64_t by) { return x[Wrapped(i - by, n)]; }
// A sum over three neighbours, with wrap-around at the ends.
double Circular(const double* x, int64_t i, int64_t n, int64_t) {
  return x[Wrapped(i - 1, n)] + 2 * x[i] - 4 * x[Wrapped(i + 1, n)];
}
// Differences along the mirrored row, the first from zero.
double MirroredDifference(const double* x, int64_t i, int64_t n, int64_t) {
  return x[n - 1 - i] - (i == 0 ? 0 : x[n - i]);
}
double WithItsMirror(const double* x, int64_t i, int64_t n, int64_t) { return x[i] - x[n - 1 - i]; }

Result<void> MirrorIntegers(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  std::reverse_copy(
      in[0].data<int64_t>(), in[0].data<int64_t>() + in[0].size(), out[0].mutable_data<int64_t>());
  return {};
}

// A row and the mirror image of another.
Types BothTypes(const OpCall& call) {
  if (call.shape(0) != call.shape(1)) return BadInput("", "shapes differ");
  return FloatTypes({call.shape(0)});
}
Result<void> Meeting(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t n = in[0].shape().back();
  for (int64_t row = 0; row < in[0].size() / n; ++row)
    for (int64_t i = 0; i < n; ++i)
      Row(out[0], row)[i] = Row(in[0], row)[i] * Row(in[1], row)[n - 1 - i];
  return {};
}

ReferenceCase Own(const char* name,
                  decltype(OpDef::reference) reference,
                  const char* rule,
                  int64_t by = 0) {
  return {"P1",
          name,
          MakeOp(name, SameAs, reference),
          {.inputs = {Floats({6, 17})}, .attributes = {{"by", by}}},
          rule};
}

OpExample::Input Everything() { return Literal({std::numeric_limits<int64_t>::min() + 1}); }

}  // namespace

std::vector<ReferenceCase> CourseCases() {
  const std::string moves = " linear={0} max={0} min={0}";
  return {
      {"P1",
       "flip_a_dim",
       Known("Slice"),
       {.inputs = {Floats({12, 40}), Literal({-1}), Everything(), Literal({1}), Literal({-1})}},
       "([a,b])->([a,b]) mirror={b}" + moves},
      {"P1",
       "flip_both_dims",
       Known("Slice"),
       {.inputs = {Floats({12, 41}),
                   Literal({-1, -1}),
                   Literal({std::numeric_limits<int64_t>::min() + 1, -1000}),
                   Literal({0, 1}),
                   Literal({-1, -1})}},
       "([a,b])->([a,b]) mirror={a,b}" + moves},
      {"P1",
       "every_third_from_the_last_but_one",
       Known("Slice"),
       {.inputs = {Floats({12, 41}), Literal({-2}), Everything(), Literal({1}), Literal({-3})}},
       "([a,(b 3)])->([a,b]) mirror={b}" + moves},
      Own("mirror", Rows<Mirror>, ("([a,b])->([a,b]) mirror={b}" + moves).c_str()),
      Own("rotate_by_three",
          Rows<Rotated>,
          ("([a,b])->([a,b]) halo={b:3/0} crop={b:3/0} around={b}" + moves).c_str(),
          3),
      Own("rotate_back_by_two",
          Rows<Rotated>,
          ("([a,b])->([a,b]) halo={b:0/2} crop={b:0/2} around={b}" + moves).c_str(),
          -2),
      Own("circular_convolution",
          Rows<Circular>,
          "([a,b])->([a,b]) halo={b:1/1} crop={b:1/1} around={b} linear={0}"),
      Own("mirrored_difference",
          Rows<MirroredDifference>,
          "([a,b])->([a,b]) halo={b:1/0} crop={b:1/0} mirror={b} linear={0}"),
      Own("with_its_mirror", Rows<WithItsMirror>, "([a,_])->([a,_]) linear={0}"),
      {"P1",
       "mirror_integers",
       MakeOp("MirrorIntegers", SameAsInteger, MirrorIntegers),
       {.inputs = {Integers({17})}},
       "([a])->([a]) mirror={a}"},
      {"P1",
       "one_forward_one_backward",
       MakeOp("Meeting", BothTypes, Meeting),
       {.inputs = {Floats({6, 17}), Floats({6, 17})}},
       "([a,b],[a,b])->([a,b]) mirror={b} linear={0,1}"},
      {"P1",
       "reverse_sequences_of_any_length",
       Known("ReverseSequence"),
       {.inputs = {Floats({8, 6, 3}), Integers({6})}},
       "([_,a,b],[a])->([_,a,b])" + moves},
  };
}

}  // namespace metadist::testing
