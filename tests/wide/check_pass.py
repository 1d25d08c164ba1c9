# SPDX-License-Identifier: Apache-2.0
"""Whether partial sums, maxima and minima pass through a call as its rule says, in the call's own element types."""

import ml_dtypes
import numpy as np

from check_eval import EPSILON, TYPES, Refused, is_float, largest
from check_factor import NotCheckable, aligned
from check_run import NAN_BLIND, Outcome, fold, fold_differs, seeded, slack_of
from check_values import draw, only_zero

PARTS = 3
SUMS = ("plain", "cancelling")
EXTREMES = ("plain", "far", "equal", "infinite", "nans")
# Where infinities and NaN among the inputs are no numbers for the evaluators.
NUMBERS_ONLY = {"GridSample", "RoiAlign", "MaxRoiPool", "Cast", "CastLike", "QuantizeLinear", "Resize"}


def check(checker, call, rule, operation, inputs):
    """Outcome of one claim: `operation` passes through `inputs` together."""
    try:
        tensors = aligned(rule, call)
        if any(at not in tensors for at in inputs):
            return Outcome("wrong", "a partial value of an input that has no bracket")
        if not all(is_float(np.empty(0, TYPES[call.inputs[at].dtype][1])) for at in inputs) and operation == "SUM":
            kinds = ("plain", "wrapping")
        else:
            kinds = SUMS if operation == "SUM" else EXTREMES
        if operation == "SUM" and any(one.dtype == "f16" for one in call.outputs) and all(call.inputs[at].dtype in ("f32", "f64") for at in inputs):
            kinds += ("overflowing",)
        outcomes = []
        for way in checker.ways(call):
            outcomes.append(judge(checker, call, operation, inputs, kinds, way))
            if outcomes[-1].status == "held":
                return outcomes[-1]
        return outcomes[0]
    except NotCheckable as reason:
        return Outcome("open", reason.args[0])


def judge(checker, call, operation, inputs, kinds, way):
    runs = 0
    for kind in kinds:
        if kind in ("infinite", "nans") and (call.op in NUMBERS_ONLY or (call.op in NAN_BLIND and way != "reference")):
            continue
        for draws in range(2):
            rng = seeded(call.text(), operation, inputs, kind, draws)
            arrays = draw(call, rng, "normal" if draws == 0 else "integers")
            if operation == "SUM":
                without_division_by_zero(call, arrays)
            parts = {at: [arrays[at]] * PARTS if only_zero(call, at) else split(operation, kind, arrays[at], rng) for at in inputs}
            for at in inputs:
                arrays[at] = fold(operation, parts[at], call.inputs[at].dtype)
            try:
                whole = checker.evaluator.run(call, arrays, call.attributes, way)
                made = []
                for part in range(PARTS):
                    mine = [parts[at][part] if at in parts else x for at, x in enumerate(arrays)]
                    made.append(checker.evaluator.run(call, mine, call.attributes, way))
            except Refused as error:
                return Outcome("wrong", f"{kind} parts are refused: {error}", runs)
            runs += 1
            wrong = compared(call, operation, parts, whole, made)
            if wrong:
                return Outcome("wrong", f"{kind} parts, by {way}: {wrong}", runs)
    return Outcome("held", "", runs) if runs else Outcome("open", "no parts are tried")


def without_division_by_zero(call, arrays):
    """Where the whole is divided by 0, it is no number either way."""
    if call.op == "Div":
        arrays[1] = np.where(arrays[1] == 0, np.asarray(1, arrays[1].dtype), arrays[1])
    if call.op == "NegativeLogLikelihoodLoss" and len(arrays) > 2:
        arrays[2] = np.abs(arrays[2]) + np.asarray(0.5, arrays[2].dtype)
        ignored = call.attributes.get("ignore_index", -100)
        arrays[1] = np.where(arrays[1] == ignored, 1 if ignored == 0 else 0, arrays[1]).astype(arrays[1].dtype)


def compared(call, operation, parts, whole, made):
    given = max(largest(part) for own in parts.values() for part in own)
    epsilon = max([EPSILON.get(call.inputs[at].dtype, 0) for at in parts])
    for at, y in enumerate(whole):
        dtype = call.outputs[at].dtype
        own = max(epsilon, EPSILON.get(dtype, 0))
        large = max(largest(part[at]) for part in made)
        slack = own * (64 * max(large, largest(y)) + 4 * given) if operation == "SUM" else slack_of(dtype, y) / 4
        wrong = fold_differs(operation, y, [part[at] for part in made], dtype, slack)
        if wrong:
            return f"output {at}: {wrong}"
    return None


def split(operation, kind, x, rng):
    """Parts that fold to (about) x."""
    if operation == "SUM":
        return summands(kind, x, rng)
    sign = 1 if operation == "MAX" else -1
    with np.errstate(all="ignore"):
        others = [beyond(kind, sign, x, rng).astype(x.dtype) for _ in range(PARTS)]
    owner = rng.integers(0, PARTS, x.shape)
    parts = [np.where(owner == part, x, other) for part, other in enumerate(others)]
    if kind == "nans":
        # What is no number stays none.
        holes = rng.random(x.shape) < 0.2
        parts[0] = np.where(holes, np.asarray(np.nan, x.dtype), parts[0])
    return parts


def beyond(kind, sign, x, rng):
    if kind == "equal":
        return np.array(x, copy=True)
    if kind == "infinite":
        return np.full(x.shape, -sign * np.inf)
    scale = 1e4 if kind == "far" else 1
    return x.astype(np.float64) - sign * np.abs(rng.normal(size=x.shape)) * scale


def summands(kind, x, rng):
    if not is_float(x):
        info = ml_dtypes.iinfo(x.dtype)
        low, high = (-4, 5) if kind == "plain" else (info.min, info.max)
        wide = np.uint64 if info.min == 0 else np.int64
        parts = [rng.integers(max(low, info.min), high, x.shape, dtype=wide).astype(x.dtype) for _ in range(PARTS - 1)]
        with np.errstate(all="ignore"):
            return [*parts, (x - sum(parts)).astype(x.dtype)]
    # The limits that docs/discovery.md states; into a narrower type nothing may pass, so that there parts overflow.
    scale = {"plain": 1.0, "cancelling": 100.0 if x.dtype == np.float16 else 1e4, "overflowing": 1e5}[kind]
    parts = [rng.normal(size=x.shape).clip(-1, 1) * scale for _ in range(PARTS - 1)]
    parts = [part.astype(x.dtype) for part in parts]
    rest = x.astype(np.float64) - sum(part.astype(np.float64) for part in parts)
    with np.errstate(all="ignore"):
        return [*parts, rest.astype(x.dtype)]
