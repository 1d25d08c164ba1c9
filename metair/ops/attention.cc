// SPDX-License-Identifier: Apache-2.0
// softmax(mask(softcap(scale q k^T))) v for each head; groups of query heads share a key head. Past
// keys and values precede the new ones. Outputs 1 and 2 are the concatenated keys and values,
// output 3 the scores.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/heads.h"
#include "metair/ops/ops.h"
#include "metair/ops/range.h"
#include "metair/ops/softmax.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kLengths };

// The form in which output 3 returns the scores.
enum class Scores : int64_t { kProduct, kCapped, kMasked, kSoftmax };

// queries: [batch, heads, sequence, size] or packed [batch, sequence, heads * size]; keys and
// values likewise, with the number of groups in place of heads.
struct AttentionSizes {
  Heads query, key, value;
  int64_t past = 0;

  int64_t total() const { return past + key.sequence; }
  int64_t shared() const { return query.heads / key.heads; }
};

Result<AttentionSizes> SizesOfAttention(const OpCall& call) {
  const int64_t heads = call.attributes->Int("q_num_heads", 0);
  const int64_t groups = call.attributes->Int("kv_num_heads", 0);
  AttentionSizes x;
  x.query = TRY(HeadsOf(call.shape(kQuery), heads, "q_num_heads"));
  x.key = TRY(HeadsOf(call.shape(kKey), groups, "kv_num_heads"));
  x.value = TRY(HeadsOf(call.shape(kValue), groups, "kv_num_heads"));
  if (call.has(kPastKey)) x.past = call.shape(kPastKey)[2];
  return x;
}

CallCheck& CheckAttentionShapes(const OpCall& call, const AttentionSizes& x, CallCheck& check) {
  const Heads& q = x.query;
  check.That(q.batch == x.key.batch && q.batch == x.value.batch,
             "batch sizes of queries, keys and values must be equal, got {}, {}, {}",
             q.batch,
             x.key.batch,
             x.value.batch);
  check.That(q.size == x.key.size,
             "heads of queries and keys must have one size, got {} and {}",
             q.size,
             x.key.size);
  check.That(x.key.heads == x.value.heads && x.key.sequence == x.value.sequence,
             "keys and values must have the same heads and the same length");
  check.That(x.key.heads > 0 && q.heads % x.key.heads == 0,
             "{} query heads do not share {} key heads evenly",
             q.heads,
             x.key.heads);
  if (call.has(kPastKey) && call.has(kPastValue)) {
    const Shape keys{q.batch, x.key.heads, x.past, x.key.size};
    const Shape values{q.batch, x.key.heads, x.past, x.value.size};
    check.That(call.shape(kPastKey) == keys && call.shape(kPastValue) == values,
               "past keys and values must be {} and {}, got {} and {}",
               ShapeText(keys),
               ShapeText(values),
               ShapeText(call.shape(kPastKey)),
               ShapeText(call.shape(kPastValue)));
  }
  check.That(!call.has(kLengths) || call.shape(kLengths) == Shape{q.batch},
             "input {} must have {} elements",
             size_t{kLengths},
             q.batch);
  return check;
}

// The mask's shape with its last dim padded to all keys; the mask itself may be shorter.
Result<Shape> MaskShape(const OpCall& call, const AttentionSizes& x) {
  const Shape scores{x.query.batch, x.query.heads, x.query.sequence, x.total()};
  Shape mask = call.shape(kMask);
  const bool fits = mask.back() <= x.total();
  if (fits) mask.back() = x.total();
  const auto common = Broadcast(mask, scores);
  if (!fits || !common.ok() || common.value() != scores)
    return BadCall(
        "the mask must broadcast to {}, got {}", ShapeText(scores), ShapeText(call.shape(kMask)));
  return mask;
}

