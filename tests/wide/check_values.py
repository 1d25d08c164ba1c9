# SPDX-License-Identifier: Apache-2.0
"""Values for the inputs of a call: random and adversarial ones, legal by the ONNX specification."""

import ml_dtypes
import numpy as np

from check_eval import TYPES, is_float

# The way the values are drawn. The first ones are ordinary numbers; EDGES are those that few kernels are tried on.
MODES = ("normal", "integers", "negative", "ties", "one")
EDGES = ("edges", "nans", "tiny")
# What is undefined or unordered where numbers are no numbers: conversions, places in space, sorting.
NO_EDGES = {"Cast", "CastLike", "QuantizeLinear", "DynamicQuantizeLinear", "GridSample", "RoiAlign", "MaxRoiPool", "DeformConv", "OneHot", "Range",
            "QLinearConv", "QLinearMatMul", "MaxUnpool", "TopK", "ArgMax", "ArgMin", "Hardmax", "Shrink", "Resize", "STFT", "DFT", "LSTM", "GRU", "RNN",
            "Det", "AffineGrid", "NonMaxSuppression", "Mod", "Multinomial", "Bernoulli"}
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.5, -3.0)


def draw(call, rng, mode):
    """Arrays of all inputs (None where one is left out)."""
    return [drawn(call, at, one, rng, mode) for at, one in enumerate(call.inputs)]


def drawn(call, at, one, rng, mode):
    if one is None:
        return None
    if one.value is not None:
        return one.array()
    if is_fixed(call, at):
        return one.constant
    return special(call, at, one, rng) if indexed(call, at) else fitting(call, at, one, plain(one, rng, mode))


def is_fixed(call, at):
    """Whether the input is a constant that the output's shape depends on; others are data, and may have any values."""
    return call.inputs[at].constant is not None and call.op in ("Resize", "Dropout")


