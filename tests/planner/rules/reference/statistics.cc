// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "metair/ops/composer.h"
#include "metair/ops/reduce_mean.h"
#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {
namespace {

constexpr double kEpsilon = 1e-5;

Attributes NoAxes() { return {{"keepdims", int64_t{0}}}; }
OpExample Along(Shape shape, int64_t axis) {
  return {.inputs = {Floats(std::move(shape)), Literal({axis})}, .attributes = NoAxes()};
}

// The unbiased variance of the last dim.
Types VarianceTypes(const OpCall& call) {
  return FloatTypes({Shape(call.shape(0).begin(), call.shape(0).end() - 1)}, call.type(0).element);
}
Result<void> Variance(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t count = in[0].shape().back();
  for (int64_t row = 0; row < out[0].size(); ++row) {
    double mean = 0, squares = 0;
    for (int64_t k = 0; k < count; ++k) mean += Row(in[0], row)[k] / static_cast<double>(count);
    for (int64_t k = 0; k < count; ++k) squares += std::pow(Row(in[0], row)[k] - mean, 2);
    out[0].mutable_data<double>()[row] = squares / static_cast<double>(count - 1);
  }
  return {};
}
Result<Graph> ComposeVariance(const OpCall& call) {
  const int64_t last = call.rank(0) - 1;
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const ValueId distance = compose.Add("Sub", {x, ComposeMean(compose, x, {last}, /*keep=*/true)});
  const ValueId squares = compose.Add("Mul", {distance, distance});
  const ValueId sum = compose.Fold("ReduceSum", squares, {last}, /*keep=*/false);
  const double freedom = static_cast<double>(call.shape(0).back() - 1);
  return compose.Done({compose.Add("Div", {sum, compose.Number(freedom, x)})});
}

Types SquareErrorTypes(const OpCall& call) {
  if (call.shape(0) != call.shape(1)) return BadInput("", "shapes differ");
  return FloatTypes({{}}, call.type(0).element);
}
Result<void> SquareError(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  double sum = 0;
  for (int64_t i = 0; i < in[0].size(); ++i)
    sum += std::pow(in[0].data<double>()[i] - in[1].data<double>()[i], 2);
  out[0].mutable_data<double>()[0] = sum / static_cast<double>(in[0].size());
  return {};
}
Result<Graph> ComposeSquareError(const OpCall& call) {
  Composer compose(call);
  const ValueId distance = compose.Add("Sub", {compose.Operand(0), compose.Operand(1)});
  const ValueId squares = compose.Add("Mul", {distance, distance});
  return compose.Done(
      {ComposeMean(compose, squares, AxesBetween(0, call.rank(0)), /*keep=*/false)});
}

// Means of `output_size` equal windows of the last dim.
Result<Shape> WindowsOf(const OpCall& call) {
  const int64_t count = call.attributes->Int("output_size", 0);
  const Shape& x = call.shape(0);
  if (count < 1 || x[2] % count != 0) return BadInput("", "windows are not equal");
  return Shape{x[0], x[1], count, x[2] / count};
}
Types WindowMeanTypes(const OpCall& call) {
  const Shape windows = TRY(WindowsOf(call));
  return FloatTypes({{windows[0], windows[1], windows[2]}}, call.type(0).element);
}
Result<void> WindowMean(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t width = TRY(WindowsOf(call))[3];
  const double share = 1 / static_cast<double>(width);
  for (int64_t i = 0; i < in[0].size(); ++i)
    out[0].mutable_data<double>()[i / width] += in[0].data<double>()[i] * share;
  return {};
}
Result<Graph> ComposeWindowMean(const OpCall& call) {
  Composer compose(call);
  const ValueId x = compose.With("Reshape", compose.Operand(0), TRY(WindowsOf(call)));
  return compose.Done({ComposeMean(compose, x, {3}, /*keep=*/false)});
}

// x [n,c,h,w] normalised over groups of channels, with weight and bias [c]; also returns the mean
// and reciprocal deviation of each group. All sizes are attributes.
struct Groups {
  int64_t n = 1, c = 1, plane = 1, groups = 1;
};
Result<Groups> GroupsOf(const OpCall& call) {
  const Groups g{call.attributes->Int("N", 0),
                 call.attributes->Int("C", 0),
                 call.attributes->Int("HxW", 0),
                 call.attributes->Int("group", 0)};
  const Shape& x = call.shape(0);
  if (x[0] != g.n || x[1] != g.c || x[2] * x[3] != g.plane || g.groups < 1 || g.c % g.groups != 0 ||
      call.shape(1) != Shape{g.c} || call.shape(2) != Shape{g.c})
    return BadInput("", "sizes do not fit");
  return g;
}
Types GroupNormTypes(const OpCall& call) {
  const Groups g = TRY(GroupsOf(call));
  return FloatTypes({call.shape(0), {g.n, g.groups}, {g.n, g.groups}}, call.type(0).element);
}
Result<void> GroupNorm(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Groups g = TRY(GroupsOf(call));
  const int64_t channels = g.c / g.groups;
  const int64_t count = channels * g.plane;
  for (int64_t i = 0; i < g.n * g.groups; ++i) {
    const double* x = in[0].data<double>() + i * count;
    double* y = out[0].mutable_data<double>() + i * count;
    double mean = 0, squares = 0;
    for (int64_t k = 0; k < count; ++k) mean += x[k] / static_cast<double>(count);
    for (int64_t k = 0; k < count; ++k) squares += (x[k] - mean) * (x[k] - mean);
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(count) + kEpsilon);
    for (int64_t k = 0; k < count; ++k) {
      const int64_t channel = i % g.groups * channels + k / g.plane;
      y[k] =
          (x[k] - mean) * inverse * in[1].data<double>()[channel] + in[2].data<double>()[channel];
    }
    out[1].mutable_data<double>()[i] = mean;
    out[2].mutable_data<double>()[i] = inverse;
  }
  return {};
}
Result<Graph> ComposeGroupNorm(const OpCall& call) {
  const Groups g = TRY(GroupsOf(call));
  const int64_t channels = g.c / g.groups;
  Composer compose(call);
  const Shape& shape = call.shape(0);
  const ValueId x =
      compose.With("Reshape", compose.Operand(0), {g.n, g.groups, channels, shape[2], shape[3]});
  const Moments moments = ComposeMoments(compose, x, {2, 3, 4});
  const ValueId spread = compose.Add("Add", {moments.variance, compose.Number(kEpsilon, x)});
  const ValueId inverse = compose.Add("Reciprocal", {compose.Add("Sqrt", {spread})});
  ValueId y = compose.Add("Mul", {moments.distance, inverse});
  const Shape of_channel{g.groups, channels, 1, 1};
  y = compose.Add("Mul", {y, compose.With("Reshape", compose.Operand(1), of_channel)});
  y = compose.Add("Add", {y, compose.With("Reshape", compose.Operand(2), of_channel)});
  return compose.Done({compose.With("Reshape", y, shape),
                       compose.With("Squeeze", moments.mean, {2, 3, 4}),
                       compose.With("Squeeze", inverse, {2, 3, 4})});
}

