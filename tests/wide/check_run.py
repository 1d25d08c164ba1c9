# SPDX-License-Identifier: Apache-2.0
"""Runs a call whole and in pieces as its rule says, and compares."""

import dataclasses
import re
import zlib

import ml_dtypes
import numpy as np

from check_eval import EPSILON, NARROW, TYPES, Evaluator, Refused, differs, is_float, largest
from check_factor import Factor, NotCheckable, counted_from
from check_values import EDGES, MODES, NO_EDGES, draw

MOST_ELEMENTS = 300000  # of all arrays of a call
# Roundings of the largest element that sums in another order may be off; narrow types have few digits to lose.
SLACK = {"f64": 64, "f32": 64, "f16": 12, "bf16": 4}


def slack_of(dtype, *arrays):
    return SLACK.get(dtype, 0) * EPSILON.get(dtype, 0) * max(map(largest, arrays))


# Operators that ONNX has not, and random numbers, which ONNX leaves open.
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
# Where onnxruntime's maximum depends on where a NaN stands, or its running sum on what has left it.
NAN_BLIND = {"MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin", "ScatterND", "ScatterElements", "LRN", "Max", "Min", "Clip", "Relu", "LSTM", "GRU",
             "RNN"}
FOLDS = {
    "SUM": lambda x, y: x + y, "PROD": lambda x, y: x * y, "MAX": np.maximum, "MIN": np.minimum,
    "AND": np.logical_and, "OR": np.logical_or,
}


@dataclasses.dataclass
class Outcome:
    status: str  # "held", "wrong", or "open" (not checkable)
    detail: str = ""
    runs: int = 0
    ways: tuple = ()


def bare(rule):
    return re.sub(r"\d+", "#", rule)


def seeded(*parts):
    return np.random.default_rng(zlib.crc32("|".join(map(str, parts)).encode()))


def blind(call, way):
    """Whether what the evaluator makes of edge values says nothing."""
    if way != "reference":
        return call.op in NAN_BLIND
    # It fills the gaps of a dilated kernel with zeros, and multiplies integers by a float alpha.
    return call.op.startswith("Conv") or call.op == "Gemm" and call.inputs[0].dtype in ("i32", "i64", "u32", "u64")


