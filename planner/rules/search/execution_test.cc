// SPDX-License-Identifier: Apache-2.0
// Tests a cut by execution.
//
// Every configuration draws legal inputs, runs the kernel on the whole inputs and once for each
// rank on its piece, and compares: outputs that are cut are concatenated, outputs that do not
// depend on cut inputs must be equal on all ranks, the others are reduced. One difference rejects
// the trial. Reductions start from the first rank's output, never from a neutral element, and all
// that apply are tried: exactly one must survive all configurations.
//
// The configurations are few but chosen to expose differences: 2, 3 and 4 ranks; equal and unequal
// pieces; signed, negative, tiny, sorted and tied values; nonzeros or an offset in one rank's part
// only; one true among false and the reverse. Other atoms take two sizes each. If the call has
// literals that are not sizes, the tested atom and each of the others in turn are also made larger
// than all of them: at smaller sizes a literal may have no effect (the k of a triangle) and a wrong
// cut would pass.
//
// A configuration proves nothing if the outputs do not depend on the cut inputs. All configurations
// are drawn again until enough of them are conclusive.
//
// An index may be a special case: a class that is ignored. Indices that are counted from the start
// of a piece therefore take every legal value, with pieces of two groups and with pieces as long as
// each literal. Few indices drawn at random would miss the one that matters.
//
// Then come the edges of the call's own element types (own_type.h): zeros of both signs,
// infinities, NaN, subnormals and integers that wrap around, every array rounded to its own type.
// Differences that rounding explains are ignored.
//
// If uneven configurations fail while all even ones pass, the factor is `even_only`; if it fails
// with a single group on a rank (a piece of size 1 may be broadcast), `least_piece` is 2. Finally
// ranks hold groups drawn at random instead of runs: if that agrees too, groups may be placed in
// any order. (A rule that holds for all sizes without knowing where a piece begins makes its part
// of the result from each group, so it can hardly fail; if pieces may not be single groups, it
// can.)
//
// Cost: 22 configurations and one for each atom, of 1 + ranks kernel runs, the first four of one
// more, and up to 4 times as many while few are conclusive; a wrong trial nearly always fails in
// the first. With counted indices, also as many as it takes to hold every legal index once.
#include "planner/rules/search/execution_test.h"

#include <algorithm>
#include <numeric>

#include "planner/rules/factor/pieces.h"
#include "planner/rules/probe/arrays.h"
#include "planner/rules/probe/own_type.h"
#include "planner/rules/search/offsets.h"

