#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants mistakes one after another and shows which tests turn red: mistakes of discovery, those
that were found, and some elsewhere.

    tests/wide/planted_faults.py [--build FOLDER] [--all] [--places] [FAULT...]

Works in a copy of the tracked files in FOLDER, built in its build/release (kept for the next time; a temporary one by default). Prints every fault with the first
test that notices it, or with all of them. Exit 1 if a fault is not noticed, or if a test is red without one.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from faults_elsewhere import ELSEWHERE

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = "build/release"
# Program -> its tests: of planner_rules_test those that say what is found; the independent checker is slow.
DISCOVERY = {
    "planner_rules_reference_test": "*",
    "planner_rules_test": "Discover.RulesOf*:AnyOrder.*:RandomEinsum.*:Composite.RulesEqual*",
    "planner_space_test": "*",
}

# Name -> (file, text, what stands in its place).
FAULTS = {
    "reductions start from zeros": (
        "planner/rules/search/execution_test.cc",
        "Tensor folded = local[0][o].Clone();\n      for (size_t rank = 1;",
        "Tensor folded = Tensor::Zeros(whole.outputs[o].type());\n      for (size_t rank = 0;",
    ),
    "inputs are 0 and 1": (
        "planner/rules/probe/sampler.cc",
        "  Fill(mode, x);",
        "  for (double& v : x) v = static_cast<double>(random_.Below(2));",
    ),
    "inputs lie in [0, 1)": (
        "planner/rules/probe/sampler.cc",
        "  Fill(mode, x);",
        "  for (double& v : x) v = random_.Uniform();",
    ),
    "one sample": (
        "planner/rules/search/execution_test.cc",
        "  const std::vector<Configuration> configurations = Configurations(trial);\n",
        "  std::vector<Configuration> configurations = Configurations(trial);\n  configurations.resize(1);\n",
    ),
    "groups lie in any order by themselves": (
        "planner/rules/search/execution_test.cc",
        "factor.any_order = HoldsInAnyOrder(trial, factor, left);",
        "factor.any_order = true;",
    ),
    "a tolerance of 1e-3": (
        "planner/rules/search/execution_test.cc",
        "slacks.push_back(1e-10 * std::max(Largest(y), 1e-300));",
        "slacks.push_back(1e-3 * std::max(Largest(y), 1.0));",
    ),
    "only the first rank is compared": (
        "planner/rules/search/execution_test.cc",
        "return Fits(trial, at, rank, whole, outputs);",
        "return rank != 0 || Fits(trial, at, rank, whole, outputs);",
    ),
    "no operator is affine in an input": (
        "planner/rules/probe/affine.cc",
        "  known_[i] = may_be;",
        "  known_[i] = may_be = false;",
    ),
    "indices of a piece are those of the whole": (
        "planner/rules/compose/recipe_self.cc",
        "compose.Integer(whole[dim] / pieces.ranks())",
        "compose.Integer(0)",
    ),
    "random numbers forget where they are": (
        "metair/ops/counter_random.cc",
        "static_cast<uint32_t>(start_[dim] + line",
        "static_cast<uint32_t>(line",
    ),
    "a scan carries the last total only": (
        "planner/rules/compose/recipe_scan.cc",
        "const ValueId folded = OnWhole(total);",
        "const ValueId folded = total;",
    ),
    "every step begins with the first state": (
        "planner/rules/compose/recipe_steps.cc",
        "ids_[given_[static_cast<size_t>(r_.states[s].input)]] = next[s];",
        "continue;",
    ),
    "states are merged as if all had one reference": (
        "planner/rules/compose/late_merge.cc",
        'moved = compose.Add("Mul", {states, compose.Add("Exp", {distance})});',
        "moved = states;",
    ),
    "a bound that nobody states is of no size": (
        "planner/rules/probe/overrun.cc",
        "    found.grows.push_back({set.front(), box_.value(set.front())});\n",
        "    continue;\n",
    ),
    "what a slice takes away is not added to the halo": (
        "planner/rules/search/window_search.cc",
        "IsNothing(*surplus) || Widen(*surplus, trial)",
        "IsNothing(*surplus)",
    ),
    "a mirrored piece is the rank's own": (
        "metair/spmd/sharding.cc",
        "return {{size - wide.end, size - wide.begin}};",
        "return {wide};",
    ),
    "no dim is read from its end": (
        "planner/rules/probe/window_probe.cc",
        "doubt.reversed = !input.mirrored && AreApart(dims, one, two, -apart);",
        "doubt.reversed = false;",
    ),
    "a halo ends where the dim does": (
        "planner/rules/search/window_search.cc",
        "  AddAround(trials);\n",
        "",
    ),
    "stated sizes are never one size with a dim": (
        "planner/rules/probe/coupled_sizes.cc",
        "  FindStated();\n",
        "",
    ),
    "ranks of the whole mesh": (
        "planner/space/strategies.cc",
        "if (!Enough(Of(factor), space_.mesh->size(axes))) return std::nullopt;",
        "if (!Enough(Of(factor), space_.mesh->ranks())) return std::nullopt;",
    ),
}