class Checker:
    def __init__(self, thorough=True):
        self.evaluator = Evaluator()
        self.thorough = thorough

    def ways(self, call):
        """The evaluators that run this call, on ordinary values."""
        if not hasattr(call, "found_ways"):
            try:
                call.found_ways = self.find_ways(call)
            except NotCheckable as reason:
                call.found_ways = reason
        if isinstance(call.found_ways, NotCheckable):
            raise call.found_ways
        return call.found_ways

    def find_ways(self, call):
        if call.domain not in ("", "ai.onnx"):
            raise NotCheckable("no operator of ONNX")
        if call.op in RANDOM or call.op == "Dropout" and "start" in call.attributes:
            raise NotCheckable("random numbers")
        if any(0 in one.shape for one in call.inputs + call.outputs if one is not None):
            raise NotCheckable("an empty array")
        if call.elements() > MOST_ELEMENTS:
            raise NotCheckable("too large")
        found, why = [], ""
        inputs = draw(call, seeded(call.text()), "normal")
        for way in Evaluator.WAYS:
            try:
                made = self.evaluator.run(call, inputs, call.attributes, way)
            except Refused as error:
                why = why or str(error)
                continue
            if all(list(y.shape) == one.shape for y, one in zip(made, call.outputs)):
                found.append(way)
        if not found:
            raise NotCheckable(f"no evaluator: {call.op}: {why[-100:]}")
        return found

    # --- factors

    def factor(self, call, rule, name):
        """Outcome of the factor, by the first evaluator; what it finds wrong must be wrong by all of them."""
        try:
            factor = Factor(call, rule, name)
            if call.elements() > MOST_ELEMENTS:
                return Outcome("open", "too large")
            if name in rule.combine:
                return Outcome("open", "combine " + rule.combine[name].split("[")[0])
            ways = self.ways(call)
            outcome = None
            for way in ways:
                found = self.judge(factor, way)
                if found.status == "held" or outcome is None or outcome.status == "open":
                    outcome = found
                if found.status == "held":
                    found.ways = tuple(ways[: ways.index(way)])  # those that disagree
                    return found
            outcome.ways = tuple(ways)
            return outcome
        except NotCheckable as reason:
            return Outcome("open", reason.args[0])

    def judge(self, factor, way):
        readings = factor.readings()
        if not readings:
            return Outcome("wrong", "no sizes fit the brackets")
        last, runs = "", 0
        for at, config in enumerate(self.configurations(factor)):
            ranks, how, mode = config
            if mode in EDGES and blind(factor.call, way):
                continue
            rng = seeded(factor.call.text(), factor.name, at)
            inputs = draw(factor.call, rng, mode)
            try:
                whole = self.evaluator.run(factor.call, inputs, factor.call.attributes, way)
            except Refused:
                continue
            kept, tried, kinds = [], 0, set()
            shares = self.shares(factor, inputs, ranks, rng)
            seed = int(rng.integers(1 << 30))
            for reading in readings:
                pieces = factor.pieces(reading, ranks, how, np.random.default_rng(seed)) if factor.groups(reading) >= ranks else None
                if pieces is None or not factor.fits(reading, pieces, ranks):
                    kept.append(reading)
                    continue
                tried += 1
                wrong = self.divided(factor, reading, way, inputs, shares, whole, pieces, ranks)
                if wrong is None:
                    kept.append(reading)
                elif self.excused(factor, pieces):
                    kept.append(reading)
                    tried -= 1
                else:
                    kinds.add(kind := "value" if "elements, first" in wrong else "refused" if " is refused: " in wrong else "shape")
                    if kind != "value" and last.startswith(f"{ranks} ranks, {how} pieces, {mode}"):
                        continue
                    last = f"{ranks} ranks, {how} pieces, {mode} values: {wrong}"
            runs += bool(tried)
            if tried:
                readings = kept
            # With a smaller stride the output padding may be as large as that: onnxruntime refuses what ONNX allows.
            if not readings and "refused" in kinds and "value" not in kinds and factor.call.op == "ConvTranspose":
                return Outcome("open", "pieces are refused: " + factor.call.op, runs)
            if not readings:
                return Outcome("wrong", last, runs)
        if runs == 0:
            return Outcome("open", "no piece is large enough")
        return Outcome("held", "", runs)

    def excused(self, factor, pieces):
        """Whether pieces are smaller than the rule allows, or uneven where it wants even ones."""
        rule = factor.rule
        least = max(rule.least.get(letter, 1) for letter in factor.letters)
        even = any(letter in rule.even for letter in factor.letters)
        counts = {len(own) for letter in factor.letters for own in pieces[letter]}
        return min(counts) < least or even and len(counts) > 1

    def configurations(self, factor):
        sizes = [2, 3, 4] if self.thorough else [2, 3]
        found = [(2, "balanced", "normal"), (3, "balanced", "integers"), (4, "balanced", "normal"), (2, "balanced", "negative"),
                 (3, "balanced", "ties"), (2, "balanced", "one")]
        if factor.may_be_in_any_order():
            found.append((2, "any order", "normal"))
        if factor.call.op not in NO_EDGES:
            found += [(2, "balanced", "edges"), (3, "balanced", "edges"), (2, "balanced", "nans"), (2, "balanced", "tiny")]
        return [one for one in found if one[0] in sizes or one[0] == 2]

    def shares(self, factor, inputs, ranks, rng):
        """Summands of the inputs that must arrive as partial sums."""
        found = {}
        for at in factor.partial:
            x = inputs[at]
            parts = [rng.integers(-5, 6, x.shape).astype(x.dtype) for _ in range(ranks - 1)]
            with np.errstate(all="ignore"):
                rest = x.astype(np.float64) - sum(part.astype(np.float64) for part in parts) if is_float(x) else x - sum(parts)
            found[at] = [*parts, rest.astype(x.dtype)]
            # The whole is what the parts add up to.
            with np.errstate(all="ignore"):
                inputs[at] = sum(part.astype(np.float64) for part in found[at]).astype(x.dtype) if is_float(x) else x
        return found

    def divided(self, factor, reading, way, inputs, shares, whole, pieces, ranks):
        """What differs between the pieces and the whole, or None."""
        call = factor.call
        merged = [np.zeros_like(y) for y in whole]
        filled = [np.zeros(y.shape, bool) for y in whole]
        folds = {}
        if shares:
            whole = self.evaluator.run(call, inputs, call.attributes, way)
        for rank in range(ranks):
            own = {letter: pieces[letter][rank] for letter in factor.letters}
            attributes, values = factor.own_integers(reading, pieces, rank, ranks)
            mine = self.piece(factor, reading, inputs, own)
            for at, parts in shares.items():
                mine[at] = parts[rank]
            for at, value in values.items():
                mine[at] = value
            try:
                made = self.evaluator.run(call, mine, attributes, way)
            except Refused as error:
                return f"rank {rank} is refused: {str(error)[:120]}"
            for at, y in enumerate(made):
                wrong = self.place(factor, reading, at, y, whole[at], own, (merged, filled, folds))
                if wrong:
                    return f"rank {rank}, output {at}: {wrong}"
        return self.merged(factor, reading, whole, merged, filled, folds)

    def piece(self, factor, reading, inputs, own):
        mine = list(inputs)
        letter = factor.letters[0]
        for at, dims in factor.inputs.items():
            for axis, dim in enumerate(dims):
                if dim.place(factor.letters) is None:
                    continue
                size = mine[at].shape[axis]
                mine[at] = np.take(mine[at], factor.held(dim, size, reading, own, "in", at), axis)
                if reading.spare:
                    shape = list(mine[at].shape)
                    shape[axis] = 1
                    mine[at] = np.concatenate([mine[at], np.zeros(shape, mine[at].dtype)], axis)
        for at, column in factor.counted:
            unit = factor.shift_unit(reading)
            begin, count = int(own[letter][0]) * unit, len(own[letter]) * unit
            whole = reading.sizes[letter] * unit if reading.from_end else 0
            mine[at] = mine[at].copy()
            view = mine[at] if column is None else mine[at][..., column]
            view[...] = counted_from(view, begin, count, whole)
        return mine

    def place(self, factor, reading, at, y, whole, own, state):
        """Puts a rank's output into the merged ones."""
        merged, filled, folds = state
        dims = factor.rule.outputs[at]
        cut = [axis for axis, dim in enumerate(dims) if dim.place(factor.letters) is not None]
        if not cut:
            if list(y.shape) != list(whole.shape):
                return f"shape {list(y.shape)} instead of {list(whole.shape)}"
            folds.setdefault(at, []).append(y)
            return None
        places = [np.arange(size) for size in whole.shape]
        for axis in cut:
            wide = factor.held(dims[axis], whole.shape[axis], reading, own, "out", at)
            kept = factor.held(dims[axis], whole.shape[axis], reading, own, "out", at, halo=False)
            if reading.spare and y.shape[axis] == len(wide) + 1:
                y = np.take(y, np.arange(len(wide)), axis)
            if y.ndim <= axis or y.shape[axis] != len(wide):
                return f"shape {list(y.shape)}, but {len(wide)} elements of dim {axis} are the rank's"
            y = np.take(y, [int(np.flatnonzero(wide == one)[0]) for one in kept], axis) if factor.window else y
            places[axis] = kept
        if y.shape != tuple(len(one) for one in places):
            return f"shape {list(y.shape)}"
        merged[at][np.ix_(*places)] = y
        filled[at][np.ix_(*places)] = True
        return None

    def merged(self, factor, reading, whole, merged, filled, folds):
        for at, y in enumerate(whole):
            dtype = factor.call.outputs[at].dtype
            slack = slack_of(dtype, y)
            if at not in folds:
                if not filled[at].all():
                    return f"output {at}: {int((~filled[at]).sum())} elements are made by no rank"
                wrong = differs(y, merged[at], dtype, slack)
                if wrong:
                    return f"output {at}: {wrong}"
                continue
            left, why = [], ""
            for operation in reading.folds.get(at, [*factor.operations, "EQUAL"]):
                wrong = self.folded(operation, y, folds[at], dtype, slack)
                why = wrong or why
                if wrong is None:
                    left.append(operation)
            if not left:
                return f"output {at}: {why}"
            reading.folds[at] = left
        return None

    def folded(self, operation, y, parts, dtype, slack):
        if operation == "EQUAL":
            return next(filter(None, (f"ranks differ: {wrong}" if (wrong := differs(y, part, dtype, slack)) else None for part in parts)), None)
        return fold_differs(operation, y, parts, dtype, slack)


