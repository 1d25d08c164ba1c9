#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows how many nodes of every model can be divided along its batch, its sequence, its heads and so on, and which cannot.

    tests/wide/coverage.py [--binary FILE] [--before FILE] [--dims] [--without N] [--least PERCENT] FOLDER [MODEL...]

A model is NAME.onnx (all of the folder by default); FAMILIES says which sizes of a network are which kind of dim. A node counts for a kind
if one of its inputs or outputs has a dim of that kind, and it is covered if a factor of its rule cuts such a dim. A cell is covered / all
nodes; with --before, a second metadist's share stands first. Then come the calls that are not covered, the most frequent first. --dims
counts every dim of every input and output of a node instead: a product of queries and keys has two dims that are a sequence. Exit 1 if a
model cannot be read or the share of a kind is below --least.
"""

import argparse
import collections
import glob
import json
import math
import os
import re
import subprocess
import sys

from models import ROOT

KINDS = ("batch", "sequence", "hidden", "heads", "vocabulary", "spatial", "expert", "channel", "node", "edge")
ONCE = ("batch", "heads", "expert", "channel", "vocabulary")  # at most one dim of a value


class Family:
    """Sizes of the networks of one name, in the order in which they are tried for the dims of a value.

    needs: a kind fits only beside a dim of one of these sizes. bind: of sizes that the file leaves open.
    """

    def __init__(self, pattern, sizes, needs=None, bind=None):
        self.pattern, self.sizes, self.needs, self.bind = re.compile(pattern), sizes, needs or {}, bind or []

    def kinds(self, shape, weight):
        """The kinds of every dim of a value: none, one, or two where dims are merged."""
        found, used = [], set()
        for at, size in enumerate(shape):
            others = set(shape[:at] + shape[at + 1 :])
            fitting = [kind.split("*") for kind, sizes in self.sizes.items() if size in sizes and size != 1]
            fitting = [parts for parts in fitting if self.fits(parts, weight, others, used)]
            # Of two kinds of one size the one that the value lacks, but queries and keys beside heads are both a sequence.
            fresh = [parts for parts in fitting if not used & set(parts)] if "heads" not in used else []
            kinds = set((fresh or fitting or [[]])[0])
            used |= kinds
            found.append(kinds)
        return found

    def fits(self, parts, weight, others, used):
        if weight and parts[0] in ("batch", "heads", "node", "edge", "spatial"):
            return False
        kind = "*".join(parts)
        return not any(part in ONCE and part in used for part in parts) and (kind not in self.needs or bool(others & self.needs[kind]))


def language(pattern, sequence, hidden, heads, vocabulary, batch=(8,), bind=None):
    merged = [b * s for b in batch for s in sequence]
    return Family(
        pattern,
        {"batch": batch, "heads": heads, "sequence": sequence, "vocabulary": vocabulary, "hidden": hidden,
         "batch*sequence": merged},
        {"heads": set(sequence)} | ({"sequence": {*batch, 1}} if set(sequence) & set(hidden) else {}),
        bind,
    )


THREE = ["--bind", "batch=3"]
BIND_7 = ["--bind", "batch=7"]
FAMILIES = [
    language(r"gpt2-xl$", [1024], [1600, 4800, 6400], [25], [50257], [3], THREE),
    language(r"gpt-1.3b(-loss)?$", [1024, 1023], [2048, 6144, 8192], [32], [51200], [3], THREE),
    language(r"gpt-2.6b(-loss)?$", [1024, 1023], [2560, 7680, 10240], [32], [51200], [3], THREE),
    language(r"gpt3-175b$", [2048], [12288, 36864, 49152], [96], [50257], [3], THREE),
    language(r"llama3-8b$", [4096], [4096, 14336, 1024], [32, 8], [128256], [3], THREE),
    language(r"llama3-70b$", [4096], [8192, 28672, 1024], [64, 8], [128256], [3], THREE),
    Family(r"moe-8x7b$", {"batch": [3], "vocabulary": [32000], "heads": [32, 8], "expert": [8], "sequence": [4096, 8192], "hidden": [4096, 14336, 1024]},
           {"heads": {128, 64}, "sequence": {3, 1}}, THREE),
    language(r"bert-large$", [512], [1024, 4096], [16], [30522], [3], THREE),
    Family(r"vit-huge$", {"batch": [5], "heads": [16], "sequence": [257, 256], "spatial": [224, 16], "channel": [3], "hidden": [1280, 5120]},
           {"heads": {257}}, ["--bind", "batch=5"]),
    Family(r"wideresnet-1b(-train)?$", {"batch": [32], "channel": [3, 320, 640, 1280, 2560, 5120, 10240], "spatial": [224, 112, 56, 28, 14, 7],
                                        "vocabulary": [1024]}, None, ["--bind", "batch=32"]),
    Family(r"full/unet$", {"batch": [3], "channel": [4, 320, 640, 960, 1280, 1920, 2560, 5120, 10240, 768], "heads": [8], "spatial": [64, 32, 16, 8, 4096, 1024, 256],
                           "sequence": [77]}, {"heads": {40, 80, 160, 77, 4096, 1024}}, THREE),
    Family(r"full/segmentation$", {"batch": [3, 1], "channel": [3, 64, 128, 256, 512, 1024], "spatial": [1024, 512, 256, 128, 64]}, None, THREE),
    Family(r"full/gat$", {"node": [169343], "edge": [1335586], "heads": [8], "hidden": [256, 128, 40]}),
    language(r"(gpt2|gpt2-loss)(.legacy)?$", [24, 23], [64, 192, 256], [8], [512]),
    language(r"llama(.legacy)?$", [24], [64, 192, 32], [8, 4], [512], [7], BIND_7),
    language(r"bert(.legacy)?$", [48], [64, 256], [8], [512], [7], BIND_7),
    language(r"attention23$", [24], [64, 192, 32], [8, 4], []),
    Family(r"vit(.legacy)?$", {"batch": [8], "heads": [8], "sequence": [17, 16], "spatial": [32, 4], "channel": [3], "hidden": [64, 256]}, {"heads": {17}}),
    Family(r"models/moe$", {"batch": [4], "expert": [8], "sequence": [20, 40], "hidden": [24, 40]}),
    Family(r"models/loss$", {"batch": [4], "sequence": [10], "vocabulary": [96], "hidden": [24], "batch*sequence": [40]}),
    Family(r"models/unet$", {"channel": [4, 8, 16, 24, 32, 128], "heads": [4], "spatial": [16, 8, 64, 256], "sequence": [10]}, {"heads": {64, 10}}),
    Family(r"models/gat$", {"node": [40], "edge": [440], "heads": [4], "hidden": [24, 32]}),
    Family(r"moe(.legacy)?$", {"batch": [8], "expert": [8], "sequence": [24, 48], "hidden": [64, 128], "batch*sequence": [192]}),
    Family(r"resnet(-train)?(.legacy)?$", {"batch": [8], "channel": [3, 16, 32, 64], "spatial": [32, 16, 8]}),
    Family(r"convnext(.legacy)?$", {"batch": [8], "channel": [3, 16, 32, 64, 128, 256], "spatial": [64, 16, 8, 4]}),
    Family(r"mobilenet(.legacy)?$", {"batch": [8], "channel": [3, 16, 8, 24, 32, 48, 64, 96, 1280, 4], "spatial": [64, 32, 16, 8, 4]}),
    Family(r"unet(.legacy)?$", {"batch": [8], "channel": [4, 32, 64, 128, 96], "heads": [8], "spatial": [16, 8, 64, 256], "sequence": [24]}, {"heads": {64, 24}}),
    Family(r"gat(.legacy)?$", {"node": [48], "heads": [8], "hidden": [64]}),
    Family(r"gat-(edges|pyg)$", {"node": [48], "edge": [192], "heads": [8], "hidden": [64, 128]}),
    Family(r"mlp(-loss)?(.legacy)?$", {"batch": [8], "hidden": [64, 256]}, None, ["--bind", "batch=8"]),
    Family(r"recurrence(.legacy)?$", {"batch": [8], "sequence": [8], "hidden": [64]}),
]


def output(binary, *arguments):
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [str(done.returncode)])[0])
    return done.stdout


VALUE = re.compile(r"%(\S+): \w+\[([0-9,?]*)\]")
NODE = re.compile(r"^  (%.*) = (\S+?)\((.*?)\)(?: .*)? @(.*)$")


def shape_of(text):
    return [int(size) if size.isdigit() else -1 for size in text.split(",")] if text else []


def graph_of(binary, path, bind):
    """(shape by value, weights, nodes as (name, inputs, outputs))."""
    shapes, weights, nodes = {}, set(), []
    for line in output(binary, "inspect", path, *bind, "--text").splitlines():
        match = NODE.match(line)
        head = match.group(1) if match else line
        for name, shape in VALUE.findall(head):
            shapes[name] = shape_of(shape)
            if line.startswith(("  parameter", "  constant")):
                weights.add(name)
            if line.startswith("  constant") and math.prod(shapes[name]) <= 8:
                shapes[name] = []  # scales and bounds
        if match:
            inputs = [one.strip()[1:] if one.strip().startswith("%") else None for one in match.group(3).split(",")]
            nodes.append((match.group(4), inputs, [name for name, _ in VALUE.findall(head)]))
    return shapes, weights, nodes


def brackets(text):
    """Tokens of every bracket of one side of a rule."""
    sides = []
    for inside in re.findall(r"\[([^\]]*)\]", text):
        sides.append(inside.split(",") if inside else [])
    return sides


def rule_dims(signature):
    """(cut factors of every dim by input, likewise by output), or None without a rule. Inputs whose values are sizes have no dims."""
    if not signature["factors"]:
        return None
    left, right = re.match(r"\((.*?)\)->\((.*?)\)(?= |$)", signature["rule"]).groups()
    # Of dims that are cut together, a+b, each is cut.
    factors = {letter for factor in signature["factors"] for letter in factor.split("+")}

    def cut(token):
        return {name for name in re.findall(r"[a-z]\d*", token) if name in factors}

    sides = iter(brackets(left))
    inputs = [None if one is None or "value" in one else next(sides, None) for one in signature["inputs"]]
    inputs = [None if dims is None else [cut(token) for token in dims] for dims in inputs]
    return inputs, [[cut(token) for token in dims] for dims in brackets(right)]


def measure(binary, path, family, every_dim):
    """(covered and all nodes (or their dims) by kind, uncovered calls by kind)."""
    bind = family.bind if subprocess.run([binary, "inspect", path], capture_output=True, check=False).returncode == 2 else []
    shapes, weights, nodes = graph_of(binary, path, bind)
    rules = {}
    for signature in json.loads(output(binary, "rules", path, *bind, "--json"))["signatures"]:
        for name in signature["names"]:
            rules[name] = (signature, rule_dims(signature))
    counts = {kind: [0, 0] for kind in ("any", *KINDS)}
    missing = collections.Counter()
    for name, inputs, outputs in nodes:
        signature, dims = rules[name]
        counts["any"][1] += 1
        counts["any"][0] += dims is not None
        has, covered = collections.Counter(), collections.Counter()
        for side, values in enumerate((inputs, outputs)):
            for at, value in enumerate(values):
                # Small constants of integers are sizes and places, not data.
                if value is None or (side == 0 and "value" in (signature["inputs"][at] or {})):
                    continue
                kinds = family.kinds(shapes[value], value in weights)
                cuts = dims[side][at] if dims and at < len(dims[side]) else None
                for dim, of_dim in enumerate(kinds):
                    has.update(of_dim)
                    if cuts and dim < len(cuts) and cuts[dim]:
                        covered.update(of_dim)
        for kind, count in has.items():
            done, of = (covered[kind], count) if every_dim else (min(covered[kind], 1), 1)
            counts[kind][0] += done
            counts[kind][1] += of
            if done < of:
                missing[(kind, signature["op"], signature["reason"] or signature["rule"])] += 1
    return counts, missing


def family_of(path):
    name = "/".join(path.split("/")[-2:])[: -len(".onnx")]
    for family in FAMILIES:
        if family.pattern.search(name) and (family.pattern.match(os.path.basename(name)) or "/" in family.pattern.pattern):
            return family
    return None


def share(pair):
    return f"{100 * pair[0] / pair[1]:.0f}" if pair[1] else ""


def cell(before, after):
    if not after[1]:
        return ""
    first = f"{share(before)} → " if before else ""
    return f"{first}{share(after)} % of {after[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--before", help="another metadist")
    parser.add_argument("--dims", action="store_true")
    parser.add_argument("--without", type=int, default=5, help="calls to list that are not covered, by kind (default 5)")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    names = options.models or sorted(os.path.basename(path)[: -len(".onnx")] for path in glob.glob(folder + "/*.onnx"))
    print("| model | " + " | ".join(("any", *KINDS)) + " |")
    print("|---|" + "---|" * (len(KINDS) + 1))
    missing, failed = collections.Counter(), 0
    for name in names:
        path = os.path.join(folder, name + ".onnx")
        family = family_of(path)
        if family is None:
            print(f"| {name} | no family |")
            failed += 1
            continue
        try:
            counts, without = measure(options.binary, path, family, options.dims)
            before = measure(options.before, path, family, options.dims)[0] if options.before else None
        except RuntimeError as error:
            print(f"| {name} | {error} |", flush=True)
            failed += 1
            continue
        missing += without
        failed += any(counts[kind][0] * 100 < options.least * counts[kind][1] for kind in KINDS)
        print(f"| {name} | " + " | ".join(cell(before and before[kind], counts[kind]) for kind in ("any", *KINDS)) + " |", flush=True)
    for kind in KINDS:
        rows = sorted(((count, *key) for key, count in missing.items() if key[0] == kind), key=lambda row: (-row[0], row[1:]))
        if rows:
            print(f"\nnot along {kind}: {sum(row[0] for row in rows)} nodes")
        for count, _, op, why in rows[: options.without]:
            print(f"  {count:5} {op}: {why}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
