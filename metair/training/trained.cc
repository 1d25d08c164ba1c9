// SPDX-License-Identifier: Apache-2.0
#include "metair/training/trained.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "metair/ir/suggest.h"
#include "metair/training/readers.h"
#include "metair/training/small_weights.h"
#include "metair/training/trainable_pattern.h"

namespace metadist {
namespace {

bool IsFloat(const Value& value) { return ClassOf(value.type.element) == ElementClass::kFloat; }

// Whether elements first, first + stride, ... follow the law x[i+1] + x[i-1] = k x[i]: samples of a
// sine, or evenly spaced numbers.
bool IsSampled(const double* x, int64_t count, int64_t stride, double tolerance) {
  double product = 0;
  double square = 0;
  double most = 0;
  for (int64_t i = 0; i < count; ++i) most = std::max(most, std::fabs(x[i * stride]));
  for (int64_t i = 1; i + 1 < count; ++i) {
    const double middle = x[i * stride];
    product += middle * (x[(i + 1) * stride] + x[(i - 1) * stride]);
    square += middle * middle;
  }
  const double k = square > 0 ? product / square : 0;
  for (int64_t i = 1; i + 1 < count; ++i) {
    const double off = x[(i + 1) * stride] + x[(i - 1) * stride] - k * x[i * stride];
    if (std::fabs(off) > tolerance * most) return false;
  }
  return true;
}

// Tables of angles and positions: every line along one of the dims is sampled, and not all are
// constant.
bool IsSampledTable(const Shape& shape, const std::vector<double>& x, double tolerance) {
  constexpr int64_t kLeast = 6;  // so many numbers do not follow the law by chance
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t count = shape[d];
    const int64_t step = std::exchange(stride, stride * count);
    if (count < kLeast) continue;
    bool all = true;
    bool varies = false;
    const auto size = static_cast<int64_t>(x.size());
    for (int64_t first = 0; all && first < size; ++first) {
      if (first / step % count != 0) continue;
      const double* line = x.data() + first;
      all = IsSampled(line, count, step, tolerance);
      for (int64_t i = 1; i < count; ++i) varies |= line[i * step] != line[0];
    }
    if (all && varies) return true;
  }
  return false;
}

// Frequencies and slopes: every element is the one before times the same factor.
bool IsGeometric(const Shape& shape, const std::vector<double>& x, double tolerance) {
  constexpr size_t kLeast = 4;
  if (x.size() < kLeast ||
      *std::max_element(shape.begin(), shape.end()) != static_cast<int64_t>(x.size()) ||
      x[0] == 0 || x[1] == x[0])
    return false;
  const double factor = x[1] / x[0];
  for (size_t i = 1; i < x.size(); ++i)
    if (std::fabs(x[i] - factor * x[i - 1]) > tolerance * std::fabs(x[i])) return false;
  return true;
}

// Masks and filled arrays: several dims, few numbers. Weights of products may be so before
// training, thus only where all readers are elementwise.
bool HoldsFewNumbers(const Shape& shape, const std::vector<double>& x) {
  constexpr size_t kFew = 16;
  const auto dims = std::count_if(shape.begin(), shape.end(), [](int64_t n) { return n > 1; });
  const std::unordered_set<double> distinct(x.begin(), x.end());
  return dims > 1 && distinct.size() <= kFew && 2 * distinct.size() <= x.size();
}

// How far roundings to the type move what follows a law, as a share of the largest number.
double RoundingOf(ElementType element) {
  if (element == ElementType::kF16) return 2e-3;
  if (element == ElementType::kBF16) return 1.6e-2;
  return 1e-5;
}

// The first elements of a large array, which tell what it is as well as all do.
Tensor FirstElements(const Tensor& data) {
  constexpr int64_t kMost = 1 << 16;
  TensorType type = data.type();
  for (int64_t& size : type.shape) {
    const int64_t all = NumElements(type.shape);
    if (all <= kMost) break;
    size = std::max<int64_t>(kMost / (all / size), 1);
  }
  return Tensor::Mapped(type, nullptr, data.bytes());
}

// Whether an array is recognisably no weights but constants of the model.
bool IsTable(const Tensor& data, const Readers& readers) {
  constexpr int kLeastBits = 16;  // all arrays of narrower types hold few numbers
  if (!data.has_data() || data.size() == 0 || BitSize(data.element()) < kLeastBits) return false;
  const Tensor first = FirstElements(data);
  const std::vector<double> x = first.ToDoubles();
  const double tolerance = RoundingOf(data.element());
  return std::any_of(x.begin(), x.end(), [](double v) { return !std::isfinite(v); }) ||
         IsGeometric(first.shape(), x, tolerance) ||
         (!readers.any_product && IsSampledTable(first.shape(), x, tolerance)) ||
         (readers.all_elementwise && HoldsFewNumbers(first.shape(), x));
}

// By parameter: whether it is trained unless patterns say otherwise.
std::vector<bool> ByDefault(const Graph& graph,
                            const std::vector<ValueId>& parameters,
                            const OpTable& ops) {
  const std::vector<std::vector<Use>> uses = UsesOf(graph);
  std::vector<bool> out;
  for (const ValueId id : parameters) {
    const Value& value = graph.value(id);
    const std::vector<Use>& of = uses[static_cast<size_t>(id)];
    const bool weights = IsFloat(value) && std::any_of(of.begin(), of.end(), [&](const Use& use) {
                           return MayReadWeights(ops, graph, use);
                         });
    const bool constant =
        IsWrittenConstant(graph, id, of, ops) || IsTable(value.data, ReadersOf(graph, of, ops));
    out.push_back(weights && !constant);
  }
  return out;
}

}  // namespace

Result<std::vector<ValueId>> TrainedParameters(const Graph& graph,
                                               const std::vector<std::string>& patterns,
                                               const OpTable& ops) {
  const std::vector<ValueId> parameters = graph.OfKind(ValueKind::kParameter);
  std::vector<Error> problems;
  std::vector<bool> chosen(parameters.size(), false);
  if (patterns.empty() || TrainablePattern(patterns.front()).has_sign)
    chosen = ByDefault(graph, parameters, ops);
  std::vector<std::string> names;
  for (const ValueId id : parameters) names.push_back(graph.value(id).name);
  for (const std::string& text : patterns) {
    const TrainablePattern pattern(text);
    bool any = false;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!pattern.Fits(names[i])) continue;
      any = true;
      chosen[i] = !pattern.leaves_out;
    }
    if (!any)
      problems.push_back(Usage(fmt::format("--trainable '{}': no parameter has such a name", text),
                               DidYouMean(pattern.glob, names)));
  }
  std::vector<ValueId> out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!chosen[i]) continue;
    const Value& value = graph.value(parameters[i]);
    if (IsFloat(value))
      out.push_back(parameters[i]);
    else if (std::find(patterns.begin(), patterns.end(), value.name) != patterns.end())
      problems.push_back(Usage(fmt::format("--trainable '{}': only floats can be trained, got {}",
                                           value.name,
                                           TypeText(value.type))));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return out;
}

}  // namespace metadist
