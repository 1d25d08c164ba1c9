#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws ONNX graphs, plans each in several ways, runs every plan on thread ranks, and compares with ONNX Runtime.

    tests/wide/random_graphs.py [--binary FILE] [--seed S] [--graphs N] [--plans 7] [--keep DIR] [--only OPERATOR]

Graph i of seed S is the same wherever it is drawn: --seed S+i --graphs 1. The plans: the solver's on two ranks, random ones on 3, 4, 2x2 and
3x2 ranks, one in less memory than the free plan takes (the least of a few shares in which there is one), and one more random one; more --plans
are more of these. `run` compares with one rank too, so that what a plan breaks is told from what a kernel does. A failing graph is made
smaller and, with --keep, left with its commands in a folder. Values: graph_maker.py; operators: graph_operators.py,
graph_layers.py, graph_rare.py.
Planned for bytes.profile.json, in which computing whole costs more than most exchanges. Needs onnx, onnxruntime and ml_dtypes.
Exit 1 if a graph fails, or if the plans divide fewer nodes than --least says.
"""

import argparse
import collections
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from models import ROOT, ranks

try:
    import numpy as np
    import onnx

    import graph_layers
    import graph_operators
    import graph_rare
    from graph_maker import Maker, Skip
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PROFILE = os.path.join(ROOT, "tests/wide/bytes.profile.json")
EMITTERS = {**graph_operators.EMITTERS, **graph_layers.EMITTERS, **graph_rare.EMITTERS}
MESHES = ["2", "3", "4", "2x2", "3x2", "memory", "2x2"]
SHARES = (0.7, 0.9, 1.0)
INFEASIBLE, OUT_OF_TIME = 4, 8
SECONDS, WAIT = 60, 600  # of the processor that a command may take, and by the clock, where others work too
MINUTES = 0.5  # to make a graph smaller


def draw(seed, without=()):
    """A graph of 5 to 30 operators."""
    maker = Maker(seed)
    emitters = [emit for emit in EMITTERS if emit.__name__ not in without]
    weights = np.array([EMITTERS[emit] for emit in emitters], float)
    target = maker.below(5, 30)
    for _ in range(10 * target):
        if maker.operators >= target:
            break
        emit = emitters[maker.rng.choice(len(emitters), p=weights / weights.sum())]
        try:
            emit(maker)
        except Skip:
            pass
    return maker.graph().live()


class Failure(Exception):
    """stage: rules, one rank (a kernel), plan or run. commands: lists of words."""

    def __init__(self, stage, status, error, commands):
        super().__init__(f"{stage}: exit {status} {error}")
        self.stage, self.status, self.error, self.commands = stage, status, error, commands

    def like(self, other):
        return (self.stage, self.status) == (other.stage, other.status)


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


class Case:
    """A graph written to a folder."""

    def __init__(self, binary, graph, folder):
        self.binary, self.graph, self.folder = binary, graph, folder
        onnx.save(graph.model(), self.file("graph.onnx"))
        np.savez(self.file("inputs.npz"), **graph.inputs())
        np.savez(self.file("expected.npz"), **graph.expected())
        given = ["--inputs", self.file("inputs.npz")] if graph.inputs() else []
        self.data = [*given, "--expect", self.file("expected.npz"), "--iterations", "1", "--warm-up", "0"]
        self.commands = []

    def file(self, name):
        return os.path.join(self.folder, name)

    def call(self, stage, *words, may=()):
        """(exit status, the JSON document)."""
        command = [self.binary, *words]
        self.commands = [*self.commands[-2:], command] if stage != "rules" else [command]
        try:
            done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False, timeout=WAIT, preexec_fn=limit)
        except subprocess.TimeoutExpired as expired:
            raise Failure(stage, "timeout", f"{WAIT} s", self.commands) from expired
        if done.returncode not in (0, *may):
            lines = done.stderr.strip().splitlines() or [""]
            error = next((line for line in lines if "error:" in line), lines[-1])
            if stage == "run" and "results differ from" in error and "one device" not in error:
                stage = "one rank"  # equals that, but not what is expected
            raise Failure(stage, done.returncode, error.replace(self.folder + "/", ""), list(self.commands))
        return done.returncode, json.loads(done.stdout) if done.returncode == 0 else None

    def rules(self):
        self.call("rules", "rules", self.file("graph.onnx"), *self.graph.binds(), "-o", self.file("rules.json"), "--force")

    def one_rank(self):
        self.call("one rank", "run", self.file("graph.onnx"), *self.graph.binds(), *self.data)

    def plan(self, mesh, *flags, may=()):
        """The plan's summary, or None where it need not exist."""
        return self.call(
            "plan", "plan", self.file("graph.onnx"), *self.graph.binds(), "--cluster", f"{PROFILE}:{ranks(mesh)}", "--mesh", mesh,
            "--no-alternatives", "--rules", self.file("rules.json"), "--threads", "1", *flags, "-o", self.file("plan.json"), "--force",
            may=may,
        )[1]  # fmt: skip

    def run(self):
        return self.call("run", "run", self.file("plan.json"), *self.data)[1]

    def nodes(self):
        with open(self.file("plan.json"), encoding="utf-8") as text:
            return json.load(text)["nodes"]


