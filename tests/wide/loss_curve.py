#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a model under plans and on one device, and compares the losses of every step.

    tests/wide/loss_curve.py [--binary FILE] [--steps 50] [--ranks 4] [--mpi] MODEL [FLAGS OF plan...]

Plans: the solver's and that of the template zero3. Half of the steps are then taken under one of them, saved, and the rest under the other. Data
is seeded, the same at every step, so the loss falls. Every loss must lie within 1e-3 of that of one device. Prints a row for each curve; exit 1
if one is off.
"""

import argparse
import os
import sys
import tempfile

from models import ROOT, call

PROFILE = os.path.join(ROOT, "tests/wide/bytes.profile.json")
ALLOWED = 1e-3
PLANS = {"the solver": [], "zero3": ["--template", "zero3"]}


def losses(command):
    status, report, error = call(*command)
    if status:
        sys.exit(f"{' '.join(command)}: exit {status}: {error}")
    return next(iter(report["scalars"].values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--ranks", default="4")
    parser.add_argument("--mpi", action="store_true", help="on processes")
    parser.add_argument("model")
    options, flags = parser.parse_known_args()
    launcher = ["mpirun", "-n", options.ranks] if options.mpi else []
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "state.npz")
        steps = ["--iterations", "1", "--warm-up", "0", "--steps"]
        whole = losses([options.binary, "run", options.model, *flags, *steps, str(options.steps), "--save-state", state])
        curves, plans = {}, {}
        for name, template in PLANS.items():
            plans[name] = os.path.join(folder, f"{name}.json")
            status, _, error = call(options.binary, "plan", options.model, *flags, *template, "--cluster", f"{PROFILE}:{options.ranks}", "--mesh",
                                    options.ranks, "--no-alternatives", "-o", plans[name])  # fmt: skip
            if status:
                sys.exit(f"{name}: exit {status}: {error}")
            curves[name] = losses([*launcher, options.binary, "run", plans[name], *steps, str(options.steps)])
        half = options.steps // 2
        for first, second in (("the solver", "zero3"), ("zero3", "the solver")):
            begin = [*launcher, options.binary, "run", plans[first], *steps, str(half), "--save-state", state, "--force"]
            end = [*launcher, options.binary, "run", plans[second], *steps, str(options.steps - half), "--load-state", state]
            curves[f"{first}, then {second}"] = losses(begin) + losses(end)
    wrong = 0
    print("| curve | steps | first loss | last loss | largest distance |\n|---|---|---|---|---|")
    for name, curve in curves.items():
        off = max(abs(a - b) / abs(b) for a, b in zip(curve, whole, strict=True))
        wrong += off > ALLOWED
        print(f"| {name} | {len(curve)} | {curve[0]:.4f} | {curve[-1]:.4f} | {off:.1e} |")
    print(f"{len(curves)} curves, {wrong} off")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
