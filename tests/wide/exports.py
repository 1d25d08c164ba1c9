#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the plans of the two ONNX exports of one network, and prints a table.

    tests/wide/exports.py [--binary FILE] [--meshes 2,4,2x2] [--cluster NAME] FOLDER [NETWORK...]

A network is NAME.onnx (dynamo exporter) beside NAME.legacy.onnx (the exporter on TorchScript). Both compute the same function, so
contractions (products, convolutions, attention) must take equal FLOPs, a step must cost within 10 %, and the plans should have the same
collectives: kind, count and bytes for each set of mesh axes. Exit 1 where FLOPs or costs differ; collectives that differ are listed
with what each plan costs when it is as cheap (a tie or nearly one: the cheaper choice is the solver's, of another graph).
"""

import argparse
import glob
import json
import os
import subprocess
import sys

from models import ROOT, Model, ranks

CONTRACTIONS = ("MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum", "Attention")


def document(binary, *arguments):
    done = subprocess.run([binary, *arguments, "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip().splitlines()[-1:]}


def contraction_flops(binary, model):
    by_operator = document(binary, "inspect", model.path, *model.bind).get("flops_by_operator", {})
    return sum(flops for name, flops in by_operator.items() if name in CONTRACTIONS)


def plan(binary, model, mesh, cluster):
    return document(
        binary, "plan", model.path, *model.bind, "--cluster", cluster or f"cpu:{ranks(mesh)}", "--mesh", mesh, "--no-alternatives"
    )


def text(collectives):
    return " ".join(f"{kind} {one['count']} ({one['bytes']} B)" for kind, one in collectives.items()) or "none"


def compare(binary, network, folder, meshes, cluster):
    """Yields (row, good)."""
    pair = [Model(binary, os.path.join(folder, network + end)) for end in (".onnx", ".legacy.onnx")]
    flops = [contraction_flops(binary, model) for model in pair]
    yield f"{network:14} {'':4} contractions {flops[0]} and {flops[1]} FLOPs", flops[0] == flops[1]
    for mesh in meshes:
        plans = [plan(binary, model, mesh, cluster) for model in pair]
        if any("error" in one for one in plans):
            yield f"{network:14} {mesh:4} FAILED {[one.get('error') for one in plans]}", False
            continue
        ratio = plans[1]["cost"] / plans[0]["cost"]
        row = f"{network:14} {mesh:4} cost {plans[0]['cost'] * 1e6:.1f} and {plans[1]['cost'] * 1e6:.1f} us ({100 * (ratio - 1):+.1f} %)"
        same = plans[0]["collectives_by_axis"] == plans[1]["collectives_by_axis"] and plans[0]["collectives"] == plans[1]["collectives"]
        row += "; same collectives: " + text(plans[0]["collectives"]) if same else (
            f"; collectives differ: {text(plans[0]['collectives'])} | {text(plans[1]['collectives'])}"
        )
        yield row, 1 / 1.1 <= ratio <= 1.1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--meshes", default="2,4,2x2")
    parser.add_argument("--cluster", help="instead of as many CPU ranks as the mesh has")
    parser.add_argument("folder")
    parser.add_argument("networks", nargs="*")
    options = parser.parse_args()
    ends = glob.glob(options.folder + "/*.legacy.onnx")
    networks = options.networks or sorted(os.path.basename(path)[: -len(".legacy.onnx")] for path in ends)
    bad = 0
    for network in networks:
        for row, good in compare(options.binary, network, options.folder, options.meshes.split(","), options.cluster):
            print(("  " if good else "! ") + row, flush=True)
            bad += not good
    print(f"{bad} differ in FLOPs or cost")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
