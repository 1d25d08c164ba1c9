#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ends runs of `metadist solve` and `iopddl` early and checks what they leave.

    interrupts.py [--binary FILE] [--moments 8] [--span 2] PROBLEM...

Each problem is interrupted (SIGINT) at so many moments of the first --span seconds: the answer is a feasible choice whose cost is the one told,
with exit status 130 (0 if the run was over before), or none yet, which says so. Then the same with --time-limit (status 0 or 8) and through
iopddl, whose last line is a feasible choice or []. A second run with the same work limit gives the same bytes.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Failed(Exception):
    pass


def run(binary, arguments, interrupt_after=None, name="metadist"):
    """(exit status, stdout, stderr, wall seconds)."""
    start = time.monotonic()
    process = subprocess.Popen([name, *arguments], executable=binary, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if interrupt_after is not None:
        try:
            out, err = process.communicate(timeout=interrupt_after)
            return process.returncode, out, err, time.monotonic() - start
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    return process.returncode, out, err, time.monotonic() - start


def feasible(binary, problem, choice):
    """What a choice costs, or None if it is not feasible."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(choice, file)
        file.flush()
        status, out, err, _ = run(binary, ["solve", problem, "--check", file.name, "--json"])
    if status not in (0, 5):
        raise Failed(f"--check: {err}")
    return json.loads(out)["cost"] if status == 0 else None


def check_answer(binary, problem, status, out, err, with_choice, without):
    """Raises if the answer is neither a choice as good as it says, nor an honest none."""
    if not out.strip():
        if status not in without:
            raise Failed(f"nothing printed, exit {status}: {err}")
        return "none yet"
    document = json.loads(out)
    if not document["choice"]:
        if status not in without:
            raise Failed(f"no choice, exit {status}: {err}")
        return "none yet"
    if status not in with_choice:
        raise Failed(f"a choice, exit {status}: {err}")
    cost = feasible(binary, problem, document["choice"])
    if cost != document["cost"]:
        raise Failed(f"cost {document['cost']} told, {cost} found")
    if document["bound"] is not None and document["bound"] > cost:
        raise Failed(f"bound {document['bound']} above cost {cost}")
    return f"{document['status']} {cost}"


def check(binary, problem, moments, span):
    answers = []
    for k in range(moments):
        after = span * (k + 0.5) / moments
        status, out, err, _ = run(binary, ["solve", problem, "--json"], interrupt_after=after)
        answers.append(check_answer(binary, problem, status, out, err, (0, 130), (130,)))
    for limit in (0.001, 0.05, span / 2, span):
        status, out, err, _ = run(binary, ["solve", problem, "--json", "--time-limit", f"{limit}s"])
        answers.append(check_answer(binary, problem, status, out, err, (0,), (8,)))
    status, out, err, wall = run(binary, [problem, str(span)], name="iopddl")
    choice = json.loads(out.strip().split("\n")[-1])
    if choice and feasible(binary, problem, choice) is None:
        raise Failed("iopddl printed a choice that is not feasible")
    answers.append(f"iopddl {span} s: {'a choice' if choice else '[]'} after {wall:.2f} s")
    command = ["solve", problem, "--work-limit", "20M", "--seed", "3", "--json"]
    texts = [run(binary, command)[1] for _ in range(2)]
    documents = [{key: value for key, value in json.loads(text).items() if key != "seconds"} for text in texts]
    if documents[0] != documents[1]:
        raise Failed("two runs with one work limit differ")
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--moments", type=int, default=8)
    parser.add_argument("--span", type=float, default=2)
    parser.add_argument("problems", nargs="+", metavar="PROBLEM")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored, and commands would inherit that
    failed = 0
    for problem in options.problems:
        name = os.path.basename(problem)
        try:
            for answer in check(options.binary, problem, options.moments, options.span):
                print(f"{name}: {answer}")
        except Failed as error:
            failed += 1
            print(f"{name}: FAILED: {error}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
