# SPDX-License-Identifier: Apache-2.0
"""What random graphs are made of, part 3: what few models have."""

import numpy as np
from onnx import helper, numpy_helper

from graph_layers import body, image, scale_for, window
from graph_maker import BOOL, F32, F64, I32, I64, I8, U8, Skip, info, type_of
from graph_operators import axis_of, type_number


def integer_conv(m):
    dtype = m.choice([U8, I8])
    low = 0 if dtype == U8 else -9
    x = m.pick((dtype,), rank=4, leaf=0.5)
    kernel, dilations, attributes = window(m, x, 2)
    w = m.weight(dtype, [m.dim(), x.shape[1], *kernel], low=low, high=9)
    zeros = [m.scalar(2, dtype), m.scalar(1, dtype)] if m.chance(0.5) else []
    y = m.add("ConvInteger", [x, w, *zeros], dilations=dilations, kernel_shape=kernel, **attributes)
    return m.add("Mul", [m.add("Cast", [y], to=1), m.scalar(1 / 64)])


def quantized_conv(m):
    x = image(m, 2)
    kernel, dilations, attributes = window(m, x, 2)
    scale, zero = m.scalar(max(abs(x.low), abs(x.high), 0.1) / 100), m.scalar(0, I8)
    filters = m.dim()
    w = m.weight(I8, [filters, x.shape[1], *kernel], low=-20, high=20)
    ws = m.given(m.array(F32, [filters], low=0.02, high=0.05))
    operands = [m.add("QuantizeLinear", [x, scale, zero]), scale, zero, w, ws, m.given(np.zeros(filters, I8)), m.scalar(0.31), m.scalar(2, I8)]
    bias = [m.weight(I32, [filters], low=-50, high=50)] if m.chance(0.5) else []
    y = m.add("QLinearConv", [*operands, *bias], dilations=dilations, kernel_shape=kernel, **attributes)
    return m.add("DequantizeLinear", [y, m.scalar(0.31), m.scalar(2, I8)])


def deformed(m):
    x = image(m, 2)
    height, width = x.shape[2] - 1, x.shape[3] - 1
    if min(height, width) < 1:
        raise Skip
    w = m.weight(F32, [m.dim(), x.shape[1], 2, 2], **scale_for(4 * x.shape[1]))
    offset = m.weight(F32, [x.shape[0], 8, height, width], low=-0.4, high=0.4)
    return m.add("DeformConv", [x, w, offset], kernel_shape=[2, 2], pads=[0, 0, 0, 0], since=19)


def cache(m):
    x = m.pick((F32,), rank=4)
    steps = m.below(1, x.shape[2])
    update = m.weight(F32, [*x.shape[:2], steps, x.shape[3]])
    at = m.given(m.rng.integers(0, x.shape[2] - steps + 1, size=x.shape[0]).astype(I64))
    return m.add("TensorScatter", [x, update, at], axis=2, mode=m.choice(["linear", "circular"]), since=24)


def bit_cast(m):
    x = m.pick((F32, I32), leaf=0)
    if x.dtype == F32 and x.shaken is not None:
        raise Skip
    y = m.add("BitCast", [x], to=int(type_number(I32 if x.dtype == F32 else F32)), since=26)
    return m.add("BitwiseAnd", [y, m.scalar(255, I32)]) if y.dtype == I32 else y


def causal_conv(m):
    x = m.pick((F32,), rank=3)
    kernel = m.below(1, 4)
    w = m.weight(F32, [x.shape[1], 1, kernel], **scale_for(kernel))
    past = [m.weight(F32, [x.shape[1]]), m.weight(F32, [x.shape[0], x.shape[1], kernel - 1])] if m.chance(0.5) and kernel > 1 else []
    return m.add("CausalConvWithState", [x, w, *past], outputs=2, activation=m.choice(["none", "silu"]), since=27)