namespace metadist {

struct ExecutionTest::Configuration {
  std::vector<int64_t> sizes;
  int64_t ranks = 2;
  InputMode mode = InputMode::kNormal;
  bool even = true;
  std::vector<std::vector<int64_t>> groups = {};  // by rank; empty: balanced runs of groups
  int64_t turn = -1;  // of Sampler::DrawTurn, for counted indices; -1: they are random
};

// The kernel's outputs for the whole inputs; differences up to the slack of an output are rounding.
struct ExecutionTest::Undivided {
  std::span<const Tensor> outputs;
  std::span<const double> slacks;
  std::span<const ElementType> types = {};  // to which results are rounded; empty: no rounding
};

namespace {

struct Setting {
  int64_t ranks;
  int64_t groups;  // of the tested atom
  bool other;      // the other atoms have their second sizes
  InputMode mode;
};

// Few ranks first: most candidates are wrong and fail at once. Even pieces of 2 and of 3 groups,
// since a pattern that repeats along the dim may agree if all pieces are as long as its period.
// Small numbers with even pieces, which every factor must pass: if sums saturate, an extreme over
// the ranks may agree with them.
constexpr Setting kSettings[] = {
    {2, 4, false, InputMode::kOffset},
    {3, 6, false, InputMode::kNormal},
    {2, 6, true, InputMode::kIntegers},
    {2, 4, false, InputMode::kOneTrue},
    {2, 4, false, InputMode::kOneFalse},
    {4, 8, false, InputMode::kNegative},
    {3, 7, true, InputMode::kOneShard},
    {4, 9, false, InputMode::kNormal},
    {3, 6, false, InputMode::kTies},
    {2, 6, false, InputMode::kSmall},
    {4, 11, false, InputMode::kUp},
    {3, 8, true, InputMode::kDown},
    {2, 5, false, InputMode::kIntegers},
    {3, 6, true, InputMode::kNormal},
    {2, 4, false, InputMode::kNegative},
};
// Number of settings used for calls that stay large at surrogate sizes (big convolution kernels).
constexpr size_t kFewSettings = 8;
constexpr int kMostRounds = 4;  // of all settings, while several reductions are left or few are
                                // conclusive
constexpr int kLeastTold = 4;   // settings in which the cut inputs matter
constexpr int64_t kLeastFolded = 64;  // elements of an extreme, since few operands show in one
constexpr int64_t kGroupsDrawn = 9;
// Elements if one atom takes a second size: these, or twice what the trial had before.
constexpr int64_t kMostVaried = 1 << 15;
constexpr int64_t kMostWide = 1 << 19;    // elements if one atom is above all literals
constexpr int64_t kMostTurns = 1024;      // drawings until counted indices took every value
constexpr int64_t kMostTurned = 1 << 24;  // elements of all of them
constexpr Setting kSingleGroup[] = {{2, 2, false, InputMode::kNormal},
                                    {3, 3, true, InputMode::kIntegers}};

// At the edges of the call's own element types.
constexpr Setting kEdgeSettings[] = {{2, 4, false, InputMode::kEdges},
                                     {3, 7, false, InputMode::kTiny},
                                     {2, 4, false, InputMode::kNans},
                                     {3, 6, false, InputMode::kNans}};
constexpr double kRoundings = 16;       // allowed error, in epsilons of the largest element
constexpr double kLeastNumber = 1e-20;  // products with subnormal numbers have few digits

int64_t RoundUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

// Differences up to these, by output, are rounding.
std::vector<double> SlacksOf(std::span<const Tensor> outputs) {
  std::vector<double> slacks;
  for (const Tensor& y : outputs) slacks.push_back(1e-10 * std::max(Largest(y), 1e-300));
  return slacks;
}

// Random summands of x, one per rank.
std::vector<Tensor> SplitSum(const Tensor& x, int64_t ranks, SplitMix& random) {
  std::vector<Tensor> parts;
  Tensor rest = x.Clone();
  double* last = rest.mutable_data<double>();
  for (int64_t r = 1; r < ranks; ++r) {
    Tensor part = Tensor::Zeros(x.type());
    double* p = part.mutable_data<double>();
    for (int64_t i = 0; i < x.size(); ++i) {
      p[i] = static_cast<double>(random.Below(11) - 5);
      last[i] -= p[i];
    }
    parts.push_back(std::move(part));
  }
  parts.push_back(std::move(rest));
  return parts;
}

using Configuration = ExecutionTest::Configuration;
using Undivided = ExecutionTest::Undivided;

// groups: of the first tested atom; the others have more.
Configuration ConfigurationOf(
    const Trial& trial, std::vector<int64_t> sizes, int64_t ranks, int64_t groups, InputMode mode) {
  for (size_t j = 0; j < trial.atoms.size(); ++j)
    sizes[static_cast<size_t>(trial.atoms[j])] = groups + ranks * static_cast<int64_t>(j % 3);
  return {std::move(sizes), ranks, mode, groups % ranks == 0};
}

// Indices of a dim that a rank holds.
std::vector<int64_t> Held(const SymbolicCut& cut, const Configuration& at, int64_t rank) {
  const Cut real = CutAt(cut, at.sizes);
  if (at.groups.empty()) return IndicesOf(real, at.ranks, rank);
  std::vector<int64_t> indices;
  const Cut::Part& part = real.parts[0];
  for (int64_t block = 0; block < real.repeat; ++block)
    for (const int64_t group : at.groups[static_cast<size_t>(rank)])
      for (int64_t i = 0; i < part.unit; ++i)
        indices.push_back((block * part.size + group) * part.unit + i);
  return indices;
}

int64_t GroupsOf(int atom, const Configuration& at, int64_t rank) {
  return at.groups.empty() ? Piece(at.sizes[static_cast<size_t>(atom)], at.ranks, rank).size()
                           : std::ssize(at.groups[static_cast<size_t>(rank)]);
}

bool CutsFit(const std::vector<SymbolicCut>& cuts,
             std::span<const int64_t> sizes,
             std::span<const Tensor> tensors) {
  return std::ranges::all_of(cuts, [&](const SymbolicCut& cut) {
    const Tensor& x = tensors[static_cast<size_t>(cut.tensor)];
    return cut.dim < x.rank() && CutAt(cut, sizes).size() == x.dim(cut.dim);
  });
}

// Whether a rank's part of the output is not rounded to its type: a part of a sum or product may
// overflow a type that holds the whole, which is not the cut's fault: 1e5 times 0.1 in f16. A
// call's results for partial inputs are rounded all the same: x / 1e-40 is linear in x only if no
// part is infinite.
bool StaysWide(const Trial& trial, size_t output, ElementType type) {
  return ClassOf(type) == ElementClass::kFloat && trial.partial_inputs.empty() &&
         trial.reached.count(static_cast<int>(output)) != 0 &&
         CutOf(trial.outputs, output) == nullptr;
}

// Whether a rank's outputs are its pieces of the whole outputs, except those to be reduced. Most
// wrong trials fail here, after the first rank.
bool Fits(const Trial& trial,
          const Configuration& at,
          int64_t rank,
          const Undivided& whole,
          const std::vector<Tensor>& outputs) {
  for (size_t o = 0; o < outputs.size(); ++o) {
    const Tensor& expected = whole.outputs[o];
    if (const SymbolicCut* cut = CutOf(trial.outputs, o)) {
      if (!CloseAt(outputs[o], expected, cut->dim, Held(*cut, at, rank), whole.slacks[o]))
        return false;
    } else if (trial.reached.count(static_cast<int>(o)) == 0) {
      if (!Close(outputs[o], expected, whole.slacks[o])) return false;
    } else if (outputs[o].type() != expected.type()) {
      return false;
    }
  }
  return true;
}

bool Reduces(const Trial& trial,
             const Undivided& whole,
             const std::vector<std::vector<Tensor>>& local,
             ExecutionTest::Reductions& left) {
  for (const int output : trial.reached) {
    const size_t o = static_cast<size_t>(output);
    if (o >= whole.outputs.size() || CutOf(trial.outputs, o) != nullptr) continue;
    const double unit = whole.types.empty() ? 1e-14 : kRoundings * EpsilonOf(whole.types[o]);
    double rounding = 0;  // of a sum with cancellation
    for (const std::vector<Tensor>& mine : local)
      rounding = std::max(rounding, unit * Largest(mine[o]));
    const auto [found, first] = left.try_emplace(output, kReduceOps);
    std::erase_if(found->second, [&](ReduceOp op) {
      if (!Applies(op, whole.outputs[o].element())) return true;
      Tensor folded = local[0][o].Clone();
      for (size_t rank = 1; rank < local.size(); ++rank) Fold(op, folded, local[rank][o]);
      if (!whole.types.empty()) folded = Rounded(folded, whole.types[o]);
      return !Close(folded, whole.outputs[o], whole.slacks[o] + rounding);
    });
    if (found->second.empty()) return false;
  }
  return true;
}

}  // namespace

// Starts at the atom after the tested ones, as long as the call stays small. If one more of an atom
// is not a legal call, twice the atom may be.
std::vector<int64_t> ExecutionTest::OtherSizes(std::span<const int> tested, int64_t more) const {
  std::vector<int64_t> sizes = family_.surrogate;
  const size_t first = tested.empty() ? 0 : static_cast<size_t>(tested.back()) + 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t a = (first + i) % sizes.size();
    if (family_.distinct[a] == 0 || std::ranges::find(tested, a) != tested.end()) continue;
    const int64_t own = sizes[a];
    for (const int64_t next : {own + more, 2 * own}) {
      sizes[a] = next;
      if (Elements(sizes) <= kLargeCall && box_.Accepts(family_.ValuesAt(sizes))) break;
      sizes[a] = own;
    }
  }
  return sizes;
}

