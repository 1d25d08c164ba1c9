#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forces a kind of sharding on small models by --constrain, runs every plan on thread ranks, and compares it with one rank.

    tests/wide/forced.py [--binary FILE] [--meshes 2,4,2x2] [--quick] [FOLDER]

cases.py names, for each kind (sequence, experts, spatial, nodes of a graph, vocabulary, ...), the values that are pinned and the nodes that
must then work divided on every axis that pins them, taking and making pinned values as they are pinned. A plan must run, equal one rank
and the stored outputs of the model; where a case says how many elements a node's exchanges reduce, the plan must count just those.
Planned for bytes.profile.json, a machine made up for this: what a rank receives costs far more than what it computes. Exit 1 if a case
fails. --quick: every case once, on the last mesh. FOLDER: the models (default: models/).
"""

import argparse
import fnmatch
import json
import os
import sys
import tempfile

from cases import CASES
from models import ROOT, Model, call, ranks

PROFILE = os.path.join(ROOT, "tests/wide/bytes.profile.json")


def layouts(case, mesh):
    """Ways to lay a case on a mesh: the axes that x and y stand for."""
    names = [chr(ord("a") + i) for i in range(len(mesh.split("x")))]
    yield names, []
    if len(names) > 1 and any("{y}" in sharding for sharding in case.pins.values()):
        yield names[1:], names[:1]


def owner(name):
    """A node that runs as its decomposition stands as NAME/INNER."""
    return name.split("/")[0]


def complaints(plan, case, axes, sizes):
    nodes = {}
    for node in plan["nodes"]:
        nodes.setdefault(owner(node["name"]), []).append(node)
    wanted = set()
    for pattern in case.divided:
        found = fnmatch.filter(nodes, pattern)
        wanted |= set(found)
        if not found:
            yield f"no node {pattern}"
    for name in sorted(wanted):
        # Of a decomposition: nodes on small values repeat their work.
        if not all(any(node["axes"][axis] for node in nodes[name]) for axis in axes):
            yield f"{name} is not divided"
    for move in plan["redistributions"]:
        pinned = any(fnmatch.fnmatchcase(move["value"], pattern) for pattern in case.pins)
        if pinned and owner(move["node"]) in wanted and any(step["op"] in ("AllGather", "AllToAll", "Slice") for step in move["steps"]):
            yield move["why"]
    n = 1
    for axis in axes:
        n *= sizes[axis]
    for name, elements in case.exchanged.items():
        received = sum(move["received_bytes"] for move in plan["redistributions"] if move["value"].startswith(name + "/"))
        expected = elements * 4 * 2 * (n - 1) / n * n / plan_ranks(sizes)
        if abs(received - expected) > 8 * len(plan["redistributions"]):
            yield f"the exchanges of {name} receive {received} B, expected {expected:.0f} B"


def plan_ranks(sizes):
    product = 1
    for size in sizes.values():
        product *= size
    return product


def run_case(binary, folder, case, mesh, x, y):
    """(text, good?)"""
    model = Model(binary, os.path.join(folder, case.model + ".onnx"))
    place = lambda sharding: sharding.replace("{x}", ",".join(x)).replace("{y}", ",".join(y))
    pins = [flag for value, sharding in case.pins.items() for flag in ("--constrain", f"{value}={place(sharding)}")]
    with tempfile.TemporaryDirectory() as work:
        file = os.path.join(work, "plan.json")
        status, summary, error = call(
            binary, "plan", model.path, *model.bind, "--cluster", f"{PROFILE}:{ranks(mesh)}", "--mesh", mesh, "--no-alternatives", *pins, "-o", file
        )
        if status:
            return f"plan FAILED {error}", False
        with open(file, encoding="utf-8") as text:
            plan = json.load(text)
        status, result, error = call(binary, "run", file, "--inputs", model.inputs, "--expect", model.outputs)
    if status:
        return f"run FAILED {error}", False
    moved = " ".join(f"{kind} {one['count']} ({one['bytes']} B)" for kind, one in summary["collectives"].items()) or "no collectives"
    text = f"{100 * summary['divided_flops']:.0f} % divided, error {result['check']['max_abs_error']:.1e}; {moved}"
    sizes = dict(zip((chr(ord("a") + i) for i in range(len(mesh))), map(int, mesh.split("x"))))
    wrong = list(complaints(plan, case, x, sizes))
    return text + "".join(f"\n      {one}" for one in wrong), not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--meshes", default="2,4,2x2")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("folder", nargs="?", default=os.path.join(ROOT, "models"))
    options = parser.parse_args()
    runs = failed = 0
    for case in CASES:
        laid = [(mesh, x, y) for mesh in options.meshes.split(",") for x, y in layouts(case, mesh)]
        for mesh, x, y in laid[-1 if options.quick else 0 :]:
            text, good = run_case(options.binary, options.folder, case, mesh, x, y)
            print(f"{'  ' if good else '! '}{case.kind:31} {case.model:6} {mesh:4} {','.join(x):4} {text}", flush=True)
            runs, failed = runs + 1, failed + (not good)
    print(f"{runs} plans, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
