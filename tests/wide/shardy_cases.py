#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our routes beside those that Shardy's own tests expect.

    ninja -C build/release route_cases
    tests/wide/shardy_cases.py [--list] FILE

FILE is shardy/dialect/sdy/transforms/export/test/reshard_to_collectives.mlir of openxla/shardy. Of every function that reshards
once, on one mesh in device order, with dims that divide: Shardy's steps must end where it says, ours (the cheaper of nf and
bounded) must receive no more than Shardy's, and less in at least 10; our `shardy` must take the same steps. Exit 1 if not.
"""

import argparse
import math
import re
import sys

from routes import Routes, dims_of, elements, from_shardy, merged, received, shardy_steps, size_of


def meshes_of(text):
    """{name: {axis: size}} of meshes in device order."""
    meshes = {}
    for name, axes, ids in re.findall(r"sdy\.mesh @(\w+) = <\[(.*?)\](, device_ids=.*?)?>", text):
        if not ids:
            meshes[name] = {axis: int(size) for axis, size in re.findall(r'"(\w+)"=(\d+)', axes)}
    return meshes


def divides(shape, text, mesh):
    pieces = [math.prod(size_of(axis, mesh) for axis in dim) for dim in dims_of(text)]
    return all(size % count == 0 for size, count in zip(shape, pieces))


def problem_of(body, meshes):
    """(mesh, shape, start, end), or why the function is none of ours."""
    reshards = re.findall(r"^\s*%\w+ = sdy\.reshard %arg0 <@(\w+), (\[.*?\])> : tensor<([\dx]*)x?\w+>", body, re.MULTILINE)
    if len(reshards) != 1:
        return "not one reshard of an argument"
    name, end, sizes = reshards[0]
    source = re.search(r"%arg0 ?: tensor<[^>]*> \{sdy\.sharding = #sdy\.sharding<@(\w+), (\[.*?\])>\}", body)
    if not meshes.get(name) or (source and source[1] != name):
        return "not one mesh in device order"
    shape = [int(size) for size in re.findall(r"\d+(?=x)", sizes + "x")]
    start = from_shardy(source[2]) if source else "[]" * len(shape)
    end = from_shardy(end)
    mesh = meshes[name]
    if not divides(shape, start, mesh) or not divides(shape, end, mesh):
        return "dims that do not divide"
    return mesh, shape, start, end


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--list", action="store_true", help="print every function")
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8") as source:
        text = source.read()
    meshes = meshes_of(text)
    routes = Routes()
    fewer = more = wrong_end = same_steps = other_steps = without = 0
    skipped = {}
    functions = re.split(r"(?=^func\.func @)", text, flags=re.MULTILINE)[1:]
    for body in functions:
        name = re.search(r"func @(\w+)", body)[1]
        problem = problem_of(body, meshes)
        if isinstance(problem, str):
            skipped[problem] = skipped.get(problem, 0) + 1
            continue
        mesh, shape, start, end = problem
        theirs = shardy_steps(body)
        bytes_theirs = received(shape, start, theirs, mesh)
        ends_at = theirs[-1][1] if theirs else start
        ours = routes.ask(mesh, shape, start, end, "best")
        model = routes.ask(mesh, shape, start, end, "shardy")
        wrong_end += ends_at != end
        more += ours["received"] > bytes_theirs + 1e-9
        fewer += ours["received"] < bytes_theirs - 1e-9
        if model is None:
            without += 1
        elif merged([(step["kind"], step["to"]) for step in model["steps"]]) == merged(theirs):
            same_steps += 1
        else:
            other_steps += 1
        if arguments.list or ours["received"] > bytes_theirs + 1e-9 or ends_at != end:
            print(f"{name}: {start} -> {end}: shardy {bytes_theirs:g} elements, ours {ours['received']:g}")
    compared = len(functions) - sum(skipped.values())
    print(f"{len(functions)} functions; left out: " + ", ".join(f"{count} {why}" for why, count in skipped.items()))
    print(f"{compared} compared: ours receive fewer in {fewer}, more in {more}; {wrong_end} end elsewhere than they say")
    print(f"our shardy: the same steps in {same_steps}, others in {other_steps}, no route in {without} (an axis split within a factor)")
    return 1 if more or wrong_end or other_steps or fewer < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