int64_t ExecutionTest::Elements(std::span<const int64_t> sizes) const {
  return box_.InputElements(family_.ValuesAt(sizes));
}

int64_t ExecutionTest::SizeFor(int atom, int64_t elements) const {
  const Atom& a = family_.atom(atom);
  const int64_t size = family_.surrogate[static_cast<size_t>(atom)];
  const std::vector<int64_t> values = family_.ValuesAt(family_.surrogate);
  int64_t unit = 0;  // growth of the atom's smallest dim per group
  for (const int s : a.slots) {
    const int64_t own = values[static_cast<size_t>(s)] / size;
    if (box_.slot(s).is_dim) unit = unit == 0 ? own : std::min(unit, own);
  }
  return RoundUp(elements, std::max<int64_t>(unit, 1)) / std::max<int64_t>(unit, 1);
}

int64_t ExecutionTest::AboveLiterals(int atom) const {
  return SizeFor(atom, family_.largest_literal + 3);
}

std::vector<std::vector<int64_t>> ExecutionTest::WideSizes(std::span<const int> tested) const {
  std::vector<std::vector<int64_t>> all;
  if (family_.largest_literal == 0) return all;
  for (size_t a = 0; a < family_.surrogate.size(); ++a) {
    if (std::ranges::find(tested, a) != tested.end() || family_.distinct[a] == 0) continue;
    std::vector<int64_t> sizes = family_.surrogate;
    if (sizes[a] >= AboveLiterals(static_cast<int>(a))) continue;
    sizes[a] = AboveLiterals(static_cast<int>(a));
    if (Elements(sizes) > kMostWide) continue;  // several wide dims of one array
    if (box_.Accepts(family_.ValuesAt(sizes))) all.push_back(std::move(sizes));
  }
  return all;
}

