# SPDX-License-Identifier: Apache-2.0
"""What the check_*.py scripts share: the files of the tree, and C++ text without comments and strings."""

import argparse
import os
import re
import subprocess
import sys

PRODUCT = ("metair", "importers", "profiles", "planner", "executor", "cli")
CXX = (".cc", ".h", ".cu", ".cuh", ".def")

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|R"(?P<delimiter>[^()\\\s]*)\(.*?\)(?P=delimiter)"'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9a-zA-Z_])'(?:[^'\\\n]|\\.)+'",
    re.DOTALL,
)


def files(root, suffixes=None):
    """Paths below root, sorted, `/` between folders: what git tracks or would track; every file where git does not know root."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    top = subprocess.run(["git", "-C", root, "rev-parse", "--show-prefix"], capture_output=True, check=False)
    if listed.returncode == 0 and top.stdout.strip() == b"":
        paths = [path for path in listed.stdout.decode().split("\0") if path]
    else:
        paths = []
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if name not in ("build", ".git", "__pycache__"))
            paths += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    paths = sorted(path for path in set(paths) if os.path.isfile(os.path.join(root, path)))
    return [path for path in paths if suffixes is None or path.endswith(suffixes)]


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", newline="") as file:
        return file.read()


def blank(text, strings=True):
    """C++ text of the same length and lines with comments (and the insides of strings) turned to spaces."""

    def spaces(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        if not strings:
            return token
        return token[0] + re.sub(r"[^\n]", " ", token[1:-1]) + token[-1]

    return _TOKEN.sub(spaces, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def run(check, description):
    """Runs check(root) -> list of `path:line: message`, prints them and exits 1 if there is one."""
    parser = argparse.ArgumentParser(description=description)
    default = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--root", default=default, help="the tree to check (default: this one)")
    problems = check(parser.parse_args().root)
    for problem in problems:
        print(problem)
    name = os.path.basename(sys.argv[0])
    print(f"{name}: {len(problems)} problems" if problems else f"{name}: clean")
    sys.exit(1 if problems else 0)