// The same in training, over all dims except the channels; also returns the mean and reciprocal
// deviation of each.
Types BatchNormTypes(const OpCall& call) {
  const Shape channels{call.shape(0)[1]};
  if (call.shape(1) != channels || call.shape(2) != channels)
    return BadInput("", "shapes do not fit");
  return FloatTypes({call.shape(0), channels, channels}, call.type(0).element);
}
Result<void> BatchNorm(const OpCall&, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t channels = in[0].dim(1), plane = in[0].dim(2) * in[0].dim(3);
  const int64_t elements = in[0].size() / channels;
  const double count = static_cast<double>(elements);
  double* mean = out[1].mutable_data<double>();
  double* inverse = out[2].mutable_data<double>();
  const double* x = in[0].data<double>();
  const auto channel = [&](int64_t i) { return i / plane % channels; };
  for (int64_t i = 0; i < in[0].size(); ++i) mean[channel(i)] += x[i] / count;
  for (int64_t i = 0; i < in[0].size(); ++i)
    inverse[channel(i)] += std::pow(x[i] - mean[channel(i)], 2) / count;
  for (int64_t c = 0; c < channels; ++c) inverse[c] = 1 / std::sqrt(inverse[c] + kEpsilon);
  for (int64_t i = 0; i < in[0].size(); ++i) {
    const int64_t c = channel(i);
    out[0].mutable_data<double>()[i] =
        (x[i] - mean[c]) * inverse[c] * in[1].data<double>()[c] + in[2].data<double>()[c];
  }
  return {};
}
Result<Graph> ComposeBatchNorm(const OpCall& call) {
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const Moments moments = ComposeMoments(compose, x, {0, 2, 3});
  const ValueId spread = compose.Add("Add", {moments.variance, compose.Number(kEpsilon, x)});
  const ValueId inverse = compose.Add("Reciprocal", {compose.Add("Sqrt", {spread})});
  const auto of_channel = [&](size_t input) {
    return compose.With("Unsqueeze", compose.Operand(input), {1, 2});
  };
  ValueId y = compose.Add("Mul", {moments.distance, inverse});
  y = compose.Add("Add", {compose.Add("Mul", {y, of_channel(1)}), of_channel(2)});
  return compose.Done({y,
                       compose.With("Squeeze", moments.mean, {0, 2, 3}),
                       compose.With("Squeeze", inverse, {0, 2, 3})});
}