class Counts:
    def __init__(self):
        self.graphs = self.plans = self.runs = self.failed = self.known = self.infeasible = self.nodes = self.divided = 0
        self.operators = collections.Counter()

    def ran(self, case):
        nodes = case.nodes()
        self.runs += 1
        self.nodes += len(nodes)
        self.divided += sum(any(axis for axis in node["axes"].values()) for node in nodes)

    def text(self):
        share = 100 * self.divided / max(self.nodes, 1)
        lines = [
            f"{self.graphs} graphs, {self.plans} plans ({self.infeasible} limits left no plan), {self.runs} runs, {self.failed} failed",
            f"{self.nodes} nodes planned, {share:.1f} % divided; {len(self.operators)} operators",
            ", ".join(f"{op} {count}" for op, count in self.operators.most_common()),
        ]
        return "\n".join(([f"{self.known} graphs fail as is known"] if self.known else []) + lines)


def flags_of(number, seed):
    """(mesh, flags) of a plan; memory: None."""
    mesh = MESHES[number % len(MESHES)]
    if mesh == "memory":
        return ["2", "4", "2x2"][seed % 3], None
    return (mesh, ["--solver", "random", "--seed", str(seed * 31 + number)]) if number else (mesh, [])


def within_memory(case, mesh, counts):
    """A plan in less memory than the free one takes."""
    peak = case.plan(mesh)["peak_bytes"]
    for share in SHARES:
        counts.plans += 1
        if case.plan(mesh, "--memory", str(int(peak * share)), "--time-limit", "1s", may=(INFEASIBLE, OUT_OF_TIME)) is not None:
            return
        counts.infeasible += 1
    raise Failure("plan", INFEASIBLE, "no plan in the memory that one takes", list(case.commands))


def attempt(case, number, seed, counts):
    mesh, flags = flags_of(number, seed)
    if flags is None:
        within_memory(case, mesh, counts)
    else:
        counts.plans += 1
        case.plan(mesh, *flags)
    case.run()
    counts.ran(case)


def fails(binary, graph, number, seeds):
    """How the graph fails, or None. number: of the plan, None: before there is one."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            case = Case(binary, graph, folder)
            case.rules()
            if number is None:
                case.one_rank()
                return None
        except Failure as failure:
            return failure, None
        for seed in seeds:
            try:
                attempt(case, number, seed, Counts())
            except Failure as failure:
                return failure, seed
    return None


def fewer_of(graph, failure):
    """Parts of the graph, the smallest first: outputs alone, nodes of a stretch, all but a node or an output."""
    named = [name for name in graph.outputs if f"'{name}'" in failure.error]
    parts = [graph.live(outputs=[name]) for name in named + graph.outputs] if len(graph.outputs) > 1 else []
    count = len(graph.nodes)
    for length in [n for n in (count // 4, count // 2, count * 3 // 4) if n > 1]:
        for first in range(0, count - length + 1, max(length // 2, 1)):
            parts.append(cut_out(graph, graph.nodes[first : first + length]))
    for node in reversed(graph.nodes):
        parts.append(cut_out(graph, [other for other in graph.nodes if other is not node]))
    parts += [graph.live(outputs=[o for o in graph.outputs if o != name]) for name in graph.outputs if len(graph.outputs) > 2]
    size = (len(graph.nodes), len(graph.outputs))
    return [part for part in parts if part.nodes and part.outputs and (len(part.nodes), len(part.outputs)) < size]


def cut_out(graph, nodes):
    """These nodes alone: what others made is given, what others read comes out."""
    made = [name for node in nodes for name in node.output if name in graph.values]
    inside = {name for node in nodes for name in graph.reads(node)}
    outputs = [name for name in made if name in graph.outputs or name not in inside]
    return graph.live(nodes=nodes, outputs=outputs)


def smaller(binary, graph, failure, number, seed):
    """(the graph with as few nodes and outputs as still fail alike, the seed)."""
    until, shrunk = time.time() + MINUTES * 60, True
    while shrunk:
        shrunk = False
        for part in fewer_of(graph, failure):
            if time.time() > until:
                break
            again = fails(binary, part, number, [seed, 1, 2, 3])
            if again and again[0].like(failure):
                graph, seed, shrunk = part, again[1], True
                break
    return graph, seed


def keep(binary, graph, number, seed, folder):
    """Leaves the graph's files and the commands in a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    case = Case(binary, graph, folder)
    try:
        case.rules()
        if number is None:
            case.one_rank()
        else:
            attempt(case, number, seed, Counts())
        text = "does not fail here\n"
    except Failure as failure:
        text = f"{failure}\n\n" + "".join(shlex.join(command).replace(folder + "/", "") + "\n" for command in failure.commands)
    with open(case.file("commands.txt"), "w", encoding="utf-8") as file:
        file.write(text + "\n" + onnx.printer.to_text(graph.model().graph) + "\n")
    return text.splitlines()[0]