Result<std::vector<TensorType>> InferAttention(const OpCall& call) {
  const int64_t mode = call.attributes->Int("qk_matmul_output_mode", 0);
  const bool past = call.has(kPastKey);
  CallCheck check(call);
  check.Inputs(3, 7)
      .Floats(kQuery)
      .SameElement(kQuery, kKey)
      .Floats(kValue)
      .SameElement(kKey, kPastKey)
      .SameElement(kValue, kPastValue)
      .Integers(kLengths)
      .Rank(kQuery, 3, 4)
      .Rank(kMask, 1, 4)
      .Rank(kPastKey, 4, 4)
      .That(mode >= 0 && mode <= 3, "qk_matmul_output_mode must be in [0, 3], got {}", mode)
      .That(past == call.has(kPastValue), "past keys and past values come together")
      .That(!past || !call.has(kLengths), "lengths do not go with past keys and values");
  TRY(check.Done());
  TRY(check.Rank(kKey, call.rank(0), call.rank(0)).Rank(kValue, call.rank(0), call.rank(0)).Done());
  const AttentionSizes x = TRY(SizesOfAttention(call));
  TRY(CheckAttentionShapes(call, x, check).Done());
  if (call.has(kMask)) TRY(MaskShape(call, x));
  const Heads& q = x.query;
  const ElementType element = call.type(kQuery).element;
  Heads result = q;
  result.size = x.value.size;
  std::vector<TensorType> types{
      {element, result.shape()},
      {element, {q.batch, x.key.heads, x.total(), x.key.size}},
      {call.type(kValue).element, {q.batch, x.key.heads, x.total(), x.value.size}},
      {element, {q.batch, q.heads, q.sequence, x.total()}}};
  if (call.num_outputs < 4) types.resize(static_cast<size_t>(std::max(call.num_outputs, 1)));
  return types;
}

// Past and new ones concatenated: [batch, heads, total, size].
std::vector<double> Present(const Heads& heads,
                            const Tensor& fresh,
                            int64_t past,
                            const Tensor* old) {
  const int64_t total = past + heads.sequence;
  std::vector<double> all(static_cast<size_t>(heads.batch * heads.heads * total * heads.size));
  double* to = all.data();
  for (int64_t head = 0; head < heads.batch * heads.heads; ++head) {
    if (past > 0)
      to = std::copy_n(old->data<double>() + head * past * heads.size, past * heads.size, to);
    for (int64_t s = 0; s < heads.sequence; ++s)
      to =
          std::copy_n(fresh.data<double>() + heads.at(head / heads.heads, head % heads.heads, s, 0),
                      heads.size,
                      to);
  }
  return all;
}

// The bias of the scores: the mask, and -inf for keys that are not seen.
class Bias {
 public:
  static Result<Bias> Make(const OpCall& call,
                           const AttentionSizes& x,
                           std::span<const Tensor> in) {
    Bias bias;
    bias.past_ = x.past;
    bias.causal_ = call.attributes->Int("is_causal", 0) != 0;
    if (call.has(kLengths)) bias.lengths_ = in[kLengths].data<int64_t>();
    if (!call.has(kMask)) return bias;
    const Shape mask = TRY(MaskShape(call, x));
    bias.strides_ =
        BroadcastStrides(mask, {x.query.batch, x.query.heads, x.query.sequence, x.total()});
    bias.masked_ = x.total() > 0;
    bias.total_ = x.total();
    bias.width_ = call.shape(kMask).back();
    bias.mask_ = in[kMask].ToDoubles();
    if (in[kMask].element() == ElementType::kBool)
      for (double& value : bias.mask_) value = value != 0 ? 0 : kHidden;
    return bias;
  }

  // Adds to the scores of one query.
  void Add(int64_t b, int64_t h, int64_t s, std::vector<double>& line) const {
    const int64_t total = static_cast<int64_t>(line.size());
    if (masked_) {
      const int64_t row = (b * strides_[0] + h * strides_[1] + s * strides_[2]) / total_ * width_;
      for (int64_t key = 0; key < total; ++key)
        line[static_cast<size_t>(key)] +=
            key < width_ ? mask_[static_cast<size_t>(row + key)] : kHidden;
    }
    int64_t seen = causal_ ? s + past_ + 1 : total;
    if (lengths_ != nullptr) seen = std::min(seen, lengths_[b]);
    for (int64_t key = std::max<int64_t>(seen, 0); key < total; ++key)
      line[static_cast<size_t>(key)] = kHidden;
  }

 private:
  static constexpr double kHidden = -std::numeric_limits<double>::infinity();

  int64_t past_ = 0;
  bool causal_ = false;
  const int64_t* lengths_ = nullptr;
  bool masked_ = false;
  std::vector<double> mask_;
  std::vector<int64_t> strides_;  // as if the mask's rows had length total_
  int64_t total_ = 1;
  int64_t width_ = 0;  // length of the mask's rows
};

