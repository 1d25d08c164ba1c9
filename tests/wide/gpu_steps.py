#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted steps of full-size models on one GPU beside what PyTorch took there (profiles/data/gpu_torch.json).

    tests/wide/gpu_steps.py [--binary FILE] FOLDER

FOLDER holds NAME.onnx of the measured models, their batch a symbol. One row a model, batch and GPU: the step and the memory that are predicted for the exported graph, node
by node; what the same graph took in eager PyTorch, issued kernel by kernel; what it took with PyTorch's fused attention, and compiled. Models in f32
were run without TF32. Nothing of these figures is in the built-in profiles. Exit 1 if no model was found, or one cannot be planned.
"""

import argparse
import json
import os
import subprocess
import sys

from models import ROOT

CLUSTERS = {"NVIDIA H100 80GB HBM3": "1xh100", "NVIDIA H200": "1xh200"}


def measured(data, device):
    """(model, dtype, batch) -> {(attention, runtime): row}."""
    columns = data["columns"]["model"]
    found = {}
    for machine in data["machines"]:
        if machine["device"] != device:
            continue
        for values in machine["tables"]["model"]:
            row = dict(zip(columns, values, strict=True))
            if not row["channels_last"]:
                found.setdefault((row["model"], row["dtype"], row["batch"]), {})[row["attention"], row["runtime"]] = row
    return found


def asked(binary, *arguments):
    done = subprocess.run([binary, *arguments, "--json", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


def milliseconds(row):
    return f"{row['time_us'] / 1e3:8.1f}" if row else "       -"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("folder", metavar="FOLDER")
    options = parser.parse_args()
    with open(os.path.join(ROOT, "profiles/data/gpu_torch.json"), encoding="utf-8") as file:
        data = json.load(file)
    print("gpu     model          type batch  predicted ms    eager      off   fused  compiled   predicted GiB  eager")
    errors, rows = [], 0
    for device, cluster in CLUSTERS.items():
        for (model, dtype, batch), runs in measured(data, device).items():
            path = os.path.join(options.folder, model + ".onnx")
            eager = runs.get(("eager", "eager"))
            if not eager or not os.path.exists(path):
                continue
            bind = ["--bind", f"batch={batch}"]
            if asked(options.binary, "inspect", path, *bind)["outputs"][0]["dtype"] != dtype:
                continue
            plan = asked(options.binary, "plan", path, "--cluster", cluster, *bind)
            off = plan["step_seconds"] * 1e6 / eager["time_us"] - 1
            errors.append(abs(off))
            rows += 1
            compiled = runs.get(("sdpa", "compiled, default")) or runs.get(("eager", "compiled, default"))
            print(
                f"{cluster:7} {model:14} {dtype:4} {batch:5}  {plan['step_seconds'] * 1e3:8.1f} +-{100 * plan['band']:3.0f} % {milliseconds(eager)} "
                f"{100 * off:+6.1f} % {milliseconds(runs.get(('sdpa', 'eager')))} {milliseconds(compiled)} "
                f"{plan['peak_bytes'] / 2**30:12.2f} {eager['peak_bytes'] / 2**30:8.2f}"
            )
    if rows:
        print(f"{rows} steps, mean error {100 * sum(errors) / rows:.1f} %, largest {100 * max(errors):.1f} %")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
