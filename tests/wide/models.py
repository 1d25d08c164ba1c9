#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports, runs, plans and runs again every model of a folder, and prints a table.

    tests/wide/models.py [--binary FILE] [--meshes 2,3,4,2x2] FOLDER [MODEL...]

A model is NAME.onnx or NAME.legacy.onnx beside NAME.inputs.npz and NAME.outputs.npz (all of the folder by default). On one rank the outputs
must equal the stored ones; every plan must run and equal one rank and the stored outputs. Exit 1 if anything differs.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def call(binary, *arguments):
    """(exit status, JSON document or None, first error line)."""
    done = subprocess.run([binary, *arguments, "--json"], capture_output=True, text=True, check=False)
    error = next((line for line in done.stderr.splitlines() if "error:" in line), "")
    try:
        return done.returncode, json.loads(done.stdout), error
    except json.JSONDecodeError:
        return done.returncode, None, error


def first_dim(path):
    """Size of the first dim of the first array: the batch."""
    with zipfile.ZipFile(path) as archive:
        head = archive.read(archive.namelist()[0])[:256].decode("latin-1")
    return re.search(r"'shape': \((\d+)", head).group(1)


def ranks(mesh):
    count = 1
    for size in mesh.split("x"):
        count *= int(size)
    return count


class Model:
    def __init__(self, binary, path):
        self.binary, self.path = binary, path
        self.name = os.path.basename(path)[: -len(".onnx")]
        stem = path[: -len(os.path.basename(path))] + self.name.split(".")[0]
        self.inputs, self.outputs = stem + ".inputs.npz", stem + ".outputs.npz"
        self.bind = []
        if call(binary, "inspect", path)[0] == 2:
            self.bind = ["--bind", f"batch={first_dim(self.inputs)}"]

    def one_rank(self):
        status, result, error = call(
            self.binary, "run", self.path, *self.bind, "--inputs", self.inputs, "--expect", self.outputs
        )
        return f"error {result['check']['max_abs_error']:.1e}" if status == 0 else f"FAILED {error}", status == 0

    def planned(self, mesh, bind=None):
        bound = bind or self.bind
        data = [] if bind else ["--inputs", self.inputs, "--expect", self.outputs]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "plan.json")
            cluster = f"cpu:{ranks(mesh)}"
            status, plan, error = call(
                self.binary, "plan", self.path, *bound, "--cluster", cluster, "--mesh", mesh, "--no-alternatives", "-o", file
            )
            if status:
                return f"plan FAILED {error}", False
            status, run, error = call(self.binary, "run", file, *data)
            if status:
                return f"run FAILED {error}", False
        collectives = " ".join(f"{kind} {one['count']} ({one['bytes']} B)" for kind, one in plan["collectives"].items())
        memory = run["peak_bytes"]["measured"] / run["peak_bytes"]["predicted"] - 1
        return (
            f"{plan['status']}, {100 * plan['divided_flops']:.1f} % divided, predicted {plan['step_seconds'] * 1e3:.3f} ms, measured "
            f"{run['seconds']['median'] * 1e3:.3f} ms, memory {100 * memory:+.2f} %, error {run['check']['max_abs_error']:.1e}; "
            f"{collectives or 'no collectives'}"
        ), True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--meshes", default="2,3,4,2x2")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    names = options.models or sorted(os.path.basename(path)[:-5] for path in glob.glob(options.folder + "/*.onnx"))
    passed = failed = 0
    for name in names:
        model = Model(options.binary, os.path.join(options.folder, name + ".onnx"))
        rows = [("1", *model.one_rank())]
        for mesh in options.meshes.split(","):
            rows.append((mesh, *model.planned(mesh)))
            if model.bind and model.bind != ["--bind", "batch=1"]:
                rows.append((mesh + " batch=1", *model.planned(mesh, ["--bind", "batch=1"])))
        for mesh, text, good in rows:
            print(f"{name:16} {mesh:12} {text}", flush=True)
            passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
