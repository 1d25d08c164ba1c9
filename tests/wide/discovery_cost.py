#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what it costs to discover the rules of models, of one operator with more and more inputs or dims, and of one network with more layers.

    tests/wide/discovery_cost.py [--binary FILE] [--turns N] [--models FOLDER] [MODEL...]

A model is NAME.onnx of the folder (all of them by default) or a file. Signatures are those of the model's nodes; all of them are these and
the primitives of their decompositions. Executions and kernel runs are counted as `metadist rules --json` does. Milliseconds are CPU time on
one thread, the least of N turns: the whole command less the same command with the rules given. The generated cases follow: Concat of 2 to 7
inputs, addition of 1 to 8 dims, a transformer of 2, 8 and 24 layers (needs the Python package onnx; left out without it).
"""

import argparse
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile

from models import ROOT

BINDS = ([], ["--bind", "batch=8"], ["--bind", "batch=3"])
HEAD = f"{'model':24} {'signatures':>10} {'of all':>7} {'executions':>10} {'kernel runs':>11} {'ms':>9} {'ms each':>8} {'of all':>7}  slowest"


def run(*command):
    """(JSON document or None, CPU seconds)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (json.loads(done.stdout) if done.returncode == 0 else None), seconds


def row(binary, name, path, turns):
    """None where the model cannot be read."""
    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "rules.json")
        for bind in BINDS:
            command = [binary, "rules", path, *bind, "--threads", "1", "--json"]
            run(*command, "-o", rules)
            if os.path.exists(rules):
                break
        else:
            return None
        with open(rules, encoding="utf-8") as file:
            records = json.load(file)["records"]
        pairs = [(run(*command), run(*command, "--rules", rules)) for _ in range(turns)]
    document = pairs[0][0][0]
    found = min(one[1] for one, _ in pairs) - min(known[1] for _, known in pairs)
    signatures = document["signatures"]
    slowest = max(signatures, key=lambda one: one["seconds"])
    milliseconds = max(found, 0) * 1e3
    return (
        f"{name:24} {len(signatures):10} {len(records):7} {sum(one['executions'] for one in signatures):10} "
        f"{sum(one['kernel_runs'] for one in signatures):11} {milliseconds:9.1f} {milliseconds / max(len(signatures), 1):8.2f} "
        f"{milliseconds / max(len(records), 1):7.2f}  {slowest['op']} {slowest['seconds'] * 1e3:.1f} ms"
    )


def generated(folder):
    """Yields (name, path)."""
    import onnx
    from onnx import TensorProto, helper

    def save(name, nodes, inputs, outputs, weights=()):
        value = lambda one: helper.make_tensor_value_info(one[0], TensorProto.FLOAT, one[1])
        tensors = [helper.make_tensor(key, kind, shape, data) for key, kind, shape, data in weights]
        graph = helper.make_graph(nodes, name, [value(one) for one in inputs], [value(one) for one in outputs], tensors)
        path = os.path.join(folder, name + ".onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)
        return name, path

    for count in (2, 3, 5, 7):
        names = [f"x{i}" for i in range(count)]
        inputs = [(name, [8, 32 + 2 * i, 64]) for i, name in enumerate(names)]
        total = sum(shape[1] for _, shape in inputs)
        yield save(f"concat-of-{count}", [helper.make_node("Concat", names, ["y"], axis=1)], inputs, [("y", [8, total, 64])])
    for rank in range(1, 9):
        shape = [4, 6, 8, 10, 12, 14, 16, 18][:rank]
        yield save(f"add-of-{rank}-dims", [helper.make_node("Add", ["a", "b"], ["y"])], [("a", shape), ("b", shape)], [("y", shape)])
    for layers in (2, 8, 24):
        yield save(f"transformer-{layers}-layers", *transformer(helper, TensorProto, layers))


def transformer(helper, types, layers):
    """(nodes, inputs, outputs, weights): layer norm, attention, layer norm, two products."""
    batch, tokens, heads, width = 4, 24, 8, 64
    nodes, weights = [], []

    def make(op, inputs, name, count=1, **attributes):
        outputs = [name] if count == 1 else [f"{name}.{i}" for i in range(count)]
        nodes.append(helper.make_node(op, inputs, outputs, name, **attributes))
        return outputs[0] if count == 1 else outputs

    def weight(name, *shape):
        size = 1
        for one in shape:
            size *= one
        weights.append((name, types.FLOAT, shape, [0.01 * (i % 7) for i in range(size)]))
        return name

    def integers(name, values):
        weights.append((name, types.INT64, [len(values)], values))
        return name

    x = "x"
    for layer in range(layers):
        def at(name):
            return f"{layer}.{name}"

        norm = make("LayerNormalization", [x, weight(at("g1"), width), weight(at("b1"), width)], at("norm1"))
        qkv = make("MatMul", [norm, weight(at("wqkv"), width, 3 * width)], at("qkv"))
        parts = make("Split", [qkv, integers(at("sizes"), [width] * 3)], at("parts"), 3, axis=-1)
        split = integers(at("heads"), [batch, tokens, heads, width // heads])
        q, k, v = (
            make("Transpose", [make("Reshape", [part, split], at(f"h{i}"))], at(f"t{i}"), perm=[0, 2, 3, 1] if i == 1 else [0, 2, 1, 3])
            for i, part in enumerate(parts)
        )
        share = make("Softmax", [make("MatMul", [q, k], at("scores"))], at("share"), axis=-1)
        mixed = make("Transpose", [make("MatMul", [share, v], at("mixed"))], at("back"), perm=[0, 2, 1, 3])
        flat = make("Reshape", [mixed, integers(at("flat"), [batch, tokens, width])], at("joined"))
        x = make("Add", [x, make("MatMul", [flat, weight(at("wo"), width, width)], at("out"))], at("add1"))
        norm = make("LayerNormalization", [x, weight(at("g2"), width), weight(at("b2"), width)], at("norm2"))
        up = make("Add", [make("MatMul", [norm, weight(at("w1"), width, 4 * width)], at("up")), weight(at("c1"), 4 * width)], at("upb"))
        down = make("MatMul", [make("Gelu", [up], at("gelu")), weight(at("w2"), 4 * width, width)], at("down"))
        x = make("Add", [x, down], at("add2"))
    return nodes, [("x", [batch, tokens, width])], [(x, [batch, tokens, width])], weights


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--models", metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="MODEL")
    options = parser.parse_args()
    if options.models and not options.names:
        paths = sorted(glob.glob(options.models + "/*.onnx"))
    else:
        paths = [one if one.endswith(".onnx") else os.path.join(options.models or ".", one + ".onnx") for one in options.names]
    failed = False
    print(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        cases = [(os.path.basename(path)[: -len(".onnx")], path) for path in paths]
        try:
            cases += generated(folder)
        except ModuleNotFoundError:
            print("the Python package onnx is missing: no generated cases", file=sys.stderr)
        for name, path in cases:
            text = row(options.binary, name, path, options.turns)
            failed = failed or text is None
            print(text or f"{name:24} cannot be read", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