// Turns a query's scores into the weights of the values; `shown` receives them at the requested
// stage.
void Weigh(const OpCall& call,
           const Bias& bias,
           const std::array<int64_t, 3>& place,
           std::vector<double>& line,
           std::vector<double>& shown) {
  const Scores stage = static_cast<Scores>(call.attributes->Int("qk_matmul_output_mode", 0));
  const double cap = call.attributes->Float("softcap", 0);
  if (stage == Scores::kProduct) shown = line;
  if (cap > 0)
    for (double& score : line) score = cap * std::tanh(score / cap);
  if (stage == Scores::kCapped) shown = line;
  bias.Add(place[0], place[1], place[2], line);
  if (stage == Scores::kMasked) shown = line;
  double highest = -std::numeric_limits<double>::infinity();
  for (const double score : line) highest = std::max(highest, score);
  double sum = 0;
  for (double& score : line) sum += score = std::exp(score - highest);
  for (double& score : line) score /= sum;
  if (stage == Scores::kSoftmax) shown = line;
}

Result<void> AttentionReference(const OpCall& call,
                                std::span<const Tensor> in,
                                std::span<Tensor> out) {
  const AttentionSizes x = TRY(SizesOfAttention(call));
  const Heads& q = x.query;
  Heads result = q;
  result.size = x.value.size;
  const bool past = call.has(kPastKey);
  const std::vector<double> keys = Present(x.key, in[kKey], x.past, past ? &in[kPastKey] : nullptr);
  const std::vector<double> values =
      Present(x.value, in[kValue], x.past, past ? &in[kPastValue] : nullptr);
  if (out.size() > 1) std::copy(keys.begin(), keys.end(), out[1].mutable_data<double>());
  if (out.size() > 2) std::copy(values.begin(), values.end(), out[2].mutable_data<double>());
  const Bias bias = TRY(Bias::Make(call, x, in));
  const double scale = call.attributes->Float("scale", 1 / std::sqrt(static_cast<double>(q.size)));
  const int64_t total = x.total();
  std::vector<double> line(static_cast<size_t>(total)), shown;
  for (int64_t row = 0; row < q.batch * q.heads * q.sequence; ++row) {
    const int64_t s = row % q.sequence;
    const int64_t h = row / q.sequence % q.heads;
    const int64_t b = row / q.sequence / q.heads;
    const int64_t group = (b * x.key.heads + h / x.shared()) * total;
    const double* query = in[kQuery].data<double>() + q.at(b, h, s, 0);
    for (int64_t i = 0; i < total; ++i) {
      const double* key = keys.data() + (group + i) * q.size;
      double sum = 0;
      for (int64_t d = 0; d < q.size; ++d) sum += query[d] * key[d];
      line[static_cast<size_t>(i)] = scale * sum;
    }
    Weigh(call, bias, {b, h, s}, line, shown);
    double* y = out[0].mutable_data<double>() + result.at(b, h, s, 0);
    for (int64_t i = 0; i < total; ++i)
      for (int64_t d = 0; d < result.size; ++d)
        y[d] += line[static_cast<size_t>(i)] *
                values[static_cast<size_t>((group + i) * result.size + d)];
    if (out.size() > 3)
      std::copy(shown.begin(), shown.end(), out[3].mutable_data<double>() + row * total);
  }
  return {};
}

// Modelled as one product of [queries, size + value size] with [size + value size, keys] for each
// head, which has the flops of the two actual products.
Work WorkForAttention(const OpCall& call, std::span<const TensorType> outputs) {
  const AttentionSizes x = SizesOfAttention(call).value();
  const Heads& q = x.query;
  const int64_t scores = q.batch * q.heads * q.sequence * x.total();
  const int64_t depth = q.size + x.value.size;
  Work work = FlopsWork(call, outputs, scores * (2 * depth + 5));
  if (scores * depth == 0) return work;
  work.batch = q.batch * q.heads;
  work.m = q.sequence;
  work.n = x.total();
  work.k = depth;
  return work;
}