def check(options, seed, counts):
    """Whether graph `seed` does as it must."""
    graph = draw(seed, options.without.split(","))
    if options.only and all(node.op_type != options.only for node in graph.nodes):
        return True
    counts.graphs += 1
    counts.operators.update(node.op_type for node in graph.nodes if node.op_type != "Constant")
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        case = Case(options.binary, graph, folder)
        if options.spoil:
            spoil(case)
        try:
            case.rules()
        except Failure as failure:
            bad.append((failure, None))
        for number in range(options.plans if not bad else 0):
            try:
                attempt(case, number, seed, counts)
            except Failure as failure:
                bad.append((failure, None if failure.stage == "one rank" else number))
    known = [failure for failure, _ in bad if options.known and re.search(options.known, str(failure))]
    counts.known += bool(known)
    bad = [(failure, number) for failure, number in bad if failure not in known]
    counts.failed += bool(bad)
    for text, number in {str(failure): number for failure, number in reversed(bad)}.items():
        print(f"! graph {seed} ({len(graph.nodes)} nodes), {'' if number is None else f'plan {number}, '}{text}", flush=True)
    if bad and options.keep and not options.spoil:
        failure, number = bad[0]
        least, at = smaller(options.binary, graph, failure, number, seed)
        text = keep(options.binary, least, number, at, os.path.join(os.path.abspath(options.keep), str(seed)))
        print(f"  {len(least.nodes)} nodes: {' '.join(node.op_type for node in least.nodes)}: {text}", flush=True)
    return not bad


def spoil(case):
    """Another element in one expected output."""
    arrays = case.graph.expected()
    name = next((n for n, a in arrays.items() if a.size), None)
    array = arrays[name].copy()
    array.flat[array.size // 2] = not array.flat[array.size // 2] if array.dtype == bool else array.flat[array.size // 2] + 1
    np.savez(case.file("expected.npz"), **{**arrays, name: array})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--plans", type=int, default=len(MESHES))
    parser.add_argument("--keep", metavar="DIR", help="a folder for failing graphs, made smaller")
    parser.add_argument("--only", metavar="OPERATOR", help="graphs that have this operator")
    parser.add_argument("--without", metavar="NAME,...", default="", help="functions of graph_*.py to leave out")
    parser.add_argument("--known", metavar="REGEX", help="errors that do not count")
    parser.add_argument("--least", type=float, default=40, help="per cent of the planned nodes that must work divided (default 40)")
    parser.add_argument("--spoil", action="store_true", help="expect something wrong of every graph: all must fail")
    options = parser.parse_args()
    counts, begun = Counts(), time.time()
    for seed in range(options.seed, options.seed + options.graphs):
        check(options, seed, counts)
        if counts.graphs % 50 == 0:
            print(f"  {counts.graphs} graphs, {counts.failed} failed, {counts.known} as known, {time.time() - begun:.0f} s", flush=True)
    print(counts.text())
    if options.spoil:
        sys.exit(0 if counts.failed == counts.graphs else 1)
    sys.exit(1 if counts.failed or (counts.nodes and counts.divided * 100 < options.least * counts.nodes) else 0)


if __name__ == "__main__":
    main()