std::vector<Configuration> ExecutionTest::Configurations(const Trial& trial) const {
  const std::vector<int64_t> other = OtherSizes(trial.atoms, 1);
  std::vector<Configuration> out;
  const auto add = [&](const Setting& s, const std::vector<int64_t>& base, int64_t more) {
    out.push_back(ConfigurationOf(trial, base, s.ranks, s.groups + more, s.mode));
  };
  const size_t most = IsLarge() ? kFewSettings : std::size(kSettings);
  for (const Setting& s : kSettings)
    if (out.size() < most && sampler_.Tells(s.mode)) add(s, s.other ? other : family_.surrogate, 0);
  if (family_.largest_literal == 0) return out;
  int64_t least = 0;
  for (const int atom : trial.atoms) least = std::max(least, AboveLiterals(atom));
  const int64_t tall = RoundUp(std::max<int64_t>(least - 4, 0), 2);
  add({2, 4, false, InputMode::kNormal}, family_.surrogate, tall);
  add({2, 4, false, InputMode::kIntegers}, other, tall);
  InputMode mode = InputMode::kIntegers;
  const std::vector<std::vector<int64_t>> wide = WideSizes(trial.atoms);
  for (const std::vector<int64_t>& sizes : wide) {
    add({2, 4, false, mode}, sizes, 0);
    mode = mode == InputMode::kIntegers ? InputMode::kNormal : InputMode::kIntegers;
  }
  // The few bools that a literal decides on are seldom all different from what a wrong cut makes.
  if (!sampler_.Tells(InputMode::kOneTrue)) return out;
  for (const InputMode same : {InputMode::kUp, InputMode::kDown}) {
    add({2, 4, false, same}, family_.surrogate, tall);
    for (const std::vector<int64_t>& sizes : wide) add({2, 4, false, same}, sizes, 0);
  }
  return out;
}

std::vector<Configuration> ExecutionTest::SingleGroups(const Trial& trial) const {
  const std::vector<int64_t> other = OtherSizes(trial.atoms, 1);
  std::vector<Configuration> out;
  for (const Setting& s : kSingleGroup) {
    Configuration at{s.other ? other : family_.surrogate, s.ranks, s.mode, true};
    for (const int a : trial.atoms) at.sizes[static_cast<size_t>(a)] = s.groups;
    out.push_back(std::move(at));
  }
  return out;
}

