#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes under MPI, one of which is killed, stopped, fails or lacks memory: all must end in time, and none be left behind.

    tests/faults/processes.py [--binary FILE] [--timeout S] [--levels N] [--only WORD]

Every case is a run on four processes. Some are disturbed from outside when they are under way; in others a rank is started with little memory, or has
an operator of a user's library that fails there only; in others a file is absent or damaged. mpirun must end within the time limit of `run` and some
seconds, with the documented status of the error (mpirun's own for a killed process). Errors are said by ranks, by name, and there is no output.
Where memory ends while MPI itself starts, what it says and how it ends is its own. Exit 77 where there is no mpirun.
"""

import argparse
import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import mpi_launch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = os.path.join(ROOT, "models")
PROFILE = os.path.join(ROOT, "tests/wide/bytes.profile.json")
RANKS = 4
GRACE = 20  # seconds that mpirun may take beyond the limit, on a busy machine
BAD_INPUT, USAGE, DEVICE, KILLED = (3,), (2,), (6,), (130, 137, 143)
MARK = "METADIST_TEST_PROCESS"  # a variable that all processes of a case have
LEAST, MOST = 100 << 10, 1 << 20  # KiB of addresses: where MPI begins to start, and what suffices
OUTSIDE = re.compile(r"^(?!\[rank \d+\] ).*metadist: error:", re.MULTILINE)

# Of rank $1 alone $2 is done before the program.
WRAPPER = """#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = "$1" ]; then eval "$2"; fi
shift 2
exec "$@"
"""

FAULTS = {
    "refuses": ('snprintf(why->text, why->size, "this rank takes nothing"); return 1;', DEVICE),
    "crashes": ("*(volatile int*)0 = 0;", (139,)),
    "runs on": ("for (volatile int i = 0;; ++i) if (i == 1000) i = 0;", DEVICE),
    "ends the program": ("exit(0);", DEVICE),
    "takes all memory": ("for (size_t size = 1 << 20; size >= 16; size /= 2) while (malloc(size) != NULL) {}", DEVICE),
}


def processes_of(mark):
    """(process, rank) of the program's processes that a case has started; zombies are none."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                variables = dict(item.partition(b"=")[::2] for item in file.read().split(b"\0"))
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if variables.get(MARK.encode()) == mark.encode() and b"OMPI_COMM_WORLD_RANK" in variables and state != "Z":
            found.append((int(name), int(variables[b"OMPI_COMM_WORLD_RANK"])))
    return found


class Case:
    """A command line under mpirun, what is done to it, and how it may end."""

    def __init__(self, name, command, statuses, *, rank=0, before="true", disturbance=None, says=None, work=0):
        self.name = name
        self.command = command
        self.statuses = statuses
        self.wrapped = (str(rank), before)
        self.disturbance = disturbance  # of the process of the rank
        self.rank = rank
        self.says = says  # what some rank must say
        self.work = work  # seconds that it may go on with, disturbed

    def run(self, folder, timeout):
        """(what is wrong or "", exit status, seconds, what was said)."""
        mark = str(uuid.uuid4())
        command = mpi_launch.command(RANKS, os.path.join(folder, "wrapper.sh"), *self.wrapped, *self.command, "--timeout", f"{timeout}s")
        environment = {**os.environ, **mpi_launch.VARIABLES, MARK: mark}
        limit = timeout + GRACE + self.work
        start = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment) as process:
            if self.disturbance:
                start = self._disturb(mark)
            try:
                out, errors = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                for pid, _ in processes_of(mark):
                    os.kill(pid, signal.SIGKILL)
                process.kill()
                return f"still there after {limit} s", None, limit, ""
        seconds = time.monotonic() - start
        time.sleep(0.2)
        return self._wrong(process.returncode, out, errors, processes_of(mark)), process.returncode, seconds, errors

    def _disturb(self, mark):
        end = time.monotonic() + 30
        while len(processes_of(mark)) < RANKS and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(1.5)
        for pid, rank in processes_of(mark):
            if rank == self.rank:
                self.disturbance(pid)
        return time.monotonic()

    def _wrong(self, status, out, errors, left):
        for pid, _ in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if left:
            return f"left behind: {left}"
        if status not in self.statuses:
            return f"exit status {status}: {errors[-1500:]}"
        if status != 0 and out:
            return f"it prints {out[:200]}"
        outside = OUTSIDE.search(errors)
        if outside:
            return f"no rank says {outside.group()}: {errors[-1500:]}"
        if self.says and self.says not in errors:
            return f"nobody says '{self.says}': {errors[-1500:]}"
        return ""


def disturbed(run):
    under_way = [*run, "--no-check", "--iterations", "1000000"]
    signals = (("killed", signal.SIGKILL, KILLED), ("stopped", signal.SIGSTOP, DEVICE + KILLED))
    for rank in (0, 2):
        for what, number, statuses in signals:
            yield Case(f"rank {rank} is {what}", under_way, statuses, rank=rank, disturbance=lambda pid, number=number: os.kill(pid, number))
    # What it has in hand is all that it gets.
    for rank in (0, 2):
        yield Case(f"rank {rank} gets no more memory", [*run, "--no-check", "--iterations", "10000"], DEVICE, rank=rank, work=100,
                   disturbance=lambda pid: resource.prlimit(pid, resource.RLIMIT_AS, (1 << 20, 1 << 20)))  # fmt: skip


