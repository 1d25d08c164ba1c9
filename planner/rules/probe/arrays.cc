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

// Calls visit(offset in the whole, offset in the piece, count), in bytes, for all elements that are
// consecutive in both, until it returns false: the piece has these indices of dim `dim`, which must
// be below its size. Returns whether it never did.
template <typename Visit>
bool ForRuns(const Tensor& whole, int dim, std::span<const int64_t> indices, Visit visit) {
  const int64_t size = whole.dim(dim);
  const int64_t count = std::ssize(indices);
  int64_t outer = 1, inner = ByteSize(whole.element());  // around the dim
  for (int d = 0; d < dim; ++d) outer *= whole.dim(d);
  for (int64_t d = dim + 1; d < whole.rank(); ++d) inner *= whole.dim(d);
  for (size_t at = 0; at < indices.size();) {
    size_t end = at + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    CHECK(indices[at] >= 0 && indices[end - 1] < size, "an index is beyond the dim");
    for (int64_t o = 0; o < outer; ++o)
      if (!visit((o * size + indices[at]) * inner,
                 (o * count + static_cast<int64_t>(at)) * inner,
                 static_cast<int64_t>(end - at) * inner))
        return false;
    at = end;
  }
  return true;
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
  TensorType type = whole.type();
  type.shape[static_cast<size_t>(dim)] = std::ssize(indices);
  Tensor piece = Tensor::Unset(std::move(type));
  std::byte* to = piece.mutable_bytes();
  ForRuns(whole, dim, indices, [&](int64_t in_whole, int64_t in_piece, int64_t bytes) {
    std::memcpy(to + in_piece, whole.bytes() + in_whole, static_cast<size_t>(bytes));
    return true;
  });
  return piece;
}

void Put(Tensor& whole, int dim, std::span<const int64_t> indices, const Tensor& piece) {
  CHECK(piece.dim(dim) == std::ssize(indices), "one place of the piece for each index");
  std::byte* to = whole.mutable_bytes();
  ForRuns(whole, dim, indices, [&](int64_t in_whole, int64_t in_piece, int64_t bytes) {
    std::memcpy(to + in_whole, piece.bytes() + in_piece, static_cast<size_t>(bytes));
    return true;
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
  TensorType expected = whole.type();
  expected.shape[static_cast<size_t>(dim)] = std::ssize(indices);
  if (piece.type() != expected) return false;
  const bool numbers = whole.element() == ElementType::kF64;
  const auto is_beyond = [&](int64_t index) { return index < 0 || index >= whole.dim(dim); };
  if (std::ranges::any_of(indices, is_beyond)) return false;
  return ForRuns(whole, dim, indices, [&](int64_t in_whole, int64_t in_piece, int64_t bytes) {
    const std::byte* a = piece.bytes() + in_piece;
    const std::byte* b = whole.bytes() + in_whole;
    return numbers ? CloseNumbers(reinterpret_cast<const double*>(a),
                                  reinterpret_cast<const double*>(b),
                                  bytes / static_cast<int64_t>(sizeof(double)),
                                  slack)
                   : std::memcmp(a, b, static_cast<size_t>(bytes)) == 0;
  });
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