std::vector<ReferenceCase> NormCases() {
  const OpExample groups{.inputs = {Floats({4, 24, 6, 10}), Floats({24}), Floats({24})},
                         .attributes = {{"N", int64_t{4}},
                                        {"C", int64_t{24}},
                                        {"HxW", int64_t{60}},
                                        {"group", int64_t{3}}},
                         .num_outputs = 3};
  return {
      {"M6",
       "group_norm",
       Decomposed(MakeOp("GroupNorm", GroupNormTypes, GroupNorm), ComposeGroupNorm),
       groups,
       "([a,(b c),d,e],[(b c)],[(b c)])->([a,(b c),d,e],[a,b],[a,b]) "
       "combine={c:SUM[a,b],SUM[a,b],d:SUM[a,b],SUM[a,b],e:SUM[a,b],SUM[a,b]} attr={a,b} "
       "max={2} min={2}"},
      {"M6",
       "group_normalization",
       Known("GroupNormalization"),
       {.inputs = {Floats({2, 960, 32, 32}), Floats({960}), Floats({960})},
        .attributes = {{"num_groups", int64_t{32}}}},
       "([a,(b c),d,e],[(b c)],[(b c)])->([a,(b c),d,e]) "
       "combine={c:SUM[a,b],SUM[a,b],d:SUM[a,b],SUM[a,b],e:SUM[a,b],SUM[a,b]} attr={b} "
       "linear={1+2} max={2} min={2}"},
      {"C1",
       "batch_norm_in_training",
       Decomposed(MakeOp("BatchNorm", BatchNormTypes, BatchNorm), ComposeBatchNorm),
       {.inputs = {Floats({8, 16, 14, 10}), Floats({16}), Floats({16})}, .num_outputs = 3},
       "([b,a,c,d],[a],[a])->([b,a,c,d],[a],[a]) "
       "combine={b:SUM[a],SUM[a],c:SUM[a],SUM[a],d:SUM[a],SUM[a]} max={2} min={2}"},
  };
}

}  // namespace

std::vector<ReferenceCase> StatisticsCases() {
  const OpDef variance = Decomposed(MakeOp("Variance", VarianceTypes, Variance), ComposeVariance);
  std::vector<ReferenceCase> cases{
      {"W4",
       "long_mean",
       Known("ReduceMean"),
       Along({1 << 22}, 0),
       "([a])->([]) combine={a:LOCAL} reduction={a} linear={0}"},
      {"W4",
       "mean_of_a_plane",
       Known("ReduceMean"),
       {.inputs = {Floats({4096, 4096})}, .attributes = NoAxes()},
       "([a,b])->([]) combine={a:LOCAL,b:LOCAL} reduction={a,b} linear={0}"},
      {"W5",
       "long_variance",
       variance,
       {.inputs = {Floats({1 << 22})}},
       "([a])->([]) combine={a:SUM[]} reduction={a}"},
      {"M2",
       "mse_loss",
       Decomposed(MakeOp("SquareError", SquareErrorTypes, SquareError), ComposeSquareError),
       {.inputs = {Floats({6, 16}), Floats({6, 16})}},
       "([a,b],[a,b])->([]) combine={a:LOCAL,b:LOCAL} reduction={a,b}"},
      {"M2",
       "mean_of_a_dim",
       Known("ReduceMean"),
       Along({4, 16, 6}, 1),
       "([a,c,b])->([a,b]) combine={c:LOCAL} reduction={c} linear={0}"},
      {"M2",
       "average_pool_of_planes",
       Known("GlobalAveragePool"),
       {.inputs = {Floats({2, 6, 35, 55})}},
       "([a,b,c,d])->([a,b,_,_]) combine={c:LOCAL,d:LOCAL} reduction={c,d} linear={0}"},
      {"M2",
       "adaptive_average_pool",
       Decomposed(MakeOp("WindowMean", WindowMeanTypes, WindowMean), ComposeWindowMean),
       {.inputs = {Floats({2, 6, 35})}, .attributes = {{"output_size", int64_t{7}}}},
       "([a,b,(c d)])->([a,b,c]) combine={d:LOCAL} reduction={d} attr={c} linear={0}"},
      {"M10",
       "softmax",
       Known("Softmax"),
       {.inputs = {Floats({6, 24, 33})}},
       "([a,b,c])->([a,b,c]) combine={c:MAX[a,b],SUM[a,b]}"},
      {"M10",
       "log_sum_exp",
       Known("ReduceLogSumExp"),
       Along({6, 16}, 1),
       "([a,b])->([a]) combine={b:MAX[a],SUM[a]}"},
      {"M10", "norm", Known("ReduceL2"), Along({6, 16}, 1), "([a,b])->([a]) combine={b:SUM[a]}"},
      {"M10",
       "variance",
       variance,
       {.inputs = {Floats({6, 16})}},
       "([a,b])->([a]) combine={b:SUM[a]} reduction={b}"},
      {"M10",
       "attention",
       Known("Attention"),
       {.inputs = {Floats({2, 8, 9, 5}), Floats({2, 8, 14, 5}), Floats({2, 8, 14, 6})}},
       "([a,b,c,e],[a,b,f,e],[a,b,f,d])->([a,b,c,d]) "
       "combine={e:SUM[a,b,c,f],f:MAX[a,b,c],SUM[a,b,c]} reduction={f} linear={2}"},
      {"M10",
       "argmax",
       Known("ArgMax"),
       {.inputs = {Floats({6, 16})},
        .attributes = {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}}},
       "([a,b])->([a]) combine={b:MAX[a]} reduction={b:MIN}"},
  };
  for (ReferenceCase& one : NormCases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace metadist::testing
