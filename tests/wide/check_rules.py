#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules from outside: by the text that `metadist rules` prints, onnxruntime, and the reference evaluator of onnx alone.

    tests/wide/check_rules.py [--binary FILE] [--broken] models [FOLDER|FILE...]
    tests/wide/check_rules.py [--binary FILE] examples [OP...]
    tests/wide/check_rules.py [--binary FILE] generated [--calls N] [--seed N] [--only OP,OP]
    tests/wide/check_rules.py [--binary FILE] seeds [--calls N] [--seed N] [--only OP,OP] [--seeds N]

Every factor is run whole and in pieces on 2, 3 and 4 ranks, in the call's own types, on ordinary and on edge values, and combined as the text
says (docs/sharding.md); every claim that a partial value passes is run on parts that are large and cancel, or lie beyond the operator's domain.
What the words leave open (which integer shrinks) is decided by trying: a factor is wrong if no reading of its text holds. Factors that run as a
decomposition are run by `metadist run`, under a plan that is made to use them, and compared with onnxruntime. Prints what is wrong with all that
is needed to see it again, and a table. Exit 1 if anything is wrong or 2 % of the factors cannot be checked. --broken alters rules first, and fails
unless nearly all are caught. --quick N: N calls, for ctest. `seeds` lists generated calls whose rule depends on discovery's seed, which draws
numbers: one of the rules is wrong or lacks something. It checks these rules, and exits 1 if one is wrong or if they belong to more than one call
in a thousand.
"""

import argparse
import collections
import functools
import glob
import os
import re
import sys
import tempfile
import time
import warnings

import numpy as np

import check_broken
import check_forced
import check_models
import check_pass
import check_sizes
import check_text
from check_eval import Call
from check_run import Checker, Outcome, bare
from models import ROOT

MOST_OPEN = 0.02
MOST_UNSURE = 0.001


class Tally:
    def __init__(self):
        self.calls, self.factors, self.passes = 0, collections.Counter(), collections.Counter()
        self.open, self.none, self.wrong, self.seen, self.runs = collections.Counter(), collections.Counter(), [], set(), 0
        self.disagree = collections.Counter()
        self.left_out, self.broken = 0, collections.Counter()

    def add(self, kind, outcome, call, what):
        getattr(self, kind)[outcome.status] += 1
        self.runs += outcome.runs
        if outcome.status == "held" and outcome.ways:
            self.disagree[call.op] += 1
        if outcome.status == "open":
            self.open[(kind, outcome.detail)] += 1
        if outcome.status == "wrong":
            self.wrong.append((call, what, outcome))
            by = f" (by {', '.join(outcome.ways)})" if outcome.ways else ""
            print(f"WRONG {call.text()}\n      {call.rule}\n      {what}: {outcome.detail}{by}\n      from {call.source}", flush=True)

    def table(self, seconds):
        factors, passes = sum(self.factors.values()), sum(self.passes.values())
        print(f"\n| calls | factors | held | wrong | not checkable | passes | held | wrong | not checkable | divided runs | s |\n|{'--:|' * 11}")
        share = lambda count, of: f"{count} ({100 * count / max(of, 1):.2f} %)"
        print(f"| {self.calls} | {factors} | {self.factors['held']} | {self.factors['wrong']} | {share(self.factors['open'], factors)} | {passes} | "
              f"{self.passes['held']} | {self.passes['wrong']} | {share(self.passes['open'], passes)} | {self.runs} | {seconds:.0f} |")
        for (kind, why), count in self.open.most_common():
            print(f"  not checkable: {count:5} {kind}, {100 * count / max(sum(getattr(self, kind).values()), 1):.2f} %: {why}")

        if self.disagree:
            print("  held by another evaluator than the first:", ", ".join(f"{op} {count}" for op, count in self.disagree.most_common()))
        if self.left_out:
            print(f"  left out:      {self.left_out:5} factors that run as a decomposition (--text-only)")
        for why, count in self.none.most_common():
            print(f"  no rule:       {count:5} calls: {why}")

    def missed(self):
        """Whether too few of the alterations were seen."""
        kinds = sorted({what for what, _ in self.broken})
        print("\n| altered | seen | not seen |\n|---|--:|--:|")
        for what in kinds:
            print(f"| {what} | {self.broken[(what, True)]} | {self.broken[(what, False)]} |")
        lost = sum(count for (_, seen), count in self.broken.items() if not seen)
        return lost > 0.1 * sum(self.broken.values())

    def failed(self):
        return bool(self.wrong) or any(kind["open"] >= MOST_OPEN * max(sum(kind.values()), 1) for kind in (self.factors, self.passes))


def check_calls(checker, calls, tally):
    """Checks all factors and passes. Returns what cannot be checked so: (call, factor or pass, outcome, judge)."""
    later = []
    for call in calls:
        key = (call.text(), call.rule)
        if key in tally.seen:
            continue
        tally.seen.add(key)
        tally.calls += 1
        if call.rule == "none":
            tally.none[call.reason] += 1
            continue
        try:
            rule = check_text.parse(call.rule)
        except check_text.Unreadable as error:
            tally.add("factors", Outcome("wrong", f"the text cannot be read: {error}"), call, "rule")
            continue
        for claim in rule.passes:
            judge = functools.partial(lambda claim, call, rule: check_pass.check(checker, call, rule, *claim), claim)
            settle_one(tally, later, "passes", (call, claim, judge(call, rule), judge))
        for name in call.factors:
            judge = functools.partial(lambda name, call, rule: checker.factor(call, rule, name), name)
            settle_one(tally, later, "factors", (call, name, judge(call, rule), judge))
    return later


def settle_one(tally, later, kind, item):
    call, what, outcome, _ = item
    if outcome.status == "open":
        later.append(item)
    else:
        tally.add(kind, outcome, call, named(what))


def named(what):
    return f"factor {what}" if isinstance(what, str) else f"{what[0]} through {'+'.join(map(str, what[1]))}"


class Work:
    """Calls that are checked in turn; what is left over is settled when there is enough of it for a model."""

    def __init__(self, options):
        self.options, self.checker, self.tally, self.later = options, Checker(), Tally(), []

    def take(self, calls, source):
        for call in calls:
            call.source = source
        if self.options.broken:
            return breaking(self.checker, calls, self.tally)
        self.later += check_calls(self.checker, calls, self.tally)
        if len(self.later) > 200:
            self.settle()
        return None

    def settle(self):
        left, self.later = self.later, []
        sized = [item for item in left if item[2].detail in ("too large", "no piece is large enough")]
        left = [item for item in left if item not in sized] + check_sizes.check_others(self.options, self.checker, sized, self.tally)
        if not self.options.text_only:
            runs = [item for item in left if isinstance(item[1], str) and item[2].detail != "too large"]
            left = [item for item in left if item not in runs] + check_forced.check(self.options, self.checker, runs, self.tally)
        for call, what, outcome, _ in left:
            if self.options.text_only and outcome.detail.startswith("combine"):
                self.tally.left_out += 1
                continue
            self.tally.add("factors" if isinstance(what, str) else "passes", outcome, call, named(what))


def breaking(checker, calls, tally):
    """Alters the rules of the calls and counts which alterations are seen."""
    for call in calls:
        key = (call.op, bare(call.rule))
        if call.rule == "none" or "combine" in call.rule or key in tally.seen:
            continue
        tally.seen.add(key)
        floats = [at for at, one in enumerate(call.inputs) if one is not None and one.dtype in ("f32", "f64")]
        if any(outcome.status != "held" for _, outcome in judged(checker, call, call.rule)):
            continue
        for what, text in check_broken.broken(call.rule, floats):
            try:
                outcomes = judged(checker, call, text)
            except (check_text.Unreadable, TypeError, KeyError, IndexError, ValueError):
                outcomes = []  # it says nothing that could be run
            seen = not outcomes or any(outcome.status == "wrong" for _, outcome in outcomes)
            tally.broken[(what, seen)] += 1
            if not seen:
                print(f"not seen: {what}: {call.text()}\n      {call.rule}\n      {text}", flush=True)


def judged(checker, call, text):
    rule = check_text.parse(text)
    return [(claim, check_pass.check(checker, call, rule, *claim)) for claim in rule.passes] + [
        (name, checker.factor(call, rule, name)) for name in call.factors]


def generated(work):
    options, refused, batch = work.options, [], work.options.first_batch
    enough = (lambda: work.tally.calls >= options.calls) if not options.broken else (lambda: (batch - options.first_batch) * options.batch >= options.calls)
    with tempfile.TemporaryDirectory() as folder:
        while not enough():
            rng = np.random.default_rng([options.seed, batch])
            opset = check_models.OPSETS[batch % len(check_models.OPSETS)]
            nodes = [node for node in check_models.drawn(rng, options.batch, options.only) if node.least <= opset]
            calls = check_models.calls_of(options.binary, nodes, os.path.join(folder, "calls.onnx"), opset, refused, "--seed", str(batch % 5))
            work.take(calls, f"generated --seed {options.seed} --batch {options.batch}, batch {batch}, rules --seed {batch % 5}")
            batch += 1
    for node, opset, error in refused:
        print(f"refused: {node.op}-{opset} {node.inputs} {node.attributes}: {error[:300]}")


def seeds(work):
    """Rules of one call that depend on the seed: of two, one is wrong or lacks something. Returns whether one is wrong, or they are too many."""
    options, refused, calls, unsure = work.options, [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for batch in range(options.first_batch, options.first_batch + -(-options.calls // options.batch)):
            rng = np.random.default_rng([options.seed, batch])
            opset = check_models.OPSETS[batch % len(check_models.OPSETS)]
            nodes = [node for node in check_models.drawn(rng, options.batch, options.only) if node.least <= opset]
            found = {}  # call -> rule -> (one call that has it, seeds)
            for seed in range(options.seeds):
                for call in check_models.calls_of(options.binary, nodes, os.path.join(folder, "calls.onnx"), opset, refused, "--seed", str(seed)):
                    found.setdefault(call.text(), {}).setdefault(call.rule, (call, []))[1].append(seed)
            calls += len(found)
            for text, rules in found.items():
                if len(rules) < 2:
                    continue
                unsure += 1
                print(f"UNSURE {text}", *(f"      {rule}  seeds {' '.join(map(str, which))}" for rule, (_, which) in rules.items()), sep="\n", flush=True)
                work.take([call for call, _ in rules.values()], "seeds")
    work.settle()
    print(f"{calls} calls, {options.seeds} seeds, {unsure} calls whose rule depends on the seed, {len(work.tally.wrong)} wrong")
    return bool(work.tally.wrong) or unsure > MOST_UNSURE * calls


def examples(work):
    with open(os.path.join(ROOT, "docs/ops.md"), encoding="utf-8") as file:
        ops = work.options.what or [name for name in re.findall(r"^\| \[?(\w+)", file.read(), re.MULTILINE) if name != "operator"]
    for op in ops:
        signatures = check_models.rules_of(work.options.binary, None, op)
        calls = [Call.of(signature) for signature in signatures]
        for call in calls:
            call.model_opset = max(call.opset, 24)
        work.take(calls, f"rules --op {op}")


def models(work):
    folders = work.options.what or [os.path.join(ROOT, "models"), os.path.join(ROOT, "models/full")]
    paths = [path for folder in folders for path in (sorted(glob.glob(folder + "/*.onnx")) if os.path.isdir(folder) else [folder])]
    for path in paths:
        started = time.time()
        try:
            calls = check_models.calls_of_model(work.options.binary, path)
        except check_models.Failed as error:
            print(f"FAILED {path}: {error}")
            continue
        work.take(calls, path)
        print(f"{path}: {len(calls)} signatures, {time.time() - started:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--calls", type=int, default=10000)
    parser.add_argument("--batch", type=int, default=50, help="nodes a model")
    parser.add_argument("--first-batch", type=int, default=0, help="begin with this one, to see something again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=lambda text: set(text.split(",")), help="operators to generate")
    parser.add_argument("--text-only", action="store_true", help="leave out what the program itself must run")
    parser.add_argument("--broken", action="store_true", help="alter the rules, and count which alterations are seen")
    parser.add_argument("--quick", type=int, metavar="N", help="generated --calls N --text-only")
    parser.add_argument("--seeds", type=int, default=8, help="of discovery, for `seeds`")
    parser.add_argument("kind", nargs="?", choices=("models", "examples", "generated", "seeds"), default="generated")
    parser.add_argument("what", nargs="*")
    options = parser.parse_args()
    if options.quick:
        options.calls, options.text_only = options.quick, True
    if options.kind == "seeds":  # the program itself would run the rule of one seed
        options.text_only = True
    np.seterr(all="ignore")
    warnings.filterwarnings("ignore")
    work, started = Work(options), time.time()
    failed = {"generated": generated, "examples": examples, "models": models, "seeds": seeds}[options.kind](work)
    if options.kind == "seeds":
        sys.exit(1 if failed else 0)
    if options.broken:
        sys.exit(1 if work.tally.missed() else 0)
    work.settle()
    work.tally.table(time.time() - started)
    sys.exit(1 if work.tally.failed() else 0)


if __name__ == "__main__":
    main()