# Faults that were found by running, not by thinking of them: name -> (file, text, what stands in its place, tests that should notice).
FOUND = {
    "sums pass into a narrower type": (
        "planner/rules/search/pass_edges.cc",
        "if (Narrows(values, pass.inputs)) return false;",
        "Narrows(values, pass.inputs);",
        "planner_rules_test:Form.*",
    ),
    "a part that its type alone makes infinite counts": (
        "planner/rules/search/pass_edges.cc",
        "  if (too_large.empty()) return;\n",
        "  return;\n",
        "planner_rules_test:Discover.*",
    ),
    "a maximum is tried on two draws": (
        "planner/rules/search/pass_edges.cc",
        "constexpr int kDrawsBeyond = 6;",
        "constexpr int kDrawsBeyond = 2;",
        "planner_rules_test:Discover.*",
    ),
    "parts of a maximum lie close to it": (
        "planner/rules/search/pass_edges.cc",
        "x = below[kind != Parts::kFar ? 0 : kind_here++ % kKinds];",
        "x = below[kind != Parts::kFar ? 0 : kind_here++ % 2];",
        "planner_rules_test:Form.*",
    ),
    "a rule's text has the sizes of the sample": (
        "planner/rules/instance/instantiate.cc",
        "    rule.text = TextAt(found, std::move(factors), rule.pass_through, *sizes, outputs);\n",
        "    (void)outputs;\n",
        "planner_rules_test:RuleBook.*:Form.*",
    ),
    "factors are not tried on the call that uses them": (
        "planner/rules/book/confirm.cc",
        "return Trial(box_, tested_.seed, one).Differs(run);",
        "return Trial(box_, tested_.seed, one).Differs(run) && false;",
        "planner_rules_test:Confirm.*",
    ),
    "integers that do not fit are solved for all the same": (
        "planner/rules/instance/instantiate.cc",
        "if ((!alone && real >= kLargestDim) || e.size->At(sizes) != e.value) return std::nullopt;",
        "if (!alone && real >= kLargestDim) return std::nullopt;",
        "planner_rules_test:Instantiate.*",
    ),
    "plan files leave out constants of decompositions": (
        "planner/plan/plan_io.cc",
        "GraphText(plan_.graph, plan_.own_constants)",
        "GraphText(plan_.graph, {})",
        "planner_test:PlanFile.*",
    ),
    "sizes in a shape stay as they are spelled": (
        "metair/ops/reshape.cc",
        "  if (NumElements(shape) == 0) return spelling;\n",
        "  return spelling;\n",
        "planner_rules_test:Form.*",
    ),
    "a convolution's kernel is spelled by its call alone": (
        "metair/ops/convolution.cc",
        "  SpellWindow(TRY(ConvolutionWindow(call, at)), spelling.attributes);\n",
        "  TRY(ConvolutionWindow(call, at));\n",
        "planner_rules_test:Form.*",
    ),
    "sizes that share a divisor with a dilation do not shrink": (
        "planner/rules/probe/shrink.cc",
        "  void ShrinkOther(const CoupledSizes::Slots& set) {\n    const int64_t old = at(set.front());\n",
        "  void ShrinkOther(const CoupledSizes::Slots& set) {\n    const int64_t old = at(set.front());\n    if (MeetsLiteral(old)) return;\n",
        "planner_rules_test:Form.*",
    ),
    "recurrent layers have the outputs that are asked for": (
        "metair/ops/recurrent.cc",
        "  spelling.num_outputs = form.has_cell ? 3 : 2;\n",
        "",
        "planner_rules_test:Form.*",
    ),
    "indices are not counted within a piece": (
        "planner/rules/search/offset_trials.cc",
        "domain.kind == InputDomain::Kind::kIndex && b < bounds.size()",
        "domain.kind == InputDomain::Kind::kIndex && b < 0",
        "planner_rules_test:Form.*",
    ),
    "places of a slice are not counted within a piece": (
        "planner/rules/search/window_search.cc",
        "if (auto part = Part(exact)) trials.push_back(std::move(*part));",
        "",
        "planner_rules_test:Form.*",
    ),
    "of several reductions the first is taken": (
        "planner/rules/search/execution_test.cc",
        "    if (ops.size() > 1) {\n      ++ambiguous_;\n      return std::nullopt;\n    }\n",
        "",
        "planner_rules_test:Discover.*",
    ),
    "factors of even pieces hold for all": (
        "planner/rules/search/execution_test.cc",
        "        factor.even_only = true;\n",
        "",
        "planner_rules_test:Discover.*",
    ),
    "a transpose without a permutation changes nothing": (
        "metair/passes/remove_no_ops.cc",
        "(node.attributes.has(\"perm\") && IsInOrder(",
        "(!node.attributes.has(\"perm\") || IsInOrder(",
        "metair_passes_test:RemoveNoOps.*",
    ),
    "the first rank has the widest halo": (
        "planner/space/widest_rank.cc",
        "sub[0].axes.back())] = 1;",
        "sub[0].axes.back())] = 0;",
        "planner_space_test:WidestRank.*",
    ),
    "what is made beside a piece is kept": (
        "planner/space/strategies.cc",
        "if (!CanDropHalos(made)) return std::nullopt;",
        "if (!CanDropHalos(made)) continue;",
        "planner_space_test:Transposed.*",
    ),
    "constants from which a shape follows may be cut": (
        "planner/space/formulate.cc",
        "(!box.is_tensor(i) || !InfersWithout(call, i))",
        "!box.is_tensor(i)",
        "planner_test:MakePlan.*",
    ),
    "what replaces state is decided alone": (
        "planner/space/formulate.cc",
        "out_.where.of_output[position] = decision;",
        "out_.where.of_output[position] = -1;",
        "planner_test:State.*",
    ),
    "parts of products leave the range of floats": (
        "planner/space/strategies.cc",
        "      if (LeavesRange(sharding, type)) return false;\n",
        "",
        "planner_test:ReduceIn.*",
    ),
    "totals of a scan leave the range of floats": (
        "planner/rules/compose/composite_check.cc",
        "if (verdict != Verdict::kHolds || leaves_range_) return false;",
        "if (verdict != Verdict::kHolds) return false;",
        "planner_rules_test:Form.*",
    ),
    "a real call becomes smaller in all dims alike": (
        "planner/rules/book/confirm.cc",
        "      at[a] = is_apart(a) ? Below(apart, /*named=*/0, at[a])",
        "      at[a] = is_apart(a) ? Below(limit, named, at[a])",
        "planner_rules_test:Confirm.*",
    ),
    "sizes that become smaller lose their order": (
        "planner/rules/book/confirm.cc",
        "last = std::min(std::max(to, last + 1), size);",
        "last = Below(limit, named, size);",
        "planner_rules_test:Confirm.*",
    ),
    "a node is expanded to the data of another": (
        "planner/space/expansion.cc",
        "  const OpCall& call = Call();",
        "  const OpCall call = CallOf(*Op(), *space_.graph, node_);",
        "planner_test:MakePlan.ExpandedNodes*",
    ),
    "large constants that decide a shape are not in a signature": (
        "planner/space/signature.cc",
        "decides[i] = is_large(node.inputs[i]) && !seen.is_tensor(i);",
        "decides[i] = 0;",
        "planner_space_test:Signature.*",
    ),
    "small sizes may share divisors that the real ones do not": (
        "planner/rules/probe/shrink.cc",
        "!MeetsLiteral(size, old) && AdoptOther",
        "AdoptOther",
        "planner_rules_test:Form.*",
    ),
    "inputs that reach no output are tried as they are": (
        "planner/rules/search/discover.cc",
        "  LetInputsMatter(box, options.seed, family);\n",
        "",
        "planner_rules_test:Form.*",
    ),
    "partial values that pass are not tried on the call that uses them": (
        "planner/rules/book/confirm.cc",
        "return PassDiffers(box_, sampler, pass, *pass_runs_->values);",
        "return PassDiffers(box_, sampler, pass, *pass_runs_->values) && false;",
        "planner_rules_test:Confirm.*",
    ),
    "extremes through bent inputs are tried as seldom as others": (
        "planner/rules/search/pass_through.cc",
        "const bool bends = floats.size() > 1",
        "const bool bends = floats.size() > 1000",
        "planner_rules_test:Discover.*",
    ),
    "what long rows of operands show is not tried on the call": (
        "planner/rules/book/rule_book.cc",
        "const bool holds = !confirmation.Refutes(factor, sizes);",
        "const bool holds = true;",
        "planner_rules_test:OperandRow.*",
    ),
    "the linear program takes the interrupts": (
        "planner/solvers/bounds/cbc.cc",
        "  without_handler.setSpecialOption(2, 1);\n",
        "",
        "planner_solvers_test:RunCbc.*",
    ),
    "no variable is flagged, before an array": (
        "planner/solvers/bounds/cbc.cc",
        "  if (sequence < 0) return;\n",
        "",
        "planner_solvers_test:RunCbc.*",
    ),
    "CBC may end the program": (
        "planner/solvers/bounds/cbc_fork.cc",
        "    end = RunInFork(work, options.seconds, options.interrupted);\n",
        "    (void)work;\n",
        "planner_solvers_test:SolveMip.*",
    ),
    "a program on which CBC crashes is given up": (
        "planner/solvers/bounds/cbc_fork.cc",
        "  return SolveInFork(model, rest, CbcEffort::kBranching);",
        "  return result;",
        "planner_solvers_test:SolveMip.*",
    ),
    "integers whose products wrap to zero": (
        "planner/rules/probe/sampler.cc",
        "return odd ? ",
        "return false ? ",
        "planner_rules_test:Discover.*",
    ),
    "parts of a product are rounded to its type": (
        "planner/rules/search/execution_test.cc",
        "if (!StaysWide(trial, o, whole.types[o])) ",
        "",
        "planner_rules_test:Discover.*",
    ),
    "of many bools some are always true": (
        "planner/rules/probe/dependence.cc",
        "InputMode::kUp,\n                                    InputMode::kDown",
        "InputMode::kNormal,\n                                    InputMode::kNormal",
        "planner_rules_test:Discover.*",
    ),
    "a window that fails is measured once": (
        "planner/rules/search/window_search.cc",
        "kMostMeasures = 5;",
        "kMostMeasures = 1;",
        "planner_rules_test:Form.*",
    ),
    "a dim follows another though its pieces have no order": (
        "planner/rules/probe/coordinate_map.cc",
        " || !ParseBlocks(map, relation.sizes)",
        "",
        "planner_rules_test:Form.*",
    ),
    "a cache becomes as short as what is written": (
        "planner/rules/book/confirm.cc",
        "if (in_order && !KeepsOrder(found_, sizes_, at)) continue;",
        "",
        "planner_rules_test:Confirm.*",
    ),
    "where one part is NaN the others are small": (
        "planner/rules/search/pass_edges.cc",
        "        x = sign * LargePartOf(type);",
        "        x = -sign * LargePartOf(type);",
        "planner_rules_test:Discover.*",
    ),
    "bounds that cross are left to the solver": (
        "planner/solvers/bounds/crossed_bounds.cc",
        "  if (cuts.sizeColCuts() == 0) return;\n",
        "  return;\n",
        "planner_solvers_test:RunCbc.*",
    ),
}


