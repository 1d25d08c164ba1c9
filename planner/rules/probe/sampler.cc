// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/probe/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "planner/rules/probe/arrays.h"
#include "planner/rules/probe/own_type.h"

namespace metadist {
namespace {

// Marks the elements of `shape` whose index along focus.dim is in focus.indices.
std::vector<uint8_t> Inside(const Shape& shape, const Focus& focus) {
  const int64_t inner = Strides(shape)[static_cast<size_t>(focus.dim)];
  const int64_t size = shape[static_cast<size_t>(focus.dim)];
  std::vector<uint8_t> chosen(static_cast<size_t>(size), 0);
  for (const int64_t i : focus.indices) chosen[static_cast<size_t>(i)] = 1;
  std::vector<uint8_t> inside(static_cast<size_t>(NumElements(shape)));
  for (size_t i = 0; i < inside.size(); ++i)
    inside[i] = chosen[static_cast<size_t>(static_cast<int64_t>(i) / inner % size)];
  return inside;
}

// A power of two whose square overflows a float type, and whose inverse's square underflows.
double LargeOf(ElementType type) {
  return type == ElementType::kF64 ? 0x1p600 : IsShortRanged(type) ? 0x1p14 : 0x1p100;
}

void Spread(double large, const Focus& focus, Tensor& x) {
  const std::vector<uint8_t> inside = Inside(x.shape(), focus);
  double* to = x.mutable_data<double>();
  for (size_t i = 0; i < inside.size(); ++i) to[i] = inside[i] != 0 ? large : 1 / large;
}

// Ascending numbers from about -6 to 6, in steps of different sizes.
void Climb(std::span<double> x, SplitMix& random) {
  double sum = 0;
  for (double& v : x) v = sum += random.Uniform();
  sum += random.Uniform();
  for (double& v : x) v = 12 * v / sum - 6;
}

}  // namespace

Sampler::Sampler(BlackBox& box, uint64_t seed) : box_(box), random_(seed) {
  for (size_t i = 0; i < box.num_inputs(); ++i)
    has_bools_ = has_bools_ || (box.is_tensor(i) && box.element_class(i) == ElementClass::kBool);
}

void Sampler::SetDomains(std::span<const int64_t> values) {
  domains_ = box_.DomainsOf(values);
  has_indices_ = std::ranges::any_of(
      domains_, [](const InputDomain& domain) { return domain.kind == InputDomain::Kind::kIndex; });
  special_.clear();  // an index equal to an integer of the call may be a special case
  for (size_t s = box_.first_literal(); s < values.size(); ++s)
    if (values[s] >= 0 && box_.slots()[s].is_literal()) special_.push_back(values[s]);
  shapes_.resize(box_.num_inputs());
  for (size_t i = 0; i < box_.num_inputs(); ++i) shapes_[i] = box_.ShapeOf(i, values);
}

bool Sampler::Draw(std::span<const int64_t> values,
                   InputMode mode,
                   const std::map<int, Focus>& focus,
                   std::vector<Tensor>& inputs) {
  SetDomains(values);
  inputs.assign(box_.num_inputs(), Tensor());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!box_.is_tensor(i)) continue;
    const auto found = focus.find(static_cast<int>(i));
    const Focus* part = found == focus.end() ? nullptr : &found->second;
    if (!DrawOne(i, shapes_[i], mode, part, inputs[i])) return false;
  }
  return true;
}

bool Sampler::DrawOne(
    size_t input, const Shape& shape, InputMode mode, const Focus* focus, Tensor& out) {
  const ElementType type = ComputeType(box_.element(input));
  if (NumElements(shape) > BlackBox::kMostElements) return false;
  out = Tensor::Unset({type, shape});
  const InputDomain& domain = domains_[input];
  if (domain.kind == InputDomain::Kind::kIndex) return DrawIndices(domain, mode, out);
  if (type == ElementType::kBool)
    DrawBools(mode, out);
  else if ((mode == InputMode::kEdges || mode == InputMode::kTiny) &&
           domain.kind == InputDomain::Kind::kAny)
    DrawEdges(input, mode, out);
  else
    DrawNumbers(domain, mode, focus, out);
  if (mode == InputMode::kSpread && focus != nullptr && type == ElementType::kF64 &&
      domain.kind != InputDomain::Kind::kRange)
    Spread(LargeOf(box_.element(input)), *focus, out);
  return true;
}

bool Sampler::DrawSlab(size_t input,
                       const Tensor& from,
                       int dim,
                       std::span<const int64_t> indices,
                       InputMode mode,
                       Tensor& out) {
  if (from.element() == ElementType::kBool) {
    out = Flipped(Take(from, dim, indices));
    return true;
  }
  if (domains_[input].kind == InputDomain::Kind::kIndex || domains_[input].step != 0) {
    Tensor all;
    if (!DrawOne(input, from.shape(), mode, nullptr, all)) return false;
    out = Take(all, dim, indices);
    return true;
  }
  Shape slab = from.shape();
  slab[static_cast<size_t>(dim)] = static_cast<int64_t>(indices.size());
  return DrawOne(input, slab, mode, nullptr, out);
}

