#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants the mistakes of shardcombine.md section 5.4 in discovery, one after another, and shows which tests turn red.

    tests/wide/planted_faults.py [--build FOLDER] [FAULT...]

Works in a copy of the tracked files, built in FOLDER (kept for the next time; a temporary one by default). Prints every fault with the tests
that notice it. Exit 1 if a fault is not noticed, or if a test is red without one.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = ("planner_rules_reference_test", "planner_rules_test", "planner_space_test")
# Of planner_rules_test those that say what is found; the independent checker comes last, as it is slow.
FILTERS = {"planner_rules_test": "Discover.RulesOf*:AnyOrder.*:RandomEinsum.*:Composite.RulesEqual*"}

# Name -> (file, text, what stands in its place).
FAULTS = {
    "reductions start from zeros": (
        "planner/rules/execution_test.cc",
        "Tensor folded = local[0][o].Clone();\n      for (size_t rank = 1;",
        "Tensor folded = Tensor::Zeros(whole.outputs[o].type());\n      for (size_t rank = 0;",
    ),
    "inputs are 0 and 1": (
        "planner/rules/sampler.cc",
        "  Fill(mode, x);",
        "  for (double& v : x) v = static_cast<double>(random_.Below(2));",
    ),
    "inputs lie in [0, 1)": (
        "planner/rules/sampler.cc",
        "  Fill(mode, x);",
        "  for (double& v : x) v = random_.Uniform();",
    ),
    "one sample": (
        "planner/rules/execution_test.cc",
        "  const std::vector<Configuration> configurations = Configurations(trial);\n",
        "  std::vector<Configuration> configurations = Configurations(trial);\n  configurations.resize(1);\n",
    ),
    "groups lie in any order by themselves": (
        "planner/rules/execution_test.cc",
        "factor.any_order = HoldsDealt(trial, factor, left);",
        "factor.any_order = true;",
    ),
    "a tolerance of 1e-3": (
        "planner/rules/execution_test.cc",
        "slacks.push_back(1e-10 * std::max(Largest(y), 1e-300));",
        "slacks.push_back(1e-3 * std::max(Largest(y), 1.0));",
    ),
    "only the first rank is compared": (
        "planner/rules/execution_test.cc",
        "if (!Fits(trial, at, rank, whole, outputs)) return false;",
        "if (rank == 0 && !Fits(trial, at, rank, whole, outputs)) return false;",
    ),
    "no operator is affine in an input": (
        "planner/rules/affine.cc",
        "  return *known_[i];",
        "  return false;",
    ),
    "indices of a piece are those of the whole": (
        "planner/rules/recipe_self.cc",
        "compose.Integer(whole[dim] / pieces.ranks())",
        "compose.Integer(0)",
    ),
    "random numbers forget where they are": (
        "metair/ops/counter_random.cc",
        "static_cast<uint32_t>(start_[dim] + line",
        "static_cast<uint32_t>(line",
    ),
    "a scan carries the last total only": (
        "planner/rules/recipe_scan.cc",
        "const ValueId folded = OnWhole(total);",
        "const ValueId folded = total;",
    ),
    "every step begins with the first state": (
        "planner/rules/recipe_steps.cc",
        "ids_[given_[static_cast<size_t>(r_.states[s].input)]] = next[s];",
        "continue;",
    ),
    "states are merged as if all had one reference": (
        "planner/rules/late_merge.cc",
        "moved = ComposeProduct(compose, states, ComposeExponential(compose, distance));",
        "moved = states;",
    ),
    "a bound that nobody states is of no size": (
        "planner/rules/overrun.cc",
        "    found.grows.push_back({set.front(), box_.values()[static_cast<size_t>(set.front())]});\n",
        "    continue;\n",
    ),
    "what a slice takes away is not added to the halo": (
        "planner/rules/window_search.cc",
        "IsNothing(*surplus) || Widen(*surplus, trial)",
        "IsNothing(*surplus)",
    ),
    "a mirrored piece is the rank's own": (
        "metair/spmd/sharding.cc",
        "return {{size - wide.end, size - wide.begin}};",
        "return {wide};",
    ),
    "no dim is read from its end": (
        "planner/rules/window_probe.cc",
        "doubt.reversed = !input.mirrored && AreApart(dims, one, two, -apart);",
        "doubt.reversed = false;",
    ),
    "a halo ends where the dim does": (
        "planner/rules/window_search.cc",
        "  AddAround(trials);\n",
        "",
    ),
    "stated sizes are never one size with a dim": (
        "planner/rules/tie.cc",
        "  FindStated();\n",
        "",
    ),
    "ranks of the whole mesh": (
        "planner/space/strategies.cc",
        "if (!Enough(Of(factor), space_.mesh->size(axes))) return std::nullopt;",
        "if (!Enough(Of(factor), space_.mesh->ranks())) return std::nullopt;",
    ),
}


def copy_tree(folder):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for path in filter(None, listed):
        source, target = os.path.join(ROOT, path), os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target) or open(source, "rb").read() != open(target, "rb").read():
            shutil.copyfile(source, target)


def build(folder):
    subprocess.run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["ninja", "-C", "build", *PROGRAMS], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout[-3000:])


def red_tests(folder):
    red = []
    for program in PROGRAMS:
        command = [os.path.join(folder, "build", "bin", program), "--gtest_filter=" + FILTERS.get(program, "*")]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
        red += sorted(set(re.findall(r"^\[  FAILED  \] ((?:\w+/)?\w+\.[\w/]+)", said, re.MULTILINE)))
    return red


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    options = parser.parse_args()
    unknown = [name for name in options.faults if name not in FAULTS]
    if unknown:
        parser.error(f"unknown fault {unknown[0]!r}; known: {', '.join(FAULTS)}")
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(options.build or temporary)
        os.makedirs(folder, exist_ok=True)
        copy_tree(folder)
        build(folder)
        red = red_tests(folder)
        print(f"without a fault: {len(red)} red", *red, sep="\n  ", flush=True)
        failed = bool(red)
        for name in options.faults or FAULTS:
            path, old, new = FAULTS[name]
            path = os.path.join(folder, path)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if text.count(old) != 1:
                sys.exit(f"{name}: the place is not found once in {path}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))
            build(folder)
            red = red_tests(folder)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            print(f"{name}: {len(red)} red", *red[:12], *(["..."] if len(red) > 12 else []), sep="\n  ", flush=True)
            failed = failed or not red
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
