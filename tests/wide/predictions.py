#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the step of every model of a folder on this machine's cores, runs it, and prints how far off the prediction is.

    tests/wide/predictions.py [--binary FILE] [--ranks 1,2,4] [--profile FILE] [--no-calls] [--repeat N] FOLDER [MODEL...]

A model is NAME.onnx or NAME.legacy.onnx; beside it NAME.inputs.npz gives the batch where it is symbolic. First the machine is profiled (or
FILE is taken and kept up to date), with each model's own calls unless --no-calls. Measured is the mean of the quickest tenth of the steps,
the least of N runs: what other programs take of a busy machine is not predicted. Root may put them behind with
`echo -20 > /proc/self/autogroup` in the shell; a real-time class would not do, its threads do not share a core as others do. Exit 1 if a
model cannot be planned or run.
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
    """(JSON document or None, first error line)."""
    done = subprocess.run([binary, *arguments, "--json"], capture_output=True, text=True, check=False)
    error = next((line for line in done.stderr.splitlines() if "error:" in line), f"exit {done.returncode}")
    try:
        return (json.loads(done.stdout), "") if done.returncode == 0 else (None, error)
    except json.JSONDecodeError:
        return None, error


def binds(binary, path):
    """--bind flags with the batch of the stored inputs, where the model needs one."""
    if call(binary, "inspect", path)[0] is not None:
        return []
    with zipfile.ZipFile(path.rsplit("/", 1)[0] + "/" + os.path.basename(path).split(".")[0] + ".inputs.npz") as archive:
        head = archive.read(archive.namelist()[0])[:256].decode("latin-1")
    return ["--bind", "batch=" + re.search(r"'shape': \((\d+)", head).group(1)]


def measure(options, plan):
    """(predicted, measured) seconds of the least of the runs, or an error."""
    best = None
    for _ in range(options.repeat):
        result, error = call(options.binary, "run", plan, "--bench", "--no-check", "--random-weights")
        if result is None:
            return None, error
        if best is None or result["seconds"]["quiet"] < best["seconds"]["quiet"]:
            best = result
    return (best["predicted_seconds"], best["seconds"]["quiet"]), ""


def row(options, profile, path, ranks, folder):
    """(predicted, measured) of one model on that many ranks, or an error."""
    plan = os.path.join(folder, "plan.json")
    flags = binds(options.binary, path)
    _, error = call(options.binary, "plan", path, *flags, "--cluster", f"{profile}:{ranks}", "--no-alternatives", "--time-limit", "20s", "--force",
                    "-o", plan)
    return (None, error) if error else measure(options, plan)


def summary(ranks, errors):
    mean = sum(abs(e) for e in errors) / len(errors)
    print(f"{ranks} ranks: {len(errors)} models, mean |error| {mean:.1f} %, largest {max(abs(e) for e in errors):.1f} %, "
          f"bias {sum(errors) / len(errors):+.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--profile")
    parser.add_argument("--no-calls", action="store_true")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    paths = [os.path.join(options.folder, m + ".onnx") for m in options.models] or sorted(glob.glob(os.path.join(options.folder, "*.onnx")))
    counts = [int(r) for r in options.ranks.split(",")]
    failed, errors = False, {r: [] for r in counts}
    with tempfile.TemporaryDirectory() as folder:
        profile = options.profile or os.path.join(folder, "machine.profile.json")
        if not os.path.exists(profile):
            call(options.binary, "profile", "--quick", "--ranks", str(max(counts)), "-o", profile)
        print(f"{'model':26}" + "".join(f" | {f'{r} ranks: predicted':>19} {'measured':>9} {'error':>8}" for r in counts), flush=True)
        for path in paths:
            line = f"{os.path.basename(path)[:-5]:26}"
            if not options.no_calls:
                _, error = call(options.binary, "profile", path, *binds(options.binary, path), "--quick", "--resume", "--ranks", str(max(counts)), "-o", profile)
                failed = failed or bool(error)
                line += f" {error}"
            for ranks in counts:
                found, error = row(options, profile, path, ranks, folder)
                failed = failed or found is None
                if found is None:
                    line += f" | {error}"
                    continue
                off = 100 * (found[0] / found[1] - 1)
                errors[ranks].append(off)
                line += f" | {found[0] * 1e6:16.1f} us {found[1] * 1e6:6.1f} us {off:+6.1f} %"
            print(line, flush=True)
    for ranks, of_ranks in errors.items():
        if of_ranks:
            summary(ranks, of_ranks)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
