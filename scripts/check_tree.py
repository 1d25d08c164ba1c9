# SPDX-License-Identifier: Apache-2.0
"""What every tracked file owes: white space, licence line, run bit, no unfinished work, no path of one machine, modest size."""

import os
import re

import source_tree

TEXT = (".cc", ".h", ".cu", ".cuh", ".def", ".py", ".sh", ".cmake", ".txt", ".md", ".json", ".toml", ".yml", "/run", ".supp",
        ".clang-format", ".clang-tidy", ".gitignore", ".codespellrc")
LICENSED = (".cc", ".h", ".cu", ".cuh", ".def", ".py", ".sh", ".cmake", "CMakeLists.txt", ".ci/run")
LICENCE = "SPDX-License-Identifier: Apache-2.0"
VERBATIM = ("tests/cli/", "tests/data/", "tests/fuzz/corpus/")  # what a program printed or a case needs, kept as it is
BYTES = 1 << 20
LARGE = ("models/",)  # real models

_UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")
_MACHINE = re.compile(r"(?<![\w.])/(work|root|home/\w+)/")


def check_text(path, text):
    problems = []
    code = path.endswith(LICENSED)
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{path}:{number}"
        if line.endswith("\r"):
            problems.append(f"{where}: carriage return")
        elif line != line.rstrip() and not path.startswith(VERBATIM):
            problems.append(f"{where}: white space at the end of the line")
        if code and "\t" in line:
            problems.append(f"{where}: tab")
        if code and _UNFINISHED.search(line) and path != "scripts/check_tree.py":
            problems.append(f"{where}: unfinished work is marked")
        if _MACHINE.search(line) and path != "scripts/check_tree.py":
            problems.append(f"{where}: path of one machine")
    if text and not text.endswith("\n") and not path.startswith(VERBATIM):
        problems.append(f"{path}:{text.count(chr(10)) + 1}: no new line at the end of the file")
    if code and LICENCE not in "\n".join(text.split("\n")[:2]):
        problems.append(f"{path}:1: no {LICENCE} in the first lines")
    return problems


def check_run_bit(root, path):
    with open(os.path.join(root, path), "rb") as file:
        script = file.read(2) == b"#!"
    runs = os.access(os.path.join(root, path), os.X_OK)
    if script and not runs:
        return [f"{path}:1: a script without its run bit"]
    if runs and not script:
        return [f"{path}:1: has a run bit and is no script"]
    return []


def check(root):
    problems = []
    for path in source_tree.files(root):
        size = os.path.getsize(os.path.join(root, path))
        if size > BYTES and not path.startswith(LARGE):
            problems.append(f"{path}:1: {size} bytes (limit {BYTES}); can a script make it?")
        problems += check_run_bit(root, path)
        if path.endswith(TEXT) or os.path.basename(path) in TEXT:
            try:
                problems += check_text(path, source_tree.read(root, path))
            except UnicodeDecodeError:
                problems.append(f"{path}:1: not UTF-8")
    return problems


if __name__ == "__main__":
    source_tree.run(check, __doc__)
