# SPDX-License-Identifier: Apache-2.0
"""The same call with other sizes: smaller ones where it is too large to run, larger ones where no halo fits into a piece.

The rule of the other call is asked for and must be the same text but for its numbers; what then holds is told of the form, not of one size.
"""

import os
import tempfile

import numpy as np

import check_models
import check_text
from check_calls import Node
from check_factor import NotCheckable, aligned
from check_run import bare
from check_values import is_fixed

SMALL = (4, 6, 5, 3, 8, 7, 4, 6)
# Integers that are sizes of the result, by operator: the input that holds them.
SHAPES = {"Reshape": 1, "Expand": 1, "ConstantOfShape": 0}


def resized(call, rule, larger):
    """A node like the call, with letters of other sizes."""
    tensors = aligned(rule, call)
    in_shapes, out_shapes = [call.inputs[at].shape for at in tensors], [one.shape for one in call.outputs]
    windows = check_text.windows_of(rule, in_shapes, out_shapes)
    solved = check_text.solve_sizes(rule, in_shapes, out_shapes, windows)
    if not solved:
        raise NotCheckable("no sizes fit")
    old = solved[0]
    new = dict(old)
    for at, letter in enumerate(sorted(old)):
        if larger and letter in windows:
            new[letter] = old[letter] + 24
        elif not larger:
            new[letter] = old[letter] if old[letter] == 1 else min(old[letter], SMALL[at % len(SMALL)] + (12 if letter in windows else 0))

    def shape_of(dims, shape):
        return [resized_dim(dim, size, old, new, windows) for dim, size in zip(dims, shape)]

    shapes = {at: shape_of(dims, call.inputs[at].shape) for at, dims in zip(tensors, rule.inputs)}
    made = [shape_of(dims, one.shape) for dims, one in zip(rule.outputs, call.outputs)]
    values = integers(call, rule, shapes, made, old, new)
    inputs = []
    for at, one in enumerate(call.inputs):
        fixed = one if one is None else values.get(at, one.array() if one.value is not None else one.constant if is_fixed(call, at) else None)
        inputs.append(fixed if one is None or fixed is not None else (one.dtype, shapes.get(at, one.shape)))
    attributes = {name: scaled(name, value, call, rule, old, new) for name, value in call.attributes.items()}
    return Node(call.op, inputs, attributes, len(call.outputs), 1)


def resized_dim(dim, size, old, new, windows):
    if not dim.parts:
        return size
    if set(dim.letters()) & windows:
        # A window slides by its unit: what there is beyond the groups stays.
        own = dim.size(old)
        return size + dim.size(new) - own
    return dim.size(new)


def integers(call, rule, shapes, made, old, new):
    """{input: array} of the integers that go with the sizes."""
    found = {}
    value = lambda at: None if at >= len(call.inputs) or call.inputs[at] is None else call.inputs[at].value
    if call.op in SHAPES and value(SHAPES[call.op]) is not None:
        found[SHAPES[call.op]] = made[0][-len(value(SHAPES[call.op])) :]
    elif call.op == "Resize" and value(3) is not None:
        axes = call.attributes.get("axes", range(len(made[0])))
        found[3] = [made[0][axis] for axis in axes]
    elif call.op == "CenterCropPad" and value(1) is not None:
        axes = call.attributes.get("axes", range(len(made[0])))
        found[1] = [made[0][axis] for axis in axes]
    elif call.op == "Split" and value(1) is not None:
        found[1] = [shape[call.attributes.get("axis", 0)] for shape in made]
    elif call.op == "Tile" and value(1) is not None:
        found[1] = [out // own for out, own in zip(made[0], shapes[0])]
    elif call.op == "Slice" and value(2) is not None:
        axes = value(3) or list(range(len(value(2))))
        grown = [shapes[0][axis] - call.inputs[0].shape[axis] for axis in axes]
        found[2] = [end + more if 0 <= end < 2**31 else end for end, more in zip(value(2), grown)]
        found[1] = [start if start >= 0 or end < 0 or start < -(2**31) else start - more for start, end, more in zip(value(1), value(2), grown)]
    return {at: np.array(numbers, np.int64).reshape(call.inputs[at].shape) for at, numbers in found.items()}


def scaled(name, value, call, rule, old, new):
    """An attribute that is a size shrinks with its letter."""
    if isinstance(value, int) and name not in ("axis", "to", "keepdims", "k"):
        for letter in sorted(rule.attr & set(old)):
            if old[letter] > 1 and value % old[letter] == 0:
                return value // old[letter] * new[letter]
    return value


def check_others(options, checker, items, tally):
    """Gives (call, name or pass, outcome, judge) with other sizes their turn; what cannot be asked about keeps its outcome. Returns the rest."""
    by_opset, rest = {}, []
    for item in items:
        call, _, outcome, _ = item
        try:
            node = resized(call, check_text.parse(call.rule), outcome.detail != "too large")
        except (NotCheckable, KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
            rest.append(item)
            continue
        by_opset.setdefault(call.model_opset, []).append((item, node))
    with tempfile.TemporaryDirectory() as folder:
        for opset, pairs in by_opset.items():
            for start in range(0, len(pairs), 40):
                rest += ask(options, checker, pairs[start : start + 40], opset, os.path.join(folder, "calls.onnx"), tally)
    return rest


def ask(options, checker, pairs, opset, path, tally):
    rest = []
    refused = []
    calls = check_models.calls_of(options.binary, [node for _, node in pairs], path, opset, refused)
    for item, node in pairs:
        call, what, _, judge = item
        found = next((one for one in calls if any(own is node for own in one.nodes) and bare(one.rule) == bare(call.rule)), None)
        if found is None:
            rest.append(item)
            continue
        found.source = call.source + ", at other sizes"
        again = judge(found, check_text.parse(found.rule))
        if again.status == "open":
            rest.append((found, what, again, judge))
        else:
            named = f"factor {what}" if isinstance(what, str) else f"{what[0]} through {what[1]}"
            tally.add("factors" if isinstance(what, str) else "passes", again, found, named)
    return rest
