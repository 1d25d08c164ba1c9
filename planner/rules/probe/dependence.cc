// SPDX-License-Identifier: Apache-2.0
// Dependence of output indices on input indices, measured by disturbing one slab of an input at a
// time.
//
// An observed dependence is a fact; an unobserved one proves nothing (a maximum may hide it). So
// several baselines are tried and their union is taken, and whatever is derived from it is tested
// by execution. Four positions of a dim come first: if they show "p affects p" or "everything
// affects everything", the rest is filled in; otherwise every position is disturbed.
//
// Positions of a long dim are identified by the bits of their numbers: for each bit, the positions
// with the bit set are disturbed together, then those without. An output element that depends on
// one position changes in exactly one of the two runs, so the bits give the position. An element
// that changes in both depends on several positions, and the positions are then disturbed one by
// one.
//
// Differences below 1e-12 of the largest output count as rounding: equal inputs may be summed in
// another order. Integers are redrawn until they differ, since small ones are often equal. Bools
// are flipped, and the baselines are all true, all false, or all but one: with random bools, any()
// and all() would hide dependences. Among negative numbers the slab has both signs: it holds most
// maxima.
//
// Two baselines are always tried; the others at both ends of a dim, and at an index that does not
// affect everything that one of the ends affects. Indices of which the last did not affect anything
// are disturbed together, twice as many each time, and told apart if something changes: a window
// with holes skips most rows. (Not integers and bools: the changes of two may cancel.)
//
// Cost: a few kernel runs for each index of the dims (added up, not multiplied); for operators that
// only move elements, for each bit of the index.
#include "planner/rules/probe/dependence.h"

#include <algorithm>
#include <cmath>

#include "planner/rules/probe/arrays.h"
#include "planner/rules/probe/position_decoder.h"

namespace metadist {
namespace {

constexpr InputMode kBaselines[] = {InputMode::kNormal,
                                    InputMode::kNegative,
                                    InputMode::kIntegers,
                                    InputMode::kTies,
                                    InputMode::kOneTrue,
                                    InputMode::kOneFalse,
                                    InputMode::kUp,
                                    InputMode::kDown,
                                    InputMode::kNormal,
                                    InputMode::kIntegers};
constexpr size_t kAlwaysTried = 2;
constexpr int64_t kMostOutputs = 1 << 20;
constexpr size_t kMostPositions = 64;  // tried until any dependence is found
constexpr int64_t kLongDim = 12;       // longer dims are probed by bits
constexpr int kRedraws = 8;            // of integers that did not change

// Differences of `x` up to this count as rounding.
double Slack(const Tensor& x) { return 1e-12 * Largest(x); }

// Replaces the elements of `x` that equal those of `before` by those of `other`. False: there were
// none.
bool Replace(const Tensor& before, const Tensor& other, Tensor& x) {
  bool any = false;
  int64_t* own = x.mutable_data<int64_t>();
  for (int64_t i = 0; i < x.size(); ++i) {
    if (own[i] != before.data<int64_t>()[i]) continue;
    own[i] = other.data<int64_t>()[i];
    any = true;
  }
  return any;
}

// Records which indices of one output dim an input dim affects.
struct Marker {
  std::vector<uint8_t>* matrix;
  int64_t stride;
  int64_t size;