def copy_tree(folder):
    """The tracked files; what was tracked before and is no more goes, or the build would still find it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for at, _, names in os.walk(folder):
        place = os.path.relpath(at, folder)
        if place.split(os.sep)[0] != "build":
            for path in {os.path.normpath(os.path.join(place, name)) for name in names}.difference(listed):
                os.remove(os.path.join(folder, path))
    for path in filter(None, listed):
        source, target = os.path.join(ROOT, path), os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target) or open(source, "rb").read() != open(target, "rb").read():
            shutil.copyfile(source, target)


def build(folder, programs):
    programs = ["metadist" if program == "goldens" else program for program in programs]
    done = subprocess.run(["ninja", "-C", BUILD, *programs], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout[-3000:])


def red_goldens(folder, chosen):
    """`chosen`: files of tests/cli, separated by blanks or colons."""
    red = []
    for golden in chosen.replace(":", " ").split():
        command = [sys.executable, "-B", os.path.join(folder, "tests/cli/run_goldens.py"), "--binary", os.path.join(folder, BUILD, "bin/metadist")]
        done = subprocess.run([*command, os.path.join(folder, "tests/cli", golden)], cwd=folder, capture_output=True, text=True, check=False)
        red += [golden] if done.returncode != 0 else []
    return red


def red_tests(folder, tests, every=True):
    """tests: program -> filter. every: not the first one alone."""
    red = []
    for program, chosen in tests.items():
        if red and not every:
            break
        build(folder, [program])
        if program == "goldens":
            red += red_goldens(folder, chosen)
            continue
        command = [os.path.join(folder, BUILD, "bin", program), "--gtest_filter=" + chosen, *([] if every else ["--gtest_fail_fast"])]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        failed = sorted(set(re.findall(r"^\[  FAILED  \] ((?:\w+/)?\w+\.[\w/]+)", done.stdout, re.MULTILINE)))
        if done.returncode != 0 and not failed:
            begun = re.findall(r"^\[ RUN      \] (\S+)", done.stdout, re.MULTILINE)
            failed = [f"{begun[-1] if begun else program} (status {done.returncode})"]
        red += failed
    return red


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def tests_of(fault):
    """Program -> tests that should notice the fault."""
    if len(fault) == 3:
        return DISCOVERY
    program, chosen = fault[3].split(":", 1)
    return {program: chosen}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--places", action="store_true", help="only see that every fault still has its place in the code")
    parser.add_argument("--all", action="store_true", help="run on after the first test that notices a fault")
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    options = parser.parse_args()
    faults = {**FAULTS, **FOUND, **ELSEWHERE}
    unknown = [name for name in options.faults if name not in faults]
    if unknown:
        parser.error(f"unknown fault {unknown[0]!r}; known: {', '.join(faults)}")
    chosen = {name: faults[name] for name in options.faults or faults}
    if options.places:
        lost = [f"{name}: {path}" for name, (path, old, *_) in chosen.items() if read(os.path.join(ROOT, path)).count(old) != 1]
        print(*lost, f"{len(chosen) - len(lost)} passed, {len(lost)} failed", sep="\n")
        return 1 if lost else 0
    missed = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(options.build or temporary)
        os.makedirs(folder, exist_ok=True)
        copy_tree(folder)
        sound = {}  # what is run without a fault
        for fault in chosen.values():
            for program, tests in tests_of(fault).items():
                sound.setdefault(program, set()).add(tests)
        subprocess.run(["cmake", "--preset", "release", "-DMETADIST_UNITY=OFF"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        red = red_tests(folder, {program: ":".join(sorted(tests)) for program, tests in sound.items()})
        print(f"without a fault: {len(red)} red", *red, sep="\n  ", flush=True)
        for name, fault in chosen.items():
            path, old, new = fault[:3]
            path = os.path.join(folder, path)
            text = read(path)
            if text.count(old) != 1:
                sys.exit(f"{name}: the place is not found once in {path}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))
            found = red_tests(folder, tests_of(fault), options.all)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            print(f"{name}: {len(found)} red", *found[:12], *(["..."] if len(found) > 12 else []), sep="\n  ", flush=True)
            if not found:
                missed.append(name)
    print(f"{len(chosen)} faults, {len(chosen) - len(missed)} noticed", *(f"missed: {name}" for name in missed), sep="\n")
    return 1 if red or missed else 0


if __name__ == "__main__":
    sys.exit(main())
