// SPDX-License-Identifier: Apache-2.0
// Attention, one head at a time. The scores of a block of queries against all keys are one matrix
// product; their softmax and a product with the values give the result. The full score matrix never
// exists; a block is as large as the scratch memory allows (at most kBlock queries: larger blocks
// no longer reduce the cost of packing keys noticeably). Under a causal mask the products end at
// the last key that a query of the block sees. Past and new keys are two operands of the first
// product, side by side in its result. Queries, keys and values may have any strides. Softmax is
// computed in f32.
//
// Keeping only a running maximum (arXiv:2205.14135) would avoid whole rows of scores; but a row is
// small compared with the keys and values themselves.
#include <algorithm>
#include <cmath>
#include <limits>

#include "executor/cpu/indices.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/panel_product.h"
#include "executor/cpu/plain_product.h"
#include "executor/cpu/softmax.h"
#include "executor/cpu/strided_copy.h"
#include "executor/cpu/vector_math.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/heads.h"

namespace metadist::cpu {
namespace {

enum Input : size_t { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kLengths };

// The form in which output 3 returns the scores.
enum class Stage : int64_t { kProduct, kCapped, kMasked, kWeights };

constexpr int64_t kBlock = 64;
constexpr int64_t kFloat = 4;
constexpr float kHidden = -std::numeric_limits<float>::infinity();

// The vectors of all heads: sizes, and the stride of each dim.
struct Vectors {
  Heads heads;
  int64_t batch = 0, head = 0, place = 0, element = 0;

  int64_t at(int64_t b, int64_t h, int64_t s) const { return b * batch + h * head + s * place; }
};

Vectors VectorsOf(const Heads& heads, const std::vector<int64_t>& strides) {
  if (heads.packed) return {heads, strides[0], heads.size * strides[2], strides[1], strides[2]};
  return {heads, strides[0], strides[1], strides[2], strides[3]};
}

// Past vectors [batch, heads, past, size], followed by the new ones.
struct Row {
  Vectors past, fresh;

  int64_t total() const { return past.heads.sequence + fresh.heads.sequence; }
};

struct Mask {
  bool given = false;
  bool truth = false;  // of bool: false hides a key; otherwise the mask is added
  int64_t batch = 0, head = 0, query = 0;
  int64_t width = 0;  // later keys are hidden
};

struct Attend {
  Vectors query;
  Vectors result;
  Row keys, values;
  Mask mask;
  bool causal = false;
  bool wide = false;  // lengths are i64
  float scale = 1;
  float cap = 0;
  Stage stage = Stage::kProduct;
  int64_t block = 1;          // queries
  int64_t product_bytes = 0;  // of scratch, after the block of scores

  int64_t total() const { return keys.total(); }
  int64_t score_bytes() const { return (block * total() * kFloat + 63) / 64 * 64; }
};

METADIST_MULTIVERSION
void Cap(float cap, float* scores, int64_t count) {
  for (int64_t i = 0; i < count; ++i) scores[i] = cap * HyperbolicTangent(scores[i] / cap);
}

// A block of queries of one head.
struct Block {
  const Attend& call;
  const KernelArgs& args;
  int64_t b, h, group;
  int64_t first, rows;

  float* scores() const { return reinterpret_cast<float*>(args.scratch); }
  float* product_scratch() const {
    return reinterpret_cast<float*>(args.scratch + call.score_bytes());
  }
  // The number of keys that a query sees.
  int64_t Seen(int64_t query) const {
    int64_t seen = call.total();
    if (call.causal) seen = std::min(seen, query + call.keys.past.heads.sequence + 1);
    if (args.in_or_null(kLengths) != nullptr)
      seen = std::min(seen, Indices{args.inputs[kLengths], call.wide}[b]);
    return std::max<int64_t>(seen, 0);
  }