std::vector<InputDomain> AttentionDomain(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  if (!call.has(kLengths)) return domains;
  const AttentionSizes x = SizesOfAttention(call).value();
  domains[kLengths] = {.kind = InputDomain::Kind::kRange,
                       .low = 1,
                       .high = static_cast<double>(std::max<int64_t>(x.total(), 1))};
  return domains;
}

// Arrays are [batch, head, ...], or [batch, group, head of the group, ...] if query heads share
// keys.
class Composition {
 public:
  // whole_softmax: as one node; otherwise as its parts.
  Composition(const OpCall& call, const AttentionSizes& sizes, bool whole_softmax)
      : call_(call),
        x_(sizes),
        compose_(call),
        shared_(sizes.shared() > 1),
        whole_softmax_(whole_softmax) {}

  Result<Graph> Run() {
    const ValueId query = Heads4(kQuery, x_.query, /*split=*/shared_);
    const ValueId key = Heads4(kKey, x_.key, /*split=*/false);
    const ValueId value = Heads4(kValue, x_.value, /*split=*/false);
    const double scale =
        call_.attributes->Float("scale", 1 / std::sqrt(static_cast<double>(x_.query.size)));
    const ValueId scaled = compose_.Add("Mul", {query, compose_.Number(scale, query)});
    ValueId scores = compose_.Add("MatMul", {scaled, Swapped(key)});
    const double cap = call_.attributes->Float("softcap", 0);
    if (cap > 0) {
      const ValueId limit = compose_.Number(cap, scores);
      scores = compose_.Add("Tanh", {compose_.Add("Div", {scores, limit})});
      scores = compose_.Add("Mul", {scores, limit});
    }
    if (call_.has(kMask)) scores = Masked(scores, TRY(Mask()));
    if (call_.attributes->Int("is_causal", 0) != 0) scores = Causal(scores);
    const int64_t last = static_cast<int64_t>(compose_.shape(scores).size()) - 1;
    const ValueId weights = Softmax(scores, last);
    const ValueId values = compose_.As(compose_.type(weights).element, value);
    return compose_.Done({Result4(compose_.Add("MatMul", {weights, values}))});
  }

 private:
  ValueId Softmax(ValueId scores, int64_t axis) {
    if (whole_softmax_) return compose_.Add("Softmax", {scores}, {{"axis", axis}});
    const SoftmaxParts parts = ComposeSoftmax(compose_, scores, {axis});
    return compose_.Add("Div", {parts.exponentials, parts.sum});
  }

  ValueId Permuted(ValueId value, std::vector<int64_t> order) {
    return compose_.Add("Transpose", {value}, {{"perm", std::move(order)}});
  }

  ValueId Swapped(ValueId value) {
    std::vector<int64_t> order;
    const int64_t rank = static_cast<int64_t>(compose_.shape(value).size());
    for (int64_t d = 0; d < rank - 2; ++d) order.push_back(d);
    order.push_back(rank - 1);
    order.push_back(rank - 2);
    return Permuted(value, std::move(order));
  }

  // An input as [batch, head, ...]. split: into [group, head of the group]; otherwise, if heads are
  // shared, as the only head of each group.
  ValueId Heads4(size_t input, const Heads& heads, bool split) {
    ValueId out = compose_.Operand(input);
    if (heads.packed && split) {  // in one step: a piece of the groups is no piece of all heads
      out = compose_.With(
          "Reshape", out, {heads.batch, heads.sequence, x_.key.heads, x_.shared(), heads.size});
      return Permuted(out, {0, 2, 3, 1, 4});
    }
    if (heads.packed) {
      out = compose_.With("Reshape", out, {heads.batch, heads.sequence, heads.heads, heads.size});
      out = Permuted(out, {0, 2, 1, 3});
    }
    if (split)
      return compose_.With(
          "Reshape", out, {heads.batch, x_.key.heads, x_.shared(), heads.sequence, heads.size});
    return shared_ ? compose_.With("Unsqueeze", out, {2}) : out;
  }

  ValueId Result4(ValueId y) {
    const Heads& q = x_.query;
    if (!q.packed)
      return shared_ ? compose_.With("Reshape", y, {q.batch, q.heads, q.sequence, x_.value.size})
                     : y;
    y = shared_ ? Permuted(y, {0, 3, 1, 2, 4}) : Permuted(y, {0, 2, 1, 3});
    return compose_.With("Reshape", y, {q.batch, q.sequence, q.heads * x_.value.size});
  }

