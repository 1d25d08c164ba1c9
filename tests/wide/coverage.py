#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows how many nodes of every model can be divided along its batch, its sequence, its heads and so on, and which cannot.

    tests/wide/coverage.py [--binary FILE] [--before FILE] [--dims] [--without N] [--least PERCENT] FOLDER [MODEL...]

A model is NAME.onnx (all of the folder by default). Dims have roles: where they come from, not their sizes, says which (dim_roles.py). A node
counts for a role if one of its inputs or outputs has a dim of it, and it is covered if a factor of its rule cuts such a dim. A cell is covered
/ all nodes; with --before, a second metadist's share stands first. Then come the calls that are not covered, the most frequent first. --dims
counts every dim of every input and output of a node instead: a product of queries and keys has two dims that are a sequence. The last column
counts the dims of which no role is known. Exit 1 if a model cannot be read or the share of a role is below --least.
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

from dim_roles import ROLES, Graph, Network, Roles, letters_of
from models import ROOT


def language(pattern, sequence, hidden, heads, vocabulary, batch=(8,), bind=None, inputs=()):
    merged = [b * s for b in batch for s in sequence]
    return Network(
        pattern,
        {"batch": batch, "heads": heads, "sequence": sequence, "vocabulary": vocabulary, "hidden": hidden,
         "batch*sequence": merged},
        bind, inputs,
    )


