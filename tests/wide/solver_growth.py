#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds and memory of `metadist solve` against the number of nodes, on generated problems of 10^3 to 10^5 nodes.

  solver_growth.py --binary build/release/bin/metadist --generator build/release/bin/solver_instances

Each row is a run in one thread, until the gap is one that problems of the kind reach at every size (GAPS, or --gap). Seconds are those
of the process (user CPU, reading included), the median of as many runs as take --at-least seconds; memory is its largest resident set.
The last row of a kind gives the exponents of the least-squares fit seconds ~ nodes^e over all sizes and seeds, and fails the script above
--most. Work units count what the solver does; seconds grow faster where the problem outgrows the caches."""
import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

GAPS = {"layers": 0.01, "grid": 0.12, "tree": 0.08}


def measure(command):
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {process.returncode}")
    return json.loads(text), usage.ru_utime, usage.ru_maxrss / 1024


def repeat(command, at_least):
    """An answer, the median of seconds and the largest memory; the answer is the same every time."""
    runs = [measure(command)]
    while sum(user for _, user, _ in runs) < at_least:
        runs.append(measure(command))
    return runs[0][0], statistics.median(user for _, user, _ in runs), max(megabytes for _, _, megabytes in runs)


def exponent(points):
    xs = [math.log(x) for x, _ in points]
    ys = [math.log(max(y, 1e-3)) for _, y in points]
    mean_x = sum(xs) / len(xs)
    mean_y = sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / spread


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--generator", required=True)
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--kinds", nargs="+", default=["layers", "grid", "tree"])
    parser.add_argument("--nodes", nargs="+", type=int, default=[1000, 3000, 10000, 30000, 100000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--gap", type=float)
    parser.add_argument("--time-limit", type=float, default=300)
    parser.add_argument("--at-least", type=float, default=0.5, metavar="SECONDS")
    parser.add_argument("--most", type=float, default=1.2)
    arguments = parser.parse_args()
    failed = False
    print("| kind | nodes | seed | reduced nodes | status | gap % | reduce s | CPU s | work M | MB |")
    print("|-|-:|-:|-:|-|-:|-:|-:|-:|-:|")
    for kind in arguments.kinds:
        seconds, work, memory = [], [], []
        for nodes, seed in itertools.product(arguments.nodes, range(1, arguments.seeds + 1)):
            with tempfile.NamedTemporaryFile(suffix=".json") as file:
                subprocess.run([arguments.generator, kind, str(nodes), str(seed)], stdout=file, check=True)
                answer, user, megabytes = repeat(
                    [arguments.binary, "solve", file.name, "--solver", arguments.solver, "--gap", str(arguments.gap or GAPS[kind]),
                     "--time-limit", str(arguments.time_limit), "--threads", "1", "--json"], arguments.at_least)
            gap = 100 * (answer["cost"] - answer["bound"]) / max(1, abs(answer["cost"]))
            print(f"| {kind} | {nodes} | {seed} | {answer['reduced']['nodes']} | {answer['status']} | {gap:.3f} "
                  f"| {answer['seconds']['reduce']:.3f} | {user:.3f} | {answer['work'] / 1e6:.1f} | {megabytes:.0f} |", flush=True)
            seconds.append((nodes, user))
            work.append((nodes, answer["work"]))
            memory.append((nodes, megabytes))
        exponents = exponent(seconds), exponent(work), exponent(memory)
        print(f"| {kind} | exponent | | | | | | {exponents[0]:.2f} | {exponents[1]:.2f} | {exponents[2]:.2f} |", flush=True)
        failed |= max(exponents) > arguments.most
    sys.exit(1 if failed else 0)


main()