def files(binary, plan, folder):
    cut = os.path.join(folder, "cut.json")
    with open(plan, encoding="utf-8") as whole, open(cut, "w", encoding="utf-8") as file:
        file.write(whole.read()[:3000])
    yield Case("the plan is absent", [binary, "run", "nothing.json"], USAGE, says="[rank 0] metadist: error: nothing.json: no such file")
    yield Case("the plan is cut off", [binary, "run", cut], BAD_INPUT, says="[rank 0] metadist: error: ")
    yield Case("the inputs are absent", [binary, "run", plan, "--inputs", "nothing.npz"], USAGE, says="[rank 0] metadist: error: nothing.npz")
    yield Case("the report cannot be written", [binary, "run", plan, "-o", "/dev/full"], (1,), says="[rank 0] metadist: error: ")
    yield Case("a flag is unknown", [binary, "run", plan, "--flag"], USAGE, says="] metadist: error: unknown flag")


def operators(binary, folder):
    """An operator of a user's that fails on rank 2 alone, and a library that is absent there."""
    model = os.path.join(MODELS, "custom-operator/residual.onnx")
    with open(os.path.join(MODELS, "custom-operator/scaled_residual.c"), encoding="utf-8") as file:
        source = file.read()
    for name, (fault, statuses) in FAULTS.items():
        stem = os.path.join(folder, name.replace(" ", "_"))
        with open(f"{stem}.c", "w", encoding="utf-8") as file:
            file.write("#include <stdlib.h>\n" + source.replace(
                "(void)why;", f'const char* rank = getenv("OMPI_COMM_WORLD_RANK");\n  if (rank && atoi(rank) == 2) {{ {fault} }}\n  (void)why;', 1))
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-I", ROOT, "-o", f"{stem}.so", f"{stem}.c"], check=True)
        plan = f"{stem}.plan.json"
        subprocess.run([binary, "plan", model, "--op-library", f"{stem}.so", "--cluster", f"{PROFILE}:{RANKS}", "--no-alternatives", "-o", plan],
                       check=True, capture_output=True)  # fmt: skip
        little = "ulimit -v 1000000" if name == "takes all memory" else "true"
        yield Case(f"an operator {name} on rank 2", [binary, "run", plan, "--op-library", f"{stem}.so"], statuses, rank=2, before=little,
                   says="this rank takes nothing" if name == "refuses" else None)  # fmt: skip
    yield Case("a library is absent on rank 2", [binary, "run", plan, "--op-library", "link.so"], USAGE + BAD_INPUT + DEVICE, rank=2,
               before="cd /", says="[rank 2] metadist: error: ")  # fmt: skip
    os.symlink(f"{stem}.so", os.path.join(folder, "link.so"))


def little_memory(run, levels):
    """Rank 0 or 2 may have so many addresses. Up to the point where the program is under way, MPI ends as it likes."""
    for level in range(levels):
        kib = int(LEAST * (MOST / LEAST) ** (level / max(1, levels - 1)))
        for rank in (0, 2):
            yield Case(f"rank {rank} in {kib >> 10} MiB", [*run, "--iterations", "1"], (0, *DEVICE), rank=rank, before=f"ulimit -v {kib}")


def is_of_mpi(status, said):
    """Whether MPI ended before the program was under way: no rank has an error of its own, or only that of threads and libraries."""
    own = [line for line in said.splitlines() if "metadist: error:" in line and "interrupted" not in line]
    return status in (1, 127, 134, 139) and not own


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--timeout", type=int, default=3)
    parser.add_argument("--levels", type=int, default=6, help="of memory")
    parser.add_argument("--only", default="", help="cases whose name has this word")
    args = parser.parse_args()
    binary = os.path.abspath(args.binary)
    absence = mpi_launch.absence(binary)
    if absence:
        print(f"skipped: {absence}")
        return 77
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "wrapper.sh"), "w", encoding="utf-8") as file:
            file.write(WRAPPER)
        os.chmod(file.name, 0o755)
        plan = os.path.join(folder, "gpt2.plan.json")
        subprocess.run([binary, "plan", os.path.join(MODELS, "gpt2.onnx"), "--cluster", f"{PROFILE}:{RANKS}", "--no-alternatives", "-o", plan],
                       check=True, capture_output=True)  # fmt: skip
        run = [binary, "run", plan]
        for case in (*disturbed(run), *files(binary, plan, folder), *operators(binary, folder), *little_memory(run, args.levels)):
            if args.only not in case.name:
                continue
            wrong, status, seconds, said = case.run(folder, args.timeout)
            own = ""
            if wrong.startswith("exit status") and "MiB" in case.name and is_of_mpi(status, said):
                wrong, own = "", " (MPI did not start)"
            passed, failed = passed + (not wrong), failed + bool(wrong)
            print(f"{'FAILED: ' if wrong else ''}{case.name}: ended after {seconds:.1f} s with status {status}{own}", flush=True)
            if wrong:
                print(f"  {wrong}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
