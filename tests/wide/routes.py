# SPDX-License-Identifier: Apache-2.0
"""Routes of this project for other programs to compare with, and Shardy's notation."""

import json
import math
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.path.join(ROOT, "build", "release", "bin", "route_cases")


class Routes:
    """Asks build/release/bin/route_cases (tests/wide/route_cases.cc)."""

    def __init__(self, binary=BINARY):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, mesh, shape, start, end, algorithm):
        """The route as a dictionary, None if the method has none. mesh: {axis: size}; start, end: '[x][y]'."""
        names = ",".join(f"{axis}={size}" for axis, size in mesh.items()) or "1"
        sizes = ",".join(str(size) for size in shape)
        self.process.stdin.write(f"{names}|{sizes}|{start}|{end}|{algorithm}\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(f"{start} -> {end} on {names}: {answer['error']}")
        return None if "none" in answer else answer


def dims_of(text):
    """'[x,y@2.2][]' -> [['x', 'y@2.2'], []]."""
    return [[axis for axis in dim.split(",") if axis] for dim in re.findall(r"\[([^\]]*)\]", text)]


def text_of(dims):
    return "".join("[" + ",".join(dim) + "]" for dim in dims)


def size_of(axis, mesh):
    return int(axis.split(".")[1]) if "@" in axis else mesh[axis]


def elements(shape, text, mesh):
    """Elements a device holds."""
    pieces = [math.prod(size_of(axis, mesh) for axis in dim) for dim in dims_of(text)]
    return math.prod(-(-size // count) for size, count in zip(shape, pieces))


def from_shardy(text):
    """'[{"x", "y":(2)2}, {}]' -> '[x,y@2.2][]'."""
    dims = []
    for dim in re.findall(r"\{([^}]*)\}", text):
        axes = [axis.strip() for axis in dim.split(",") if axis.strip() not in ("", "?")]
        dims.append([re.sub(r'"(\w+)":\((\d+)\)(\d+)', r"\1@\2.\3", axis).replace('"', "") for axis in axes])
    return text_of(dims)


def to_shardy(text):
    """The other way round."""

    def axis_text(axis):
        found = re.fullmatch(r"(\w+)@(\d+)\.(\d+)", axis)
        return f'"{found[1]}":({found[2]}){found[3]}' if found else f'"{axis}"'

    return "[" + ", ".join("{" + ", ".join(map(axis_text, dim)) + "}" for dim in dims_of(text)) + "]"


KINDS = {"all_slice": "Slice", "all_gather": "AllGather", "all_to_all": "AllToAll", "collective_permute": "Permute"}


def shardy_steps(text):
    """[(kind, sharding after)] of the collectives in a module's or a test's text."""
    pattern = r"sdy\.(all_slice|all_gather|all_to_all|collective_permute)\b.*out_sharding=<@\w+, (\[[^\]]*\])"
    return [(KINDS[kind], from_shardy(to)) for kind, to in re.findall(pattern, text)]


def received(shape, start, steps, mesh):
    """Elements a device receives in steps [(kind, sharding after)]."""
    total = 0
    before = start
    for kind, after in steps:
        here, there = elements(shape, before, mesh), elements(shape, after, mesh)
        if kind == "AllGather":
            total += there - here
        elif kind == "Permute":
            total += here
        elif kind == "AllToAll":
            group = 1
            for old, new in zip(dims_of(before), dims_of(after)):
                count = math.prod(size_of(axis, mesh) for axis in new) / math.prod(size_of(axis, mesh) for axis in old)
                group *= max(count, 1)
            total += here * (group - 1) / group
        before = after
    return total


def merged(steps):
    """Slices and gathers in a row as one: Shardy does several dims at once."""
    out = []
    for kind, after in steps:
        if out and out[-1][0] == kind and kind in ("Slice", "AllGather"):
            out.pop()
        out.append((kind, after))
    return out
