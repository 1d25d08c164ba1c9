#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans full-size models whose weights are absent, and prints what that took.

    tests/wide/full_models.py [--binary FILE] [--bind batch=16] [--cluster 8xh100] [--larger 8x8xh100 --larger-models A,B] FOLDER [MODEL...]

One row a model: seconds of each phase by the wall clock, CPU seconds and peak memory of the process, what the solver proved. Exit 1
where a model is not planned, or planning it takes more than --most-seconds (CPU), --most-mib or leaves a gap above --most-gap.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

from models import ROOT

LARGER = "llama3-70b,moe-8x7b,gpt3-175b"


def run(*command):
    """(exit status, stdout, stderr, CPU seconds, peak bytes)."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        return process.returncode, out.read().decode(), err.read().decode(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def row(binary, path, bind, cluster, most):
    """(text, good?)"""
    with tempfile.TemporaryDirectory() as folder:
        status, out, err, cpu, peak = run(binary, "inspect", path, "--json")
        bound = ["--bind", bind] if status == 2 else []
        status, out, err, cpu, peak = run(
            binary, "plan", path, *bound, "--cluster", cluster, "--json", "-o", os.path.join(folder, "plan.json")
        )
        if status:
            return f"FAILED ({status}) " + next((line for line in err.splitlines() if "error" in line), ""), False
    plan = json.loads(out)
    phases = " ".join(f"{name} {seconds:.2f}" for name, seconds in plan["seconds"].items())
    above = [
        name
        for name, figure, limit in (("CPU", cpu, most.most_seconds), ("MiB", peak / 2**20, most.most_mib), ("gap", plan["gap"], most.most_gap))
        if figure > limit
    ]
    return (
        f"{cluster:9} {plan['status']} (gap {100 * plan['gap']:.3f} %), step {plan['step_seconds'] * 1e3:.2f} ms, bound {plan['bound'] * 1e3:.2f} ms "
        f"of {plan['bound_of']}; {plan['nodes']} nodes, mesh {plan['mesh']}; seconds: {phases}, CPU {cpu:.1f}; {peak / 2**20:.0f} MiB"
        + (f"; ABOVE: {', '.join(above)}" if above else "")
    ), not above


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--bind", default="batch=16", help="of models with sizes to be given")
    parser.add_argument("--cluster", default="8xh100")
    parser.add_argument("--larger", default="8x8xh100", help="cluster of --larger-models")
    parser.add_argument("--larger-models", default=LARGER)
    parser.add_argument("--most-seconds", type=float, default=60)
    parser.add_argument("--most-mib", type=float, default=2048)
    parser.add_argument("--most-gap", type=float, default=0.01)
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    names = options.models or sorted(os.path.basename(path)[:-5] for path in glob.glob(options.folder + "/*.onnx"))
    failed = 0
    for name in names:
        cluster = options.larger if name in options.larger_models.split(",") else options.cluster
        text, good = row(options.binary, os.path.join(options.folder, name + ".onnx"), options.bind, cluster, options)
        print(f"{name:18} {text}", flush=True)
        failed += not good
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
