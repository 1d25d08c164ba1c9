#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the generated pages: docs/ops.md from the operator files, docs/cli.md from the help of the built binary, docs/rules.md from what it
discovers of every operator.

    scripts/docs.py [--binary FILE]            rewrites
    scripts/docs.py [--binary FILE] --check    changes nothing; fails if a page is stale
"""

import argparse
import difflib
import itertools
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_discovery_inputs  # noqa: E402
import source_tree  # noqa: E402
from check_op_spread import TABLE, flat  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def opening_comment(text):
    """The comment of a file below its licence line, up to the first paragraph's end, as one line."""
    words = []
    for line in text.split("\n")[1:]:
        if not line.startswith("// "):
            break
        words.append(line[3:].strip())
    return " ".join(words).replace("|", "\\|")


def field(text, name):
    """A field of the operator's definition as written, or None."""
    match = re.search(rf'\.{name} =\s*"?([^",}}]+)', text)
    return match.group(1) if match else None


def operators():
    """Per operator: its name, the text of its file, whether the executor has a kernel of its own for it."""
    table = source_tree.blank(source_tree.read(ROOT, TABLE), strings=False)
    kernels = set()
    if os.path.exists(os.path.join(ROOT, "executor/cpu/kernels.def")):
        kernels = set(re.findall(r"^KERNEL\((\w+),", source_tree.read(ROOT, "executor/cpu/kernels.def"), re.MULTILINE))
    sources = {flat(os.path.basename(path)[:-3]): path for path in source_tree.files(ROOT, ".cc") if path.startswith("metair/ops/")}
    for name in re.findall(r"^[A-Z_]*OP\((\w+)\)", table, re.MULTILINE):
        yield name, source_tree.read(ROOT, sources[flat(name)]), name in kernels


def ops_page():
    rows, fast = [], 0
    for name, text, kernel in operators():
        fast += kernel
        domain = field(text, "domain") or ""
        page = f"https://onnx.ai/onnx/operators/onnx__{name}.html"
        shown = name if domain else f"[{name}]({page})"
        rows.append(f"| {shown} | {field(text, 'since_version') or 1} | {'own' if kernel else 'reference'} | {opening_comment(text)} |")
    return "\n".join(
        [
            "# Operators",
            "",
            "Written by `scripts/docs.py` from `metair/ops/`. Every operator here is imported, planned and executed. How it can be split over",
            "devices is discovered by running it (`metadist rules`). An operator that is not listed is imported as an opaque node.",
            "",
            f"{len(rows)} operators, {fast} with a kernel of their own on the CPU; the others run their reference kernel there.",
            "",
            "| operator | opset | cpu kernel | computes |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def help_of(binary, *command):
    done = subprocess.run(
        ["metadist", *command, "--help"],
        executable=binary,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "COLUMNS": "100", "LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        sys.exit(f"docs: metadist {' '.join(command)} --help: exit status {done.returncode}: {done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").split("\n"))


def cli_page(binary):
    top = help_of(binary)
    listed = top.split("Subcommands:\n", 1)[1].split("\n\n", 1)[0]
    commands = re.findall(r"^  (\w[\w-]*) ", listed, re.MULTILINE)
    parts = ["# The command line", "", "Written by `scripts/docs.py` from the program's own help.", "", "```text", top, "```"]
    for command in commands:
        parts += ["", f"## {command}", "", "```text", help_of(binary, command), "```"]
    return "\n".join(parts) + "\n"


def call_text(signature):
    """Inputs as f32[4,6], integers of constant ones as {4,6}, a missing one as _; attributes behind them."""
    words = []
    for given in signature["inputs"]:
        if given is None:
            words.append("_")
        elif "value" in given:
            words.append("{" + ",".join(map(str, given["value"])) + "}")
        else:
            words.append(given["dtype"] + "[" + ",".join(map(str, given["shape"])) + "]")
    shown = [f"{name}={str(value).replace(' ', '')}" for name, value in signature["attributes"].items() if not isinstance(value, str) or len(value) < 24]
    return " ".join(words + shown).replace("|", "\\|")


def signatures(binary, name):
    done = subprocess.run(
        ["metadist", "rules", "--op", name, "--json"],
        executable=binary,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        sys.exit(f"docs: metadist rules --op {name}: exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["signatures"]


def read_by_discovery():
    """The table of what discovery reads of an operator, as docs/discovery.md has it."""
    text = source_tree.read(ROOT, check_discovery_inputs.LIST)
    section = text.split(f"\n{check_discovery_inputs.READ}\n", 1)[1]
    lines = itertools.dropwhile(lambda line: not line.startswith("|"), section.split("\n"))
    return list(itertools.takewhile(lambda line: line.startswith("|"), lines))


def rules_page(binary):
    rows, factors, without, runs = [], 0, 0, []
    for name, _, _ in operators():
        for signature in signatures(binary, name):
            factors += len(signature["factors"])
            without += not signature["factors"]
            runs.append(signature["kernel_runs"])
            rule = f"`{signature['rule']}`" if signature["rule"] != "none" else "none"
            why = "" if signature["factors"] else f": {signature['reason']}"
            rows.append(f"| {name} | {call_text(signature)} | {rule}{why} | {signature['executions']} | {signature['kernel_runs']} |")
    return "\n".join(
        [
            "# Rules",
            "",
            "Written by `scripts/docs.py` from `metadist rules --op OP`: what is discovered of the examples of every operator, by running them. How to",
            "read a rule: [sharding.md](sharding.md). *Executions* are divided runs that were compared with a whole one; *kernel runs* counts every",
            "run of the reference kernel, on arrays of some hundred elements. `metadist rules MODEL -o FILE` writes a model's rules with all their",
            "detail ([files.md](files.md)).",
            "",
            "Nothing here is written by hand. What discovery reads of an operator's definition, and why none of it is a rule",
            "([discovery.md](discovery.md), which also lists the decompositions that are written to follow a cut):",
            "",
            *read_by_discovery(),
            "",
            f"{len(rows)} signatures of {len({row.split(' | ')[0] for row in rows})} operators: {factors} factors; {without} signatures cannot be divided.",
            f"Kernel runs a signature: {sorted(runs)[len(runs) // 2]} in the median, {max(runs)} at most.",
            "",
            "| operator | call | rule | executions | kernel runs |",
            "|---|---|---|--:|--:|",
            *rows,
            "",
        ]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = 0
    binary = os.path.abspath(options.binary)
    for path, new in (("docs/ops.md", ops_page()), ("docs/cli.md", cli_page(binary)), ("docs/rules.md", rules_page(binary))):
        whole = os.path.join(ROOT, path)
        old = source_tree.read(ROOT, path) if os.path.exists(whole) else ""
        if old == new:
            continue
        stale += 1
        print(f"{path}: {'stale: run scripts/docs.py' if options.check else 'written'}")
        if options.check:
            print("\n".join(difflib.unified_diff(old.split("\n"), new.split("\n"), "tracked", "generated", lineterm="", n=1)))
        else:
            with open(whole, "w", encoding="utf-8") as file:
                file.write(new)
    sys.exit(1 if options.check and stale else 0)


if __name__ == "__main__":
    main()