std::optional<SymbolicFactor> ExecutionTest::Run(const Trial& trial) {
  SymbolicFactor factor = trial;
  Reductions left;
  std::vector<std::set<int64_t>> seen(family_.surrogate.size());  // sizes tested, by atom
  const std::vector<Configuration> configurations = Configurations(trial);
  told_ = 0;
  folded_.clear();
  const auto unsure = [&] {
    return std::ranges::any_of(left, [](const auto& at) { return at.second.size() > 1; }) ||
           told_ < kLeastTold ||
           std::ranges::any_of(folded_, [](const auto& at) { return at.second < kLeastFolded; });
  };
  for (int round = 0; round == 0 || (round < kMostRounds && unsure()); ++round)
    for (const Configuration& at : configurations) {
      if (factor.even_only && !at.even) continue;
      Reductions now = left;
      if (Agrees(trial, at, now)) {
        left = std::move(now);
        for (size_t a = 0; a < seen.size(); ++a) seen[a].insert(at.sizes[a]);
      } else {
        if (at.even) return std::nullopt;
        factor.even_only = true;
      }
    }
  for (const Configuration& at : IndexEdges(trial))
    if (!AgreesAtAllIndices(trial, at, left)) return std::nullopt;
  for (const auto& [output, ops] : left) {
    if (ops.size() > 1) {
      ++ambiguous_;
      return std::nullopt;
    }
    if (!ops.empty()) factor.reductions[output] = ops.front();
  }
  for (const Configuration& at : SingleGroups(trial)) {
    Reductions now = left;
    if (!Agrees(trial, at, now) || !AgreesAtAllIndices(trial, at, now)) factor.least_piece = 2;
  }
  if (!HoldsAtEdges(trial, factor, left)) {
    refuted_.push_back(std::move(factor));
    return std::nullopt;
  }
  factor.any_order = HoldsInAnyOrder(trial, factor, left);
  // Nothing is known about other sizes of an atom that had only one.
  int64_t most = kMostVaried;
  for (const Configuration& at : configurations) most = std::max(most, 2 * Elements(at.sizes));
  VaryOthers(trial, left, most, seen);
  for (size_t a = 0; a < seen.size(); ++a)
    if (seen[a].size() == 1) factor.fixed[static_cast<int>(a)] = *seen[a].begin();
  return factor;
}

void ExecutionTest::VaryOthers(const Trial& trial,
                               const Reductions& left,
                               int64_t most_elements,
                               std::vector<std::set<int64_t>>& seen) {
  for (size_t a = 0; a < seen.size(); ++a) {
    if (seen[a].size() != 1) continue;
    const int64_t own = *seen[a].begin();
    for (const int64_t size : {own + 1, own - 1, own + 2, 2 * own, own / 2, 3 * own}) {
      Configuration at = ConfigurationOf(trial, family_.surrogate, 2, 4, InputMode::kNormal);
      at.sizes[a] = size;
      if (size < 1 || Elements(at.sizes) > most_elements) continue;
      if (!box_.Accepts(family_.ValuesAt(at.sizes))) continue;
      Reductions now = left;
      if (!Agrees(trial, at, now)) break;
      seen[a].insert(size);
      break;
    }
  }
}

// Three ranks with groups drawn at random, each with at least as many as it needs.
bool ExecutionTest::HoldsInAnyOrder(const Trial& trial,
                                    const SymbolicFactor& factor,
                                    const Reductions& left) {
  if (NeedsARow(factor)) return false;
  const int64_t tall = family_.largest_literal == 0 ? 0 : AboveLiterals(trial.atoms[0]);
  Configuration at = ConfigurationOf(
      trial, family_.surrogate, 3, RoundUp(std::max(tall, kGroupsDrawn), 3), InputMode::kNormal);
  std::vector<int64_t> groups(static_cast<size_t>(at.sizes[static_cast<size_t>(trial.atoms[0])]));
  std::iota(groups.begin(), groups.end(), 0);
  at.groups.resize(static_cast<size_t>(at.ranks));
  const size_t in_turn =
      factor.even_only ? groups.size() : static_cast<size_t>(at.ranks * factor.least_piece);
  for (size_t next = 0; !groups.empty(); ++next) {
    const auto group = groups.begin() + sampler_.random().Below(std::ssize(groups));
    const int64_t rank =
        next < in_turn ? static_cast<int64_t>(next) % at.ranks : sampler_.random().Below(at.ranks);
    at.groups[static_cast<size_t>(rank)].push_back(*group);
    groups.erase(group);
  }
  for (std::vector<int64_t>& own : at.groups) std::ranges::sort(own);
  Reductions now = left;
  return Agrees(trial, at, now);
}

