# SPDX-License-Identifier: Apache-2.0
"""Factors that the text alone does not let one run (decompositions, random numbers): the program runs them under plans that must use them.

A plan is forced by its choice (`plan --save-problem`, `plan --choice`): round k takes the k-th strategy of every node of a model of many
independent nodes, so that each factor has its turn. What comes out is compared with onnxruntime where that runs the call, else with one rank.
"""

import json
import os
import re
import tempfile

import numpy as np

import check_models
from check_eval import Refused
from check_factor import NotCheckable, aligned
from check_run import Outcome, seeded
from check_text import parse
from check_values import draw, is_fixed
from models import ROOT

PROFILE = os.path.join(ROOT, "tests/wide/bytes.profile.json")  # where late merges cost more than exchanges
MOST = 40  # nodes a model
MOST_ROUNDS = 16


def check(options, checker, items, tally):
    """Gives all factors in items, (call, name, outcome, judge), their turn, and counts them. Returns the rest."""
    rest = []
    for start in range(0, len(items), MOST):
        part = items[start : start + MOST]
        forced = Forced(options.binary, checker, [item[:3] for item in part])
        for item, found in zip(part, forced.outcomes()):
            if found is None:
                rest.append(item)
            else:
                tally.add("factors", found, item[0], f"factor {item[1]} (run by metadist)")
    return rest