  void Mark(int64_t row, int64_t element) const {
    (*matrix)[static_cast<size_t>(row * size + element / stride % size)] = 1;
  }
};

// Markers of the dims of output `o`.
std::vector<Marker> MarkersOf(Relation& relation, size_t x, size_t o) {
  std::vector<Marker> markers;
  const std::vector<int64_t> strides = Strides(relation.outputs[o]);
  for (size_t y = 0; y < relation.out_dims.size(); ++y) {
    if (relation.out_dims[y].output != static_cast<int>(o)) continue;
    markers.push_back({&relation.depends[x][y],
                       strides[static_cast<size_t>(relation.out_dims[y].dim)],
                       relation.out_size(y)});
  }
  return markers;
}

bool AnyInRow(const std::vector<uint8_t>& matrix, int64_t row, int64_t size) {
  const auto begin = matrix.begin() + row * size;
  return std::find(begin, begin + size, 1) != begin + size;
}

// Whether index `index` of input dim x affects every output dim, except those that no index of
// `known` affects.
bool ReachesAll(const Relation& relation,
                size_t x,
                int64_t index,
                std::span<const int64_t> known = {}) {
  for (size_t y = 0; y < relation.out_dims.size(); ++y) {
    const auto reaches = [&](int64_t i) {
      return AnyInRow(relation.depends[x][y], i, relation.out_size(y));
    };
    if (!reaches(index) && (known.empty() || std::ranges::any_of(known, reaches))) return false;
  }
  return true;
}

// 1 if all probed rows depend on everything, 2 if they are diagonal (p -> p), otherwise 0.
int Pattern(const std::vector<uint8_t>& matrix,
            int64_t rows,
            int64_t columns,
            const std::vector<int64_t>& probed) {
  bool full = true;
  bool diagonal = rows == columns;
  for (const int64_t p : probed)
    for (int64_t q = 0; q < columns; ++q) {
      const bool set = matrix[static_cast<size_t>(p * columns + q)] != 0;
      full = full && set;
      diagonal = diagonal && set == (p == q);
    }
  return full ? 1 : diagonal ? 2 : 0;
}

}  // namespace

int64_t Relation::size(size_t node) const {
  return is_input(node) ? values[static_cast<size_t>(inputs[node])] : out(node).In(outputs);
}

bool Prober::FindDims(const Family& family,
                      std::span<const int> atoms,
                      std::vector<int64_t> sizes,
                      Relation& relation) {
  relation = Relation();
  relation.values = family.ValuesAt(sizes);
  if (!box_.Infer(relation.values, relation.outputs)) return false;
  std::vector<Shape> moved;
  std::optional<std::vector<OutDim>> changed;
  const auto moves = [&](auto change) {
    std::vector<int64_t> other = sizes;
    for (const int a : atoms) change(other[static_cast<size_t>(a)]);
    if (box_.Infer(family.ValuesAt(other), moved)) changed = ChangedDims(relation.outputs, moved);
    return changed.has_value();
  };
  if (!moves([](int64_t& s) { ++s; }) && !moves([](int64_t& s) { s *= 2; })) return false;
  relation.out_dims = std::move(*changed);
  std::set<int> inputs;
  for (const int a : atoms)
    for (const int slot : family.atom(a).slots) {
      if (box_.slot(slot).is_dim) inputs.insert(slot);
      for (const auto& [dim, literals] : family.sums)
        if (std::ranges::find(literals, slot) != literals.end()) inputs.insert(dim);
    }
  relation.inputs.assign(inputs.begin(), inputs.end());
  relation.sizes = std::move(sizes);
  int64_t total = 0;
  for (const Shape& shape : relation.outputs) total += NumElements(shape);
  return total <= kMostOutputs;
}

// Draws baselines until there are `count`. False: there are no more kinds.
bool Prober::HasBaselines(const Relation& relation, size_t count, Baselines& bases) {
  while (bases.drawn.size() < count && bases.next < std::size(kBaselines)) {
    Baseline base{kBaselines[bases.next++], {}, {}, {}};
    if (!sampler_.Tells(base.mode) || !sampler_.Draw(relation.values, base.mode, {}, base.inputs) ||
        !box_.Run(relation.values, base.inputs, base.outputs))
      continue;
    for (const Tensor& output : base.outputs) base.slacks.push_back(Slack(output));
    bases.drawn.push_back(std::move(base));
  }
  return bases.drawn.size() >= count;
}

bool Prober::Measure(Relation& relation) {
  Baselines bases;
  if (!HasBaselines(relation, 1, bases)) return false;
  relation.touched.assign(relation.inputs.size(), {});
  relation.depends.assign(relation.inputs.size(), {});
  for (size_t x = 0; x < relation.inputs.size(); ++x) {
    for (size_t y = 0; y < relation.out_dims.size(); ++y)
      relation.depends[x].emplace_back(static_cast<size_t>(relation.size(x) * relation.out_size(y)),
                                       0);
    ProbeDim(relation, x, bases);
  }
  return true;
}

void Prober::ProbeDim(Relation& relation, size_t x, Baselines& bases) {
  const int64_t size = relation.size(x);
  std::vector<int64_t> quick;
  for (const int64_t p : {int64_t{0}, size - 1, int64_t{1}, size / 2})
    if (p < size && std::ranges::find(quick, p) == quick.end()) quick.push_back(p);
  for (const int64_t& p : quick) Probe(relation, x, {&p, 1}, bases);
  std::vector<int64_t> rest;
  for (int64_t p = 0; p < size; ++p)
    if (std::ranges::find(quick, p) == quick.end()) rest.push_back(p);
  // The maximum may be at another position in all baselines.
  const size_t first = std::min(rest.size(), kMostPositions);
  if (relation.touched[x].empty()) Probe(relation, x, std::span(rest).first(first), bases);
  std::vector<int> patterns;
  for (size_t y = 0; y < relation.out_dims.size(); ++y)
    patterns.push_back(Pattern(relation.depends[x][y], size, relation.out_size(y), quick));
  if (std::ranges::find(patterns, 0) != patterns.end()) {
    if (size > kLongDim && ProbeByBits(relation, x, bases))
      std::erase_if(rest, [&](int64_t p) { return ReachesAll(relation, x, p); });
    Probe(relation, x, rest, bases);
    return;
  }
  for (size_t y = 0; y < patterns.size(); ++y) {
    std::vector<uint8_t>& matrix = relation.depends[x][y];
    if (patterns[y] == 1) {
      std::ranges::fill(matrix, 1);
      continue;
    }
    std::ranges::fill(matrix, 0);
    for (int64_t p = 0; p < size; ++p) matrix[static_cast<size_t>(p * size + p)] = 1;
  }
}

void Prober::Probe(Relation& relation,
                   size_t x,
                   std::span<const int64_t> indices,
                   Baselines& bases) {
  // The ends were tried with all baselines: other positions seldom affect what neither end affects.
  const int64_t ends[] = {0, relation.size(x) - 1};
  const auto settled = [&](int64_t index) {
    const bool is_end = index == ends[0] || index == ends[1];
    return ReachesAll(
        relation, x, index, is_end ? std::span<const int64_t>() : std::span<const int64_t>(ends));
  };
  const size_t input = static_cast<size_t>(box_.slot(relation.inputs[x]).input);
  const bool together = box_.element_class(input) == ElementClass::kFloat;
  std::vector<int64_t> left(indices.begin(), indices.end());
  for (size_t j = 0; j < std::size(kBaselines); ++j) {
    if (j >= kAlwaysTried && !relation.touched[x].empty()) std::erase_if(left, settled);
    if (left.empty() || !HasBaselines(relation, j + 1, bases)) return;
    size_t count = 1;
    for (std::span<const int64_t> next = left; !next.empty();) {
      const std::span<const int64_t> group = next.first(std::min(count, next.size()));
      const bool any = ProbeTogether(relation, x, group, bases.drawn[j]);
      next = next.subspan(group.size());
      if (together) count = any ? std::max<size_t>(count / 2, 1) : 2 * count;
    }
  }
}

bool Prober::ProbeTogether(Relation& relation,
                           size_t x,
                           std::span<const int64_t> indices,
                           const Baseline& base) {
  const Slot& slot = box_.slot(relation.inputs[x]);
  std::vector<Tensor> inputs, outputs;
  const bool legal = Disturb(slot, indices, base.mode, base.inputs, inputs) &&
                     box_.Run(relation.values, inputs, outputs);
  bool any = false;
  for (size_t o = 0; legal && o < outputs.size(); ++o) {
    if (outputs[o].type() != base.outputs[o].type()) continue;
    const std::vector<Marker> markers = MarkersOf(relation, x, o);
    bool changed = false;
    ForDifferences(base.outputs[o], outputs[o], base.slacks[o], [&](int64_t i) {
      changed = true;
      for (const Marker& m : markers)
        if (indices.size() == 1) m.Mark(indices.front(), i);
    });
    if (changed) relation.touched[x].insert(static_cast<int>(o));
    any = any || changed;
  }
  if (indices.size() == 1 || (legal && !any)) return any;
  const size_t half = indices.size() / 2;
  const bool before = ProbeTogether(relation, x, indices.first(half), base);
  const bool behind = ProbeTogether(relation, x, indices.subspan(half), base);
  return any || before || behind;
}

bool Prober::ProbeByBits(Relation& relation, size_t x, Baselines& bases) {
  const Slot& slot = box_.slot(relation.inputs[x]);
  const size_t input = static_cast<size_t>(slot.input);
  const int64_t size = relation.size(x);
  std::vector<PositionDecoder> decoders;
  for (const Shape& shape : relation.outputs) decoders.emplace_back(NumElements(shape));
  // An integer may be redrawn with the same value; the position is then not determined.
  const bool integer = bases.drawn.front().inputs[input].element() == ElementType::kI64;
  const size_t tries = integer ? kAlwaysTried : 1;
  std::vector<Tensor> outputs;
  for (int bit = 0; (size - 1) >> bit != 0; ++bit) {
    for (const bool with_bit : {false, true}) {
      std::vector<int64_t> at;
      for (int64_t p = 0; p < size; ++p)
        if (((p >> bit & 1) != 0) == with_bit) at.push_back(p);
      for (size_t j = 0; j < tries && HasBaselines(relation, j + 1, bases); ++j) {
        const Baseline& base = bases.drawn[j];
        std::vector<Tensor> inputs;
        if (!Disturb(slot, at, base.mode, base.inputs, inputs) ||
            !box_.Run(relation.values, inputs, outputs))
          return false;
        for (size_t o = 0; o < outputs.size(); ++o) {
          if (outputs[o].type() != base.outputs[o].type()) return false;
          ForDifferences(base.outputs[o], outputs[o], base.slacks[o], [&](int64_t i) {
            decoders[o].Changed(i, with_bit);
          });
        }
      }
    }
    for (PositionDecoder& decoder : decoders)
      if (!decoder.EndBit(bit)) return false;
  }
  for (size_t o = 0; o < decoders.size(); ++o) {
    const std::vector<Marker> markers = MarkersOf(relation, x, o);
    const bool spelt = decoders[o].ForEach(size, [&](int64_t element, int64_t position) {
      relation.touched[x].insert(static_cast<int>(o));
      for (const Marker& m : markers) m.Mark(position, element);
    });
    if (!spelt) return false;
  }
  return true;
}

bool Prober::Disturb(const Slot& dim,
                     std::span<const int64_t> indices,
                     InputMode mode,
                     const std::vector<Tensor>& from,
                     std::vector<Tensor>& inputs) {
  inputs = from;
  const size_t input = static_cast<size_t>(dim.input);
  Tensor& x = inputs[input];
  const InputMode drawn = mode == InputMode::kNegative ? InputMode::kNormal : mode;
  Tensor slab;
  if (!sampler_.DrawSlab(input, x, dim.entry, indices, drawn, slab)) return false;
  if (slab.element() == ElementType::kI64 && !sampler_.MustDiffer(input)) {
    const Tensor before = Take(x, dim.entry, indices);
    Tensor other;
    for (int redraw = 0; redraw < kRedraws; ++redraw) {
      if (!sampler_.DrawSlab(input, x, dim.entry, indices, drawn, other)) break;
      if (!Replace(before, other, slab)) break;
    }
  }
  x = x.Clone();
  Put(x, dim.entry, indices, slab);
  return true;
}

std::vector<uint8_t> Prober::MixedDifference(const Relation& relation,
                                             size_t x,
                                             std::span<const int64_t> focus,
                                             size_t w,
                                             const std::vector<std::vector<int64_t>>& groups) {
  const Slot& first = box_.slot(relation.inputs[x]);
  const Slot& second = box_.slot(relation.inputs[w]);
  const size_t b = static_cast<size_t>(second.input);
  std::vector<Tensor> plain, moved, only, f, g, p, q;
  if (!sampler_.Draw(relation.values, InputMode::kSmall, {}, plain)) return {};
  if (!Disturb(first, focus, InputMode::kSmall, plain, moved)) return {};
  if (!box_.Run(relation.values, plain, f) || !box_.Run(relation.values, moved, g)) return {};
  std::vector<uint8_t> hit;
  for (const std::vector<int64_t>& group : groups) {
    std::vector<Tensor> both = moved;
    if (!Disturb(second, group, InputMode::kSmall, plain, only)) return {};
    both[b] = only[b];
    if (!box_.Run(relation.values, only, p) || !box_.Run(relation.values, both, q)) return {};
    hit.push_back(0);
    for (size_t o = 0; o < f.size(); ++o) {
      if (f[o].element() != ElementType::kF64) continue;
      const double *k = f[o].data<double>(), *l = g[o].data<double>();
      const double *m = p[o].data<double>(), *n = q[o].data<double>();
      double most = 0;
      for (int64_t e = 0; e < f[o].size(); ++e)
        most = std::max(most, std::abs(n[e] - m[e] - l[e] + k[e]));
      if (most > 1e-9 * std::max(Largest(f[o]), Largest(q[o]))) hit.back() = 1;
    }
  }
  return hit;
}

}  // namespace metadist
