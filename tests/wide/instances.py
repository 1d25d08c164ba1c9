#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public instances of google/iopddl against what is known of them, as a Markdown table.

    instances.py DIR [--seeds 5] [--solver auto] [--only G,B] [--seconds N] [--binary FILE] [--threads 1] [--json FILE]

DIR holds asplos-2025-iopddl-X.json or .json.gz. Every instance is solved with every seed, one run after another. All times are CPU seconds of
the process (user and system), so a loaded machine does not change them; a run is interrupted as Ctrl-C does when it has spent its budget: the
seconds of its line of the table of goals, or --seconds. Shown is the worst of all seeds; "to must" is when a run first held a choice as good as
the line asks for ("to goal" likewise), "to proof" when it ended with status optimal. A line fails if any seed misses it.
"""

import argparse
import glob
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TICKS = os.sysconf("SC_CLK_TCK")

# best: the best cost known; must, goal: (cost at most, CPU seconds, proven), bound: to be reached with the goal.
LINES = {
    "A": {"best": 6548553650, "must": (6548553650, 20, True), "goal": (6548553650, 5, True)},
    "B": {"best": 532843, "must": (532843, 10, True), "goal": (532843, 3, True)},
    "C": {"best": 84102392579, "must": (84102392579, 20, True), "goal": (84102392579, 4, True)},
    "D": {"best": 309195190496, "must": (309195190496, 30, True), "goal": (309195190496, 9, True)},
    "G": {"best": 217039, "must": (217039, 10, True), "goal": (217039, 3, True)},
    "K": {"best": 2148731002, "must": (2250000000, 30, False), "goal": (2150000000, 30, False), "bound": 2066000000},
    "P": {"best": 651833115436, "must": (651833115436, 15, True), "goal": (651833115436, 4, True)},
    "R": {"best": 350462229555, "must": (371000000000, 30, False), "goal": (352000000000, 30, False)},
    "V": {"best": 1617084, "must": (1700000, 20, False), "goal": (1617084, 60, False)},
}
PROGRESS = re.compile(r"best (-?\d+)")
GRACE = 20  # CPU seconds a run may take to end after its interrupt


def cpu_seconds(pid):
    """Of a running process, its threads included; None once it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / TICKS


class Run:
    """One process under a CPU budget: its document, and when its best choice had which cost."""

    def __init__(self, command, budget):
        self.trace = []  # (CPU seconds, cost)
        self.errors = []
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
            self._watch(process, budget)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.exit = process.returncode
            out.seek(0)
            text = out.read()
        self.seconds = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024
        self.document = json.loads(text) if text.strip() else {}
        if self.document.get("cost") is not None:
            self.trace.append((self.seconds, self.document["cost"]))

    def _watch(self, process, budget):
        told, rest = False, b""
        while True:
            ready, _, _ = select.select([process.stderr], [], [], 0.02)
            spent = cpu_seconds(process.pid)
            if ready:
                data = os.read(process.stderr.fileno(), 1 << 16)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._line(line.decode(errors="replace"), spent)
            if spent is None:
                continue
            if spent >= budget and not told:
                process.send_signal(signal.SIGINT)
                told = True
            if spent >= budget + GRACE:
                process.kill()
                return

    def _line(self, line, spent):
        found = PROGRESS.search(line)
        if found and spent is not None:
            self.trace.append((spent, int(found.group(1))))
        elif "error:" in line:
            self.errors.append(line)

    def reached(self, cost):
        """CPU seconds until a choice cost at most that; None if none did."""
        return next((seconds for seconds, value in self.trace if value <= cost), None)

    @property
    def proof(self):
        return self.seconds if self.document.get("status") == "optimal" else None


def holds(run, line, key):
    cost, seconds, proven = line[key]
    at = run.proof if proven else run.reached(cost)
    value = run.document.get("cost")
    enough = key != "goal" or "bound" not in line or (run.document.get("bound") or 0) >= line["bound"]
    return at is not None and at <= seconds and value is not None and value <= cost and enough


def worst(values):
    """The largest, or a dash if one is missing."""
    return "-" if any(value is None for value in values) else f"{max(values):.1f}"


def row(name, line, runs):
    documents = [run.document for run in runs]
    costs = [d.get("cost") for d in documents]
    bounds = [d["bound"] for d in documents if d.get("bound") is not None]
    statuses = sorted({d.get("status", "failed") for d in documents})
    cost = None if None in costs else max(costs)
    cells = [name, str(len(runs))]
    for key in ("must", "goal"):
        cells.append(worst([run.reached(line[key][0]) for run in runs]) if line else "-")
    cells.append(worst([run.proof for run in runs]))
    cells.append("-" if cost is None else str(cost))
    cells.append(str(min(bounds)) if len(bounds) == len(runs) else "-")
    cells.append("-" if not bounds or not cost else f"{100 * (cost - min(bounds)) / abs(cost):.2f}")
    cells.append(", ".join(statuses))
    cells.append(f"{line['best'] / cost:.4f}" if line and cost else "-")
    for key in ("must", "goal"):
        cells.append(f"{sum(holds(run, line, key) for run in runs)}/{len(runs)}" if line else "-")
    cells.append(f"{max(run.seconds for run in runs):.1f}")
    cells.append(f"{max(run.megabytes for run in runs):.0f}")
    return cells


def instances(folder, only):
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.json")) + glob.glob(os.path.join(folder, "*.json.gz"))):
        name = re.sub(r"\.json(\.gz)?$", "", os.path.basename(path))
        name = name.rsplit("-", 1)[-1]
        if not only or name in only:
            found[name] = path
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--only", default="", help="names, as G,B,P")
    parser.add_argument("--seconds", type=float, help="CPU budget of every run")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--json", dest="raw", metavar="FILE", help="all runs, for a closer look")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored, and commands would inherit that
    found = instances(options.folder, [name for name in options.only.split(",") if name])
    if not found:
        sys.exit(f"instances: no problem files in {options.folder}")
    raw, failed = {}, []
    print(f"`{options.solver}`, {options.threads} thread(s), {options.seeds} seeds, worst of them; CPU seconds.\n")
    print("| | seeds | s to must | s to goal | s to proof | cost | bound | gap % | status | best known / cost | must | goal | s in all | MB |")
    print("|-|-:|-:|-:|-:|-:|-:|-:|-|-:|-:|-:|-:|-:|")
    for name, path in found.items():
        line = LINES.get(name)
        budget = options.seconds or (max(line["must"][1], line["goal"][1]) if line else 60)
        runs = []
        for seed in range(options.seeds):
            command = [options.binary, "solve", path, "--solver", options.solver, "--threads", options.threads]
            runs.append(Run(command + ["--seed", str(seed), "--json", "--progress", "plain"], budget))
            for error in runs[-1].errors:
                if runs[-1].exit not in (0, 130):
                    print(f"instances: {name} seed {seed}: {error}", file=sys.stderr)
        print("| " + " | ".join(row(name, line, runs)) + " |", flush=True)
        if line and not all(holds(run, line, "must") for run in runs):
            failed.append(name)
        raw[name] = [{"exit": run.exit, "cpu_seconds": run.seconds, "trace": run.trace, **run.document, "choice": None} for run in runs]
    if options.raw:
        with open(options.raw, "w", encoding="utf-8") as file:
            json.dump({"time": time.strftime("%F"), "runs": raw}, file, indent=1)
    print("\nAll lines hold." if not failed else f"\nMissed: {', '.join(failed)}.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
