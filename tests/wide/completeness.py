#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the cuts that `metadist rules` finds with those that are known, family by family.

    tests/wide/completeness.py [--binary FILE] [--quick] [--families NAME,...] [--count N] [--seed N] [--list N] [--keep FOLDER]

Known is what an exhaustive search by execution finds (known_cuts.py) on the generic instance of a call: distinct sizes, defaults filled in,
all outputs. A known cut is found if one factor of the call's rule divides all its dims; it is missed with a warning if the dims that no factor
divides are named in the rule's warnings, and silently otherwise. --count: calls of a family (all reshapes, 2,000 convolutions, 500 transposed,
500 pools, 400 layers, 1,000 slices and gathers by default); --quick draws a few of each. --list: silent misses to print, --warned: of misses
with a warning. Exit 1 if anything is missed silently, or more than --most percent with a warning: a warning that names whatever is not cut
makes no difference to what is found.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import known_calls
import known_parts
import numpy
import onnx
from coverage import brackets
from known_cuts import OPSET, TYPES
from models import ROOT
from onnx import helper, numpy_helper

# Function, calls, calls of --quick.
FAMILIES = {
    "reshape": (known_calls.reshapes, None, 30),
    "conv": (known_calls.convs, 2000, 8),
    "conv transpose": (known_calls.transposed_convs, 500, 8),
    "pool": (known_calls.pools, 500, 8),
    "layer": (known_parts.layers, 400, 8),
    "slice": (known_parts.slices, 1000, 10),
    "gather": (known_parts.gathers, 1000, 30),
}
BATCH = 50  # calls of a model
SLOWEST = 5  # calls to print


