#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains every model of a folder on one rank and under plans, and compares with three AdamW steps of PyTorch.

    tests/wide/trained_plans.py [--binary FILE] [--ranks 1,2,4,2x2] [--seeds 3] [FOLDER [MODEL...]]

A model is NAME.onnx beside NAME.inputs.npz and NAME.adamw.npz, which holds the
trained `names`, `losses` before each step, `grad/NAME` of the first step and `after/NAME` the third (all of the folder by default; FOLDER: models/,
or what METADIST_MODELS says). After one step the loss and the first moments, a tenth of the gradients, must be those; after three the loss and the
parameters. Plans are the solver's and as many random ones as --seeds says. Prints a row for each model; exit 1 if anything differs.
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


class Trained(Model):
    def __init__(self, binary, path):
        super().__init__(binary, path)
        self.data = np.load(self.inputs.replace(".inputs.npz", ".adamw.npz"))
        self.names = [str(name) for name in self.data["names"]]
        graph = onnx.load(path, load_external_data=False).graph
        self.output = graph.output[0].name
        self.loss = ["--loss", self.output]
        if "target" in self.data.files:
            self.loss = ["--loss", f"mse:{self.output},target"]

    def write(self, folder):
        """The inputs of a step, and what is expected after one step and after all."""
        inputs = dict(np.load(self.inputs))
        loss = self.output
        if "target" in self.data.files:
            inputs["target"] = self.data["target"]
            loss = "loss"
        first = {f"{name}.mean.next": KEPT * self.data[f"grad/{name}"] for name in self.names}
        last = {f"{name}.next": self.data[f"after/{name}"] for name in self.names}
        first[loss], last[loss] = self.data["losses"][0], self.data["losses"][STEPS - 1]
        np.savez(os.path.join(folder, "inputs.npz"), **inputs)
        np.savez(os.path.join(folder, "1.npz"), **first)
        np.savez(os.path.join(folder, f"{STEPS}.npz"), **last)

    def error(self, mesh, seed, folder):
        """What is wrong with one plan (or with one rank), or ""."""
        count = str(np.prod([int(size) for size in mesh.split("x")]))
        job = [self.path, *self.bind, *ADAMW, *self.loss]
        if count != "1":
            plan = os.path.join(folder, "plan.json")
            drawn = [] if seed is None else ["--solver", "random", "--seed", str(seed)]
            status, _, error = call(self.binary, "plan", *job, "--cluster", f"{PROFILE}:{count}", "--mesh", mesh, *drawn, "--no-alternatives",
                                    "--force", "-o", plan)  # fmt: skip
            if status:
                return f"plan: exit {status}: {error}"
            job = [plan]
        for steps in (1, STEPS):
            status, _, error = call(self.binary, "run", *job, "--inputs", os.path.join(folder, "inputs.npz"), "--steps", str(steps), "--expect",
                                    os.path.join(folder, f"{steps}.npz"), "--iterations", "1", "--warm-up", "0")  # fmt: skip
            if status:
                return f"{steps} steps: exit {status}: {error}"
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--ranks", default="1,2,4,2x2", help="meshes of the plans")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("folder", nargs="?", default=os.environ.get("METADIST_MODELS", os.path.join(ROOT, "models")))
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    found = sorted(path.replace(".adamw.npz", ".onnx") for path in glob.glob(os.path.join(options.folder, "*.adamw.npz")))
    paths = [os.path.join(options.folder, f"{name}.onnx") for name in options.models] or found
    passed = failed = 0
    print("| model | passed | seconds |\n|---|---|---|")
    for path in paths:
        began, own, errors = time.monotonic(), 0, []
        model = Trained(options.binary, path)
        with tempfile.TemporaryDirectory() as folder:
            model.write(folder)
            for mesh in options.ranks.split(","):
                for seed in (None, *(range(options.seeds) if mesh != "1" else [])):
                    error = model.error(mesh, seed, folder)
                    own += not error
                    if error:
                        errors.append(f"{mesh}, {'the solver' if seed is None else f'seed {seed}'}: {error}")
        print(f"| {model.name} | {own} of {own + len(errors)} | {time.monotonic() - began:.0f} |", flush=True)
        for error in errors:
            print(f"  FAILED: {error}", flush=True)
        passed, failed = passed + own, failed + len(errors)
    print(f"{len(paths)} models, {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