// The test in the call's own element types. Values that the kernel rejects are skipped.
bool ExecutionTest::HoldsAtEdges(const Trial& trial,
                                 const SymbolicFactor& factor,
                                 const Reductions& left) {
  for (const Setting& s : kEdgeSettings) {
    if (factor.even_only && s.groups % s.ranks != 0) continue;
    const Configuration at = ConfigurationOf(trial, family_.surrogate, s.ranks, s.groups, s.mode);
    const std::vector<int64_t> values = family_.ValuesAt(at.sizes);
    auto types = box_.InferOutputs(values);
    std::vector<Tensor> inputs, whole;
    if (!types.ok() || !DrawInputs(trial, at, values, inputs)) continue;
    for (size_t i = 0; i < inputs.size(); ++i)  // no negative numbers in an unsigned type
      if (box_.is_tensor(i)) inputs[i] = Rounded(inputs[i], box_.element(i));
    if (!box_.Run(values, inputs, whole)) continue;
    ++executions_;
    std::vector<ElementType> own;
    std::vector<double> slacks;
    for (size_t o = 0; o < whole.size(); ++o) {
      own.push_back(types.value()[o].element);
      whole[o] = Rounded(whole[o], own[o]);
      slacks.push_back(kRoundings * EpsilonOf(own[o]) * std::max(Largest(whole[o]), kLeastNumber));
    }
    Reductions now = left;
    if (!RunRanks(trial, at, inputs, {whole, slacks, own}, now)) return false;
  }
  return true;
}

bool ExecutionTest::DrawInputs(const Trial& trial,
                               const Configuration& at,
                               std::span<const int64_t> values,
                               std::vector<Tensor>& inputs) {
  // A kernel may treat the first elements differently; the second rank does not have them. Of three
  // ranks it is the one with neighbours on both sides.
  const int64_t pick = at.mode == InputMode::kNans ? 1 : sampler_.random().Below(at.ranks);
  std::map<int, Focus> focus;
  for (const SymbolicCut& cut : trial.inputs) {
    const Shape shape = box_.ShapeOf(static_cast<size_t>(cut.tensor), values);
    if (CutAt(cut, at.sizes).size() != shape[static_cast<size_t>(cut.dim)]) return false;
    focus[cut.tensor] = {cut.dim, Held(cut, at, pick)};
  }
  if (!sampler_.Draw(values, at.mode, focus, inputs)) return false;
  if (at.turn < 0) return true;
  for (const SymbolicIndex& index : trial.indices) {
    const size_t i = static_cast<size_t>(index.input);
    sampler_.DrawTurn(i, at.turn, inputs[i]);
  }
  return true;
}

std::vector<Configuration> ExecutionTest::IndexEdges(const Trial& trial) const {
  std::vector<Configuration> out;
  if (trial.indices.empty()) return out;
  std::set<int64_t> pieces{2};
  for (const int64_t literal : box_.LiteralsUpTo(family_.largest_literal, family_.base))
    pieces.insert(std::max<int64_t>(SizeFor(trial.atoms[0], literal), 2));
  for (const int64_t groups : pieces) {
    Configuration at = ConfigurationOf(trial, family_.surrogate, 3, 3 * groups, InputMode::kNormal);
    if (Elements(at.sizes) <= kMostWide) out.push_back(std::move(at));
  }
  return out;
}

bool ExecutionTest::AgreesAtAllIndices(const Trial& trial, Configuration at, Reductions& left) {
  if (trial.indices.empty()) return true;
  sampler_.SetDomains(family_.ValuesAt(at.sizes));
  int64_t turns = 0;
  for (const SymbolicIndex& index : trial.indices)
    turns = std::max(turns, sampler_.IndexTurns(static_cast<size_t>(index.input)));
  const int64_t most = std::min(kMostTurns, kMostTurned / std::max<int64_t>(Elements(at.sizes), 1));
  for (at.turn = 0; at.turn < std::min(turns, most); ++at.turn)
    if (!Agrees(trial, at, left)) return false;
  return true;
}

bool ExecutionTest::Agrees(const Trial& trial, const Configuration& at, Reductions& left) {
  const std::vector<int64_t> values = family_.ValuesAt(at.sizes);
  std::vector<Tensor> inputs, whole;
  if (!DrawInputs(trial, at, values, inputs)) return false;
  if (!box_.Run(values, inputs, whole)) return false;
  if (!CutsFit(trial.outputs, at.sizes, whole)) return false;
  if (std::ranges::all_of(whole, [](const Tensor& y) { return y.size() == 0; })) return false;
  ++executions_;
  const std::vector<double> slacks = SlacksOf(whole);
  if (!RunRanks(trial, at, inputs, {whole, slacks}, left)) return false;
  for (const auto& [output, ops] : left)
    if (ops.front() != ReduceOp::kSum && ops.front() != ReduceOp::kProd)
      folded_[output] += whole[static_cast<size_t>(output)].size();
  if (told_ < kLeastTold && Matters(trial, at, inputs, {whole, slacks})) ++told_;
  return true;
}

