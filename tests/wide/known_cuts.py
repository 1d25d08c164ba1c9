# SPDX-License-Identifier: Apache-2.0
"""The cuts of a call that an exhaustive search by execution finds. Shares no code with metadist: numpy and ONNX Runtime alone.

A place is (side, tensor, dim), side "in" or "out". A cut is a set of places that are divided together.
"""

import functools
import itertools

import numpy
import onnx
import onnxruntime
from onnx import helper

OPSET = 21
TYPES = {"f": (numpy.float32, onnx.TensorProto.FLOAT), "i": (numpy.int64, onnx.TensorProto.INT64), "n": (numpy.int32, onnx.TensorProto.INT32)}
onnxruntime.set_default_logger_severity(4)


@functools.lru_cache(maxsize=4096)
def session(op, attributes, inputs, outputs):
    """inputs: a kind of TYPES and a rank of each, None where there is none. outputs: number and kinds."""
    names = [f"x{at}" if one else "" for at, one in enumerate(inputs)]
    given = [helper.make_tensor_value_info(f"x{at}", TYPES[one[0]][1], [None] * one[1]) for at, one in enumerate(inputs) if one]
    made = [helper.make_tensor_value_info(f"y{at}", TYPES[kind][1], None) for at, kind in enumerate(outputs)]
    kwargs = {name: list(value) if isinstance(value, tuple) else value for name, value in attributes}
    node = helper.make_node(op, names, [f"y{at}" for at in range(len(outputs))], **kwargs)
    model = helper.make_model(helper.make_graph([node], "one", given, made), opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def execute(op, attributes, arrays, outputs="f"):
    kinds = tuple(None if one is None else ({"f": "f", "i": "n" if one.itemsize == 4 else "i"}[one.dtype.kind], one.ndim) for one in arrays)
    frozen = tuple(sorted((name, tuple(value) if isinstance(value, list) else value) for name, value in attributes.items()))
    feeds = {f"x{at}": one for at, one in enumerate(arrays) if one is not None}
    return session(op, frozen, kinds, outputs).run(None, feeds)


def near(a, b):
    return a.shape == b.shape and numpy.allclose(a, b, rtol=1e-4, atol=1e-4)


def bounds(size, count):
    """Balanced pieces: the first ones are longer by one."""
    ends = [0]
    for rank in range(count):
        ends.append(ends[-1] + size // count + (rank < size % count))
    return list(zip(ends, ends[1:]))


def views(size, groups):
    """(repeat, unit) of every way to see a dim as repeat blocks of `groups` groups."""
    if groups < 2 or size % groups:
        return []
    rest = size // groups
    return [(repeat, rest // repeat) for repeat in range(1, rest + 1) if rest % repeat == 0]


def take(array, dim, view, groups, start, end):
    """The groups [start, end) of every block."""
    repeat, unit = view
    shape = array.shape
    parts = array.reshape(*shape[:dim], repeat, groups, unit, *shape[dim + 1 :])
    parts = parts[(slice(None),) * (dim + 1) + (slice(start, end),)]
    return numpy.ascontiguousarray(parts.reshape(*shape[:dim], -1, *shape[dim + 1 :]))


class Search:
    """Tries every way to divide one factor of `groups` groups over the dims of a call.

    literals: indices of inputs that are integers; the entries that are multiples of the factor may shrink with it. indices: inputs that may be
    counted from the start of a piece of a dim: {input: (tensor, dim)}; what points outside points at a spare element of zeros.
    """

    def __init__(self, op, attributes, arrays, outputs="f", literals=(), sized=(), indices=None):
        self.op, self.attributes, self.arrays, self.outputs = op, attributes, arrays, outputs
        self.literals, self.sized, self.indices = literals, sized, indices or {}
        self.whole = execute(op, attributes, arrays, outputs)

    def choices(self, groups):
        """Per input: None or (dim, view)."""
        for at, array in enumerate(self.arrays):
            if array is None or at in self.literals:
                yield [None]
                continue
            yield [None] + [(dim, view) for dim, size in enumerate(array.shape) for view in views(size, groups)]

    def numbers(self, groups):
        """Every way in which the integers of the call shrink: {(input or attribute, entry): view}."""
        places = [(at, entry, int(value)) for at in self.literals for entry, value in enumerate(self.arrays[at])]
        places += [(name, 0, self.attributes[name]) for name in self.sized]
        options = [[None] + views(value, groups) for _, _, value in places]
        for pick in itertools.product(*options):
            yield {(at, entry): view for (at, entry, _), view in zip(places, pick) if view}

    def piece(self, pick, numbers, groups, start, end, only, counted):
        arrays, attributes = list(self.arrays), dict(self.attributes)
        for at, choice in enumerate(pick):
            if choice:
                arrays[at] = take(arrays[at], *choice, groups, start, end)
        for (at, entry), (repeat, unit) in numbers.items():
            size = repeat * unit * (end - start)
            if isinstance(at, str):
                attributes[at] = size
            else:
                arrays[at] = arrays[at].copy()
                arrays[at][entry] = size
        if only is not None and start > 0:
            arrays[only] = numpy.zeros_like(arrays[only])
        if counted is not None:
            tensor, dim = self.indices[counted]
            widths = [(0, int(d == dim)) for d in range(arrays[tensor].ndim)]
            arrays[tensor] = numpy.pad(arrays[tensor], widths)
            size = self.arrays[tensor].shape[dim]
            moved = numpy.where(self.arrays[counted] < 0, self.arrays[counted] + size, self.arrays[counted]) - start
            arrays[counted] = numpy.where((moved < 0) | (moved >= end - start), end - start, moved)
        return execute(self.op, attributes, arrays, self.outputs)

    def joined(self, results, groups, cut):
        """How the pieces of every output make the whole: None (equal), (dim, view) or "sum". None in all if they do not."""
        joins = []
        for at, whole in enumerate(self.whole):
            parts = [one[at] for one in results]
            options = [(dim, view) for dim, size in enumerate(whole.shape) for view in views(size, groups)]
            found = [o for o in options if all(near(part, take(whole, *o, groups, *span)) for part, span in zip(parts, cut))]
            if found:
                joins.append(found[0])
            elif all(near(part, whole) for part in parts):
                joins.append(None)
            elif all(part.shape == whole.shape for part in parts) and near(sum(parts), whole):
                joins.append("sum")
            else:
                return None
        return joins

    def holds(self, pick, numbers, groups, only, counted):
        joins = None
        for count in (2, 3):
            cut = bounds(groups, count)
            try:
                now = self.joined([self.piece(pick, numbers, groups, *span, only, counted) for span in cut], groups, cut)
            except Exception:  # noqa: BLE001, whatever ONNX Runtime refuses
                return None
            if now is None or (joins is not None and now != joins) or all(join is None for join in now):
                return None
            joins = now
        return joins

    def cuts(self, groups):
        """The places of every cut that holds."""
        found = []
        for pick in itertools.product(*self.choices(groups)):
            if not any(pick):
                continue
            counted = [None] + [at for at, (tensor, dim) in self.indices.items() if pick[tensor] and pick[tensor][0] == dim]
            floats = [at for at, array in enumerate(self.arrays) if array is not None and array.dtype.kind == "f" and not pick[at]]
            for numbers in self.numbers(groups):
                for index in counted:
                    joins = self.holds(pick, numbers, groups, None, index)
                    for only in floats if joins is None else []:
                        joins = joins or self.holds(pick, numbers, groups, only, index)
                    if joins:
                        places = {("in", at, choice[0]) for at, choice in enumerate(pick) if choice}
                        found.append(frozenset(places | {("out", at, j[0]) for at, j in enumerate(joins) if j and j != "sum"}))
        return found


def windows_suffice(size, whole, local, ways):
    """Whether every piece of a 1-D result, of 2 and of 3, is what the call makes of a proper part of its input, tried one by one.

    local(begin, end, way) gives what a call makes of the elements [begin, end): the places of `way` are the first and the last piece of the
    dim. The result may be longer than the piece.
    """
    lengths = {}
    for count in (2, 3):
        for rank, (start, stop) in enumerate(bounds(len(whole), count)):
            wanted = whole[start:stop]
            if not any(part_found(size, wanted, local, way, lengths, start / len(whole)) for way in ways(rank == 0, rank == count - 1)):
                return False
    return True


def part_found(size, wanted, local, way, lengths, near_to):
    for length in range(1, size):
        if (way, length) not in lengths:
            probe = local(0, length, way)
            lengths[way, length] = -1 if probe is None else len(probe)
        if lengths[way, length] < len(wanted):
            continue
        for begin in sorted(range(size - length + 1), key=lambda begin: abs(begin - near_to * size)):
            if holds_run(local(begin, begin + length, way), wanted):
                return True
    return False


def holds_run(made, wanted):
    for at in numpy.flatnonzero(abs(made[: len(made) - len(wanted) + 1] - wanted[0]) < 1e-4):
        if near(made[at : at + len(wanted)], wanted):
            return True
    return False
