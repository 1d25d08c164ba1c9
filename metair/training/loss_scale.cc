// SPDX-License-Identifier: Apache-2.0
#include "metair/training/loss_scale.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "metair/ops/term.h"

namespace metadist {
namespace {

constexpr double kFirst = 65536;
constexpr double kStepsToGrow = 2000;

const TensorType kNumber{ElementType::kF32, {}};

}  // namespace

Result<std::optional<double>> LossScale::Parse(const std::string& text) {
  if (text.empty()) return std::optional<double>(1);
  if (text == "dynamic") return std::optional<double>();
  double scale = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, scale);
  if (error == std::errc() && stop == end && scale > 0 && std::isfinite(scale))
    return std::optional<double>(scale);
  return Usage(fmt::format("--loss-scale: expected dynamic or a number above 0, got '{}'", text));
}

Result<LossScale> LossScale::Add(GraphBuilder& b, const std::string& text) {
  const std::optional<double> scale = TRY(Parse(text));
  LossScale out;
  if (!scale) {
    out.scale_ = b.Input("loss_scale", kNumber);
    out.good_ = b.Input("loss_scale.good", kNumber);
  } else if (*scale != 1) {
    out.scale_ = b.Constant(Tensor::Scalar(*scale).Cast(ElementType::kF32), "loss_scale");
  }
  return out;
}

ValueId LossScale::AddInverse(GraphBuilder& b, const std::vector<ValueId>& gradients) const {
  const Term inverse = 1 / Term(b, scale_);
  if (!dynamic()) return inverse.value();
  // The sum of all magnitudes is finite if every gradient is, and its difference to itself is 0.
  std::vector<Term> sums;
  for (const ValueId id : gradients)
    sums.push_back(Term(b, id).As(ElementType::kF32).Apply("Abs").SumAllBut({}, /*keep=*/false));
  const Term all = sums[0].Apply("Sum", {sums.begin() + 1, sums.end()});
  return Choose(all - all == 0, inverse, 0).value();
}

std::vector<std::pair<ValueId, ValueId>> LossScale::AddNext(GraphBuilder& b,
                                                            ValueId inverse) const {
  if (!dynamic()) return {};
  const Term scale(b, scale_), good(b, good_);
  const Term fine = Term(b, inverse) > 0;
  const Term grows = good >= kStepsToGrow - 1;
  const Term next = Choose(fine, Choose(grows, scale * 2, scale), scale / 2);
  const Term count = Choose(fine & grows.Apply("Not"), good + 1, 0);
  return {{scale_, next.value()}, {good_, count.value()}};
}

void LossScale::WriteData(Graph& graph) const {
  if (dynamic()) graph.value(scale_).data = Tensor::Scalar(kFirst).Cast(ElementType::kF32);
}

}  // namespace metadist