def plain(one, rng, mode):
    """An array without regard to the operator."""
    kind, shape = TYPES[one.dtype][1], one.shape
    if one.dtype == "bool":
        p = {"one": 0.1, "negative": 0.9}.get(mode, 0.5)
        return rng.random(shape) < p
    if is_float(np.empty(0, kind)):
        return floats(kind, shape, rng, mode)
    info = ml_dtypes.iinfo(kind)
    if mode in EDGES:
        few = np.array([info.min, info.max, info.max - 1, 0, 1, 2, info.max // 2], kind)
        return few[rng.integers(0, len(few), shape)]
    low, high = {"normal": (-1000, 1000), "negative": (-9, 0), "ties": (0, 3), "one": (0, 2)}.get(mode, (-9, 10))
    high = min(high, info.max)
    if info.min == 0 and high <= 0:
        low, high = info.max - 20, info.max
    return rng.integers(max(low, info.min), high, shape, dtype=np.uint64 if info.min == 0 else np.int64).astype(kind)


def floats(kind, shape, rng, mode):
    with np.errstate(all="ignore"):
        if mode == "edges":
            x = np.array(SPECIAL)[rng.integers(0, len(SPECIAL), shape)]
            return np.where(rng.random(shape) < 0.5, x, np.round(rng.normal(size=shape) * 4) / 2).astype(kind)
        if mode == "nans":
            x = np.array(rng.normal(size=shape))
            if x.ndim:  # at one end of one dim
                axis = int(rng.integers(0, x.ndim))
                np.moveaxis(x, axis, 0)[-int(rng.integers(0, 2))] = np.nan
            return x.astype(kind)
        if mode == "tiny":
            least = 6e-8 if kind == np.float16 else 1e-40 if kind != np.float64 else 1e-310
            return (rng.integers(-5, 6, shape) * least).astype(kind)
        if mode == "integers":
            return rng.integers(-4, 5, shape).astype(kind)
        if mode == "ties":
            return rng.integers(0, 3, shape).astype(kind)
        if mode == "negative":
            return (-rng.random(shape) * 3 - 0.1).astype(kind)
        if mode == "one":
            return ((rng.random(shape) < 0.15) * rng.normal(size=shape) * 3).astype(kind)
        return rng.normal(size=shape).astype(kind)


def fitting(call, at, one, x):
    """What the operator's definition asks of its numbers."""
    op, integers = call.op, not is_float(x) and x.dtype != np.bool_
    if integers and op in ("Div", "Mod") and at == 1:
        x = np.where(x == 0, np.asarray(3, x.dtype), x)
        return np.where(x == np.asarray(-1).astype(x.dtype), np.asarray(2, x.dtype), x) if ml_dtypes.iinfo(x.dtype).min < 0 else x
    if op == "BitShift" and at == 1:
        return x % np.asarray(8 * x.dtype.itemsize, x.dtype)
    if op == "Pow" and at == 1 and integers:
        return np.abs(x.astype(np.int64) % 4).astype(x.dtype)
    if op == "Pow" and integers:
        return (x.astype(np.int64) % 5).astype(x.dtype)
    if op in ("QuantizeLinear", "DequantizeLinear") and at == 1 or op.startswith("QLinear") and is_float(x):
        return (np.abs(x) + np.asarray(0.25, x.dtype)).astype(x.dtype)
    if only_zero(call, at):
        return np.zeros_like(x)
    if op == "Dropout" and at == 1:
        return np.full_like(x, 0.5)
    if op == "Dropout" and at == 2:
        return np.zeros_like(x)
    if op == "BatchNormalization" and at == 4:
        return (np.abs(x) + np.asarray(0.5, x.dtype)).astype(x.dtype)
    if op == "Resize" and at == 2:
        return np.array([made / own for made, own in zip(call.outputs[0].shape, call.inputs[0].shape)], np.float32)
    if op == "GridSample" and at == 1:
        return np.clip(x, -1.2, 1.2).astype(x.dtype)
    if op == "RoiAlign" and at == 1:
        return boxes(x)
    if op == "MaxRoiPool" and at == 1:
        return np.concatenate([np.floor(np.abs(x[:, :1])) % call.inputs[0].shape[0], boxes(x[:, 1:])], 1).astype(x.dtype)
    if op == "Attention" and one.dtype != "bool" and at == 6:
        return x
    return x


def only_zero(call, at):
    """Zero points of floats and of the sums of products."""
    return call.op in ("QuantizeLinear", "DequantizeLinear") and at == 2 and (call.inputs[at].dtype == "i32" or call.inputs[at].dtype[0] == "f")


def boxes(x):
    """Rows x1, y1, x2, y2 with x1 < x2, y1 < y2, of small numbers."""
    first = np.clip(np.abs(x[:, :2]), 0, 2)
    return np.concatenate([first, first + 1 + np.clip(np.abs(x[:, 2:4]), 0, 3)], 1).astype(x.dtype)


# Inputs of indices.
INDICES = {("Gather", 1), ("GatherElements", 1), ("GatherND", 1), ("ScatterElements", 1), ("ScatterND", 1), ("OneHot", 0), ("ReverseSequence", 1),
           ("RoiAlign", 2), ("NegativeLogLikelihoodLoss", 1), ("SoftmaxCrossEntropyLoss", 1), ("LSTM", 4), ("GRU", 4), ("RNN", 4), ("TensorScatter", 2),
           ("RotaryEmbedding", 3), ("MaxUnpool", 1), ("Attention", 6)}


def indexed(call, at):
    return (call.op, at) in INDICES


def axis_of(call, default, rank):
    axis = call.attributes.get("axis", default)
    return axis + rank if axis < 0 else axis


def special(call, at, one, rng):
    """Indices that are legal for the call, on either side of 0 where the definition lets them."""
    op, shape, kind = call.op, one.shape, TYPES[one.dtype][1]
    data = call.inputs[0].shape
    if op in ("Gather", "GatherElements"):
        size = data[axis_of(call, 0, len(data))]
        return rng.integers(-size, size, shape).astype(kind)
    if op == "GatherND":
        batch = call.attributes.get("batch_dims", 0)
        return np.stack([rng.integers(-size, size, shape[:-1]) for size in data[batch : batch + shape[-1]]], -1).astype(kind)
    if op == "ScatterElements":
        axis = axis_of(call, 0, len(data))
        if call.attributes.get("reduction", "none") != "none":
            return rng.integers(-data[axis], data[axis], shape).astype(kind)
        order = np.argsort(rng.random([data[axis] if d == axis else size for d, size in enumerate(shape)]), axis=axis)
        order = np.take(order, np.arange(shape[axis]), axis)
        return np.where(rng.random(shape) < 0.3, order - data[axis], order).astype(kind)
    if op == "ScatterND":
        sizes = data[: shape[-1]]
        count, whole = int(np.prod(shape[:-1])), int(np.prod(sizes))
        repeats = call.attributes.get("reduction", "none") != "none" or count > whole
        flat = rng.integers(0, whole, count) if repeats else rng.permutation(whole)[:count]
        return np.stack(np.unravel_index(flat, sizes), -1).reshape(shape).astype(kind)
    if op == "OneHot":
        depth = call.inputs[1].value[0] if call.inputs[1].value else 4
        return rng.integers(-depth - 2 if ml_dtypes.iinfo(kind).min < 0 else 0, depth + 3, shape).astype(kind) if kind().dtype.kind in "iu" else (
            rng.integers(-depth - 2, depth + 3, shape).astype(kind))
    if op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
        x = rng.integers(0, data[1], shape)
        ignored = call.attributes.get("ignore_index")
        return (x if ignored is None else np.where(rng.random(shape) < 0.3, ignored, x)).astype(kind)
    if op == "MaxUnpool":
        return unpooled(call, one, rng).astype(kind)
    if op == "TensorScatter":
        axis = axis_of(call, -2, len(data))
        room = data[axis] - (0 if call.attributes.get("mode") == "circular" else call.inputs[1].shape[axis] - 1)
        return rng.integers(0, max(room, 1), shape).astype(kind)
    if op == "Attention":
        return rng.integers(1, call.inputs[1].shape[-2] + 1, shape).astype(kind)
    high = {"ReverseSequence": lambda: data[call.attributes.get("time_axis", 0)] + 1, "RoiAlign": lambda: data[0],
            "RotaryEmbedding": lambda: call.inputs[1].shape[0]}.get(op, lambda: data[1 if call.attributes.get("layout", 0) else 0] + 1)()
    return rng.integers(0 if op in ("RoiAlign", "RotaryEmbedding") else 1, high, shape).astype(kind)


def unpooled(call, one, rng):
    """Distinct indices that stay in their own plane of the output."""
    made = call.outputs[0].shape
    plane, count = int(np.prod(made[2:])), int(np.prod(one.shape[2:]))
    planes = int(np.prod(one.shape[:2]))
    return np.stack([rng.permutation(plane)[:count] + at * plane for at in range(planes)]).reshape(one.shape)
