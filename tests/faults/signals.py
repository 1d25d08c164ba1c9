#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Interrupts every command at random moments: it ends within a second, with the documented status, and leaves no process and no part of a file.

    tests/faults/signals.py --binary FILE [--moments 20] [--seed N] [--seconds 1] [COMMAND...]

Exit 130 where the signal arrived in time, 0 where the command was done before; a plan that is written is whole. --seconds: how long a command may
take to end. A plan that cannot be written at once says so, and a second signal ends it.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = os.path.join(ROOT, "models")
PROFILE = os.path.join(ROOT, "tests/cli/fixtures/cpu.profile.json")
PROBLEM = os.path.join(ROOT, "tests/data/problems/asplos-2025-iopddl-V.json.gz")
FULL = ["--bind", "batch=1"]
LOADING = 0.1  # seconds in which the program may not have begun: then the system ends it, which a shell calls 130

# Arguments that keep a command busy for some seconds, and the file that it writes.
COMMANDS = {
    "plan": (["plan", f"{MODELS}/full/gpt-1.3b.onnx", *FULL, "--cluster", "8x8xh100", "-o", "out.json"], "out.json"),
    "plan under a limit": (["plan", f"{MODELS}/full/unet.onnx", *FULL, "--cluster", "4xh100", "--memory", "2GiB", "-o", "out.json"], "out.json"),
    "profile": (["profile", "--quick", "-o", "out.json"], "out.json"),
    "run": (["run", f"{MODELS}/full/segmentation.onnx", *FULL, "--random-weights", "--iterations", "1000"], None),
    "rules": (["rules", f"{MODELS}/full/unet.onnx", *FULL, "-o", "out.json"], "out.json"),
    "solve": (["solve", PROBLEM, "-o", "out.json"], "out.json"),
    "conformance": (["conformance", "--onnx-data", "DATA", "--ranks", "1,2"], None),
    "redistribute": (["redistribute", "--mesh", "a=2,b=3,c=2,d=5", "--shape", "60x60x60x60", "--from", "[a,b][c][d][]", "--to", "[][d][c,b][a]", "--run"], None),
}


def left_behind(group):
    listed = subprocess.run(["ps", "-o", "pid=,stat=", "-g", str(group)], capture_output=True, text=True, check=False).stdout
    return [line for line in listed.splitlines() if " Z" not in line]


def interrupt(command, folder, after, seconds):
    """What is wrong, or None; and whether the signal came in time."""
    environment = {**os.environ, "METADIST_CPU_PROFILE": PROFILE, "HOME": folder}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, error = process.communicate(timeout=after)
        return (None if process.returncode == 0 else f"exit {process.returncode}: {error}"), False
    except subprocess.TimeoutExpired:
        pass
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    try:
        _, error = process.communicate(timeout=max(30, 10 * seconds))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return "it does not end", True
    took = time.monotonic() - start
    if process.returncode == -signal.SIGINT and after < LOADING:
        return None, True
    if process.returncode not in (0, 130):
        return f"exit {process.returncode}: {error}", True
    if (process.returncode == 130) != bool(re.search("error: .*interrupted", error)):
        return f"exit {process.returncode}, but it says: {error}", True
    if command[1] == "profile" and os.path.exists(os.path.join(folder, "out.json")) and "--resume" not in error:
        return f"it does not say what is left: {error}", True
    if took > seconds:
        return f"it took {took:.1f} s", True
    time.sleep(0.05)
    if left_behind(process.pid):
        return f"processes are left: {left_behind(process.pid)}", True
    return None, True


def with_data(arguments, data):
    return [data if word == "DATA" else word for word in arguments]


def duration(command, most):
    """Seconds that the command takes undisturbed, at most so many."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="metadist-signals-") as folder:
        environment = {**os.environ, "METADIST_CPU_PROFILE": PROFILE, "HOME": folder}
        try:
            subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=most, check=False)
        except subprocess.TimeoutExpired:
            pass
    return time.monotonic() - start


def appears(text, path, seconds):
    """Whether the text comes to stand in the file in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with open(path, encoding="utf-8") as file:
            if text in file.read():
                return True
        time.sleep(0.02)
    return False


def interrupt_writing(binary, twice):
    """What is wrong, or None: a plan is interrupted while its file, a pipe that nobody reads yet, lets it wait."""
    with tempfile.TemporaryDirectory(prefix="metadist-signals-") as folder:
        pipe, said = os.path.join(folder, "pipe"), os.path.join(folder, "said")
        os.mkfifo(pipe)
        command = [binary, "plan", f"{MODELS}/mlp.onnx", "--bind", "batch=8", "--cluster", "2xh100", "--progress", "plain", "-o", pipe]
        with open(said, "w", encoding="utf-8") as error, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=error) as process:
            try:
                if not appears("best ", said, 60):
                    return "no plan is found"
                process.send_signal(signal.SIGINT)
                if not appears("interrupt again", said, 60):
                    return "it does not say that it is not done yet"
                if twice:
                    process.send_signal(signal.SIGINT)
                    return None if process.wait(60) == 130 else f"exit {process.returncode}"
                with open(pipe, encoding="utf-8") as plan:
                    json.load(plan)
                # 0 where the plan was done before.
                return None if process.wait(60) in (0, 130) else f"exit {process.returncode}"
            except subprocess.TimeoutExpired:
                return "it does not end"
            finally:
                process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--span", type=float, default=3, help="seconds in which the moments lie; of a command that is done before, its own time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--onnx-data", help="the ONNX project's cases; without them conformance is left out")
    parser.add_argument("commands", nargs="*", metavar="COMMAND")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored, and commands would inherit that
    dice = random.Random(options.seed)
    binary = os.path.abspath(options.binary)
    passed = failed = 0
    if not options.commands:
        for times in ("once", "twice"):
            wrong = interrupt_writing(binary, twice=times == "twice")
            print(f"interrupted {times} while writing: {wrong or 'ended'}", flush=True)
            failed += wrong is not None
            passed += wrong is None
    for name, (arguments, out) in COMMANDS.items():
        if (options.commands and name not in options.commands) or ("DATA" in arguments and not options.onnx_data):
            continue
        in_time = 0
        span = min(options.span, 0.95 * duration([binary, *with_data(arguments, options.onnx_data)], options.span))
        for _ in range(options.moments):
            after = dice.uniform(0, span)
            with tempfile.TemporaryDirectory(prefix="metadist-signals-") as folder:
                wrong, arrived = interrupt([binary, *with_data(arguments, options.onnx_data)], folder, after, options.seconds)
                in_time += arrived
                files = sorted(name for name in os.listdir(folder) if name != ".cache")
                if not wrong and files not in ([], [out]):
                    wrong = f"files are left: {files}"
                if not wrong and files:
                    with open(os.path.join(folder, out), encoding="utf-8") as file:
                        json.load(file)
            if wrong:
                print(f"{name} after {after:.2f} s: {wrong}", flush=True)
            failed += wrong is not None
            passed += wrong is None
        print(f"{name}: interrupted {in_time} of {options.moments} times", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