class Forced:
    def __init__(self, binary, checker, items):
        self.binary, self.checker, self.items = binary, checker, items
        self.calls = list({id(call): call for call, _, _ in items}.values())
        self.used, self.wrong, self.lost, self.done = {}, {}, {}, set()

    def outcomes(self):
        by_opset = {}
        for call in self.calls:
            if all(one is None or one.dtype != "bf16" for one in call.inputs + call.outputs):
                by_opset.setdefault(call.model_opset, []).append(call)
        for opset, calls in by_opset.items():
            self.run_model(calls, opset, 2)
            missing = [call for call in calls if any(call is one and (id(call), name) not in self.used for one, name, _ in self.items)]
            if missing:
                self.run_model(missing, opset, 3)
        for call, name, outcome in self.items:
            key = (id(call), name)
            if key in self.wrong:
                yield Outcome("wrong", self.wrong[key], self.used.get(key, 0))
            elif key in self.used:
                yield Outcome("held", "", self.used[key])
            else:
                yield None

    def run_model(self, calls, opset, ranks):
        """Plans and runs the calls as one model, its nodes in all their strategies; in halves where that is refused."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "calls.onnx")
            nodes = [check_models.node_of_call(call) for call in calls]
            check_models.write_model(nodes, path, opset)
            cluster = f"{PROFILE}:2" if ranks == 2 else f"cpu:{ranks}"
            base = ("plan", path, "--cluster", cluster, "--mesh", str(ranks), "--no-alternatives", "-q", "--force", "-o", os.path.join(folder, "plan.json"))
            problem = os.path.join(folder, "problem.json")
            status, _, error = check_models.run_json(self.binary, *base, "--save-problem", problem)
            if status:
                return self.halve(calls, opset, ranks, error)
            with open(problem, encoding="utf-8") as file:
                counts = [len(costs) for costs in json.load(file)["problem"]["nodes"]["costs"]]
            with open(problem.replace(".json", ".names.json"), encoding="utf-8") as file:
                names = json.load(file)
            own = [at for at, name in enumerate(names) if re.match(r"n\d+(?!\S*_[xy])", name)]
            self.arrays(calls, nodes, folder)
            wanted = {(id(call), name) for call, name, _ in self.items if any(call is one for one in calls)}
            for turn in range(min(max((counts[at] for at in own), default=0), MOST_ROUNDS)):
                choice = [min(turn, count - 1) if at in own else 0 for at, count in enumerate(counts)]
                self.turn(calls, folder, base, choice, ranks)
                if all((key, ranks) in self.done for key in wanted):
                    break
        return None

    def halve(self, calls, opset, ranks, error):
        if len(calls) == 1:
            self.lost[id(calls[0])] = error
            return
        half = len(calls) // 2
        self.run_model(calls[:half], opset, ranks)
        self.run_model(calls[half:], opset, ranks)

    def arrays(self, calls, nodes, folder):
        inputs, expected, self.others = {}, {}, {}
        for at, call in enumerate(calls):
            arrays = draw(call, seeded(call.text(), "forced"), "normal")
            if nodes[at].domain == "" and len(nodes[at].inputs) < len(call.inputs):
                continue  # random: compared with one rank
            for number, (one, x) in enumerate(zip(call.inputs, arrays)):
                if one is not None and one.value is None and not is_fixed(call, number):
                    inputs[f"n{at}_x{number}"] = np.asarray(x)
            try:
                ways = self.checker.ways(call)
            except NotCheckable:
                continue
            found = []
            for way in ways:
                try:
                    made = self.checker.evaluator.run(call, arrays, call.attributes, way)
                except Refused:
                    continue
                found.append({f"n{at}_y{number}": y for number, y in enumerate(made)})
            if found:
                expected.update(found[0])
                self.others[at] = found[1:]
        np.savez(os.path.join(folder, "inputs.npz"), **inputs)
        self.expected = expected

    def turn(self, calls, folder, base, choice, ranks):
        chosen = os.path.join(folder, "choice.json")
        with open(chosen, "w", encoding="utf-8") as file:
            json.dump(choice, file)
        status, _, error = check_models.run_json(self.binary, *base, "--choice", chosen)
        if status:
            return
        with open(base[-1], encoding="utf-8") as file:
            plan = json.load(file)
        factors = factors_of(plan, calls)
        expect = os.path.join(folder, "expect.npz")
        bad = self.differing(base[-1], folder, expect)
        for at, names in factors.items():
            for name in names:
                key = (id(calls[at]), name)
                self.used[key] = self.used.get(key, 0) + 1
                self.done.add((key, ranks))
                if at in bad:
                    self.wrong[key] = f"{ranks} ranks, run by metadist: {bad[at]}"

    def differing(self, plan, folder, expect):
        """{node: what is wrong}. A node is right if it is what any evaluator makes."""
        expected, others = dict(self.expected), {at: list(found) for at, found in self.others.items()}
        bad = {}
        for _ in range(12):
            np.savez(expect, **expected)
            arrays = ("--inputs", os.path.join(folder, "inputs.npz"), *(("--expect", expect) if expected else ()))
            status, _, error = check_models.run_json(self.binary, "run", plan, "--iterations", "1", "--warm-up", "0", *arrays)
            if status == 0:
                return bad
            named = re.search(r"n(\d+)_y\d+", error)
            if not named:
                return {**bad, **{at: error.strip()[:200] for at in range(MOST)}}
            at = int(named.group(1))
            expected = {name: y for name, y in expected.items() if not name.startswith(f"n{at}_")}
            if others.get(at) and "one device" not in error:
                expected.update(others[at].pop(0))
            else:
                bad[at] = error.strip()[:300]
        return bad


def factors_of(plan, calls):
    """{node of the model: factors that it works on}. A node of a decomposition has letters of its own: there the dims that are cut tell."""
    found, cut = {}, {}
    edges = {}
    for line in plan["graph"]:
        match = re.match(r"  (%.*) = \S+?\((.*?)\)(?: .*)? @(.*)$", line)
        if match:
            edges[match.group(3)] = ([one.strip().lstrip("%") for one in match.group(2).split(",")], re.findall(r"%(\S+?):", match.group(1)))
    for node in plan["nodes"]:
        owner = re.match(r"n(\d+)(/|$)", node["name"])
        if not owner:
            continue
        at = int(owner.group(1))
        if not owner.group(2):
            found.setdefault(at, set()).update(name for name in node["axes"].values() if name and not name.startswith("~"))
            continue
        for names, shardings in zip(edges.get(node["name"], ((), ())), (node["inputs"], node["outputs"])):
            for name, sharding in zip(names, shardings):
                own = re.fullmatch(rf"n{at}_([xy])(\d+)", name)
                for dim, text in enumerate(re.findall(r"\[([^\]]*)\]", sharding) if own else ()):
                    if text:
                        cut.setdefault(at, set()).add((own.group(1), int(own.group(2)), dim))
    for at, places in cut.items():
        found.setdefault(at, set()).update(composite_of(calls[at], places))
    return found


def composite_of(call, places):
    """Factors of the decomposition whose dims are cut."""
    rule = parse(call.rule)
    tensors = aligned(rule, call)
    sides = [("x", at, dims) for at, dims in zip(tensors, rule.inputs)] + [("y", at, dims) for at, dims in enumerate(rule.outputs)]
    letters = {letter for side, at, dims in sides for axis, dim in enumerate(dims) if (side, at, axis) in places for letter in dim.letters()}
    return {name for name in call.factors if name in rule.combine and letters & set(name.split("+"))}