// Whether other values in the cut inputs change the outputs. They do not if a sequence has no
// elements, or a region is outside the image. Always true if only outputs are cut.
bool ExecutionTest::Matters(const Trial& trial,
                            const Configuration& at,
                            std::vector<Tensor> inputs,
                            const Undivided& whole) {
  if (trial.inputs.empty()) return true;
  for (const SymbolicCut& cut : trial.inputs) {
    Tensor& x = inputs[static_cast<size_t>(cut.tensor)];
    if (x.element() == ElementType::kBool) {
      x = Flipped(x);
    } else if (!sampler_.DrawOne(static_cast<size_t>(cut.tensor), x.shape(), at.mode, nullptr, x)) {
      return false;
    }
  }
  std::vector<Tensor> other;
  if (!box_.Run(family_.ValuesAt(at.sizes), inputs, other)) return false;
  for (size_t o = 0; o < other.size(); ++o)
    if (!Close(other[o], whole.outputs[o], whole.slacks[o])) return true;
  return false;
}

bool ExecutionTest::FirstRankAgrees(const Trial& trial) {
  const Configuration at = Configurations(trial).front();
  const std::vector<int64_t> values = family_.ValuesAt(at.sizes);
  std::vector<Tensor> inputs, whole, local;
  if (!sampler_.Draw(values, at.mode, {}, inputs) || !box_.Run(values, inputs, whole)) return false;
  if (!CutsFit(trial.outputs, at.sizes, whole) || !CutsFit(trial.inputs, at.sizes, inputs))
    return false;
  const std::vector<double> slacks = SlacksOf(whole);
  return RunRank(trial, at, 0, inputs, {whole, slacks}, local) &&
         trial.outputs.size() == whole.size();
}

bool ExecutionTest::RunRanks(const Trial& trial,
                             const Configuration& at,
                             std::span<const Tensor> inputs,
                             const Undivided& whole,
                             Reductions& left) {
  std::map<int, std::vector<Tensor>> shares;
  for (const int input : trial.partial_inputs)
    shares[input] = SplitSum(inputs[static_cast<size_t>(input)], at.ranks, sampler_.random());
  std::vector<std::vector<Tensor>> local;
  for (int64_t rank = 0; rank < at.ranks; ++rank) {
    std::vector<Tensor> mine(inputs.begin(), inputs.end());
    for (const auto& [input, parts] : shares)
      mine[static_cast<size_t>(input)] = parts[static_cast<size_t>(rank)];
    if (!RunRank(trial, at, rank, std::move(mine), whole, local.emplace_back())) return false;
  }
  return Reduces(trial, whole, local, left);
}

bool ExecutionTest::RunRank(const Trial& trial,
                            const Configuration& at,
                            int64_t rank,
                            std::vector<Tensor> inputs,
                            const Undivided& whole,
                            std::vector<Tensor>& outputs) {
  for (const SymbolicCut& cut : trial.inputs) {
    Tensor& x = inputs[static_cast<size_t>(cut.tensor)];
    x = Take(x, cut.dim, Held(cut, at, rank));
  }
  const PieceOf piece{at.sizes, at.ranks, rank};
  AddSpares(trial.inputs, inputs);
  CountIndices(trial.indices, piece, inputs);
  const std::vector<int64_t> values = family_.ValuesAt(at.sizes);
  std::vector<int64_t> own = values;
  if (trial.local_literals) {
    std::vector<int64_t> sizes = at.sizes;
    for (const int a : trial.atoms) sizes[static_cast<size_t>(a)] = GroupsOf(a, at, rank);
    own = family_.ValuesAt(sizes);
  }
  ShiftLiterals(trial.shifts, box_, piece, values, own);
  if (!box_.Run(own, inputs, outputs)) return false;
  if (outputs.size() != whole.outputs.size() || !DropSpares(trial.outputs, outputs)) return false;
  for (size_t o = 0; o < whole.types.size(); ++o)
    if (!StaysWide(trial, o, whole.types[o])) outputs[o] = Rounded(outputs[o], whole.types[o]);
  return Fits(trial, at, rank, whole, outputs);
}

}  // namespace metadist