THREE = ["--bind", "batch=3"]
BIND_7 = ["--bind", "batch=7"]
NODES = (("x", ("node", "hidden")),)
# Sizes of hidden: also those of a head.
NETWORKS = [
    language(r"gpt2-xl$", [1024], [1600, 4800, 6400, 64], [25], [50257], [3], THREE),
    language(r"gpt-1.3b(-loss)?$", [1024, 1023], [2048, 6144, 8192, 64], [32], [51200], [3], THREE),
    language(r"gpt-2.6b(-loss)?$", [1024, 1023], [2560, 7680, 10240, 80], [32], [51200], [3], THREE),
    language(r"gpt3-175b$", [2048], [12288, 36864, 49152, 128], [96], [50257], [3], THREE),
    language(r"llama3-8b$", [4096], [4096, 14336, 1024, 128, 64], [32, 8], [128256], [3], THREE),
    language(r"llama3-70b$", [4096], [8192, 28672, 1024, 128, 64], [64, 8], [128256], [3], THREE),
    Network(r"moe-8x7b$", {"batch": [3], "vocabulary": [32000], "heads": [32, 8], "expert": [8], "sequence": [4096, 8192], "hidden": [4096, 14336, 1024, 128, 64]},
            THREE),
    language(r"bert-large$", [512], [1024, 4096, 64], [16], [30522], [3], THREE),
    Network(r"vit-huge$", {"batch": [5], "heads": [16], "sequence": [257, 256], "spatial": [224, 16], "channel": [3], "hidden": [1280, 5120, 80]},
            ["--bind", "batch=5"]),
    Network(r"wideresnet-1b(-train)?$", {"batch": [32], "channel": [3, 320, 640, 1280, 2560, 5120, 10240], "spatial": [224, 112, 56, 28, 14, 7],
                                         "vocabulary": [1024]}, ["--bind", "batch=32"]),
    Network(r"full/unet$", {"batch": [3], "channel": [4, 320, 640, 960, 1280, 1920, 2560, 5120, 10240, 768], "heads": [8], "spatial": [64, 32, 16, 8, 4096, 1024, 256],
                            "sequence": [77]}, THREE),
    Network(r"full/segmentation$", {"batch": [3, 1], "channel": [3, 64, 128, 256, 512, 1024], "spatial": [1024, 512, 256, 128, 64]}, THREE),
    Network(r"full/gat$", {"node": [169343], "edge": [1335586], "heads": [8], "hidden": [256, 128, 40, 32]}, None, NODES),
    language(r"(gpt2|gpt2-loss)(.legacy)?$", [24, 23], [64, 192, 256, 8], [8], [512]),
    language(r"llama(.legacy)?$", [24], [64, 192, 32, 8, 4], [8, 4], [512], [7], BIND_7),
    language(r"bert(.legacy)?$", [48], [64, 256, 8], [8], [512], [7], BIND_7),
    language(r"attention23$", [24], [64, 192, 32, 8], [8, 4], []),
    Network(r"vit(.legacy)?$", {"batch": [8], "heads": [8], "sequence": [17, 16], "spatial": [32, 4], "channel": [3], "hidden": [64, 256, 8]}),
    Network(r"models/moe$", {"batch": [4], "expert": [8], "sequence": [20, 40], "hidden": [24, 40]}),
    Network(r"models/loss$", {"batch": [4], "sequence": [10], "vocabulary": [96], "hidden": [24], "batch*sequence": [40]}),
    Network(r"models/unet$", {"channel": [4, 8, 16, 24, 32, 128], "heads": [4], "spatial": [16, 8, 64, 256], "sequence": [10]}),
    Network(r"models/gat$", {"node": [40], "edge": [440], "heads": [4], "hidden": [24, 32, 8]}, None, NODES),
    Network(r"moe(.legacy)?$", {"batch": [8], "expert": [8], "sequence": [24, 48], "hidden": [64, 128], "batch*sequence": [192]}),
    Network(r"resnet(-train)?(.legacy)?$", {"batch": [8], "channel": [3, 16, 32, 64], "spatial": [32, 16, 8]}),
    Network(r"convnext(.legacy)?$", {"batch": [8], "channel": [3, 16, 32, 64, 128, 256], "spatial": [64, 16, 8, 4]}),
    Network(r"mobilenet(.legacy)?$", {"batch": [8], "channel": [3, 16, 8, 24, 32, 48, 64, 96, 1280, 4], "spatial": [64, 32, 16, 8, 4]}),
    Network(r"unet(.legacy)?$", {"batch": [8], "channel": [4, 32, 64, 128, 96], "heads": [8], "spatial": [16, 8, 64, 256], "sequence": [24]}),
    Network(r"gat(.legacy)?$", {"node": [48], "heads": [8], "hidden": [64, 8]}, None, NODES),
    Network(r"gat-(edges|pyg)$", {"node": [48], "edge": [192], "heads": [8], "hidden": [64, 128, 8]}, None, NODES),
    Network(r"mlp(-loss)?(.legacy)?$", {"batch": [8], "hidden": [64, 256]}, ["--bind", "batch=8"]),
    Network(r"recurrence(.legacy)?$", {"batch": [8], "sequence": [8], "hidden": [64]}),
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
    """The graph as metadist prints it; small constants have no dims."""
    shapes, given, weights, nodes = {}, set(), set(), []
    for line in output(binary, "inspect", path, *bind, "--text").splitlines():
        match = NODE.match(line)
        head = match.group(1) if match else line
        for name, shape in VALUE.findall(head):
            shapes[name] = shape_of(shape)
            if line.startswith("  input"):
                given.add(name)
            if line.startswith(("  parameter", "  constant")):
                weights.add(name)
            if line.startswith("  constant") and math.prod(shapes[name]) <= 8:
                shapes[name] = []  # scales and bounds
        if match:
            inputs = [one.strip()[1:] if one.strip().startswith("%") else None for one in match.group(3).split(",")]
            nodes.append((match.group(4), inputs, [name for name, _ in VALUE.findall(head)]))
    return Graph(shapes, given, weights, nodes)


def brackets(text):
    """Tokens of every bracket of one side of a rule."""
    sides = []
    for inside in re.findall(r"\[([^\]]*)\]", text):
        sides.append(inside.split(",") if inside else [])
    return sides


class Rule:
    """tokens: of the dims of every input and output, None where an input holds sizes; cuts: of each the factors that cut it."""

    def __init__(self, signature):
        self.signature = signature
        self.tokens = self.cuts = None
        if not signature["factors"]:
            return
        left, right = re.match(r"\((.*?)\)->\((.*?)\)(?= |$)", signature["rule"]).groups()
        sides = iter(brackets(left))
        inputs = [None if self.holds_sizes(at) else next(sides, None) for at in range(len(signature["inputs"]))]
        self.tokens = inputs, brackets(right)
        # Of dims that are cut together, a+b, each is cut.
        factors = {letter for factor in signature["factors"] for letter in factor.split("+")}
        self.cuts = [[dims and [factors & set(letters_of(token)[0]) for token in dims] for dims in side] for side in self.tokens]

    def holds_sizes(self, at):
        one = self.signature["inputs"][at] if at < len(self.signature["inputs"]) else None
        return one is None or "value" in one


def rules_of(binary, path, bind):
    signatures = json.loads(output(binary, "rules", path, *bind, "--json"))["signatures"]
    return {name: rule for rule in map(Rule, signatures) for name in rule.signature["names"]}


def bind_of(binary, path, network):
    return network.bind if subprocess.run([binary, "inspect", path], capture_output=True, check=False).returncode == 2 else []


def roles_of(binary, path, bind, network):
    """(the graph, the rules of its nodes by name, the roles of its dims)."""
    graph, rules = graph_of(binary, path, bind), rules_of(binary, path, bind)
    return graph, rules, Roles(graph, network, {name: rule.tokens for name, rule in rules.items()})


def measure(graph, rules, roles, every_dim):
    """(covered and all nodes (or their dims) by role, uncovered calls by role)."""
    counts = {role: [0, 0] for role in ("any", *ROLES)}
    missing = collections.Counter()
    for name, *sides in graph.nodes:
        rule = rules[name]
        counts["any"][1] += 1
        counts["any"][0] += rule.cuts is not None
        has, covered = collections.Counter(), collections.Counter()
        for side, values in enumerate(sides):
            for at, value in enumerate(values):
                # Small constants of integers are sizes and places, not data.
                if value is None or (side == 0 and rule.holds_sizes(at)):
                    continue
                cuts = rule.cuts[side][at] if rule.cuts and at < len(rule.cuts[side]) else None
                for dim, size in enumerate(graph.shapes[value]):
                    of_dim = set(roles.of(value, dim)) if size > 1 else ()
                    has.update(of_dim)
                    if cuts and dim < len(cuts) and cuts[dim]:
                        covered.update(of_dim)
        for role, count in has.items():
            done, of = (covered[role], count) if every_dim else (min(covered[role], 1), 1)
            counts[role][0] += done
            counts[role][1] += of
            if done < of:
                missing[(role, rule.signature["op"], rule.signature["reason"] or rule.signature["rule"])] += 1
    return counts, missing


def nameless(graph, roles):
    """(dims of values without a role, all dims of values), of more than one element."""
    dims = [(value, dim) for value, shape in graph.shapes.items() if value not in graph.weights for dim, size in enumerate(shape) if size > 1]
    return sum(not roles.of(*one) for one in dims), len(dims)


def network_of(path):
    name = "/".join(path.split("/")[-2:])[: -len(".onnx")]
    for network in NETWORKS:
        if network.pattern.search(name) and (network.pattern.match(os.path.basename(name)) or "/" in network.pattern.pattern):
            return network
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
    parser.add_argument("--without", type=int, default=5, help="calls to list that are not covered, by role (default 5)")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    names = options.models or sorted(os.path.basename(path)[: -len(".onnx")] for path in glob.glob(folder + "/*.onnx"))
    print("| model | " + " | ".join(("any", *ROLES)) + " | no role |")
    print("|---|" + "---|" * (len(ROLES) + 2))
    missing, failed = collections.Counter(), 0
    for name in names:
        path = os.path.join(folder, name + ".onnx")
        network = network_of(path)
        if network is None:
            print(f"| {name} | of no known network |")
            failed += 1
            continue
        try:
            bind = bind_of(options.binary, path, network)
            graph, rules, roles = roles_of(options.binary, path, bind, network)
            counts, without = measure(graph, rules, roles, options.dims)
            before = measure(graph, rules_of(options.before, path, bind), roles, options.dims)[0] if options.before else None
        except RuntimeError as error:
            print(f"| {name} | {error} |", flush=True)
            failed += 1
            continue
        missing += without
        failed += any(counts[role][0] * 100 < options.least * counts[role][1] for role in ROLES)
        cells = [cell(before and before[role], counts[role]) for role in ("any", *ROLES)]
        open_dims, dims = nameless(graph, roles)
        print(f"| {name} | " + " | ".join(cells) + f" | {open_dims} of {dims} |", flush=True)
    for role in ROLES:
        rows = sorted(((count, *key) for key, count in missing.items() if key[0] == role), key=lambda row: (-row[0], row[1:]))
        if rows:
            print(f"\nnot along {role}: {sum(row[0] for row in rows)} nodes")
        for count, _, op, why in rows[: options.without]:
            print(f"  {count:5} {op}: {why}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
