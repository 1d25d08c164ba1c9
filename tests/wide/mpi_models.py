#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every model of a folder in processes under MPI, as planned by the solver and as drawn at random, and compares with one device.

    tests/wide/mpi_models.py [--binary FILE] [--ranks 2,4] [--seeds 10] [--processes 4] [FOLDER [MODEL...]]

A model is NAME.onnx beside NAME.inputs.npz and NAME.outputs.npz (all of the folder by default; FOLDER: models/, or what METADIST_MODELS says). Random
plans of four ranks are of a mesh of one axis and of two, in turn. Each run must equal one device and the stored outputs, and print one report. Prints
a row for each model; exit 1 if a run fails, 77 where MPI is absent.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "faults"))

import mpi_launch  # noqa: E402
from models import ROOT, Model, call  # noqa: E402

PROFILE = os.path.join(ROOT, "tests/wide/bytes.profile.json")
SECONDS = 600  # only to end what hangs


def meshes(ranks, seed):
    """The mesh of a plan: that of the solver is the solver's choice."""
    if seed is None:
        return "auto"
    return "2x2" if ranks == 4 and seed % 2 else str(ranks)


class Run:
    """One plan of a model on so many processes. seed: of a random plan; None: the solver's."""

    def __init__(self, model, ranks, seed):
        self.model, self.ranks, self.seed = model, ranks, seed

    def error(self, folder):
        """What is wrong, or ""."""
        model = self.model
        plan = os.path.join(folder, f"{model.name}.{self.ranks}.{self.seed}.json")
        drawn = [] if self.seed is None else ["--solver", "random", "--seed", str(self.seed)]
        status, _, error = call(model.binary, "plan", model.path, *model.bind, "--cluster", f"{PROFILE}:{self.ranks}", "--mesh",
                                meshes(self.ranks, self.seed), *drawn, "--no-alternatives", "-o", plan)  # fmt: skip
        if status != 0:
            return f"plan: exit {status}: {error}"
        words = [model.binary, "run", plan, "--inputs", model.inputs, "--expect", model.outputs, "--iterations", "1", "--json"]
        try:
            done = subprocess.run(mpi_launch.command(self.ranks, *words), capture_output=True, text=True, check=False, timeout=SECONDS,
                                  env={**os.environ, **mpi_launch.VARIABLES})  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"no end after {SECONDS} s"
        finally:
            os.remove(plan)
        if done.returncode != 0:
            return f"exit {done.returncode}: " + next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr[-300:])
        try:
            report = json.loads(done.stdout)
        except json.JSONDecodeError:
            return f"no report: {done.stdout[:200]}"
        wanted = {"backend": "mpi", "ranks": self.ranks}
        found = {key: report[key] for key in wanted}
        if found != wanted or not report["check"]["passed"]:
            return f"{found}, {report['check']}"
        return ""

    def name(self):
        return f"{self.model.name} on {self.ranks}, " + ("the solver's plan" if self.seed is None else f"seed {self.seed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--processes", type=int, default=4, help="at a time, of one run or several (default 4)")
    parser.add_argument("folder", nargs="?", default=os.environ.get("METADIST_MODELS", os.path.join(ROOT, "models")))
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    absence = mpi_launch.absence(options.binary)
    if absence:
        print(f"skipped: {absence}")
        return 77
    paths = [os.path.join(options.folder, f"{name}.onnx") for name in options.models] or sorted(glob.glob(os.path.join(options.folder, "*.onnx")))
    counts = [int(count) for count in options.ranks.split(",")]
    start, passed, failed = time.monotonic(), 0, 0
    print(f"| model | {' | '.join(f'{count} processes' for count in counts)} | seconds |\n|---|{'---|' * len(counts)}---|")
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            began = time.monotonic()
            model = Model(options.binary, path)
            runs, errors, columns = [], [], []
            for count in counts:
                own = [Run(model, count, seed) for seed in (None, *range(options.seeds))]
                with ThreadPoolExecutor(max(1, options.processes // count)) as pool:
                    found = list(pool.map(lambda run: run.error(folder), own))
                columns.append(f"{found.count('')} of {len(found)}")
                runs, errors = runs + own, errors + found
            print(f"| {model.name} | {' | '.join(columns)} | {time.monotonic() - began:.0f} |", flush=True)
            for run, error in zip(runs, errors):
                passed, failed = passed + (not error), failed + bool(error)
                if error:
                    print(f"  FAILED: {run.name()}: {error}", flush=True)
    print(f"{len(paths)} models, {passed} passed, {failed} failed, {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
