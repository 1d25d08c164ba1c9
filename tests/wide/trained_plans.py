#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains every model of a folder on one rank and under plans, and compares with three AdamW steps of PyTorch.

    tests/wide/trained_plans.py [--binary FILE] [--ranks 1,2,4,2x2] [--seeds 3] [--templates] [--mpi] [--micro-batches N] [--overlap]
                                 [--by-name] [FOLDER [MODEL...]]

A model is NAME.onnx beside NAME.inputs.npz and NAME.adamw.npz, which holds the trained `names`, `losses` before each step, `grad/NAME` of the
first step and `after/NAME` the third; NAME.grads.npz may hold gradients of the first step once more, by name (all of the folder by default; FOLDER:
models/, or what METADIST_MODELS says). Losses, gradients (ten times the first moments of the first step) and parameters must be those, but for 1e-3
of the largest entry of each array (where all entries are below 1e-7, they are roundings of zeros). Plans are the solver's, with and without
recomputation, with --templates that of every template, and as many random ones as --seeds says; with --mpi the first two kinds run on processes too. With --micro-batches every step takes the same batch N times. With --overlap, plans
are for GPUs, whose collectives overlap nodes, and ranks that are threads have two streams. --by-name trains what the reference trained (--trainable),
not the default choice. Prints a row for each model; exit 1 if anything differs.
"""

import argparse
import glob
import os
import sys
import tempfile
import time

import numpy as np
import onnx

from models import ROOT, Model, call

PROFILE = os.path.join(ROOT, "tests/wide/bytes.profile.json")
ADAMW = ["--train", "adamw", "--lr", "0.01", "--eps", "1e-3", "--weight-decay", "0.01"]
STEPS = 3
KEPT = 0.1  # of a gradient in the first moment: 1 - beta1
ALLOWED = 1e-3  # of the largest entry of an array
ROUNDINGS = 1e-7  # entries of a gradient that is zero everywhere
TEMPLATES = ["replicate", "dp", "zero1", "zero2", "zero3", "megatron", "megatron+sp"]
PRODUCTS = ["a:dp,b:megatron", "a:zero1,b:megatron+sp", "a:zero3,b:megatron", "a:zero3,b:megatron+sp"]  # of a mesh with two axes


class Trained(Model):
    def __init__(self, path, options):
        super().__init__(options.binary, path)
        self.batches = ["--micro-batches", str(options.micro_batches)]
        self.overlap = options.overlap
        self.data = np.load(self.inputs.replace(".inputs.npz", ".adamw.npz"))
        self.names = [str(name) for name in self.data["names"]]
        gradients = self.inputs.replace(".inputs.npz", ".grads.npz")
        self.gradients = np.load(gradients) if os.path.exists(gradients) else {}
        graph = onnx.load(path, load_external_data=False).graph
        self.output = graph.output[0].name
        self.loss = ["--loss", self.output]
        self.trainable = [flag for name in self.names for flag in ("--trainable", name)] if options.by_name else []
        if "target" in self.data.files:
            self.loss = ["--loss", f"mse:{self.output},target"]

    def write(self, folder):
        """The inputs of a step."""
        inputs = dict(np.load(self.inputs))
        if "target" in self.data.files:
            inputs["target"] = self.data["target"]
        np.savez(os.path.join(folder, "inputs.npz"), **inputs)

    def plan(self, mesh, how, folder):
        """The arguments of `run` for a plan, and what is wrong."""
        job = [self.path, *self.bind, *ADAMW, *self.loss, *self.batches, *self.trainable]
        count = str(np.prod([int(size) for size in mesh.split("x")]))
        if count == "1":
            return job, ""
        plan = os.path.join(folder, "plan.json")
        cluster = [f"{count}xh100", "--overlap"] if self.overlap else [f"{PROFILE}:{count}"]
        status, _, error = call(self.binary, "plan", *job, "--cluster", *cluster, "--mesh", mesh, *how, "--no-alternatives", "--force",
                                "-o", plan)  # fmt: skip
        return [plan], f"plan: exit {status}: {error}" if status else ""

    def error(self, job, folder, launcher=()):
        """What is wrong with the steps of a job, or ""."""
        state = os.path.join(folder, "state.npz")
        for steps in (1, STEPS):
            command = [*launcher, self.binary, "run", *job, "--inputs", os.path.join(folder, "inputs.npz"), "--steps", str(steps), "--iterations",
                       "1", "--warm-up", "0", "--save-state", state, "--force"]  # fmt: skip
            if self.overlap and not launcher:
                command += ["--streams", "2"]
            status, report, error = call(*command)
            if status:
                return f"{steps} steps: exit {status}: {error}"
            made = np.load(state)
            wrong = [far(f"loss of step {s + 1}", loss, self.data["losses"][s]) for s, loss in enumerate(next(iter(report["scalars"].values())))]
            for name in self.names:
                if f"{name}.mean" not in made:
                    wrong.append(f"{name} is not trained")
                elif steps == 1:
                    for expected in [self.data[f"grad/{name}"]] + ([self.gradients[name]] if name in self.gradients else []):
                        wrong.append(far(f"gradient of {name}", made[f"{name}.mean"] / KEPT, expected))
                else:
                    wrong.append(far(name, made[name], self.data[f"after/{name}"]))
            wrong = [text for text in wrong if text]
            if wrong:
                return f"{steps} steps: {len(wrong)} arrays differ, such as the {wrong[0]}"
        return ""


def far(name, got, expected):
    """Says how far an array is off, if it is by more than is allowed."""
    largest = np.max(np.abs(expected), initial=0)
    off = np.max(np.abs(np.asarray(got, np.float64) - expected), initial=0)
    allowed = ALLOWED * largest if largest > ROUNDINGS else ROUNDINGS
    return f"{name}, by {off:.2g} where the largest entry is {largest:.2g}" if off > allowed else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--ranks", default="1,2,4,2x2", help="meshes of the plans")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--templates", action="store_true", help="every template, too")
    parser.add_argument("--mpi", action="store_true", help="also on processes")
    parser.add_argument("--micro-batches", type=int, default=1, help="of a step, each with the same data")
    parser.add_argument("--by-name", action="store_true", help="train what the reference trained")
    parser.add_argument("--overlap", action="store_true", help="collectives overlap nodes")
    parser.add_argument("folder", nargs="?", default=os.environ.get("METADIST_MODELS", os.path.join(ROOT, "models")))
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    found = sorted(path.replace(".adamw.npz", ".onnx") for path in glob.glob(os.path.join(options.folder, "*.adamw.npz")))
    paths = [os.path.join(options.folder, f"{name}.onnx") for name in options.models] or found
    passed = failed = 0
    print("| model | passed | seconds |\n|---|---|---|")
    for path in paths:
        began, own, errors = time.monotonic(), 0, []
        model = Trained(path, options)
        with tempfile.TemporaryDirectory() as folder:
            model.write(folder)
            for mesh in options.ranks.split(","):
                ways = {"the solver": []}
                if options.templates and mesh != "1":
                    ways |= {name: ["--template", name] for name in TEMPLATES + (PRODUCTS if "x" in mesh else [])}
                if mesh != "1":
                    ways["recomputation"] = ["--recompute", "full"]
                if mesh != "1":
                    ways |= {f"seed {seed}": ["--solver", "random", "--seed", str(seed)] for seed in range(options.seeds)}
                for way, how in ways.items():
                    job, error = model.plan(mesh, how, folder)
                    count = str(np.prod([int(size) for size in mesh.split("x")]))
                    launchers = [[]] + ([["mpirun", "-n", count]] if options.mpi and mesh != "1" and not way.startswith("seed") else [])
                    for launcher in launchers:
                        error = error or model.error(job, folder, launcher)
                        own += not error
                        if error:
                            errors.append(f"{mesh}, {way}{', MPI' if launcher else ''}: {error}")
        print(f"| {model.name} | {own} of {own + len(errors)} | {time.monotonic() - began:.0f} |", flush=True)
        for error in errors:
            print(f"  FAILED: {error}", flush=True)
        passed, failed = passed + own, failed + len(errors)
    print(f"{len(paths)} models, {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
