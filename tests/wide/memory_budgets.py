#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans models under budgets that are shares of their free peak, and finds the smallest budget that works.

    tests/wide/memory_budgets.py [--binary FILE] [--shares 1,0.8,0.6,0.4] [--small cpu:4 --small-mesh 4] [--full 8xh100 --full-mesh 8] FOLDER [MODEL...]

A model is NAME.onnx of the folder (all by default); it is full-size where its weights are absent. One row a model and budget: what was
proven, the predicted step beside the free one, CPU seconds of the process. The last row of a model is the budget that an impossible one
names, its proven lower bound, and the plan at that budget. Exit 1 where a budget is not kept, a bound lies above a cost or a peak, a smaller
budget has the cheaper plan by its bound, or the named budget does not work.
"""

import argparse
import glob
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import full_models  # noqa: E402
import models  # noqa: E402

LARGER = "llama3-70b,moe-8x7b,gpt3-175b"


class Planner:
    def __init__(self, options, name):
        path = os.path.join(options.folder, name + ".onnx")
        inputs = os.path.join(options.folder, name.split(".")[0] + ".inputs.npz")
        full = not os.path.exists(inputs)
        bind = []
        if full_models.run(options.binary, "inspect", path, "--json")[0] == 2:
            bind = ["--bind", options.bind if full else f"batch={models.first_dim(inputs)}"]
        cluster, mesh = (options.full, options.full_mesh) if full else (options.small, options.small_mesh)
        if name in options.larger_models.split(","):
            cluster, mesh = options.larger, options.larger_mesh
        self.command = [options.binary, "plan", path, *bind, "--cluster", cluster, "--mesh", mesh, "--no-alternatives", "--json"]
        self.command += ["--threads", "1"]

    def plan(self, *flags):
        """(exit status, document, CPU seconds, peak bytes of the process)"""
        status, out, err, cpu, peak = full_models.run(*self.command, *flags)
        return status, json.loads(out) if out.strip() else {"reason": err.strip()}, cpu, peak


def text(name, budget, share, status, plan, cpu, free):
    head = f"| {name} | {share} | {budget} | "
    if status:
        return head + f"{plan.get('status', f'exit {status}')} | | | | | | {cpu:.2f} |"
    slower = plan["step_seconds"] / free["step_seconds"]
    return (
        head + f"{plan['status']} | {100 * plan['gap']:.3f} % | {plan['peak_bytes']} | {slower:.3f} | {plan['bound_of']} | {plan['stopped_by']} | {cpu:.2f} |"
    )


def rows(options, name):
    """(lines, problems)"""
    planner = Planner(options, name)
    status, free, cpu, _ = planner.plan("--memory", "100TiB")
    if status:
        return [f"| {name} | free | FAILED ({status}) {free} |"], [name]
    lines, problems = [text(name, "", "free", status, free, cpu, free)], []

    def check(budget, plan):
        if plan["peak_bytes"] > budget:
            problems.append(f"{name}: {budget} bytes, but the plan takes {plan['peak_bytes']}")
        if plan["bound"] > plan["cost"] * (1 + 1e-9):
            problems.append(f"{name}: {budget} bytes: bound above cost")

    done = []
    status, refused, least_cpu, _ = planner.plan("--memory", "1000")
    least = refused.get("smallest_bytes", 0)
    for share in [float(one) for one in options.shares.split(",")]:
        budget = int(share * free["peak_bytes"])
        status, plan, cpu, _ = planner.plan("--memory", str(budget))
        lines.append(text(name, budget, f"{share:.0%}", status, plan, cpu, free))
        if status == 0:
            check(budget, plan)
            # A plan for less memory is a plan for this much too.
            done.append((plan["bound"], plan["cost"], budget))
        elif status != 4 or refused.get("bound_bytes", 0) <= budget and least <= budget:
            problems.append(f"{name}: {budget} bytes: exit {status}, although {least} bytes work")
    for bound, _, budget in done:
        for _, cost, smaller in done:
            if smaller <= budget and bound > cost * (1 + 1e-9):
                problems.append(f"{name}: bound at {budget} bytes above a plan for {smaller}")
    status, plan, cpu, _ = planner.plan("--memory", str(least))
    above = 100 * (least / max(1, refused.get("bound_bytes", 0)) - 1)
    lines.append(
        text(name, least, "least", status, plan, cpu, free) + f" found in {least_cpu:.2f} s, {above:.3f} % above the proven bound {refused.get('bound_bytes')} |"
    )
    if status:
        problems.append(f"{name}: the smallest budget {least} does not work: exit {status}")
    else:
        check(least, plan)
    return lines, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(models.ROOT, "build/release/bin/metadist"))
    parser.add_argument("--shares", default="1,0.8,0.6,0.4")
    parser.add_argument("--bind", default="batch=16", help="of full-size models with sizes to be given")
    parser.add_argument("--small", default="cpu:4", help="cluster of the small models")
    parser.add_argument("--small-mesh", default="4")
    parser.add_argument("--full", default="8xh100", help="cluster of the full-size models")
    parser.add_argument("--full-mesh", default="8")
    parser.add_argument("--larger", default="8x8xh100", help="cluster of --larger-models")
    parser.add_argument("--larger-mesh", default="8x8")
    parser.add_argument("--larger-models", default=LARGER)
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    names = options.models or sorted(os.path.basename(path)[:-5] for path in glob.glob(options.folder + "/*.onnx"))
    print("| model | share | budget | status | gap | peak | step / free | bound of | stopped by | CPU s | |")
    print("|" + "-|" * 11)
    problems = []
    for name in names:
        lines, found = rows(options, name)
        print("\n".join(lines), flush=True)
        problems += found
    for problem in problems:
        print("PROBLEM", problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