void Sampler::Fill(InputMode mode, std::span<double> x) {
  static constexpr double kScales[] = {0.1, 0.3, 1, 1, 2, 3, 5, 10};
  switch (mode) {
    case InputMode::kNormal:
    case InputMode::kOneShard:
    case InputMode::kOffset:
    case InputMode::kNans:
    case InputMode::kMeet:
      for (double& v : x) {
        const uint64_t bits = random_.Next();
        v = SplitMix::Bell(bits) * kScales[bits & 7];
      }
      break;
    case InputMode::kSmall:
      for (double& v : x) v = random_.Bell() * 1e-3;
      break;
    case InputMode::kNegative:
      for (double& v : x) v = -0.5 - 3.5 * random_.Uniform();
      break;
    case InputMode::kTies:
      for (double& v : x) v = static_cast<double>(random_.Below(3) - 1);
      break;
    case InputMode::kSpread:
      std::ranges::fill(x, 1.0);
      break;
    case InputMode::kUp:
    case InputMode::kDown:
      Climb(x, random_);
      if (mode == InputMode::kDown) std::ranges::reverse(x);
      break;
    case InputMode::kEdges:  // used for inputs whose legal values are stated
    case InputMode::kTiny:
    case InputMode::kIntegers:
    case InputMode::kOneTrue:
    case InputMode::kOneFalse:
      for (double& v : x) v = static_cast<double>(random_.Below(7) - 3);
      break;
  }
}