def spectrogram(m):
    x = m.pick((F32,), rank=2, where=lambda v: v.shape[1] >= 4)
    window_ = m.given(np.hanning(4).astype(F32) + F32.type(0.1))
    x = m.add("Unsqueeze", [x, m.ints([2])])
    return m.add("STFT", [x, m.scalar(m.below(1, 2), I64), window_], onesided=m.below(0, 1), since=17)


def rectangles(m):
    x = image(m, 2)
    if min(x.shape[2:]) < 3:
        raise Skip
    rois = [[m.below(0, x.shape[0] - 1), 0, m.below(0, 1), x.shape[3] - 1, m.below(2, x.shape[2] - 1)] for _ in range(m.below(1, 4))]
    return m.add("MaxRoiPool", [x, m.given(np.array(rois, F32))], pooled_shape=[2, m.below(1, 2)], spatial_scale=1.0)


def found(m):
    """Places of what is known when the graph is planned."""
    x = m.pick((F32,), rank=range(1, 4))
    axis = axis_of(m, x, 2)
    mask = m.rng.random(x.shape[axis]) < 0.6
    mask[-1] = True
    places = m.add("Squeeze", [m.add("NonZero", [m.given(mask)]), m.ints([0])])
    return m.add("Gather", [x, places], axis=axis)


def type_mix(m):
    """A detour through another element type."""
    x = m.pick((F32,))
    to = m.choice([F64, F64, np.dtype("float16")])
    y = m.add("Cast", [x], to=int(type_number(to)))
    y = m.add(m.choice(["Tanh", "Relu", "Abs", "Sigmoid", "Neg"]), [y])
    return m.add("Cast", [y], to=1)


def masked_softmax(m):
    """Scores hidden by so little that nothing is left of them."""
    x = m.pick((F32,), rank=range(2, 5))
    mask = np.ones(x.shape[-2:], bool)
    mask[:, m.below(1, x.shape[-1]) :] = False
    hidden = m.given(np.where(mask, 0, -30).astype(F32))
    return m.add("Softmax", [m.add("Add", [x, hidden])], axis=-1)


def function_of_two(m):
    """A value and its own statistics: both uses are cut alike or not."""
    x = m.pick((F32,), rank=range(2, 5))
    axis = axis_of(m, x)
    axes = {"axes": [axis]} if m.opset < 18 else {}
    inputs = [x] if axes else [x, m.ints([axis])]
    y = m.add(m.choice(["ReduceMean", "ReduceMax", "ReduceMin"]), inputs, keepdims=1, **axes)
    return m.add(m.choice(["Sub", "Mul", "Add"]), [x, y])


def same_twice(m):
    """One value on both sides."""
    x = m.pick((F32,), rank=range(1, 5))
    return m.add(m.choice(["Mul", "Add", "Max", "Sub"]), [x, x])


def square_sums(m):
    """Rows and columns of one matrix together."""
    x = m.pick((F32,), rank=range(2, 4), where=lambda v: v.shape[-1] == v.shape[-2], leaf=0)
    perm = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    return m.add(m.choice(["Add", "Sub", "Mul"]), [x, m.add("Transpose", [x], perm=perm)])


def called(m):
    """A condition and its branches' values as Where, on a scalar or a row of booleans."""
    x = m.pick((F32,), rank=range(1, 4))
    y = m.pick_or(F32, list(x.shape))
    condition = m.weight(BOOL, [] if m.chance(0.3) else [x.shape[-1]])
    return m.add("Where", [condition, x, y])


def lazily_shaped(m):
    """Another value's shape as the operand of Reshape or Expand."""
    x = m.pick((F32,), rank=range(1, 5))
    like = [v for v in m.values.values() if v.kind == "node" and v.size == x.size and v.shape != x.shape and v.rank]
    if not like:
        raise Skip
    return m.add("Reshape", [x, m.add("Shape", [m.choice(like)])])


