// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/probe/arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "metair/ir/multiversion.h"

namespace metadist {
namespace {

// An array seen as [outer, size, inner bytes] around one dim.
struct Around {
  int64_t outer = 1;
  int64_t inner = 1;

  Around(const Tensor& x, int dim) : inner(ByteSize(x.element())) {
    for (int d = 0; d < dim; ++d) outer *= x.dim(d);
    for (int64_t d = dim + 1; d < x.rank(); ++d) inner *= x.dim(d);
  }
};

// Calls visit(first index, its position in `indices`, count) for every run of consecutive indices.
// All indices must be below `size`.
template <typename Visit>
void ForRuns(std::span<const int64_t> indices, int64_t size, Visit visit) {
  for (size_t at = 0; at < indices.size();) {
    size_t end = at + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    CHECK(indices[at] >= 0 && indices[end - 1] < size, "an index is beyond the dim");
    visit(indices[at], static_cast<int64_t>(at), static_cast<int64_t>(end - at));
    at = end;
  }
}

bool CloseNumbers(const double* a, const double* b, int64_t count, double slack) {
  for (int64_t i = 0; i < count; ++i)
    if (AreFar(a[i], b[i], slack)) return false;
  return true;
}

// 0 for NaN and infinities.
METADIST_INLINE double FiniteMagnitude(double v) {
  const double magnitude = std::abs(v);
  return magnitude <= std::numeric_limits<double>::max() ? magnitude : 0;
}

// The largest finite magnitude. The lanes allow the compiler to vectorize.
METADIST_MULTIVERSION
double LargestOf(const double* x, int64_t count) {
  constexpr int64_t kLanes = 8;
  double best[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      best[lane] = std::max(best[lane], FiniteMagnitude(x[i + lane]));
  for (; i < count; ++i) best[0] = std::max(best[0], FiniteMagnitude(x[i]));
  return *std::max_element(best, best + kLanes);
}

template <typename T, typename F>
void Apply(Tensor& a, const Tensor& b, F f) {
  T* x = a.mutable_data<T>();
  const T* y = b.data<T>();
  const int64_t count = a.size();
  for (int64_t i = 0; i < count; ++i) x[i] = f(x[i], y[i]);
}

template <typename T>
void FoldNumbers(ReduceOp op, Tensor& a, const Tensor& b) {
  using Wrapping = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  const auto w = [](T v) { return static_cast<Wrapping>(v); };
  switch (op) {
    case ReduceOp::kSum:
      return Apply<T>(a, b, [&](T x, T y) { return static_cast<T>(w(x) + w(y)); });
    case ReduceOp::kProd:
      return Apply<T>(a, b, [&](T x, T y) { return static_cast<T>(w(x) * w(y)); });
    case ReduceOp::kMax:
      return Apply<T>(a, b, [](T x, T y) { return x > y || x != x ? x : y; });
    case ReduceOp::kMin:
      return Apply<T>(a, b, [](T x, T y) { return x < y || x != x ? x : y; });
    case ReduceOp::kAnd:
    case ReduceOp::kOr:
      CHECK(false, "logical reduction of numbers");
  }
}

}  // namespace

Tensor Take(const Tensor& whole, int dim, std::span<const int64_t> indices) {
  Shape shape = whole.shape();
  const int64_t size = shape[static_cast<size_t>(dim)];
  const int64_t count = static_cast<int64_t>(indices.size());
  shape[static_cast<size_t>(dim)] = count;
  Tensor piece = Tensor::Unset({whole.element(), std::move(shape)});
  const Around x(whole, dim);
  std::byte* to = piece.mutable_bytes();
  ForRuns(indices, size, [&](int64_t first, int64_t at, int64_t length) {
    for (int64_t o = 0; o < x.outer; ++o)
      std::memcpy(to + (o * count + at) * x.inner,
                  whole.bytes() + (o * size + first) * x.inner,
                  static_cast<size_t>(length * x.inner));
  });
  return piece;
}

void Put(Tensor& whole, int dim, std::span<const int64_t> indices, const Tensor& piece) {
  const int64_t size = whole.dim(dim);
  const int64_t count = static_cast<int64_t>(indices.size());
  CHECK(piece.dim(dim) == count, "one place of the piece for each index");
  const Around x(whole, dim);
  std::byte* to = whole.mutable_bytes();
  ForRuns(indices, size, [&](int64_t first, int64_t at, int64_t length) {
    for (int64_t o = 0; o < x.outer; ++o)
      std::memcpy(to + (o * size + first) * x.inner,
                  piece.bytes() + (o * count + at) * x.inner,
                  static_cast<size_t>(length * x.inner));
  });
}

Tensor Flipped(const Tensor& x) {
  Tensor out = x.Clone();
  bool* bits = out.mutable_data<bool>();
  std::transform(bits, bits + out.size(), bits, std::logical_not<>());
  return out;
}

double Largest(const Tensor& x) {
  if (x.element() != ElementType::kF64) return 0;
  return LargestOf(x.data<double>(), x.size());
}

double SumOfMagnitudes(const Tensor& x) {
  if (x.element() != ElementType::kF64) return 0;
  const double* v = x.data<double>();
  return std::accumulate(v, v + x.size(), 0.0, [](double sum, double e) {
    return std::isfinite(e) ? sum + std::abs(e) : sum;
  });
}

bool Close(const Tensor& x, const Tensor& y, double slack) {
  if (x.type() != y.type()) return false;
  if (x.element() != ElementType::kF64)
    return std::memcmp(x.bytes(), y.bytes(), static_cast<size_t>(x.type().bytes())) == 0;
  return CloseNumbers(x.data<double>(), y.data<double>(), x.size(), slack);
}

bool CloseAt(const Tensor& piece,
             const Tensor& whole,
             int dim,
             std::span<const int64_t> indices,
             double slack) {
  const int64_t count = static_cast<int64_t>(indices.size());
  TensorType expected = whole.type();
  expected.shape[static_cast<size_t>(dim)] = count;
  if (piece.type() != expected) return false;
  const bool numbers = whole.element() == ElementType::kF64;
  const int64_t size = whole.dim(dim);
  const auto is_beyond = [&](int64_t index) { return index < 0 || index >= size; };
  if (std::ranges::any_of(indices, is_beyond)) return false;
  const Around x(whole, dim);
  bool close = true;
  ForRuns(indices, size, [&](int64_t first, int64_t at, int64_t length) {
    for (int64_t o = 0; o < x.outer && close; ++o) {
      const std::byte* a = piece.bytes() + (o * count + at) * x.inner;
      const std::byte* b = whole.bytes() + (o * size + first) * x.inner;
      const int64_t bytes = length * x.inner;
      close = numbers ? CloseNumbers(reinterpret_cast<const double*>(a),
                                     reinterpret_cast<const double*>(b),
                                     bytes / static_cast<int64_t>(sizeof(double)),
                                     slack)
                      : std::memcmp(a, b, static_cast<size_t>(bytes)) == 0;
    }
  });
  return close;
}

bool Applies(ReduceOp op, ElementType type) {
  const bool logical = op == ReduceOp::kAnd || op == ReduceOp::kOr;
  return logical == (type == ElementType::kBool);
}

void Fold(ReduceOp op, Tensor& a, const Tensor& b) {
  if (a.element() == ElementType::kF64) return FoldNumbers<double>(op, a, b);
  if (a.element() == ElementType::kI64) return FoldNumbers<int64_t>(op, a, b);
  if (op == ReduceOp::kAnd) return Apply<bool>(a, b, [](bool x, bool y) { return x && y; });
  return Apply<bool>(a, b, [](bool x, bool y) { return x || y; });
}

}  // namespace metadist