void Sampler::DrawNumbers(const InputDomain& domain,
                          InputMode mode,
                          const Focus* focus,
                          Tensor& out) {
  const bool integer = out.element() == ElementType::kI64;
  std::vector<double> wide(integer ? static_cast<size_t>(out.size()) : 0);
  const std::span<double> x(integer ? wide.data() : out.mutable_data<double>(),
                            static_cast<size_t>(out.size()));
  Fill(mode, x);
  const bool nans = mode == InputMode::kNans && domain.kind == InputDomain::Kind::kAny && !integer;
  if (focus != nullptr && (mode == InputMode::kOneShard || mode == InputMode::kOffset || nans)) {
    const std::vector<uint8_t> inside = Inside(out.shape(), *focus);
    for (size_t i = 0; i < x.size(); ++i) {
      if (mode == InputMode::kOneShard && inside[i] == 0) x[i] = 0;
      if (mode == InputMode::kOffset && inside[i] != 0) x[i] -= 7;
      if (nans && inside[i] != 0) x[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  if (domain.kind == InputDomain::Kind::kPositive)
    for (double& v : x) v = std::abs(v) + (integer ? 1 : 0.25);
  if (domain.kind == InputDomain::Kind::kRange) {
    for (size_t i = 0; i < x.size(); ++i) {
      const auto [low, high] = domain.columns.empty() ? std::pair(domain.low, domain.high)
                                                      : domain.columns[i % domain.columns.size()];
      const double width = high - low;
      const int64_t raised = domain.Raised(out.shape(), static_cast<int64_t>(i));
      x[i] = low + static_cast<double>(raised) +
             (integer ? static_cast<double>(random_.Below(static_cast<int64_t>(width) + 1))
                      : width * random_.Uniform());
    }
  }
  // A product of many even integers wraps to 0, so the negative ones are odd.
  const bool odd = mode == InputMode::kNegative && domain.kind == InputDomain::Kind::kAny;
  if (integer)
    std::transform(x.begin(), x.end(), out.mutable_data<int64_t>(), [&](double v) {
      return odd ? 2 * static_cast<int64_t>(v) - 1 : static_cast<int64_t>(std::floor(v + 0.5));
    });
}

// About half of the numbers are ordinary and small, so that a special one does not hide the effects
// of the others. Large floats are chosen such that a few of them can be multiplied.
void Sampler::DrawEdges(size_t input, InputMode mode, Tensor& out) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const ElementType type = box_.element(input);
  const double large = IsShortRanged(type) ? 8 : 100;
  const double tiny = type == ElementType::kF64 ? 1e-310 : IsShortRanged(type) ? 1e-6 : 1e-40;
  const std::vector<double> floats =
      mode == InputMode::kTiny
          ? std::vector<double>{0.0, -0.0, tiny, -tiny, large, -large}
          : std::vector<double>{0.0, -0.0, kInfinity, -kInfinity, kNan, large, -large};
  constexpr int64_t kFar = int64_t{1} << 62;
  const int64_t integers[] = {kFar,
                              -kFar,
                              kFar - 1,
                              int64_t{1} << 31,
                              (int64_t{1} << 31) - 1,
                              128,
                              127,
                              255,
                              32768,
                              65535,
                              -1,
                              0};
  const int64_t count = out.size();
  for (int64_t i = 0; i < count; ++i) {
    const bool special = random_.Below(2) == 0;
    const int64_t ordinary = random_.Below(7) - 3;
    if (out.element() == ElementType::kI64)
      out.mutable_data<int64_t>()[i] =
          special ? integers[random_.Below(std::ssize(integers))] : ordinary;
    else
      out.mutable_data<double>()[i] =
          special ? floats[random_.Below(std::ssize(floats))] : static_cast<double>(ordinary);
  }
  out = Rounded(out, type);
}

void Sampler::DrawBools(InputMode mode, Tensor& out) {
  bool* x = out.mutable_data<bool>();
  const int64_t count = out.size();
  if (mode == InputMode::kOneTrue || mode == InputMode::kOneFalse || mode == InputMode::kOneShard) {
    std::fill_n(x, count, mode == InputMode::kOneFalse);
    if (count > 0) x[random_.Below(count)] ^= true;
    return;
  }
  if (mode == InputMode::kUp || mode == InputMode::kDown) {
    std::fill_n(x, count, mode == InputMode::kUp);
    return;
  }
  const double share = mode == InputMode::kTies ? 0.9 : mode == InputMode::kNegative ? 0.1 : 0.5;
  for (int64_t i = 0; i < count; ++i) x[i] = random_.Uniform() < share;
}

bool Sampler::DrawIndices(const InputDomain& domain, InputMode mode, Tensor& out) {
  if (out.element() != ElementType::kI64 || domain.bounds.empty()) return false;
  const auto ranges = IndexRanges(domain);
  const int64_t columns = std::ssize(ranges);
  if (std::ranges::any_of(ranges, [](const auto& range) { return range.second < 0; }))
    return out.size() == 0;
  if (columns > 1 && (out.rank() == 0 || out.dim(out.rank() - 1) != columns)) return false;
  int64_t* x = out.mutable_data<int64_t>();
  const int64_t count = out.size();
  if (domain.distinct) {
    // All elements distinct if the bound allows it, otherwise those of each row.
    const int64_t row = out.rank() == 0 ? 1 : out.dim(out.rank() - 1);
    const int64_t limit = ranges[0].second + 1;
    const int64_t run = count <= limit ? count : row;
    if (columns > 1 || run > limit) return false;
    std::vector<int64_t> order(static_cast<size_t>(limit));
    for (int64_t at = 0; at < count; at += run) {
      std::iota(order.begin(), order.end(), 0);
      for (int64_t i = 0; i < run; ++i)
        std::swap(order[static_cast<size_t>(i)],
                  order[static_cast<size_t>(i + random_.Below(limit - i))]);
      std::copy_n(order.begin(), run, x + at);
    }
    return true;
  }
  for (int64_t i = 0; i < count; ++i) {
    const auto [low, high] = ranges[static_cast<size_t>(i % columns)];
    if (mode == InputMode::kUp)
      x[i] = high;
    else if (mode == InputMode::kDown)
      x[i] = 0;
    else if ((mode == InputMode::kTies || mode == InputMode::kMeet) && i >= columns)
      x[i] = x[i - columns];
    else
      x[i] = low + random_.Below(high - low + 1);
    if (!special_.empty() && mode == InputMode::kNormal && random_.Below(4) == 0) {
      const int64_t named = special_[static_cast<size_t>(random_.Below(std::ssize(special_)))];
      if (named <= high) x[i] = named;
    }
  }
  return true;
}

std::vector<std::pair<int64_t, int64_t>> Sampler::IndexRanges(const InputDomain& domain) const {
  if (domain.kind != InputDomain::Kind::kIndex)
    return {{static_cast<int64_t>(domain.low), static_cast<int64_t>(domain.high)}};
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const InputDomain::Bound& bound : domain.bounds) {
    const int64_t limit = shapes_[static_cast<size_t>(bound.input)][static_cast<size_t>(bound.dim)];
    // The same element has two indices, of which an array of distinct ones has one.
    ranges.emplace_back(domain.negative_ok && !domain.distinct ? -limit : 0, limit - 1);
  }
  return ranges;
}

int64_t Sampler::IndexTurns(size_t input) const {
  const auto ranges = IndexRanges(domains_[input]);
  const int64_t rows = NumElements(shapes_[input]) / std::ssize(ranges);
  int64_t turns = 0;
  for (const auto& [low, high] : ranges)
    if (rows > 0) turns = std::max(turns, (high - low + rows) / rows);
  return turns;
}

void Sampler::DrawTurn(size_t input, int64_t turn, Tensor& out) {
  const InputDomain& domain = domains_[input];
  const auto ranges = IndexRanges(domain);
  const int64_t columns = std::ssize(ranges), rows = out.size() / columns;
  int64_t* x = out.mutable_data<int64_t>();
  for (int64_t i = 0; i < out.size(); ++i) {
    const auto [low, high] = ranges[static_cast<size_t>(i % columns)];
    x[i] = low + domain.Raised(out.shape(), i) + (turn * rows + i / columns) % (high - low + 1);
  }
}

}  // namespace metadist
