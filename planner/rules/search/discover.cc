// SPDX-License-Identifier: Apache-2.0
// ShardCombine: the ways to divide an operator, found by running it.
//
//   f(x) = combine(f_local(x_0), ..., f_local(x_{n-1}))   for every x
//
// where x_r has some dims cut to piece r. Neither the dims nor combine are given. The steps, each
// in its own file: the call is shrunk to a small one of the same form (shrink); sizes that must
// change together are coupled into atoms (coupled_sizes, resolve), at sizes at which every input
// affects the outputs (input_effect); disturbing one index at a time shows which outputs it affects
// (dependence), which gives candidate cuts (coordinate_map, candidates); every candidate is run
// divided and whole on inputs chosen to expose differences (execution_test); for dims without a
// valid cut, windows that slide along the dim are searched (window_search); sums and maxima that
// pass through come last (pass_through). Only the operator's shape inference, reference kernel and
// legal inputs are used; its name appears in messages only.
//
// Cost: some hundred runs of the reference kernel on arrays of some hundred elements. Source: the
// idea is MetaDist's (alibaba/easydist).
#include "planner/rules/search/discover.h"

#include <chrono>
#include <set>

#include "planner/rules/factor/notation.h"
#include "planner/rules/instance/instance.h"
#include "planner/rules/instance/instantiate.h"
#include "planner/rules/probe/affine.h"
#include "planner/rules/probe/overrun.h"
#include "planner/rules/probe/shrink.h"
#include "planner/rules/search/discover_small.h"
#include "planner/rules/search/factor_search.h"
#include "planner/rules/search/following.h"
#include "planner/rules/search/input_effect.h"
#include "planner/rules/search/pass_through.h"
#include "planner/rules/search/resolve.h"
#include "planner/rules/search/window_search.h"

