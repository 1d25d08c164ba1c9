#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How planning grows with what a model may have much of: inputs of an operator, nodes, dims, elements, outputs, constants.

    tests/wide/growth.py [--binary FILE] [--cluster 8xh100] [--most 1.2] [--limit 600] [AXIS...]

One row a size: CPU seconds and largest memory of `metadist plan`, and what was proven; the least of five runs where one takes less than a
second. The exponent of an axis is the slope from a size to the largest, which is eight times as large or more, of what is above the least cost of
all; the last such size whose cost is 10 ms (10 MiB) above. Dims count as the elements of the smallest array that has so many. Exit 1 where an
exponent is above --most, where a size takes over a second and more than twice as long as a larger one, or where a plan fails or takes longer
than --limit seconds. Needs the Python packages onnx and numpy.
"""

import argparse
import json
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import models  # noqa: E402

FLOAT = TensorProto.FLOAT
OPSET = [helper.make_opsetid("", 21)]


def tensor(name, dims):
    return helper.make_tensor_value_info(name, FLOAT, dims)


def model(nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, "growth", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=OPSET, ir_version=10)


def joined(operator, dims, result, count, **attributes):
    names = [f"x{i}" for i in range(count)]
    return model([helper.make_node(operator, names, ["y"], **attributes)], [tensor(name, dims) for name in names], [tensor("y", result)])


def sums(count):
    return joined("Sum", [64, 64], [64, 64], count)


def concats(count):
    return joined("Concat", [64, 64], [64, 64 * count], count, axis=1)


def uneven_concats(count):
    names = [f"x{i}" for i in range(count)]
    sizes = [16 * (1 + i % 7) for i in range(count)]
    inputs = [tensor(name, [64, size]) for name, size in zip(names, sizes)]
    return model([helper.make_node("Concat", names, ["y"], axis=1)], inputs, [tensor("y", [64, sum(sizes)])])


def chains(count):
    operators = ("Relu", "Tanh", "Sigmoid")
    nodes = [helper.make_node(operators[i % 3], [f"t{i}"], [f"t{i + 1}"]) for i in range(count)]
    return model(nodes, [tensor("t0", [64, 64])], [tensor(f"t{count}", [64, 64])])


def residual_chains(count):
    """No two neighbours alike: the position of every third node is drawn from the digits of a multiplication."""
    nodes = []
    for i in range(count):
        other = f"t{i - (i * 2654435761 >> 7) % min(i, 8)}" if i > 8 else "t0"
        nodes.append(helper.make_node(("Add", "Mul", "Max")[i * 2654435761 % 11 % 3], [f"t{i}", other], [f"t{i + 1}"]))
    return model(nodes, [tensor("t0", [64, 64])], [tensor(f"t{count}", [64, 64])])


def ranks(count):
    dims = [2] * count
    turned = list(reversed(range(count)))
    nodes = [helper.make_node("Transpose", ["a"], ["t"], perm=turned), helper.make_node("Add", ["t", "b"], ["y"])]
    return model(nodes, [tensor("a", dims), tensor("b", dims)], [tensor("y", dims)])


def sizes(count):
    nodes = [
        helper.make_node("MatMul", ["a", "b"], ["t"]),
        helper.make_node("Reshape", ["t", "shape"], ["r"]),
        helper.make_node("Relu", ["r"], ["y"]),
    ]
    rows = max(count // 1024, 1)
    shape = numpy_helper.from_array(np.array([rows // 2 or 1, -1, 256], np.int64), "shape")
    return model(nodes, [tensor("a", [rows, 512]), tensor("b", [512, 1024])], [tensor("y", None)], [shape])


def outputs(count):
    names = [f"y{i}" for i in range(count)]
    nodes = [helper.make_node("Split", ["x"], names, axis=0, num_outputs=count)]
    return model(nodes, [tensor("x", [64 * count, 64])], [tensor(name, [64, 64]) for name in names])


def constants(count):
    operators = ("Add", "Mul")
    nodes = [helper.make_node(operators[i % 2], [f"t{i}", f"c{i}"], [f"t{i + 1}"]) for i in range(count)]
    held = [numpy_helper.from_array(np.float32([1 + i / count] * 64), f"c{i}") for i in range(count)]
    return model(nodes, [tensor("t0", [64, 64])], [tensor(f"t{count}", [64, 64])], held)


# Every axis: what makes a model of a size, and the sizes.
AXES = {
    "inputs of Sum": (sums, [2, 8, 32, 128, 500, 2000, 8000, 32_000]),
    "inputs of Concat": (concats, [2, 8, 32, 128, 500, 2000, 8000, 32_000, 64_000]),
    "inputs of Concat of several sizes": (uneven_concats, [2, 8, 32, 128, 500, 2000, 8000, 32_000, 64_000]),
    "nodes of a chain": (chains, [10, 1000, 10_000, 100_000, 1_000_000]),
    "nodes of a chain with residuals": (residual_chains, [10, 1000, 3000, 10_000, 30_000, 100_000]),
    "dims": (ranks, [2, 4, 6, 8, 10, 12]),
    "elements": (sizes, [2**10, 2**20, 2**30, 2**40]),
    "outputs": (outputs, [1, 4, 16, 64]),
    "constants": (constants, [10, 100, 1000, 3000, 10_000, 30_000]),
}


def measure(command, limit):
    """(exit status or None above the limit, stdout, last line of stderr, CPU seconds, MiB)"""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        process = subprocess.Popen(["timeout", "--signal=KILL", str(limit), *command], stdout=out, stderr=error)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), error.seek(0)
        lines = error.read().decode(errors="replace").strip().splitlines()
        return process.returncode, out.read().decode(), lines[-1] if lines else "", usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


FAR = 8  # from a size to the largest: less shows what caches do
RUNS = 5  # of what takes less than a second


def exponent(points, least):
    """What a cost grows by, or None if it is too small to tell; points: (size, cost)."""
    floor = min(cost for _, cost in points)
    size, cost = points[-1][0], points[-1][1] - floor
    before = [(one, cost_then - floor) for one, cost_then in points if one * FAR <= size and cost_then - floor >= least]
    if not before:
        return None
    return math.log(cost / before[-1][1]) / math.log(size / before[-1][0])


def humps(points):
    """Sizes that take more than a second, and more than twice as long as a larger one."""
    return [size for i, (size, cost) in enumerate(points) if cost > 1 and any(cost > 2 * later for _, later in points[i + 1 :])]


def measure_least(command, limit):
    """`measure`, of several runs the one of the least seconds."""
    first = measure(command, limit)
    if first[0] or first[3] >= 1:
        return first
    return min([first] + [measure(command, limit) for _ in range(RUNS - 1)], key=lambda run: run[3])


def save(name, count, file):
    onnx.save(AXES[name][0](count), file)


def axis(options, name, folder):
    """Problems, as text."""
    counts = AXES[name][1]
    seconds, memory, problems = [], [], []
    for count in counts:
        file = os.path.join(folder, "model.onnx")
        # In a process of its own: what is measured begins with the memory of the process that starts it.
        making = multiprocessing.get_context("spawn").Process(target=save, args=(name, count, file))
        making.start()
        making.join()
        plan = [options.binary, "plan", file, "--cluster", options.cluster, "--no-alternatives", "--threads", "1", "--json"]
        status, out, error, cpu, peak = measure_least([*plan, "--memory", "64TiB", "--force", "-o", os.path.join(folder, "plan.json")], options.limit)
        if status:
            print(f"| {name} | {count} | exit {status} | {cpu:.2f} | {peak:.0f} | {error[:100]} |", flush=True)
            problems.append(f"{name} {count}: exit {status}")
            break
        found = json.loads(out)
        proven = f"{found['status']}, gap {100 * found['gap']:.2f} %"
        print(f"| {name} | {count} | {found['seconds']['total']:.2f} | {cpu:.2f} | {peak:.0f} | {proven} |", flush=True)
        size = 2**count if name == "dims" else count
        seconds.append((size, cpu))
        memory.append((size, peak))
    problems += [f"{name}: {size} takes more than twice as long as a larger size" for size in humps(seconds)]
    for what, found in (("seconds", exponent(seconds, 0.01)), ("memory", exponent(memory, 10))):
        if found and found > options.most:
            problems.append(f"{name}: exponent {found:.2f} of {what}")
        print(f"| {name} | exponent of {what} | {f'{found:.2f}' if found else 'too little to tell'} | | | |", flush=True)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(models.ROOT, "build/release/bin/metadist"))
    parser.add_argument("--cluster", default="8xh100")
    parser.add_argument("--most", type=float, default=1.2)
    parser.add_argument("--limit", type=float, default=600, help="seconds that a plan may take")
    parser.add_argument("axes", nargs="*", metavar="AXIS", help=f"of {', '.join(AXES)}; all without one")
    options = parser.parse_args()
    unknown = [name for name in options.axes if name not in AXES]
    if unknown:
        parser.error(f"unknown axis: {', '.join(unknown)}")
    print("| axis | size | wall s | CPU s | MiB | proven |")
    print("|" + "-|" * 6)
    problems = []
    with tempfile.TemporaryDirectory(prefix="metadist-growth-") as folder:
        for name in options.axes or AXES:
            problems += axis(options, name, folder)
    print(f"{len(problems)} problems" + "".join(f"\n  {problem}" for problem in problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
