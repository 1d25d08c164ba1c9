// SPDX-License-Identifier: Apache-2.0
// The boxes selected for each image and class: in order of decreasing score, those that do not
// overlap a selected one by more than a threshold. y: rows of (image, class, box). Their number
// depends on the elements of the inputs.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kBoxes, kScores, kMost, kOverlap, kScore };

// Elements of all inputs; the sizes are [images, boxes, 4] and [images, classes, boxes].
struct Boxes {
  std::vector<double> boxes;
  std::vector<double> scores;
  int64_t images = 0;
  int64_t classes = 0;
  int64_t count = 0;
  int64_t most = 0;
  double overlap = 0;
  double score = -std::numeric_limits<double>::infinity();
  bool centered = false;
};

// tensor(i): input i, or nullptr if it is not known.
template <typename TensorOf>
std::optional<Boxes> BoxesOf(const OpCall& call, TensorOf&& tensor) {
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (call.has(i) && (tensor(i) == nullptr || !tensor(i)->has_data())) return std::nullopt;
  const auto number = [&](size_t i, double absent) {
    if (!call.has(i) || tensor(i)->size() == 0) return absent;
    return tensor(i)->ToDoubles()[0];
  };
  Boxes x;
  x.boxes = tensor(kBoxes)->ToDoubles();
  x.scores = tensor(kScores)->ToDoubles();
  x.images = call.shape(kScores)[0];
  x.classes = call.shape(kScores)[1];
  x.count = call.shape(kScores)[2];
  x.most = static_cast<int64_t>(std::clamp(number(kMost, 0), 0.0, static_cast<double>(x.count)));
  x.overlap = number(kOverlap, 0);
  x.score = number(kScore, x.score);
  x.centered = call.attributes->Int("center_point_box", 0) != 0;
  return x;
}

struct Sides {
  double low[2];
  double high[2];
};

// Two corners in any order; or (centered) the center and the sizes, x first.
Sides SidesOf(const double* box, bool centered) {
  Sides sides{};
  for (int d = 0; d < 2; ++d) {
    const double a = centered ? box[d] - box[d + 2] / 2 : box[d];
    const double b = centered ? box[d] + box[d + 2] / 2 : box[d + 2];
    sides.low[d] = std::min(a, b);
    sides.high[d] = std::max(a, b);
  }
  return sides;
}

// Intersection over union; 0 if they do not intersect.
double Overlap(const Sides& a, const Sides& b) {
  double both = 1;
  double first = 1;
  double second = 1;
  for (int d = 0; d < 2; ++d) {
    both *= std::max(0.0, std::min(a.high[d], b.high[d]) - std::max(a.low[d], b.low[d]));
    first *= a.high[d] - a.low[d];
    second *= b.high[d] - b.low[d];
  }
  return first <= 0 || second <= 0 || both <= 0 ? 0 : both / (first + second - both);
}

// Rows of (image, class, box), flattened.
std::vector<int64_t> Select(const Boxes& x) {
  std::vector<int64_t> rows;
  for (int64_t group = 0; group < x.images * x.classes; ++group) {
    const double* score = x.scores.data() + group * x.count;
    const double* box = x.boxes.data() + group / x.classes * x.count * 4;
    std::vector<int64_t> order(static_cast<size_t>(x.count));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(
        order.begin(), order.end(), [&](int64_t a, int64_t b) { return score[a] > score[b]; });
    std::vector<int64_t> kept;
    for (int64_t next : order) {
      if (static_cast<int64_t>(kept.size()) == x.most) break;
      if (!(score[next] > x.score)) continue;
      const Sides sides = SidesOf(box + next * 4, x.centered);
      if (std::any_of(kept.begin(), kept.end(), [&](int64_t other) {
            return Overlap(sides, SidesOf(box + other * 4, x.centered)) > x.overlap;
          }))
        continue;
      kept.push_back(next);
      rows.insert(rows.end(), {group / x.classes, group % x.classes, next});
    }
  }
  return rows;
}

Result<std::vector<TensorType>> InferNonMaxSuppression(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 5)
          .Floats(kBoxes)
          .Floats(kScores)
          .Integers(kMost)
          .Floats(kOverlap)
          .Floats(kScore)
          .Rank(kBoxes, 3, 3)
          .Rank(kScores, 3, 3)
          .Done());
  const Shape& scores = call.shape(kScores);
  const Shape boxes{scores[0], scores[2], 4};
  if (call.shape(kBoxes) != boxes)
    return BadCall("scores of {} need boxes {}, got {}",
                   ShapeText(scores),
                   ShapeText(boxes),
                   ShapeText(call.shape(kBoxes)));
  const auto known = BoxesOf(call, [&](size_t i) { return call.inputs[i].constant; });
  const int64_t rows = known ? static_cast<int64_t>(Select(*known).size()) / 3 : kRunTimeSize;
  return std::vector<TensorType>{{ElementType::kI64, {rows, 3}}};
}

Result<void> NonMaxSuppressionReference(const OpCall& call,
                                        std::span<const Tensor> in,
                                        std::span<Tensor> out) {
  const std::vector<int64_t> rows = Select(*BoxesOf(call, [&](size_t i) { return &in[i]; }));
  out[0] = Tensor::Of<int64_t>({static_cast<int64_t>(rows.size()) / 3, 3}, rows);
  return {};
}

std::vector<OpExample> NonMaxSuppressionExamples() {
  const auto constant = [](Shape shape, const std::vector<int64_t>& values) {
    return OpExample::Input{.type = {ElementType::kF32, std::move(shape)}, .constant = values};
  };
  const OpExample::Input boxes =
      constant({1, 4, 4}, {0, 0, 4, 4, 0, 1, 4, 5, 9, 9, 12, 12, 12, 12, 9, 9});
  const OpExample::Input scores = constant({1, 2, 4}, {3, 9, 5, 4, 1, 2, 3, 8});
  return {{.inputs = {boxes, scores, Int(3)}},
          {.inputs = {boxes, scores, Int(2), constant({1}, {0}), constant({1}, {4})},
           .attributes = {{"center_point_box", 1}}}};
}

}  // namespace

OpDef MakeNonMaxSuppression() {
  return {.name = "NonMaxSuppression",
          .since_version = 11,
          .infer = InferNonMaxSuppression,
          .reference = NonMaxSuppressionReference,
          .work = NoWork,
          .examples = NonMaxSuppressionExamples};
}

}  // namespace metadist::ops
