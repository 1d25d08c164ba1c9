#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans full-size models at batch 1, where no batch can be divided, and prints what is divided instead and what that saves.

    tests/wide/full_width.py [--binary FILE] [--cluster 4xh100] [--bind batch=1] MODEL.onnx...

One row a model: the predicted step with all work repeated on every device, the step of the plan, its collectives; then how much of the
repeated step's compute lies in nodes that the plan divides along each role of a dim (dim_roles.py; a node may count for several, and for
none of them where no role is known). Exit 1 where a plan is not quicker than repeating, or divides less than --least of the FLOPs.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from coverage import network_of, roles_of
from dim_roles import ROLES
from models import ROOT, call


def plan_of(binary, path, bind, cluster, *flags):
    """(summary, plan), or None for both and the error."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "plan.json")
        status, summary, error = call(binary, "plan", path, *bind, "--cluster", cluster, "--no-alternatives", *flags, "-o", file)
        if status:
            return None, None, error
        with open(file, encoding="utf-8") as text:
            return summary, json.load(text), ""


def cut_dims(sharding):
    """By dim of a sharding's text, whether an axis cuts it."""
    return [bool(re.search(r"[a-z]", dim)) for dim in re.findall(r"\[([^\]]*)\]", sharding.split(" partial")[0])]


def divided_roles(plan, graph, roles, times):
    """Share of the time, by role of a dim, and the share that is divided at all."""
    names = {name: (inputs, outputs) for name, inputs, outputs in graph.nodes}
    seconds, total, divided = dict.fromkeys(ROLES, 0.0), 0.0, 0.0
    for node in plan["nodes"]:
        name = node["name"].split("/")[0]
        if name not in names or name not in times:
            continue
        time, inner = times.pop(name), node["name"] != name
        total += time
        along = set()
        for values, shardings in zip(names[name], (node["inputs"], node["outputs"])):
            for value, sharding in zip(values, shardings if not inner else []):
                if value is None or sharding is None:
                    continue
                along |= {role for dim, cut in enumerate(cut_dims(sharding)) if cut for role in roles.of(value, dim)}
        for role in along:
            seconds[role] += time
        divided += time * any(node["axes"].values())
    return {role: share / total for role, share in seconds.items() if share > 0.005 * total}, divided / total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--cluster", default="4xh100")
    parser.add_argument("--bind", default="batch=1", help="of models with sizes to be given")
    parser.add_argument("--least", type=float, default=0.5)
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    print("| model | repeated | plan | communication | FLOPs parallelised | collectives | compute divided along |\n|---|---|---|---|---|---|---|")
    failed = 0
    for path in options.models:
        path = os.path.abspath(path)
        name = os.path.basename(path)[: -len(".onnx")]
        bind = ["--bind", options.bind] if subprocess.run([options.binary, "inspect", path], capture_output=True, check=False).returncode == 2 else []
        # Repeating may need more memory than a device has; the step is predicted all the same.
        repeated, whole, error = plan_of(options.binary, path, bind, options.cluster, "--template", "replicate", "--memory", "10000GiB")
        summary, plan, other = plan_of(options.binary, path, bind, options.cluster)
        if repeated is None or summary is None:
            print(f"| {name} | {error or other} |", flush=True)
            failed += 1
            continue
        graph, _, roles = roles_of(options.binary, path, bind, network_of(path))
        shares, divided = divided_roles(plan, graph, roles, {node["name"]: node["cost"]["seconds"] for node in whole["nodes"]})
        moved = ", ".join(f"{one['count']} {kind} {one['bytes'] / 2**20:.3g} MiB" for kind, one in summary["collectives"].items())
        along = ", ".join(f"{role} {100 * share:.0f} %" for role, share in sorted(shares.items(), key=lambda one: -one[1]))
        print(f"| {name}, mesh {summary['mesh']} | {repeated['step_seconds'] * 1e3:.2f} ms | {summary['step_seconds'] * 1e3:.2f} ms | "
              f"{summary['communication_seconds'] * 1e3:.2f} ms | {100 * summary['divided_flops']:.1f} % | {moved} | {along}; any {100 * divided:.0f} % |", flush=True)
        failed += summary["step_seconds"] >= repeated["step_seconds"] or summary["divided_flops"] < options.least
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
