#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills and stops the processes that run the code of operator libraries, at random moments of `rules` and `plan`.

    tests/faults/helpers.py --binary FILE [--moments 20] [--seed N]

Whatever happens to a helper, the command ends in time, and what it prints is what an undisturbed command prints, or it says which operator is
replicated and why (then the plan says so too); a command that could not read the model ends with status 6 or 8. No process is left. Needs a C
compiler.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "models/custom-operator")
MODEL = os.path.join(FOLDER, "residual.onnx")
SECONDS = 90  # a stopped helper is given up after 50
REFUSED = (6, 8)
# The library's own code takes this long, so that there is a moment to disturb it.
SLOW = "#include <time.h>\nstatic void Pause(void) { struct timespec t = {0, 300000}; nanosleep(&t, 0); }\n"


def compile_library(folder):
    """The example, a little slower."""
    with open(os.path.join(FOLDER, "scaled_residual.c"), encoding="utf-8") as file:
        text = file.read()
    place = "  const double scale = scale_of(call);\n"
    if text.count(place) != 1:
        raise ValueError("the example's kernel is another one")
    source = os.path.join(folder, "slow.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SLOW + text.replace(place, place + "  Pause();\n"))
    library = os.path.join(folder, "slow.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-I", ROOT, "-o", library, source], check=True)
    return library


def helpers_of(process):
    """Processes below a process: the keeper, then its worker."""
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as file:
            children = [int(number) for number in file.read().split()]
    except OSError:
        return []
    return [one for child in children for one in [child, *helpers_of(child)]]


def alive(processes):
    """Those that have not ended, whether or not anybody has asked how."""
    return [one for one in processes if state_of(one) not in ("", "Z", "X")]


def without_times(report):
    return re.sub(r"auto \([^)]*\)", "auto", report)


def state_of(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def disturbed(command, folder, after, which, how):
    """(exit status, stdout, stderr, helpers left), with a helper signalled after so many seconds."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    helpers = helpers_of(process.pid)
    if len(helpers) > which:
        try:
            os.kill(helpers[which], how)
        except ProcessLookupError:
            pass
    try:
        out, error = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        out, error = process.communicate()
        error += f"\nit did not end within {SECONDS} s"
    time.sleep(0.1)
    left = alive(helpers)
    for one in left:
        os.kill(one, signal.SIGKILL)
    return process.returncode, out, error, left, len(helpers) > which


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if shutil.which("cc") is None:
        print("skipped: no C compiler")
        return 77
    binary, dice = os.path.abspath(options.binary), random.Random(options.seed)
    passed = failed = told = hit = 0
    with tempfile.TemporaryDirectory(prefix="metadist-helpers-") as folder:
        library = compile_library(folder)
        commands = {
            "rules": [binary, "rules", MODEL, "--op-library", library],
            "plan": [binary, "plan", MODEL, "--op-library", library, "--cluster", "4xh100", "--no-alternatives", "--text"],
        }
        for name, command in commands.items():
            start = time.monotonic()
            sound = without_times(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)
            span = time.monotonic() - start
            for moment in range(options.moments):
                which, how = moment % 2, signal.SIGSTOP if moment % 10 == 7 else signal.SIGKILL
                after = dice.uniform(0, span)
                status, out, error, left, was_there = disturbed(command, folder, after, which, how)
                hit += was_there
                says = "its code failed" in error or "none: the" in out
                wrong = None
                if status not in (0, *REFUSED) or (status == 0 and without_times(out) != sound and not says):
                    wrong = f"exit {status}, said {error[-300:]!r}"
                elif status == 0 and name == "plan" and ("none: the" in out or "replicated" in out) and "ScaledResidual" not in error:
                    wrong = f"the plan warns of nothing: {error!r}"
                elif left:
                    wrong = f"processes are left: {left}"
                told += says
                if wrong:
                    print(f"{name}, {('keeper', 'worker')[which]} {how.name} after {after:.2f} s: {wrong}", flush=True)
                passed, failed = passed + (wrong is None), failed + (wrong is not None)
    print(f"helpers there {hit} times, {told} times an operator was replicated and told")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