def model_of(calls):
    nodes, given, made, constants = [], [], [], []
    for at, call in enumerate(calls):
        names = []
        for i, one in enumerate(call.inputs):
            name = "" if one is None else f"n{at}.in{i}"
            if isinstance(one, numpy.ndarray):
                constants.append(numpy_helper.from_array(one, name))
            elif one is not None:
                given.append(helper.make_tensor_value_info(name, TYPES[one[0]][1], one[1]))
            names.append(name)
        outs = [name and f"n{at}.{name}" for name in call.outputs]
        made += [helper.make_tensor_value_info(name, onnx.TensorProto.INT64 if "indices" in name else onnx.TensorProto.FLOAT, None) for name in outs if name]
        nodes.append(helper.make_node(call.op, names, outs, f"n{at}", **call.attributes))
    graph = helper.make_graph(nodes, "calls", given, made, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", max(OPSET, 22))], ir_version=10)


class Found:
    """What the rule of a node says: the factors of every place, and reasons of dims that are named as not cut."""

    def __init__(self, signature):
        self.rule, self.reason, self.seconds = signature["rule"], signature["reason"], signature["seconds"]
        self.letters = {}
        self.told = {("in" if "input" in one else "out", one.get("input", one.get("output")), one["dim"]): one["reason"] for one in signature["uncut"]}
        if not signature["factors"]:
            return
        left, right = re.match(r"\((.*?)\)->\((.*?)\)(?= |$)", signature["rule"]).groups()
        factors = {letter for factor in signature["factors"] for letter in factor.split("+")}
        tensors = [at for at, one in enumerate(signature["inputs"]) if one is not None and "value" not in one]
        for side, text, numbers in (("in", left, tensors), ("out", right, None)):
            for at, dims in enumerate(brackets(text)):
                for dim, token in enumerate(dims):
                    self.letters[side, numbers[at] if numbers else at, dim] = {name for name in re.findall(r"[a-z]\d*", token) if name in factors}

    def finds(self, places):
        if len(places) == 0:
            return True
        sets = [self.letters.get(place, set()) for place in places]
        return bool(set.intersection(*sets))

    def warning(self, known):
        """The reasons of all dims of the cut that nothing divides; None if one has none."""
        places = [place for place in sorted(set().union(*known.choices)) if not self.letters.get(place)]
        reasons = {self.told.get(place) for place in places}
        return None if not places or None in reasons else "; ".join(sorted(reasons))


def rules_of(binary, calls, folder, name):
    """Per call: its nodes' rules (a layer of two directions has several)."""
    path = os.path.join(folder, f"{name}.onnx")
    onnx.save(model_of(calls), path)
    done = subprocess.run([binary, "rules", path, "--json", "--threads", "1"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    document = json.loads(done.stdout)
    rules = collections.defaultdict(dict)
    for signature in document["signatures"]:
        for node in signature["names"]:
            match = re.match(r"n(\d+)(/.*)?$", node)
            if match:
                rules[int(match.group(1))][match.group(2) or ""] = Found(signature)
    return rules, document["kernel_runs"] if "kernel_runs" in document else document["executions"], document["seconds"]


def covered(known, rules):
    """Whether each part of a call has the cut."""
    if known.role == "direction" and len(rules) > 1:
        return True
    return all(any(rule.finds(choice) for choice in known.choices) for rule in rules.values())


class Report:
    def __init__(self):
        self.rows = collections.defaultdict(collections.Counter)
        self.silent, self.warned, self.gone, self.slow = [], [], 0, []

    def add(self, family, call, rules):
        if not rules:
            self.gone += 1
            return
        self.slow.append((max(rule.seconds for rule in rules.values()), call.text))
        for known in call.known:
            row = self.rows[family, known.role]
            row["known"] += 1
            if covered(known, rules):
                row["found"] += 1
                continue
            warnings = [rule.warning(known) for rule in rules.values()]
            rule = next(iter(rules.values()))
            line = (family, call.op, known.role, call.text, rule.rule, rule.reason or next((w for w in warnings if w), ""))
            if None in warnings:
                row["silent"] += 1
                self.silent.append(line)
            else:
                row["warned"] += 1
                self.warned.append(line)

    def print(self, silent, warned):
        print("| family | dim | known | found | missed with a warning | missed silently |\n|---|---|--:|--:|--:|--:|")
        for (family, role), row in self.rows.items():
            print(f"| {family} | {role} | {row['known']} | {row['found']} | {row['warned']} | {row['silent']} |")
        for (op, role, reason), count in collections.Counter((line[1], line[2], line[5]) for line in self.warned).most_common():
            print(f"warned: {count:5} {op}, {role}: {reason}")
        for seconds, text in sorted(self.slow, reverse=True)[:SLOWEST]:
            print(f"slow: {seconds:.1f} s: {text}")
        for title, lines, most in (("silent", self.silent, silent), ("warned", self.warned, warned)):
            for _, _, role, text, rule, reason in lines[:most]:
                print(f"{title}: {role} of {text}\n    {rule} {reason}")
        print(f"{sum(row['known'] for row in self.rows.values())} known, {len(self.warned)} missed with a warning, {len(self.silent)} silently; "
              f"{self.gone} calls removed as no operation")


def batches(calls, size):
    batch = []
    for call in calls:
        batch.append(call)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--count", type=int, help="calls of each family")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", type=int, default=20)
    parser.add_argument("--warned", type=int, default=0)
    parser.add_argument("--most", type=float, default=100, help="percent of known cuts that may be missed with a warning")
    parser.add_argument("--keep", help="folder of the models")
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for family in options.families.split(","):
            function, every, few = FAMILIES[family]
            count = options.count or (few if options.quick else every)
            runs = seconds = done = 0
            for number, calls in enumerate(batches(function(random.Random(f"{options.seed} {family}"), count), BATCH)):
                rules, more, took = rules_of(options.binary, calls, folder, f"{family.replace(' ', '_')}-{number}")
                runs, seconds, done = runs + more, seconds + took, done + len(calls)
                for at, call in enumerate(calls):
                    report.add(family, call, rules.get(at, {}))
            print(f"{family}: {done} calls, {runs} executions, {seconds:.1f} s", file=sys.stderr, flush=True)
    report.print(options.list, options.warned)
    known = sum(row["known"] for row in report.rows.values())
    sys.exit(1 if report.silent or 100 * len(report.warned) > options.most * known else 0)


if __name__ == "__main__":
    main()
