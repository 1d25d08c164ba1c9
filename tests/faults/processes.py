#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes under MPI, one of which is killed, stopped, interrupted or fails: all others must end in time, and none be left behind.

    tests/faults/processes.py [--binary FILE] [--timeout S]

Every case runs a plan on four processes for long, disturbs one of them, and expects that mpirun ends within the time limit of `run` and some
seconds, with an error, which the ranks name, and exit status 6 (or mpirun's own for a killed process). Exit 77 where there is no mpirun.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RANKS = 4
GRACE = 20  # seconds that mpirun may take beyond the limit, on a busy machine

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")


def ranks_of(parent):
    """The processes of metadist that mpirun has started, by rank."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            with open(f"/proc/{name}/environ", "rb") as file:
                variables = file.read().split(b"\0")
        except OSError:
            continue
        if int(fields[1]) != parent:
            continue
        for variable in variables:
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.split(b"=")[1])] = int(name)
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def disturb(binary, plan, timeout, disturbance):
    """Runs the plan, disturbs it when it is under way; what is wrong with how it ended, or ""."""
    command = ["mpirun", "-n", str(RANKS), binary, "run", plan, "--no-check", "--iterations", "1000000", "--timeout", f"{timeout}s"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        ranks = {}
        end = time.monotonic() + 30
        while len(ranks) < RANKS and time.monotonic() < end:
            ranks = ranks_of(process.pid)
            time.sleep(0.05)
        time.sleep(1.5)
        start = time.monotonic()
        disturbance(ranks)
        try:
            _, errors = process.communicate(timeout=timeout + GRACE)
        except subprocess.TimeoutExpired:
            for pid in ranks.values():
                os.kill(pid, signal.SIGKILL)
            process.kill()
            return f"still there after {timeout + GRACE} s"
    seconds = time.monotonic() - start
    time.sleep(0.2)
    left = [rank for rank, pid in ranks.items() if alive(pid)]
    if left:
        return f"ranks {left} are left behind"
    if process.returncode == 0:
        return "exit status 0"
    print(f"  ended after {seconds:.1f} s with status {process.returncode}", flush=True)
    return "" if process.returncode in (6, 130, 137, 143) else f"exit status {process.returncode}: {errors[-500:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--timeout", type=int, default=3)
    args = parser.parse_args()
    if shutil.which("mpirun") is None:
        print("skipped: no mpirun")
        return 77
    doctor = json.loads(subprocess.run([args.binary, "doctor", "--json"], capture_output=True, text=True, check=True).stdout)
    if not any(backend["name"] == "mpi" and backend["usable"] for backend in doctor["backends"]):
        print("skipped: the mpi plugin is not usable")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "gpt2.plan.json")
        profile = os.path.join(ROOT, "tests/wide/bytes.profile.json")
        subprocess.run([args.binary, "plan", os.path.join(ROOT, "models/gpt2.onnx"), "--cluster", f"{profile}:{RANKS}",
                        "--no-alternatives", "-o", plan], check=True, capture_output=True)
        cases = {f"rank {rank} is {what}": (lambda ranks, rank=rank, number=number: os.kill(ranks[rank], number))
                 for rank in (0, 2) for what, number in (("killed", signal.SIGKILL), ("stopped", signal.SIGSTOP))}
        for name, disturbance in cases.items():
            print(name, flush=True)
            wrong = disturb(args.binary, plan, args.timeout, disturbance)
            if wrong:
                failed += 1
                print(f"  FAILED: {wrong}", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
