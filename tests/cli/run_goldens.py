#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs golden transcripts and compares, or rewrites them with --update (read the diff before committing it).

    tests/cli/run_goldens.py [--binary FILE] [--update] [FILE...]

FILE: tests/cli/<command>/<case>.txt (all of them by default; the format is in golden_file.py, the helper commands in golden_shell.py), or a
.md file: its ```console blocks that begin with `$ metadist` run in order in one folder, and a line `...` stands for any lines there.
"""

import argparse
import difflib
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import golden_file  # noqa: E402
import golden_shell  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))


def answer(shell, step, hidden):
    """The step with what its command really says, masked."""
    out, err, status = shell.run(step.command)
    return golden_file.Step(
        step.command,
        step.before,
        golden_file.lines(golden_file.mask(out, hidden)),
        golden_file.lines(golden_file.mask(err, hidden)),
        status,
    )


def masked(step, hidden):
    """The step as it is expected, masked like an answer."""
    out, err = (golden_file.lines(golden_file.mask("\n".join(part), hidden)) for part in (step.stdout, step.stderr))
    return golden_file.Step(step.command, step.before, out, err, step.exit)


def matches(expected, actual, wild):
    """Whether two lists of lines are equal; with wild, a line `...` of the expected stands for any lines."""
    if not wild:
        return expected == actual
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual)) is not None


def compare(name, expected, actual, wild):
    """Prints how two steps differ; True if they do not."""
    if matches(expected.answer(), actual.answer(), wild):
        return True
    print(f"{name}: $ {expected.command}")
    for line in difflib.unified_diff(expected.answer(), actual.answer(), "expected", "actual", lineterm="", n=5):
        print("  " + line)
    return False


def blocks(text):
    """The ```console blocks of a Markdown file that run metadist, as one golden."""
    found = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return "\n".join(block for block in found if block.startswith("$ metadist"))


def run(path, binary, update):
    """Runs one file; True if it agrees or was rewritten."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    document = path.endswith(".md")
    steps, below = golden_file.parse(blocks(text) if document else text)
    name = os.path.relpath(path, ROOT)
    if not steps:
        print(f"{name}: holds no command")
        return False
    hidden = golden_file.masks(text)
    shell = golden_shell.Shell(binary, ROOT)
    try:
        answers = [answer(shell, step, hidden) for step in steps]
    finally:
        shell.close()
    if update and not document:
        new = golden_file.render(answers, below)
        if new != text:
            print(f"{name}: rewritten")
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
        return True
    agreed = [compare(name, masked(step, hidden), got, document) for step, got in zip(steps, answers)]
    if not all(agreed):
        print(f"{name}: {agreed.count(False)} of {len(agreed)} commands answer otherwise; --update rewrites: {sys.argv[0]} --update {name}")
    return all(agreed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    files = options.files or sorted(
        path for path in glob.glob(os.path.join(HERE, "*", "*.txt")) if os.path.basename(os.path.dirname(path)) != "fixtures"
    )
    if not os.access(options.binary, os.X_OK):
        sys.exit(f"{options.binary} is not there; build it first (scripts/build.sh)")
    failed = [path for path in files if not run(os.path.abspath(path), options.binary, options.update)]
    print(f"{len(files) - len(failed)} goldens agree, {len(failed)} do not")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
