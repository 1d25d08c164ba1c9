#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans every model of a folder under a memory budget, runs the plan, and finds the smallest budget that works.

    tests/wide/memory.py [--binary FILE] [--share 0.6] [--cluster cpu:4] [--mesh 4] FOLDER MODEL...

For each model: the free plan's peak; a plan at a share of it, its cost and its measured peak; the budget that an impossible one names, its
proven lower bound, and the plan at that budget. Exit 1 if a budget is not kept, or the named one does not work.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import models  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(models.ROOT, "build/release/bin/metadist"))
    parser.add_argument("--share", type=float, default=0.6)
    parser.add_argument("--cluster", default="cpu:4")
    parser.add_argument("--mesh", default="4")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    passed = failed = 0
    for name in options.models:
        model = models.Model(options.binary, os.path.join(options.folder, name + ".onnx"))
        with tempfile.TemporaryDirectory() as folder:
            good, text = budgets(model, options, os.path.join(folder, "plan.json"))
        print(f"{name:14} {text}", flush=True)
        passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def budgets(model, options, file):
    """(whether all budgets were kept, what happened)."""
    plan = [model.path, *model.bind, "--cluster", options.cluster, "--mesh", options.mesh, "--no-alternatives", "--force", "-o", file]

    def planned(budget):
        return models.call(options.binary, "plan", *plan, "--memory", str(budget))

    status, free, error = models.call(options.binary, "plan", *plan)
    if status:
        return False, error
    limit = int(options.share * free["peak_bytes"])
    status, tight, error = planned(limit)
    text = f"free {free['peak_bytes']} B {free['step_seconds'] * 1e6:.1f} us; {options.share:.0%} = {limit} B: "
    good = True
    if status == 0:
        _, run, error = models.call(options.binary, "run", file)
        measured = run["peak_bytes"]["measured"] if run else 0
        good = tight["peak_bytes"] <= limit and bool(run) and abs(measured / tight["peak_bytes"] - 1) <= 0.05
        text += f"{tight['peak_bytes']} B, measured {measured} B, {tight['step_seconds'] * 1e6:.1f} us ({tight['status']}, gap {tight['gap']:.2%})"
    elif status == 4:
        text += "infeasible"
    else:
        return False, text + error
    done = subprocess.run([options.binary, "plan", *plan, "--memory", "1000"], capture_output=True, text=True, check=False)
    found = re.search(r"smallest budget found to work is (\d+) bytes, and less than (\d+) bytes", done.stderr)
    if done.returncode != 4 or not found:
        return False, f"{text}; 1000 B: exit {done.returncode} {done.stderr[:200]}"
    status, least, error = planned(found.group(1))
    kept = status == 0 and least["peak_bytes"] <= int(found.group(1))
    return good and kept, f"{text}; least {found.group(1)} B (proven bound {found.group(2)} B): {'works' if kept else 'FAILED ' + error}"


if __name__ == "__main__":
    main()
