#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans a model, solves the problem that the plan saved, reads the choice back: the plan must be the same.

    saved_problems.py [--binary FILE] [--cluster cpu:4] [--mesh 4] [--shares 1,0.8] [--iopddl] FOLDER MODEL...

Once for each share of the free plan's peak as memory limit (1: no limit). Plans are the same if all of the file but the solver's report and the
table of alternatives is; where several choices cost the same they may differ, which is told, but not in cost. With --iopddl the problem is
solved by the contest's interface. Exit 1 if a cost differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import models  # noqa: E402


def plan_of(path):
    """What of a plan file the solver has decided."""
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    return plan["solver"]["cost"], {key: value for key, value in plan.items() if key not in ("solver", "alternatives")}


def solve(options, problem, choice):
    if not options.iopddl:
        status, answer, error = models.call(options.binary, "solve", problem, "-o", choice, "--force")
        return answer["status"] if answer else f"exit {status}", error
    done = subprocess.run(["iopddl", problem, "20"], executable=options.binary, capture_output=True, text=True, check=False)
    with open(choice, "w", encoding="utf-8") as file:
        file.write(done.stdout)
    return "iopddl", done.stderr


def round_trip(options, model, memory, folder):
    """(whether it holds, what happened, the free peak)."""
    names = [os.path.join(folder, name) for name in ("a.plan.json", "p.json.gz", "c.json", "b.plan.json")]
    first, problem, choice, second = names
    request = [model.path, *model.bind, "--cluster", options.cluster, "--mesh", options.mesh, "--no-alternatives", "--force", *memory]
    status, plan, error = models.call(options.binary, "plan", *request, "-o", first, "--save-problem", problem)
    if status == 4:
        return True, "no plan fits", 0
    if status:
        return False, error, 0
    solved, error = solve(options, problem, choice)
    status, _, refused = models.call(options.binary, "plan", *request, "-o", second, "--choice", choice)
    if status:
        return False, f"{solved} {error} {refused}", plan["peak_bytes"]
    (cost, body), (again, other) = plan_of(first), plan_of(second)
    same = "same plan" if body == other else "another plan"
    better = f" ({cost - again} better)" if again < cost else ""
    return again <= cost, f"{plan['status']} cost {cost}; {solved} {again}{better}: {same}", plan["peak_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(models.ROOT, "build/release/bin/metadist"))
    parser.add_argument("--cluster", default="cpu:4")
    parser.add_argument("--mesh", default="4")
    parser.add_argument("--shares", default="1,0.8")
    parser.add_argument("--iopddl", action="store_true")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    failed = 0
    for name in options.models:
        model = models.Model(options.binary, os.path.join(options.folder, name + ".onnx"))
        peak = None
        for share in map(float, options.shares.split(",")):
            memory = ["--memory", str(int(share * peak))] if peak and share < 1 else []
            with tempfile.TemporaryDirectory() as folder:
                good, text, used = round_trip(options, model, memory, folder)
            peak = peak or used
            failed += not good
            print(f"{name:12} {share:4.0%} {'' if good else 'FAILED '}{text}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