def typed_constant(m):
    x = m.pick((F32,), rank=range(1, 4))
    value = numpy_helper.from_array(np.array([m.choice([0.5, 2.0, -1.0])], F32))
    filled = m.add("ConstantOfShape", [m.add("Shape", [x])], value=value)
    return m.add(m.choice(["Mul", "Add"]), [x, filled])


def pieces(m):
    """A sequence of what a split makes, in another order, joined again."""
    x = m.pick((F32, I64), rank=range(1, 5))
    axis = axis_of(m, x, 2)
    size = m.below(1, min(4, x.shape[axis]))
    split = m.choice([m.scalar(size, I64), m.ints([size, x.shape[axis] - size]), None])
    dropped = split is None and m.chance(0.5)
    count = x.shape[axis] if split is None else 2 if split.rank else -(-x.shape[axis] // size)
    s, a, t, u = (m.name(letter) for letter in "sqtu")
    at, to = m.scalar(m.below(-count, count - 1), I64), m.scalar(m.below(1 - count, count - 1), I64)
    before = [
        helper.make_node("SplitToSequence", [x.name, *([split.name] if split is not None else [])], [s], axis=axis, keepdims=int(not dropped)),
        helper.make_node("SequenceAt", [s, at.name], [a]),
        helper.make_node("SequenceErase", [s, at.name], [t]),
        helper.make_node("SequenceInsert", [t, a, to.name], [u]),
    ]
    read = [x, at, to, *([split] if split is not None else [])]
    new = dropped and (x.rank == 1 or m.chance(0.5))
    if new:
        return m.add("ConcatFromSequence", [u], captured=read, before=before, axis=m.below(-x.rank, x.rank - 1), new_axis=1)
    rank = x.rank - dropped
    alike = split is None or size * count == x.shape[axis]  # then pieces may be joined along any dim
    joined = m.below(-rank, rank - 1) if alike or count == 1 else axis
    return m.add("ConcatFromSequence", [u], captured=read, before=before, axis=joined)


def collected(m):
    """What the turns of a loop make, in a sequence."""
    x = m.pick((F32,), rank=range(1, 4), leaf=0)
    nodes, at, captured = body(m, x)
    nodes.append(helper.make_node("Identity", ["go"], ["go_on"]))
    nodes.append(helper.make_node("SequenceInsert", ["kept", at], ["kept_on"]))
    kind = helper.make_sequence_type_proto(helper.make_tensor_type_proto(type_of(x.dtype), None))
    inputs = [info("i", I64, []), info("go", BOOL, []), info("inner", x.dtype, x.shape), helper.make_value_info("kept", kind)]
    outputs = [info("go_on", BOOL, []), info(at, x.dtype, x.shape), helper.make_value_info("kept_on", kind)]
    graph = helper.make_graph(nodes, "turns", inputs, outputs)
    turns, go = m.scalar(m.below(1, 3), I64), m.given(np.array(True))
    empty, last, sequence = m.name("e"), m.name("l"), m.name("s")
    before = [
        helper.make_node("SequenceEmpty", [], [empty], dtype=type_of(x.dtype)),
        helper.make_node("Loop", [turns.name, go.name, x.name, empty], [last, sequence], body=graph),
    ]
    new = int(m.chance(0.5))
    return m.add("ConcatFromSequence", [sequence], captured=[turns, go, x, *captured], before=before, axis=m.below(0, x.rank - 1 + new), new_axis=new)


EMITTERS = {
    integer_conv: 0.7, quantized_conv: 0.7, deformed: 0.5, cache: 1, bit_cast: 0.7, causal_conv: 1, spectrogram: 0.5, rectangles: 0.4, found: 0.7,
    type_mix: 1, masked_softmax: 1.5, function_of_two: 3, same_twice: 1.5, square_sums: 1.5, called: 1, lazily_shaped: 1.5, typed_constant: 0.7, pieces: 1.5, collected: 1,
}  # fmt: skip