def fold(operation, parts, dtype):
    """Parts folded, narrow floats and sums in wide arithmetic (in what the ranks exchange is the plan's choice)."""
    wide = [part.astype(np.float64) if is_float(part) else part for part in parts]
    with np.errstate(all="ignore"):
        total = wide[0]
        for part in wide[1:]:
            total = FOLDS[operation](total, part)
        return np.asarray(total.astype(TYPES[dtype][1]))


def fold_differs(operation, y, parts, dtype, slack):
    if operation in ("AND", "OR") and y.dtype != np.bool_:
        return f"{operation} of numbers"
    if y.dtype == np.bool_ and operation not in ("AND", "OR"):
        return f"{operation} of bools"
    own = slack_of(dtype, *parts)
    folded = fold(operation, parts, dtype)
    if operation == "PROD" and is_float(y):
        # The undivided product may leave its type on the way, and then says nothing.
        lost = ~np.isfinite(y) | (y == 0)
        y = np.where(lost & np.all([np.isfinite(part) & (part != 0) for part in parts], axis=0), folded, y)
        # So may a part where the whole holds a zero or comes back: plans hold no such parts, but with --reduce-in type.
        y = np.where(np.any([np.isinf(part) for part in parts], axis=0), folded, y)
    if operation == "SUM" and dtype == "f16":
        # A part may leave f16 where the whole does not: plans hold parts in f32, but with --reduce-in type.
        y = np.where(np.any([np.isinf(part) for part in parts], axis=0), folded, y)
    wrong = differs(y, folded, dtype, slack + own)
    return f"{operation} of the ranks: {wrong}" if wrong else None
