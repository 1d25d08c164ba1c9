#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs commands in too little memory and with too few threads: each is done, or says what it lacks and ends with the documented status.

    tests/faults/limits.py --binary FILE [--levels 20]

Memory: `ulimit -v` at levels from what the program takes to load up to what suffices: half of them evenly in the logarithm, the others where the exit
status changes, for there memory ends in the middle of the work. Threads: a user of no other process who may have few (only where this runs as root).
Code: the kernel library gets no memory for the code that it generates (no_code_memory.so beside the program).
Exit 0 or 6 are right; the loader's 127 is, where not even the program fits; nothing else.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = os.path.join(ROOT, "models")
PROBLEM = os.path.join(ROOT, "tests/data/problems/asplos-2025-iopddl-V.json.gz")
PROFILE = os.path.join(ROOT, "tests/cli/fixtures/cpu.profile.json")
LEAST, MOST = 60 << 20, 3 << 30  # bytes of addresses
NOBODY = 65534
OUT_OF_RESOURCES, LOADER = 6, 127

COMMANDS = {
    "plan": ["plan", f"{MODELS}/full/gpt-1.3b.onnx", "--bind", "batch=8", "--cluster", "8xh100", "--no-alternatives", "-o", "out.json"],
    "rules": ["rules", f"{MODELS}/full/unet.onnx", "--bind", "batch=1"],
    "run on 4 ranks": ["run", f"{MODELS}/gpt2.onnx", "--inputs", f"{MODELS}/gpt2.inputs.npz", "--ranks", "4", "--iterations", "1"],
    "run on 64 ranks": ["run", "PLAN", "--iterations", "1"],
    "redistribute": ["redistribute", "--mesh", "a=2,b=3,c=2", "--shape", "60x60x60", "--from", "[a,b][c][]", "--to", "[][][c,b]", "--run"],
    "profile": ["profile", "--quick", "--ranks", "2", "-o", "out.json"],
    "solve": ["solve", PROBLEM, "--time-limit", "5", "-o", "out.json"],
    "iopddl": ["iopddl", PROBLEM, "5"],
}
PLAN = ["plan", f"{MODELS}/mlp.onnx", "--bind", "batch=64", "--cluster", "8x8xh100", "--mesh", "64", "--no-alternatives", "-q", "-o"]


def ends(binary, arguments, limit, preload):
    """(exit status, what was said, files that are left)."""
    with tempfile.TemporaryDirectory(prefix="metadist-limits-") as folder:
        os.chmod(folder, 0o777)
        environment = {**os.environ, "HOME": folder, "TMPDIR": folder, "METADIST_CPU_PROFILE": PROFILE, "LD_PRELOAD": preload}
        words = arguments if arguments[0] == "iopddl" else ["metadist", *arguments]
        done = subprocess.run(words, executable=binary, cwd=folder, env=environment, capture_output=True, text=True, preexec_fn=limit, check=False)
        files = os.listdir(folder)
        if "out.json" in files:
            with open(os.path.join(folder, "out.json"), encoding="utf-8") as file:
                json.load(file)
        return done.returncode, done.stderr, [name for name in files if name not in ("out.json", ".cache")]


def verdict(status, said, files, may):
    if status not in may:
        return f"exit {status}: {said[-300:]}"
    if status == OUT_OF_RESOURCES and "error:" not in said:
        return f"it does not say why: {said[-300:]}"
    return f"files are left: {files}" if files else None


def at_levels(count, status_at):
    """Calls status_at(bytes) at so many levels."""
    even = min(count, max(2, (count + 1) // 2))
    seen = sorted((level, status_at(level)) for level in (int(LEAST * (MOST / LEAST) ** (at / max(1, even - 1))) for at in range(even)))
    for _ in range(count - even):
        # The widest gap with different ends, or the widest of all.
        lower, upper = max(zip(seen, seen[1:]), key=lambda gap: (gap[0][1] != gap[1][1], gap[1][0] / gap[0][0]))
        level = int((lower[0] * upper[0]) ** 0.5)
        seen = sorted([*seen, (level, status_at(level))])


def few_threads(count):
    def limit():
        resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    return limit


def nobody_may_run(binary):
    if os.geteuid() != 0:
        return False
    try:
        command = [binary, "inspect", f"{MODELS}/mlp.onnx", "--bind", "batch=1"]
        return subprocess.run(command, capture_output=True, preexec_fn=few_threads(100), check=False).returncode == 0
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--levels", type=int, default=20)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    passed = failed = 0

    def hold(name, arguments, limit, may, counts, preload=""):
        nonlocal passed, failed
        status, said, files = ends(binary, arguments, limit, preload)
        wrong = verdict(status, said, files, may)
        if wrong:
            print(f"{name}: {wrong}", flush=True)
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        counts[status] = counts.get(status, 0) + 1
        return status

    shared = tempfile.TemporaryDirectory(prefix="metadist-limits-")
    plan = os.path.join(shared.name, "plan64.json")
    subprocess.run([binary, *PLAN, plan], stdout=subprocess.DEVNULL, check=True)
    os.chmod(shared.name, 0o755)
    os.chmod(plan, 0o644)
    for name, words in COMMANDS.items():
        arguments = [plan if word == "PLAN" else word for word in words]
        counts = {}

        def status_at(level, name=name, arguments=arguments, counts=counts):
            return hold(f"{name} in {level >> 20} MiB", arguments, lambda: resource.setrlimit(resource.RLIMIT_AS, (level, level)),
                        (0, OUT_OF_RESOURCES, LOADER), counts)  # fmt: skip

        at_levels(options.levels, status_at)
        print(f"{name}, memory: exit statuses {dict(sorted(counts.items()))}", flush=True)
        counts = {}
        if nobody_may_run(binary):
            for count in (1, 2, 3, 5, 9, 33):
                hold(f"{name} with {count} threads", arguments, few_threads(count), (0, OUT_OF_RESOURCES), counts)
            print(f"{name}, threads: exit statuses {dict(sorted(counts.items()))}", flush=True)
    counts = {}
    refuses = os.path.join(os.path.dirname(binary), "no_code_memory.so")
    for name in ("run on 4 ranks", "profile"):
        hold(f"{name} without memory for code", COMMANDS[name], None, (OUT_OF_RESOURCES,), counts, refuses)
    print(f"no memory for code: exit statuses {dict(sorted(counts.items()))}", flush=True)
    shared.cleanup()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