  Result<ValueId> Mask() {
    Shape shape = call_.shape(kMask);
    if (shape.back() != x_.total()) return BadCall("the mask is shorter than the keys");
    const ValueId mask = compose_.Operand(kMask);
    if (!shared_ || shape.size() < 3) return mask;
    const size_t heads = shape.size() - 3;
    if (shape[heads] == 1) return compose_.With("Unsqueeze", mask, {static_cast<int64_t>(heads)});
    shape[heads] = x_.key.heads;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(heads) + 1, x_.shared());
    return compose_.With("Reshape", mask, shape);
  }

  ValueId Hidden(ValueId scores) {
    return compose_.Number(-std::numeric_limits<double>::infinity(), scores);
  }

  ValueId Masked(ValueId scores, ValueId mask) {
    if (compose_.type(mask).element == ElementType::kBool)
      return compose_.Add("Where", {mask, scores, Hidden(scores)});
    return compose_.Add("Add", {scores, compose_.As(compose_.type(scores).element, mask)});
  }

  ValueId Causal(ValueId scores) {
    const ValueId keys = ComposePositions(compose_, 0, x_.total());
    const ValueId queries =
        compose_.With("Unsqueeze", ComposePositions(compose_, x_.past, x_.query.sequence), {1});
    const ValueId late = compose_.Add("Greater", {keys, queries});
    return compose_.Add("Where", {late, Hidden(scores), scores});
  }

  const OpCall& call_;
  const AttentionSizes& x_;
  Composer compose_;
  const bool shared_;
  const bool whole_softmax_;
};

Result<Graph> ComposeAttention(const OpCall& call, bool whole_softmax) {
  if (call.has(kPastKey) || call.has(kLengths) || call.num_outputs > 1)
    return BadCall("only of fresh keys and values, for one output");
  const AttentionSizes x = TRY(SizesOfAttention(call));
  return Composition(call, x, whole_softmax).Run();
}

Result<Graph> DecomposeAttention(const OpCall& call) {
  return ComposeAttention(call, /*whole_softmax=*/false);
}

std::vector<OpExample> AttentionExamples() {
  return {{.inputs = {F32({2, 4, 3, 6}), F32({2, 4, 5, 6}), F32({2, 4, 5, 7})}},
          {.inputs = {F32({2, 3, 24}), F32({2, 5, 12}), F32({2, 5, 14})},
           .attributes = {{"q_num_heads", 4}, {"kv_num_heads", 2}, {"is_causal", 1}}},
          {.inputs = {F32({2, 4, 3, 6}), F32({2, 4, 5, 6}), F32({2, 4, 5, 7}), F32({2, 1, 3, 5})},
           .attributes = {{"scale", 0.25}, {"softcap", 2.0}}},
          {.inputs = {F32({2, 4, 5, 6}),
                      F32({2, 4, 5, 6}),
                      F32({2, 4, 5, 6}),
                      Bool({5, 5}),
                      Absent(),
                      Absent()}},
          {.inputs = {F32({2, 4, 3, 6}),
                      F32({2, 2, 3, 6}),
                      F32({2, 2, 3, 7}),
                      F32({3, 8}),
                      F32({2, 2, 5, 6}),
                      F32({2, 2, 5, 7})},
           .attributes = {{"qk_matmul_output_mode", 2}},
           .num_outputs = 4},
          {.inputs = {F32({2, 4, 3, 6}),
                      F32({2, 2, 5, 6}),
                      F32({2, 2, 5, 7}),
                      F32({2, 1, 3, 4}),
                      Absent(),
                      Absent(),
                      I64({2})}}};
}

Result<void> AttentionGradient(GradientCall& g) {
  return g.Through(TRY(ComposeAttention(g.call(), /*whole_softmax=*/true)));
}

}  // namespace

OpDef MakeAttention() {
  return {.name = "Attention",
          .since_version = 24,
          .infer = InferAttention,
          .reference = AttentionReference,
          .decompose = DecomposeAttention,
          .gradient = AttentionGradient,
          .work = WorkForAttention,
          .domain_of = AttentionDomain,
          .examples = AttentionExamples,
          .untrained = 0b1000};
}

}  // namespace metadist::ops
