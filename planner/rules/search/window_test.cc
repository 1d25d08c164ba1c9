// SPDX-License-Identifier: Apache-2.0
// Tests a window by execution.
//
// Like execution_test: every configuration draws legal inputs, runs the kernel on the whole inputs
// and once for each rank on its piece with the halo, drops the outputs beyond the pieces, and
// compares. The elements a rank holds are computed by the same functions that later place arrays on
// a mesh (metair/spmd/sharding.h). Configurations differ in ranks, in even and uneven pieces, down
// to the smallest that have room for the halo, and in the size of the dim by one to three elements,
// so that all phases of a stride occur. If the call has integers that are not sizes, the other
// atoms in turn, and the dim itself, are made larger than all of them.
//
// Cost: 12 configurations and one for each other atom, of 1 + ranks kernel runs on small arrays.
#include "planner/rules/search/window_test.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "metair/ir/check.h"
#include "planner/rules/factor/pieces.h"
#include "planner/rules/instance/window.h"
#include "planner/rules/probe/arrays.h"

namespace metadist {

struct WindowTest::Setting {
  int64_t ranks;
  int64_t least;  // groups of a piece
  bool even;
  int skip;  // fitting calls to skip
  InputMode mode;
};

namespace {

constexpr int64_t kLargestTestAtom = 1024;

// Copies the rank's pieces into the merged outputs; false if they have another shape, or if an
// output that is not cut differs.
bool MergePieces(const std::vector<Cut>& cuts,
                 int64_t ranks,
                 int64_t rank,
                 const std::vector<Tensor>& local,
                 const std::vector<Tensor>& whole,
                 std::vector<Tensor>& merged) {
  if (local.size() != whole.size()) return false;
  for (size_t o = 0; o < whole.size(); ++o) {
    const Cut* cut = CutOf(cuts, o);
    if (cut == nullptr) {
      if (!Close(local[o], whole[o], 1e-10 * Largest(whole[o]))) return false;
      merged[o] = local[o];
      continue;
    }
    const std::vector<int64_t> wide = HeldOf(*cut, ranks, rank, /*halo=*/true);
    const std::vector<int64_t> own = HeldOf(*cut, ranks, rank, /*halo=*/false);
    TensorType expected = whole[o].type();
    expected.shape[static_cast<size_t>(cut->dim)] = static_cast<int64_t>(wide.size());
    if (local[o].type() != expected) return false;
    // With a negative halo a rank may make less than its piece.
    const auto from = std::ranges::search(wide, own).begin();
    if (from == wide.end()) return false;
    std::vector<int64_t> kept(own.size());
    std::iota(kept.begin(), kept.end(), from - wide.begin());
    Put(merged[o], cut->dim, own, Take(local[o], cut->dim, kept));
  }
  return true;
}

}  // namespace

size_t WindowTest::SlotOf(const EndLiteral& end) const {
  const auto named = std::ranges::find_if(box_.slots(), [&](const Slot& slot) {
    return slot.is_literal() && slot.input == end.input && slot.attribute == end.attribute &&
           slot.entry == end.entry;
  });
  CHECK(named != box_.slots().end(), "the call has the integer");
  return static_cast<size_t>(named - box_.slots().begin());
}

void WindowTest::ClearEnds(const SymbolicFactor& trial,
                           bool keep_first,
                           bool keep_last,
                           std::vector<int64_t>& values) const {
  for (const EndLiteral& end : trial.ends)
    if (!end.bound && end.by_size == 0 && !(end.first ? keep_first : keep_last))
      values[SlotOf(end)] = 0;
}

void WindowTest::Follow(const SymbolicFactor& trial,
                        int64_t more,
                        std::vector<int64_t>& values) const {
  for (const EndLiteral& end : trial.ends)
    if (!end.bound && end.by_size != 0) values[SlotOf(end)] += end.by_size * more;
}

void WindowTest::Bound(const SymbolicFactor& trial,
                       int64_t start,
                       int64_t size,
                       std::vector<int64_t>& values) const {
  for (const EndLiteral& end : trial.ends)
    if (end.bound) {
      int64_t& value = values[SlotOf(end)];
      value = std::clamp<int64_t>(value - start, 0, size);
    }
}

std::optional<WindowTest::Call> WindowTest::CallAt(const SymbolicFactor& trial,
                                                   const std::vector<int64_t>& sizes) {
  Call call{family_.ValuesAt(sizes), {}};
  std::vector<Shape> inputs, outputs;
  if (!box_.Infer(call.values, outputs)) return std::nullopt;
  for (size_t i = 0; i < box_.num_inputs(); ++i) inputs.push_back(box_.ShapeOf(i, call.values));
  std::optional<Factor> factor = WindowFactorAt(trial, sizes, inputs, outputs);
  if (!factor) return std::nullopt;
  call.factor = std::move(*factor);
  return call;
}

std::optional<WindowTest::Call> WindowTest::CallFor(const SymbolicFactor& trial,
                                                    std::vector<int64_t> sizes,
                                                    const Setting& at) {
  int skip = at.skip;
  int64_t& size = sizes[static_cast<size_t>(trial.atoms[0])];
  // If an integer of the call uses up much of the dim, smaller sizes are not legal.
  const int64_t sample = family_.surrogate[static_cast<size_t>(trial.atoms[0])];
  const int64_t base = sample > kLargestTestAtom ? sample - kLargestTestAtom / 2 : 0;
  for (size = base + 1; size < base + kLargestTestAtom; ++size) {
    std::optional<Call> call = CallAt(trial, sizes);
    if (!call) continue;
    const int64_t groups = call->factor.groups();
    if (groups < at.least * at.ranks || (groups % at.ranks == 0) != at.even) continue;
    if (WindowsFit(call->factor, at.ranks) && skip-- == 0) return call;
  }
  return std::nullopt;
}

bool WindowTest::RunRank(const Call& call,
                         const SymbolicFactor& trial,
                         int64_t ranks,
                         int64_t rank,
                         std::span<const Tensor> inputs,
                         std::vector<Tensor>& outputs) {
  std::vector<int64_t> values = call.values;
  ClearEnds(trial, rank == 0, rank + 1 == ranks, values);
  std::vector<Tensor> mine(inputs.begin(), inputs.end());
  for (const Cut& cut : call.factor.inputs) {
    Tensor& x = mine[static_cast<size_t>(cut.tensor)];
    const int64_t whole = x.dim(cut.dim);
    const std::vector<int64_t> held = HeldOf(cut, ranks, rank, /*halo=*/true);
    x = Take(x, cut.dim, held);
    Follow(trial, x.dim(cut.dim) - whole, values);
    Bound(trial, held.front(), std::ssize(held), values);
  }
  return box_.Run(values, mine, outputs);
}

// A NaN at one end of the dim shows how far a kernel reads, however small its weight there. Values
// that the kernel rejects are skipped.
bool WindowTest::HoldsAtEdges(const SymbolicFactor& trial,
                              const std::vector<int64_t>& small,
                              int64_t more) {
  for (const Setting& at : {Setting{2, 3 + more, true, 0, InputMode::kEdges},
                            Setting{3, 2 + more, false, 1, InputMode::kNans}}) {
    const std::optional<Call> call = CallFor(trial, small, at);
    std::vector<Tensor> inputs, whole;
    if (!call || !Draw(*call, at.mode, inputs) || !box_.Run(call->values, inputs, whole)) continue;
    if (!Agrees(*call, trial, at)) return false;
  }
  return true;
}

// Modes with a focus focus on the first index of the dims that are cut.
bool WindowTest::Draw(const Call& call, InputMode mode, std::vector<Tensor>& inputs) {
  std::map<int, Focus> focus;
  for (const Cut& cut : call.factor.inputs) focus[cut.tensor] = {cut.dim, {0}};
  return sampler_.Draw(call.values, mode, focus, inputs);
}

bool WindowTest::Agrees(const Call& call, const SymbolicFactor& trial, const Setting& at) {
  std::vector<Tensor> inputs, whole, local, merged;
  if (!Draw(call, at.mode, inputs)) return false;
  if (!box_.Run(call.values, inputs, whole)) return false;
  for (const Tensor& y : whole) {
    if (y.size() == 0) return false;
    merged.push_back(Tensor::Zeros(y.type()));
  }
  ++executions_;
  for (int64_t rank = 0; rank < at.ranks; ++rank)
    if (!RunRank(call, trial, at.ranks, rank, inputs, local) ||
        !MergePieces(call.factor.outputs, at.ranks, rank, local, whole, merged))
      return false;
  for (size_t o = 0; o < whole.size(); ++o)
    if (!Close(merged[o], whole[o], 1e-10 * std::max(Largest(whole[o]), 1e-300))) return false;
  return true;
}

int64_t WindowTest::LargestEnd(const SymbolicFactor& trial,
                               const std::vector<int64_t>& sizes) const {
  const std::vector<int64_t> values = family_.ValuesAt(sizes);
  int64_t largest = 0;
  for (const EndLiteral& end : trial.ends)
    if (!end.bound && end.by_size == 0) largest = std::max(largest, values[SlotOf(end)]);
  return largest;
}

// Sizes with the atoms that other configurations do not vary (another dim with a window, a kernel)
// larger by one and by three.
std::vector<std::vector<int64_t>> WindowTest::OthersThan(const SymbolicFactor& trial,
                                                         const std::vector<int64_t>& small) {
  std::vector<std::vector<int64_t>> all;
  for (const int64_t more : {1, 3}) {
    std::vector<int64_t> sizes = small;
    for (size_t a = 0; a < sizes.size(); ++a) {
      if (static_cast<int>(a) == trial.atoms[0] || family_.distinct[a] != 0 ||
          trial.fixed.count(static_cast<int>(a)) > 0)
        continue;
      sizes[a] += more;
      if (!box_.Accepts(family_.ValuesAt(sizes))) sizes[a] -= more;
    }
    if (sizes != small) all.push_back(std::move(sizes));
  }
  return all;
}

std::optional<SymbolicFactor> WindowTest::Run(const SymbolicFactor& trial,
                                              const std::vector<int64_t>& small) {
  SymbolicFactor factor = trial;
  constexpr Setting kSettings[] = {{3, 3, true, 0, InputMode::kNormal},
                                   {2, 2, false, 0, InputMode::kIntegers},
                                   {3, 2, false, 1, InputMode::kNegative},
                                   {4, 2, false, 2, InputMode::kNormal},
                                   {2, 3, true, 2, InputMode::kTies},
                                   {2, 2, true, 3, InputMode::kSmall},
                                   {3, 2, false, 3, InputMode::kUp},
                                   {4, 2, true, 1, InputMode::kDown}};
  int64_t more = 0;
  const auto agrees = [&](const std::vector<int64_t>& sizes, Setting at) {
    at.least += more;
    const std::optional<Call> call = CallFor(trial, sizes, at);
    return call && Agrees(*call, trial, at);
  };
  if (!agrees(small, kSettings[0])) {
    // Padding that mirrors the array may need more elements than a small piece has.
    more = 2 * LargestEnd(trial, small);
    if (more == 0 || !agrees(small, kSettings[0])) return std::nullopt;
  }
  for (const Setting& at : std::span(kSettings).subspan(1))
    if (!agrees(small, at)) return std::nullopt;
  if (!HoldsAtEdges(trial, small, more)) return std::nullopt;
  if (family_.largest_literal > 0) {
    const int64_t tall = std::min<int64_t>(family_.largest_literal + 3, 48);
    if (!agrees(small, {2, tall, false, 0, InputMode::kIntegers})) return std::nullopt;
  }
  const auto with_fixed = [&](std::vector<int64_t> sizes) {
    for (const auto& [atom, size] : trial.fixed) sizes[static_cast<size_t>(atom)] = size;
    return sizes;
  };
  if (!agrees(with_fixed(family_.surrogate), {2, 2, true, 1, InputMode::kNormal}))
    return std::nullopt;
  for (const std::vector<int64_t>& other : OthersThan(trial, small))
    if (!agrees(other, {2, 2, false, 0, InputMode::kNormal})) return std::nullopt;
  for (const std::vector<int64_t>& wide : plain_.WideSizes(trial.atoms))
    if (!agrees(with_fixed(wide), {2, 2, false, 0, InputMode::kIntegers})) return std::nullopt;
  // A single group may be too small for the kernel.
  const int64_t most = 2 + std::exchange(more, 0);
  for (factor.least_piece = 1;; ++factor.least_piece) {
    if (factor.least_piece > most) return std::nullopt;
    if (agrees(small, {3, factor.least_piece, true, 0, InputMode::kNormal}) &&
        agrees(small, {2, factor.least_piece, true, 0, InputMode::kIntegers}))
      return factor;
  }
}

}  // namespace metadist
