#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that attention layers whose sizes coincide are divided as those whose sizes are all different.

    tests/wide/coincidences.py [--binary FILE] [--cluster 4xh100] [--layers 4] [--cases B,S,H,D ...]

A case has a batch of B, a sequence of S, H heads of D elements, in the sequence spelled as a number and as -1. Beside it stands the same network
with a sequence of S - 1. Of both, every dim with a role must be cut by a factor (coverage.py), and the plans must have the same collectives and
step times that differ by no more than work and bytes do: S and S * S grow by less than 3 / S. Prints a table; exit 1 if a case differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from coverage import measure, roles_of
from dim_roles import ROLES, Network
from models import ROOT

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

CASES = ("1,128,32,128", "8,64,8,64", "3,16,16,16", "12,48,12,4")
SLACK = 0.05  # of a step, that rounding of pieces and other ties may cost


def network(batch, sequence, heads, size, layers, spelled):
    """Attention with residual connections; weights are inputs, so that the file stays small."""
    hidden = heads * size
    made, nodes, constants = {}, [], []

    def given(name, shape):
        made[name] = helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        return name

    def constant(name, values):
        constants.append(helper.make_tensor(name, TensorProto.INT64, [len(values)], values))
        return name

    def node(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    split = constant("split", [batch, sequence if spelled else -1, heads, size])
    merge = constant("merge", [batch, sequence if spelled else -1, hidden])
    x = given("x", [batch, sequence, hidden])
    for layer in range(layers):
        parts = {}
        for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            name = f"{layer}.{part}"
            product = node("MatMul", [x, given(f"{name}.weight", [hidden, hidden])], f"{name}.product")
            parts[part] = node("Transpose", [node("Reshape", [product, split], f"{name}.heads")], name, perm=order)
        scores = node("Softmax", [node("MatMul", [parts["q"], parts["k"]], f"{layer}.scores")], f"{layer}.softmax", axis=-1)
        values = node("Transpose", [node("MatMul", [scores, parts["v"]], f"{layer}.values")], f"{layer}.rows", perm=[0, 2, 1, 3])
        merged = node("Reshape", [values, merge], f"{layer}.merged")
        x = node("Add", [x, node("MatMul", [merged, given(f"{layer}.o.weight", [hidden, hidden])], f"{layer}.o")], f"{layer}.out")
    output = helper.make_tensor_value_info(x, TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "attention", list(made.values()), [output], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def measured(options, case, spelled, folder):
    """(step seconds, collectives, dims that nothing cuts by role)."""
    batch, sequence, heads, size = case
    path = os.path.join(folder, f"attention-{batch}-{sequence}-{heads}-{size}.onnx")
    onnx.save(network(*case, options.layers, spelled), path)
    done = subprocess.run([options.binary, "plan", path, "--cluster", options.cluster, "--no-alternatives", "--json"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        sys.exit(f"{path}: {done.stderr}")
    plan = json.loads(done.stdout)
    sizes = {"batch": [batch], "sequence": [sequence], "heads": [heads], "hidden": [size, heads * size]}
    weights = ((r".*\.weight", ("hidden", "hidden")),)
    graph, rules, roles = roles_of(options.binary, path, [], Network("", sizes, inputs=weights))
    counts, _ = measure(graph, rules, roles, every_dim=True)
    uncut = {role: counts[role][1] - counts[role][0] for role in ROLES if counts[role][0] < counts[role][1]}
    collectives = {kind: one["count"] for kind, one in plan["collectives"].items()}
    return plan["step_seconds"], collectives, uncut


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--cluster", default="4xh100")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--cases", nargs="+", default=CASES, metavar="B,S,H,D")
    options = parser.parse_args()
    failed = 0
    print("| batch, sequence, heads, size | shape | step, S - 1 | step, S | collectives, S - 1 | S | dims not cut |\n|---|---|--:|--:|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in (tuple(map(int, text.split(","))) for text in options.cases):
            batch, sequence, heads, size = case
            for spelled in (True, False):
                before, moved_before, _ = measured(options, (batch, sequence - 1, heads, size), spelled, folder)
                step, moved, uncut = measured(options, case, spelled, folder)
                same = moved == moved_before and not uncut and step <= before * (1 + SLACK + 3 / sequence)
                failed += not same
                print(f"| {', '.join(map(str, case))} | {'spelled' if spelled else '-1'} | {before * 1e6:.1f} us | {step * 1e6:.1f} us | {moved_before or ''} | "
                      f"{moved or ''} | {uncut or ''} |{'' if same else ' differs'}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
