#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The memory-free optimum of problem files, as they are and reduced, by toulbar2 (Debian: toulbar2), an exact solver that shares no
code with ours; both must be equal, and equal to `metadist solve` without the limit.

  solver_toulbar2.py --binary build/release/bin/metadist --wcsp build/release/bin/solver_wcsp problem.json[.gz] ..."""
import argparse
import gzip
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile


def seconds_used():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def optimum(wcsp, problem, how, seconds, folder):
    file = folder / f"{how}.wcsp"
    with file.open("w") as out:
        subprocess.run([wcsp, str(problem), how], stdout=out, check=True)
    with file.open() as text:
        constant, nodes = map(int, text.readline().split()[:2])
    if nodes == 0:
        return constant, 0.0
    before = seconds_used()
    answer = subprocess.run(["toulbar2", str(file), f"-timer={seconds}"], capture_output=True, text=True, check=False).stdout
    used = seconds_used() - before
    found = re.search(r"^Optimum: (-?\d+)", answer, re.MULTILINE)
    return (constant + int(found.group(1)) if found else None), used


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--wcsp", required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("problems", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    if shutil.which("toulbar2") is None:
        sys.exit("toulbar2 is not installed")
    failed = False
    print("| problem | raw | s | reduced | s | metadist | agree |")
    print("|-|-:|-:|-:|-:|-:|-|")
    for path in arguments.problems:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            text = gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()
            document = json.loads(text)
            document["problem"].pop("usage_limit", None)
            problem = folder / "free.json"
            problem.write_text(json.dumps(document))
            raw, raw_seconds = optimum(arguments.wcsp, problem, "raw", arguments.seconds, folder)
            reduced, reduced_seconds = optimum(arguments.wcsp, problem, "reduced", arguments.seconds, folder)
            answer = json.loads(subprocess.run(
                [arguments.binary, "solve", str(problem), "--json"], capture_output=True, text=True, check=False).stdout)
            own = answer["cost"] if answer["status"] == "optimal" else None
            known = {value for value in (raw, reduced, own) if value is not None}
            agree = len(known) == 1 and raw is not None
            failed |= not agree
            print(f"| {path.name} | {raw} | {raw_seconds:.2f} | {reduced} | {reduced_seconds:.2f} | {own} "
                  f"| {'yes' if agree else 'no'} |", flush=True)
    sys.exit(1 if failed else 0)


main()