  void Score(int64_t columns) const;
  void Hide(int64_t columns) const;
  void AddValues(int64_t columns) const;
  void Show(Stage stage, int64_t columns) const;
  void Run() const;
};

// scores[r, i] = scale q_r . k_i
void Block::Score(int64_t columns) const {
  PlainProduct product;
  product.m = rows;
  product.k = call.query.heads.size;
  product.a_row = call.query.place;
  product.a_column = call.query.element;
  product.alpha = call.scale;
  product.y_row = columns;
  int64_t from = 0;
  for (const auto& [keys, input] :
       {std::pair(&call.keys.past, kPastKey), std::pair(&call.keys.fresh, kKey)}) {
    product.n = std::min(keys->heads.sequence, columns - from);
    product.b_row = keys->element;
    product.b_column = keys->place;
    if (product.n > 0)
      product.Run(args.in(kQuery) + call.query.at(b, h, first),
                  args.in(input) + keys->at(b, group, 0),
                  scores() + from,
                  product_scratch(),
                  call.product_bytes);
    from += product.n;
  }
}

// Adds the mask; keys that are not seen get -inf.
void Block::Hide(int64_t columns) const {
  const Mask& mask = call.mask;
  const float* const added = args.in_or_null(kMask);
  for (int64_t r = 0; r < rows; ++r) {
    float* const row = scores() + r * columns;
    const int64_t at = b * mask.batch + h * mask.head + (first + r) * mask.query;
    const int64_t width = mask.given ? std::min(mask.width, columns) : columns;
    if (mask.given && mask.truth)
      for (int64_t i = 0; i < width; ++i)
        row[i] = args.inputs[kMask][at + i] != std::byte{0} ? row[i] : kHidden;
    else if (mask.given)
      for (int64_t i = 0; i < width; ++i) row[i] += added[at + i];
    const int64_t seen = std::min(width, Seen(first + r));
    std::fill(row + seen, row + std::max(seen, columns), kHidden);
  }
}

// y_r = sum of scores[r, i] v_i
void Block::AddValues(int64_t columns) const {
  PlainProduct product;
  product.m = rows;
  product.n = call.result.heads.size;
  product.a_row = columns;
  product.y_row = call.result.place;
  int64_t from = 0;
  for (const auto& [values, input] :
       {std::pair(&call.values.past, kPastValue), std::pair(&call.values.fresh, kValue)}) {
    product.k = std::min(values->heads.sequence, columns - from);
    product.b_row = values->place;
    product.b_column = values->element;
    if (product.k > 0) {
      product.Run(scores() + from,
                  args.in(input) + values->at(b, group, 0),
                  args.out() + call.result.at(b, h, first),
                  product_scratch(),
                  call.product_bytes);
      product.beta = 1;
    }
    from += product.k;
  }
}

void Block::Show(Stage stage, int64_t columns) const {
  if (call.stage != stage || args.out_or_null(3) == nullptr) return;
  const int64_t place = (b * call.query.heads.heads + h) * call.query.heads.sequence + first;
  std::copy_n(scores(), rows * columns, args.out_or_null(3) + place * columns);
}

void Block::Run() const {
  // A query that sees no key still has one score, whose softmax is NaN.
  int64_t columns = std::max<int64_t>(Seen(first + rows - 1), 1);
  if (args.out_or_null(3) != nullptr) columns = call.total();
  Score(columns);
  Show(Stage::kProduct, columns);
  if (call.cap > 0) Cap(call.cap, scores(), rows * columns);
  Show(Stage::kCapped, columns);
  Hide(columns);
  Show(Stage::kMasked, columns);
  SoftmaxRows(scores(), scores(), rows, columns);
  Show(Stage::kWeights, columns);
  AddValues(columns);
}

// Past and new vectors concatenated, if that output is requested.
struct Joined {
  std::optional<StridedCopy> past, fresh;
  Input past_input, fresh_input;
  size_t output;

