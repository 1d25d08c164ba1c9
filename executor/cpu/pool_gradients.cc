// SPDX-License-Identifier: Apache-2.0
// Gradients of poolings, plane by plane: a table says which elements of a plane are under each
// position of the window.
#include <algorithm>
#include <memory>
#include <vector>

#include "executor/cpu/makers.h"
#include "metair/ops/pool.h"

namespace metadist::cpu {
namespace {

struct PlaneTable {
  int64_t planes = 0;
  int64_t input = 0;            // elements of a plane of x
  int64_t positions = 0;        // of y
  int64_t kernel = 0;           // taps of a position
  std::vector<int32_t> all;     // taps of all positions; -1: outside x
  std::vector<int32_t> taps;    // of all positions, only those inside x
  std::vector<int32_t> begins;  // by position, and the end
  std::vector<float> shares;    // by position: of its element in each tap
};

constexpr int64_t kLargestTable = 1 << 24;  // entries

// nullptr: too large.
std::shared_ptr<PlaneTable> TableOf(const Window& window, int64_t planes) {
  auto table = std::make_shared<PlaneTable>();
  table->planes = planes;
  table->input = NumElements(window.input);
  table->positions = NumElements(window.output);
  const int64_t kernel = table->kernel = NumElements(window.kernel);
  if (table->input > kLargestTable ||
      table->positions > kLargestTable / std::max<int64_t>(kernel, 1))
    return nullptr;
  const std::vector<int64_t> taps = TapsOf(window);
  table->begins.push_back(0);
  for (int64_t p = 0; p < table->positions; ++p) {
    for (int64_t t = 0; t < kernel; ++t) {
      const int64_t at = taps[static_cast<size_t>(p * kernel + t)];
      table->all.push_back(static_cast<int32_t>(std::max<int64_t>(at, -1)));
      if (at >= 0) table->taps.push_back(static_cast<int32_t>(at));
    }
    table->begins.push_back(static_cast<int32_t>(table->taps.size()));
  }
  return table;
}

// The first of the largest elements under each position.
void FindTaps(const PlaneTable& table, const float* x, int64_t* tap) {
  for (int64_t plane = 0; plane < table.planes; ++plane) {
    for (int64_t p = 0; p < table.positions; ++p) {
      const int32_t* const at = table.all.data() + p * table.kernel;
      int64_t best = -1;
      for (int64_t t = 0; t < table.kernel; ++t)
        if (at[t] >= 0 && (best < 0 || x[at[t]] > x[at[best]])) best = t;
      tap[p] = best;
    }
    x += table.input;
    tap += table.positions;
  }
}

// False for a tap that is none.
bool SpreadToTaps(const PlaneTable& table, const int64_t* tap, const float* dy, float* dx) {
  std::fill_n(dx, table.planes * table.input, 0.0F);
  for (int64_t plane = 0; plane < table.planes; ++plane) {
    for (int64_t p = 0; p < table.positions; ++p) {
      if (tap[p] < -1 || tap[p] >= table.kernel) return false;
      const int32_t at =
          tap[p] < 0 ? -1 : table.all[static_cast<size_t>(p * table.kernel + tap[p])];
      if (at >= 0) dx[at] += dy[p];
    }
    dx += table.input;
    tap += table.positions;
    dy += table.positions;
  }
  return true;
}

void RunSpread(const PlaneTable& table, const float* dy, float* dx) {
  std::fill_n(dx, table.planes * table.input, 0.0F);
  for (int64_t plane = 0; plane < table.planes; ++plane) {
    for (int64_t p = 0; p < table.positions; ++p) {
      const float share = dy[p] * table.shares[static_cast<size_t>(p)];
      for (int32_t i = table.begins[static_cast<size_t>(p)];
           i < table.begins[static_cast<size_t>(p) + 1];
           ++i)
        dx[table.taps[static_cast<size_t>(i)]] += share;
    }
    dx += table.input;
    dy += table.positions;
  }
}

}  // namespace

Prepared MaxPoolTap(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const auto window = PoolWindow(*site.call);
  if (!window.ok()) return Decline(window.error().message);
  const auto table = TableOf(window.value(), site.shape(0)[0] * site.shape(0)[1]);
  if (table == nullptr) return Decline("planes are too large");
  return Accept("planes", [table](const KernelArgs& args) {
    FindTaps(*table, args.in(0), args.out<int64_t>());
  });
}

Prepared MaxPoolGradient(const KernelSite& site) {
  if (site.element(0) != ElementType::kI64 || site.element(1) != ElementType::kF32)
    return Decline("i64 taps and f32 only");
  const auto window = SpreadWindow(*site.call);
  if (!window.ok()) return Decline(window.error().message);
  const auto table = TableOf(window.value(), site.shape(1)[0] * site.shape(1)[1]);
  if (table == nullptr) return Decline("planes are too large");
  return Accept("planes", [table](const KernelArgs& args) -> Result<void> {
    if (SpreadToTaps(*table, args.in<int64_t>(0), args.in(1), args.out())) return {};
    return BadInput("", "taps must lie in the window");
  });
}

Prepared PoolGradient(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Attributes& attributes = site.attributes();
  const auto made = SpreadWindow(*site.call);
  if (!made.ok()) return Decline(made.error().message);
  const auto table = TableOf(made.value(), site.shape(0)[0] * site.shape(0)[1]);
  if (table == nullptr) return Decline("planes are too large");
  const bool average = attributes.Int("average", 1) != 0;
  const bool count_padding = attributes.Int("count_include_pad", 0) != 0;
  const int64_t kernel = NumElements(made.value().kernel);
  const std::vector<int64_t> taps = TapsOf(made.value());
  for (int64_t p = 0; p < table->positions; ++p) {
    int64_t count = 0;
    for (int64_t t = 0; t < kernel; ++t) {
      const int64_t at = taps[static_cast<size_t>(p * kernel + t)];
      if (at >= 0 || (at == kPadding && count_padding)) ++count;
    }
    table->shares.push_back(average ? 1 / static_cast<float>(count) : 1);
  }
  return Accept("planes",
                [table](const KernelArgs& args) { RunSpread(*table, args.in(0), args.out()); });
}

}  // namespace metadist::cpu