namespace metadist {
namespace {

// Testing sizes above larger literals would need large arrays.
constexpr int64_t kLargestLiteral = 4096;

void Describe(const BlackBox& box, const Family& family, SymbolicRule& found) {
  for (const Atom& atom : family.atoms) found.atoms.push_back(atom.base);
  found.dims.resize(box.num_inputs());
  for (size_t i = 0; i < box.num_inputs(); ++i) {
    found.dims[i].is_tensor = box.is_tensor(i);
    if (!box.is_tensor(i)) continue;
    for (size_t d = 0; d < box.rank(i); ++d)
      found.dims[i].sizes.push_back(family.SizeOf(box.dim_slot(i, d)));
  }
  for (size_t s = 0; s < box.slots().size(); ++s) {
    const Slot& slot = box.slots()[s];
    if (slot.is_literal())
      found.literals.push_back(
          {slot.input, slot.attribute, slot.entry, family.SizeOf(static_cast<int>(s))});
  }
}

// Whether the kernel accepts the sample call.
bool RunsOnce(BlackBox& box, Sampler& sampler, std::string& reason) {
  std::vector<Tensor> inputs, outputs;
  if (!sampler.Draw(box.values(), InputMode::kNormal, {}, inputs)) {
    reason = "no legal inputs can be drawn for a small call";
    return false;
  }
  if (!box.Run(box.values(), inputs, outputs)) {
    reason = "the kernel rejects a small call: " + box.error();
    return false;
  }
  return true;
}

// With few elements a minimum may be taken for a maximum; with sizes of 3 up to 7 it is not. All
// atoms are enlarged at once if the call stays small, otherwise those of even and odd index
// separately.
void AddLarger(const Family& family,
               const ExecutionTest& test,
               std::vector<std::vector<int64_t>>& sizes) {
  if (test.IsLarge()) return;
  constexpr int64_t kSmallCall = 1000;
  const auto add = [&](std::vector<int64_t> larger, int64_t most) {
    if (larger == family.surrogate || test.Elements(larger) > most) return false;
    sizes.push_back(std::move(larger));
    return true;
  };
  if (add(test.OtherSizes({}, 4), kSmallCall)) return;
  std::vector<int> half[2];
  for (size_t a = 0; a < family.atoms.size(); ++a) half[a % 2].push_back(static_cast<int>(a));
  const bool even = add(test.OtherSizes(half[1], 4), kSmallCall);
  const bool odd = add(test.OtherSizes(half[0], 4), kSmallCall);
  if (even && odd) return;
  if (!add(test.OtherSizes({}, 2), ExecutionTest::kLargeCall))
    sizes.push_back(test.OtherSizes({}, 1));
}

// Windows must fit into their dims: atoms whose size is not distinct are made longer than the range
// that the integers of the call can span.
void AddLong(BlackBox& box,
             const Family& family,
             const ExecutionTest& test,
             std::vector<std::vector<int64_t>>& sizes) {
  if (family.largest_literal == 0) return;
  constexpr int64_t kLongest = 256;
  constexpr int64_t kMostElements = 1 << 14;
  const int64_t span = family.largest_literal * family.largest_literal;
  std::vector<int64_t> longer = family.surrogate;
  for (size_t a = 0; a < longer.size(); ++a)
    if (family.distinct[a] == 0) longer[a] += std::min(2 * span, kLongest);
  if (longer != family.surrogate && test.Elements(longer) <= kMostElements &&
      box.Accepts(family.ValuesAt(longer)))
    sizes.push_back(std::move(longer));
}

void FindRules(BlackBox& box,
               const DiscoveryOptions& options,
               const BlackBox* real,
               SymbolicRule& found) {
  CoupledSizes coupled(box);
  if (!coupled.Run()) {
    found.reason = "output sizes depend on data";
    return;
  }
  Sampler sampler(box, options.seed);
  Overrun(box, coupled, sampler).Run();
  if (!RunsOnce(box, sampler, found.reason)) return;
  Prober prober(box, sampler);
  CandidateSearch search(box, prober);
  Family family = Resolve(box, coupled, search);
  LetInputsMatter(box, options.seed, family);
  Describe(box, family, found);
  if (family.largest_literal > kLargestLiteral) {
    found.reason = "an integer of the call is too large to be tested against: " +
                   std::to_string(family.largest_literal);
    return;
  }
  if (real != nullptr && !SolveAtoms(found, *real)) {
    found.reason = kOtherForm;
    return;
  }
  ExecutionTest test(box, sampler, family);
  AffineInputs affine(box, sampler, family);
  found.factors = FactorSearch(box, family, search, test, affine).Run();
  WindowSearch windows(box, sampler, family, test);
  windows.Run(found.factors);
  SortFactors(family, found.factors);
  PassSizes sizes{{family.surrogate}};
  AddLong(box, family, test, sizes.atoms);
  sizes.edges = sizes.atoms.size();
  AddLarger(family, test, sizes.atoms);
  for (std::vector<int64_t>& wide : test.WideSizes({}))
    if (!test.IsLarge()) sizes.atoms.push_back(std::move(wide));
  found.refuted = test.refuted();
  found.executions = test.executions() + windows.executions();
  found.pass_through = FindPassThrough(box, sampler, family, sizes, affine, found.executions);
  NameFactors(found);
  found.text = Notation(found, family.outputs);
  if (found.factors.empty())
    found.reason = test.ambiguous() > 0  ? "the drawn inputs do not distinguish two reductions"
                   : found.atoms.empty() ? "no size of the call can change alone"
                                         : "no cut reproduces the undivided result";
}

}  // namespace

SymbolicRule NoneFor(const BlackBox& box) {
  SymbolicRule found;
  found.text = "none";
  found.reason = box.fault();
  found.faulty = true;
  return found;
}

SymbolicRule DiscoverSmall(BlackBox& box, const DiscoveryOptions& options, const BlackBox* real) {
  const auto start = std::chrono::steady_clock::now();
  const int64_t runs = box.kernel_runs();
  SymbolicRule found;
  found.text = "none";
  FindRules(box, options, real, found);
  if (!box.fault().empty()) found = NoneFor(box);
  found.kernel_runs = box.kernel_runs() - runs;
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return found;
}

namespace {

SymbolicRule DiscoverAs(const OpCall& call,
                        BlackBox& real,
                        const std::vector<BlackBox::Following>& following,
                        const DiscoveryOptions& options) {
  SymbolicRule best;
  best.text = "none";
  size_t most = 0;
  bool any = false;
  BlackBox whole(call);
  whole.set_following(following);
  SmallCalls small(whole);
  if (!whole.fault().empty()) return NoneFor(whole);
  std::set<std::vector<int64_t>> tried;
  for (const ShrinkOrder order : kShrinkOrders) {
    std::string reason;
    std::optional<std::vector<int64_t>> values = small.By(order, reason);
    if (!values && !any) best.reason = reason;
    if (!values || !tried.insert(*values).second) continue;
    BlackBox box(call);
    box.set_following(following);
    box.set_values(std::move(*values));
    SymbolicRule next = DiscoverSmall(box, options, &real);
    if (next.faulty) return next;
    bool fits = false;
    const Rule rule = InstantiateAt(next, real, fits);
    if (!any && !fits)
      best.reason = next.reason == kOtherForm ? "no small call of its form was found" : next.reason;
    if (!fits || (any && CutsIn(rule) <= most)) continue;
    any = true;
    most = CutsIn(rule);
    best = std::move(next);
    if (CutsAll(rule, real)) break;
  }
  return best;
}

}  // namespace

SymbolicRule Discover(const OpCall& call, const DiscoveryOptions& options) {
  BlackBox real(call);
  if (!real.fault().empty()) return NoneFor(real);
  SymbolicRule plain = DiscoverAs(call, real, {}, options);
  if (plain.faulty) return plain;
  const std::vector<BlackBox::Following> following = FollowingOf(real, Instantiate(plain, call));
  if (following.empty()) return plain;
  SymbolicRule other = DiscoverAs(call, real, following, options);
  return other.factors.size() > plain.factors.size() ? other : plain;
}

}  // namespace metadist
