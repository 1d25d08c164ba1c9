#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks rules from outside: by the text that `metadist rules` prints, onnxruntime, and the reference evaluator of onnx alone.

    tests/wide/check_rules.py [--binary FILE] models [FOLDER|FILE...]
    tests/wide/check_rules.py [--binary FILE] examples [OP...]
    tests/wide/check_rules.py [--binary FILE] generated [--calls N] [--seed N] [--only OP,OP]

Every factor is run whole and in pieces on 2, 3 and 4 ranks, in the call's own types, on ordinary and on edge values, and combined as the text
says (docs/sharding.md); every claim that a partial value passes is run on parts that are large and cancel, or lie beyond the operator's domain.
What the words leave open (which integer shrinks) is decided by trying: a factor is wrong if no reading of its text holds. Factors that run as a
decomposition are run by `metadist run`, under a plan that is made to use them, and compared with onnxruntime. Prints what is wrong with all that
is needed to see it again, and a table. Exit 1 if anything is wrong or 2 % of the factors cannot be checked. --broken alters rules first, and fails
unless nearly all are caught. --quick N: N calls, for ctest.
"""

import argparse
import collections
import glob
import os
import re
import sys
import tempfile
import time

import numpy as np

import check_forced
import check_models
import check_pass
import check_text
from check_eval import Call
from check_run import Checker, Outcome
from models import ROOT

MOST_OPEN = 0.02


class Tally:
    def __init__(self):
        self.calls, self.factors, self.passes = 0, collections.Counter(), collections.Counter()
        self.open, self.none, self.wrong, self.seen, self.runs = collections.Counter(), collections.Counter(), [], set(), 0

    def add(self, kind, outcome, call, what):
        getattr(self, kind)[outcome.status] += 1
        self.runs += outcome.runs
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

        for why, count in self.none.most_common():
            print(f"  no rule:       {count:5} calls: {why}")

    def failed(self):
        return bool(self.wrong) or any(kind["open"] >= MOST_OPEN * max(sum(kind.values()), 1) for kind in (self.factors, self.passes))


def check_calls(checker, calls, tally, later):
    """Checks all factors and passes; `later` takes the factors that the program itself must run."""
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
        for operation, inputs in rule.passes:
            tally.add("passes", check_pass.check(checker, call, rule, operation, inputs), call, f"{operation} through {'+'.join(map(str, inputs))}")
        for name in call.factors:
            outcome = checker.factor(call, rule, name)
            if outcome.status == "open" and later is not None:
                later.append((call, name, outcome))
            else:
                tally.add("factors", outcome, call, f"factor {name}")


def generated(options, checker, tally, later):
    refused = []
    batch = 0
    with tempfile.TemporaryDirectory() as folder:
        while tally.calls < options.calls:
            rng = np.random.default_rng([options.seed, batch])
            opset = check_models.OPSETS[batch % len(check_models.OPSETS)]
            nodes = [node for node in check_models.drawn(rng, options.batch, options.only) if node.least <= opset]
            calls, least = check_models.calls_of(options.binary, nodes, os.path.join(folder, "calls.onnx"), opset, refused)
            checker.restrictions.update(least)
            for call in calls:
                call.source = f"generated --seed {options.seed}, batch {batch}"
            check_calls(checker, calls, tally, later)
            batch += 1
            if later and len(later) > 200:
                check_forced.settle(options, checker, later, tally)
    for node, opset, error in refused:
        print(f"refused: {node.op}-{opset} {node.inputs} {node.attributes}: {error[:300]}")


def examples(options, checker, tally, later):
    with open(os.path.join(ROOT, "docs/ops.md"), encoding="utf-8") as file:
        ops = options.what or [name for name in re.findall(r"^\| \[?(\w+)", file.read(), re.MULTILINE) if name != "operator"]
    for op in ops:
        signatures, least = check_models.rules_of(options.binary, None, op)
        checker.restrictions.update(least)
        calls = [Call.of(signature) for signature in signatures]
        for call in calls:
            call.source = f"rules --op {op}"
        check_calls(checker, calls, tally, later)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--calls", type=int, default=10000)
    parser.add_argument("--batch", type=int, default=50, help="nodes a model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=lambda text: set(text.split(",")), help="operators to generate")
    parser.add_argument("--text-only", action="store_true", help="leave out what the program itself must run")
    parser.add_argument("kind", choices=("models", "examples", "generated"))
    parser.add_argument("what", nargs="*")
    options = parser.parse_args()
    np.seterr(all="ignore")
    checker, tally, later, started = Checker(), Tally(), [], time.time()
    {"generated": generated, "examples": examples}[options.kind](options, checker, tally, None if options.text_only else later)
    if later:
        check_forced.settle(options, checker, later, tally)
    tally.table(time.time() - started)
    sys.exit(1 if tally.failed() else 0)


if __name__ == "__main__":
    main()