  static Joined Make(const Row& row, Input past, Input fresh, size_t output) {
    Joined joined{{}, {}, past, fresh, output};
    const Heads& heads = row.fresh.heads;
    const std::vector<int64_t> to = Strides({heads.batch, heads.heads, row.total(), heads.size});
    const auto copy = [&](const Vectors& from, int64_t begin) {
      return StridedCopy::Make({heads.batch, heads.heads, from.heads.sequence, heads.size},
                               kFloat,
                               {{from.batch, from.head, from.place, from.element}},
                               {to, begin * heads.size});
    };
    if (row.past.heads.sequence > 0) joined.past = copy(row.past, 0);
    joined.fresh = copy(row.fresh, row.past.heads.sequence);
    return joined;
  }
  void Run(const KernelArgs& args) const {
    if (args.out_or_null(output) == nullptr) return;
    if (past) past->Run(args.inputs[past_input], args.outputs[output]);
    fresh->Run(args.inputs[fresh_input], args.outputs[output]);
  }
};

// Sets the mask; returns false if only the reference kernel supports its type.
bool SetMask(const KernelSite& site, Attend& call) {
  call.causal = site.attributes().Int("is_causal", 0) != 0;
  if (site.call->has(kLengths)) call.wide = site.element(kLengths) == ElementType::kI64;
  if (site.call->has(kLengths) && !IsIndex(site.element(kLengths))) return false;
  if (!site.call->has(kMask)) return true;
  Mask& mask = call.mask;
  mask.given = true;
  mask.truth = site.element(kMask) == ElementType::kBool;
  const Shape& shape = site.shape(kMask);
  const std::vector<int64_t> strides = Strides(shape);
  mask.width = shape.back();
  int64_t* const steps[] = {&mask.query, &mask.head, &mask.batch};
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    if (shape[d] != 1) *steps[shape.size() - 2 - d] = strides[d];
  return mask.truth || site.element(kMask) == ElementType::kF32;
}

void SetScratch(const KernelSite& site, Attend& call) {
  constexpr int64_t kDeepest = 256;
  const int64_t row = kPanelColumns * kFloat;
  const int64_t limit = ScratchLimit(site);
  const int64_t depth = std::min(kDeepest, std::max(call.query.heads.size, call.total()));
  call.product_bytes = std::clamp(limit / 2 / row, int64_t{8}, std::max(depth, int64_t{8})) * row;
  call.block = std::clamp((limit - call.product_bytes) / (call.total() * kFloat),
                          int64_t{1},
                          std::min(kBlock, call.query.heads.sequence));
}

}  // namespace

Prepared Attention(const KernelSite& site) {
  for (const size_t input : {kQuery, kKey, kValue})
    if (site.element(input) != ElementType::kF32) return Decline("f32 only");
  for (size_t input = kMask; input < site.call->inputs.size(); ++input)
    if (site.strided(input)) return Decline("only queries, keys and values may be strided");
  const Attributes& attributes = site.attributes();
  const auto queries = HeadsOf(site.shape(kQuery), attributes.Int("q_num_heads", 0), "");
  const auto keys = HeadsOf(site.shape(kKey), attributes.Int("kv_num_heads", 0), "");
  const auto values = HeadsOf(site.shape(kValue), attributes.Int("kv_num_heads", 0), "");
  if (!queries.ok() || !keys.ok() || !values.ok()) return Decline("no such heads");
  Attend call;
  call.query = VectorsOf(queries.value(), site.StridesOf(kQuery));
  call.keys.fresh = VectorsOf(keys.value(), site.StridesOf(kKey));
  call.values.fresh = VectorsOf(values.value(), site.StridesOf(kValue));
  Heads result = queries.value();
  result.size = values.value().size;
  call.result = VectorsOf(result, Strides(site.out().shape));
  if (site.call->has(kPastKey)) {
    const Heads key = HeadsOf(site.shape(kPastKey), 0, "").value();
    const Heads value = HeadsOf(site.shape(kPastValue), 0, "").value();
    call.keys.past = VectorsOf(key, Strides(key.shape()));
    call.values.past = VectorsOf(value, Strides(value.shape()));
  }
  if (call.total() == 0 || NumElements(site.out().shape) == 0 || call.query.heads.size == 0)
    return Decline("nothing to do");
  call.scale = attributes.Float("scale", 1 / std::sqrt(static_cast<float>(call.query.heads.size)));
  call.cap = attributes.Float("softcap", 0);
  call.stage = static_cast<Stage>(attributes.Int("qk_matmul_output_mode", 0));
  if (!SetMask(site, call)) return Decline("a mask of another element type");
  SetScratch(site, call);
  const auto key_copy = Joined::Make(call.keys, kPastKey, kKey, 1);
  const auto value_copy = Joined::Make(call.values, kPastValue, kValue, 2);
  return Accept(
      "blocks",
      [=](const KernelArgs& args) {
        key_copy.Run(args);
        value_copy.Run(args);
        const Heads& heads = call.query.heads;
        const int64_t shared = heads.heads / call.keys.fresh.heads.heads;
        for (int64_t b = 0; b < heads.batch; ++b)
          for (int64_t h = 0; h < heads.heads; ++h)
            for (int64_t s = 0; s < heads.sequence; s += call.block)
              Block{call, args, b, h, h / shared, s, std::min(call.block, heads.sequence - s)}
                  .Run();
      },
      call.score_bytes() + call.product_bytes);
}

}  // namespace metadist::cpu
