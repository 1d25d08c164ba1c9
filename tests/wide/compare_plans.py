#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans every model of a folder with two builds of metadist and prints predicted and, with --run, measured step times of both.

    tests/wide/compare_plans.py OLD NEW --cluster cpu:{ranks} [--meshes 4,2x2,2x2x2] [--run [--iterations N [--warm-up N]]] FOLDER [MODEL...]

{ranks} in the cluster's name is the number of devices of the mesh. A model is NAME.onnx; beside it NAME.inputs.npz gives the batch where it is
symbolic (else --batch). Models whose plans are the same are counted, and listed with --run; the others are listed. A plan is made and run by its
own build, measured is the mean of the quickest tenth of the steps, the least of --turns (3) runs, old and new in turn; --iterations is for models
whose step takes seconds: one step to warm up and N steps instead of 13 or more; with --warm-up 0, for minutes, none to warm up. Exit 1 if a model
cannot be planned or run.
"""

import argparse
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from predictions import binds, call  # noqa: E402


def planned(binary, path, flags, mesh, cluster, target):
    ranks = math.prod(int(size) for size in mesh.split("x"))
    document, error = call(binary, "plan", path, *flags, "--cluster", cluster.replace("{ranks}", str(ranks)), "--mesh", mesh, "--no-alternatives",
                           "--time-limit", "60s", "--force", "-o", target)
    return document, error


def measured(binaries, plans, options):
    """(seconds of each plan, the least of its runs in turn, or None; what the run that failed says)."""
    steps = ["--iterations", str(options.iterations)] if options.iterations else ["--bench"]
    if options.warm_up is not None:
        steps += ["--warm-up", str(options.warm_up)]
    best = [None, None]
    for _ in range(options.turns):
        for i, (binary, plan) in enumerate(zip(binaries, plans)):
            result, error = call(binary, "run", plan, *steps, "--no-check", "--random-weights")
            if result is None:
                return None, error
            seconds = result["seconds"]["quiet"]
            best[i] = seconds if best[i] is None else min(best[i], seconds)
    return best, ""


def essence(plan):
    """What the plan does, without times."""
    with open(plan, encoding="utf-8") as file:
        document = json.load(file)
    steps = [(r["value"], r["from"], r["to"], [s["op"] if "op" in s else s["kind"] for s in r["steps"]]) for r in document["redistributions"]]
    return document["values"], [n["inputs"] for n in document["nodes"]], steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cluster", default="cpu:{ranks}")
    parser.add_argument("--meshes", default="4,2x2,2x2x2")
    parser.add_argument("--batch", default="1")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--warm-up", type=int)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    paths = [os.path.join(options.folder, m + ".onnx") for m in options.models] or sorted(glob.glob(os.path.join(options.folder, "*.onnx")))
    failed, same, ratios = False, 0, {"predicted": [], "measured": []}
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            try:
                flags = binds(options.new, path)
            except FileNotFoundError:
                flags = ["--bind", "batch=" + options.batch]
            for mesh in options.meshes.split(","):
                plans = [os.path.join(folder, name) for name in ("old.json", "new.json")]
                both = [planned(b, path, flags, mesh, options.cluster, p) for b, p in zip((options.old, options.new), plans)]
                name = f"{os.path.basename(path)[:-5]:26} {mesh:6}"
                if any(document is None for document, _ in both):
                    failed = True
                    print(f"{name} {both[0][1] or both[1][1]}", flush=True)
                    continue
                alike = essence(plans[0]) == essence(plans[1])
                same += alike
                if alike and not options.run:
                    continue
                predicted = [json.load(open(plan, encoding="utf-8"))["step"]["seconds"] for plan in plans]
                ratios["predicted"].append(predicted[1] / predicted[0])
                line = f"{name} predicted {predicted[0] * 1e6:12.1f} -> {predicted[1] * 1e6:12.1f} us"
                if options.run:
                    seconds, error = measured((options.old, options.new), plans, options)
                    failed = failed or seconds is None
                    if seconds is None:
                        line += ", " + error
                    else:
                        ratios["measured"].append(seconds[1] / seconds[0])
                        line += f", measured {seconds[0] * 1e6:12.1f} -> {seconds[1] * 1e6:12.1f} us"
                print(line + (" (same plan)" if alike else ""), flush=True)
    print(f"{same} plans are the same")
    for kind, values in ratios.items():
        if values:
            mean = math.exp(sum(math.log(v) for v in values) / len(values))
            print(f"{len(values)} listed: {kind} new / old {mean:.3f} (geometric mean), {min(values):.3f} to {max(values):.3f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
