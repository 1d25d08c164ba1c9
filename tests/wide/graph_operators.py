# SPDX-License-Identifier: Apache-2.0
"""What random graphs are made of, part 1: elementwise operators, moves, selections, reductions. A function adds a node or a few to a Maker."""

import numpy as np

from graph_maker import BF16, BOOL, ELEMENTS, F16, F32, F64, FLOATS, I8, I16, I32, I64, INTS, U8, U16, U32, U64, Skip

ARITHMETIC = (F32, F64, F16, BF16, I32, I64)
ANY = FLOATS + INTS + (BOOL,)

# operator: (since, least, greatest) of the values that it is given
UNARY = {
    **dict.fromkeys("Abs Neg Relu Sigmoid Tanh Erf Sin Cos Softsign Softplus Sign Floor Ceil Round LeakyRelu Elu Selu Celu HardSigmoid "
                    "ThresholdedRelu Shrink Asinh Atan Identity Clip IsNaN IsInf Dropout".split(), (1, -1e3, 1e3)),
    **dict.fromkeys(["HardSwish"], (14, -1e3, 1e3)), "Mish": (18, -1e3, 1e3), "Gelu": (20, -1e3, 1e3), "Swish": (24, -1e3, 1e3),
    "Exp": (1, -20, 3), "Sinh": (1, -3, 3), "Cosh": (1, -3, 3), "Tan": (1, -1.2, 1.2), "Sqrt": (1, 0.01, 1e3), "Log": (1, 0.05, 1e3),
    "Reciprocal": (1, 0.3, 1e3), "Asin": (1, -0.95, 0.95), "Acos": (1, -0.95, 0.95), "Atanh": (1, -0.95, 0.95), "Acosh": (1, 1.05, 1e3),
}  # fmt: skip
ATTRIBUTES = {
    "LeakyRelu": ["alpha"], "Elu": ["alpha"], "Celu": ["alpha"], "HardSigmoid": ["alpha", "beta"], "ThresholdedRelu": ["alpha"],
    "Shrink": ["lambd", "bias"], "Selu": ["alpha", "gamma"], "Swish": ["alpha"],
}  # fmt: skip


def within(m, value, low, high):
    """The value, or what a node makes of it, in [low, high]."""
    if low <= value.low and value.high <= high:
        return value
    if low >= 1:
        return m.add("Add", [m.add("Abs", [value]), m.scalar(1.5, value.dtype)])
    if low >= 0:
        return m.add("Add", [m.add("Abs", [value]), m.scalar(0.5, value.dtype)])
    squashed = m.add("Tanh", [value])
    return squashed if high >= 1 else m.add("Mul", [squashed, m.scalar(0.75, value.dtype)])


def unary(m):
    op = m.choice(list(UNARY))
    since, low, high = UNARY[op]
    x = within(m, m.pick(), low, high)
    attributes = {name: float(m.rng.uniform(0.3, 1.2)) for name in ATTRIBUTES.get(op, []) if m.chance(0.7)}
    inputs = [x]
    if op == "Clip":
        inputs += [m.scalar(-1, x.dtype) if m.chance(0.8) else None, m.scalar(1.5, x.dtype)]
    if op == "Gelu" and m.chance(0.5):
        attributes["approximate"] = "tanh"
    return m.add(op, inputs, since=since, **attributes)


def partner(m, x, share=0.5, **how):
    """A value that broadcasts with x: another of the graph, or a weight."""
    fits = [v for v in m.values.values() if v.dtype == x.dtype and v.kind != "constant" and v.rank and v is not x and broadcasts(v.shape, x.shape)]
    if fits and m.chance(share):
        return m.choice(fits)
    shape = [s if m.chance(0.75) else 1 for s in x.shape][m.below(0, x.rank) if m.chance(0.4) else 0 :]
    return m.weight(x.dtype, shape, **{"whole": x.whole() and m.chance(0.7), **how})


def broadcasts(a, b):
    try:
        return np.prod(np.broadcast_shapes(a, b)) <= ELEMENTS
    except ValueError:
        return False


def ordered(m, a, b):
    return (a, b) if m.chance(0.6) else (b, a)


def binary(m):
    x = m.pick(ARITHMETIC)
    op = m.choice(["Add", "Add", "Sub", "Mul", "Mul", "Max", "Min", "Sum", "Mean"])
    return m.add(op, ordered(m, x, partner(m, x, 0.75)))


def several(m):
    x = m.pick()
    return m.add(m.choice(["Sum", "Mean", "Max", "Min"]), [x, partner(m, x), partner(m, x)])


def divide(m):
    x = m.pick(ARITHMETIC)
    if x.dtype in INTS:
        return m.add(m.choice(["Div", "Mod"]), [x, partner(m, x, 0, low=1, high=4)])
    y = partner(m, x)
    return m.add("Div", [x, within(m, y, 0.3, 1e3)])


def power(m):
    x = within(m, m.pick(), 0.1, 4)
    return m.add("Pow", [x, m.scalar(m.choice([2.0, 3.0, 0.5, -1.0]), x.dtype) if m.chance(0.6) else partner(m, x, 0)])


def prelu(m):
    x = m.pick((F32, F64))
    shape = [s if m.chance(0.6) else 1 for s in x.shape][m.below(0, max(x.rank - 1, 0)) :]
    return m.add("PRelu", [x, m.weight(x.dtype, shape)])


def modulo(m):
    x = m.pick(FLOATS, where=lambda v: v.whole())
    return m.add("Mod", [x, partner(m, x, 0, low=1, high=5, whole=True)], fmod=1)


def compare(m):
    x = m.pick(ARITHMETIC)
    op = m.choice(["Less", "Greater", "Equal"] + (["LessOrEqual", "GreaterOrEqual"] if m.opset >= 16 else []))
    return m.add(op, ordered(m, x, partner(m, x)))


def condition(m, x):
    """Booleans that broadcast with x."""
    fits = [v for v in m.values.values() if v.dtype == BOOL and v.kind == "node" and broadcasts(v.shape, x.shape)]
    return m.choice(fits) if fits and m.chance(0.7) else partner_of(m, BOOL, x)


def partner_of(m, dtype, x):
    shape = [s if m.chance(0.75) else 1 for s in x.shape]
    return m.weight(dtype, shape) if m.chance(0.5) else m.input(dtype, shape)


def logic(m):
    x = m.pick((BOOL,), leaf=0.02)
    if m.chance(0.3):
        return m.add("Not", [x])
    return m.add(m.choice(["And", "Or", "Xor"]), [x, condition(m, x)])


def where(m):
    x = m.pick(ANY)
    return m.add("Where", [condition(m, x), *ordered(m, x, partner(m, x))])


def bits(m):
    x = m.pick((I32, I64, U8, U16, U32, U64, I8, I16), leaf=0.05)
    if x.dtype in (U8, U32, U64) and m.chance(0.5):
        return m.add("BitShift", [x, partner(m, x, 0, low=0, high=3)], direction=m.choice(["LEFT", "RIGHT"]))
    if m.chance(0.2):
        return m.add("BitwiseNot", [x], since=18)
    return m.add(m.choice(["BitwiseAnd", "BitwiseOr", "BitwiseXor"]), [x, partner(m, x)], since=18)


def cast(m):
    x = m.pick(ANY)
    to = m.choice([F32, F32, F32, F64, F16, BF16, I32, I64, BOOL, I8, U8, I16, U32])
    if x.dtype in FLOATS and to in (U8, U16, U32, U64) and x.low < 0:
        to = I32
    if m.chance(0.15):
        return m.add("CastLike", [x, m.given(np.zeros([1], to))], since=15)
    return m.add("Cast", [x], to=int(type_number(to)))


def back(m):
    """What is not f32 goes on in f32."""
    x = m.pick((F16, BF16, F64, I32, I64, BOOL, U8, I8), leaf=0.02)
    return m.add("Cast", [x], to=1)


def type_number(dtype):
    from onnx import helper  # pylint: disable=import-outside-toplevel

    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


# Shapes.


def regrouped(m, shape):
    """Another shape of as many elements: neighbours merged, dims parted."""
    shape = list(shape)
    for _ in range(m.below(1, 3)):
        if len(shape) > 1 and m.chance(0.5):
            at = m.below(0, len(shape) - 2)
            shape[at : at + 2] = [shape[at] * shape[at + 1]]
        elif shape:
            at = m.below(0, len(shape) - 1)
            parts = [p for p in range(2, shape[at]) if shape[at] % p == 0]
            if parts and len(shape) < 6:
                part = int(m.choice(parts))
                shape[at : at + 1] = [part, shape[at] // part]
    return shape


def reshape(m, x=None):
    x = x or m.pick(ANY)
    shape = regrouped(m, x.shape)
    listed = list(shape)
    for at, size in enumerate(listed):
        if at < x.rank and x.shape[at] == size and m.chance(0.3):
            listed[at] = 0
    if listed and m.chance(0.5):
        listed[m.below(0, len(listed) - 1)] = -1
    return m.add("Reshape", [x, computed_shape(m, x, listed)])


def computed_shape(m, x, listed):
    """The sizes as a constant, or now and then put together from those of x."""
    if not m.chance(0.2) or len(listed) < 2:
        return m.ints(listed)
    at = m.below(0, x.rank - 1) if x.rank else 0
    places = [i for i, size in enumerate(listed) if x.rank and size == x.shape[at]]
    if not places:
        return m.ints(listed)
    i = int(m.choice(places))
    size = m.add("Gather", [m.add("Shape", [x]), m.ints([at])], axis=0)
    parts = ([m.ints(listed[:i])] if i else []) + [size] + ([m.ints(listed[i + 1 :])] if i + 1 < len(listed) else [])
    return m.add("Concat", parts, axis=0)


def transpose(m):
    x = m.pick(ANY, rank=range(2, 7))
    return m.add("Transpose", [x], perm=[int(i) for i in m.rng.permutation(x.rank)]) if m.chance(0.9) else m.add("Transpose", [x])


def axis_of(m, x, least=1):
    axes = [i for i in range(x.rank) if x.shape[i] >= least]
    if not axes:
        raise Skip
    return int(m.choice(axes))


def signed(m, axis, rank):
    return axis - rank if m.chance(0.25) else axis


def flatten(m):
    x = m.pick(ANY, rank=range(1, 6))
    return m.add("Flatten", [x], axis=m.below(0, x.rank))


def squeeze(m):
    x = m.pick(ANY, where=lambda v: v.rank > 0 and 1 in v.shape and v.rank < 7, leaf=0)
    axes = [i for i, s in enumerate(x.shape) if s == 1]
    return m.add("Squeeze", [x, m.ints(axes[: m.below(1, len(axes))])]) if m.chance(0.8) else m.add("Squeeze", [x])


def unsqueeze(m):
    x = m.pick(ANY, rank=range(0, 5))
    return m.add("Unsqueeze", [x, m.ints([m.below(0, x.rank)])])


def expand(m):
    x = m.pick(ANY, rank=range(0, 4))
    if 1 not in x.shape and m.chance(0.6):
        x = m.add("Unsqueeze", [x, m.ints([m.below(0, x.rank)])])
    shape = [m.dim() if s == 1 else s if m.chance(0.7) else 1 for s in x.shape]
    return m.add("Expand", [x, m.ints(([m.dim()] if m.chance(0.2) else []) + shape)])


def tile(m):
    x = m.pick(ANY, rank=range(1, 5))
    return m.add("Tile", [x, m.ints([m.choice([1, 1, 2, 3]) for _ in x.shape])])


def concat(m):
    x = m.pick(ANY, rank=range(1, 6))
    axis = axis_of(m, x)
    alike = lambda v: v.dtype == x.dtype and v.rank == x.rank and v.shape[:axis] == x.shape[:axis] and v.shape[axis + 1 :] == x.shape[axis + 1 :]
    fits = [v for v in m.values.values() if v.kind != "constant" and alike(v)]
    parts = [m.choice(fits) for _ in range(m.below(1, 2))]
    if m.chance(0.4):
        parts.append(m.weight(x.dtype, [m.dim() if i == axis else s for i, s in enumerate(x.shape)]))
    parts.insert(m.below(0, len(parts)), x)
    return m.add("Concat", parts, axis=signed(m, axis, x.rank))


def split(m):
    x = m.pick(ANY, rank=range(1, 6))
    axis = axis_of(m, x, 2)
    size = x.shape[axis]
    if m.chance(0.6):
        pieces = int(m.choice([p for p in (2, 3, 4) if size % p == 0] or [0]))
        if not pieces:
            raise Skip
        more = {"num_outputs": pieces} if m.opset >= 18 else {}
        return m.add("Split", [x], outputs=pieces, axis=axis, **more)
    first = m.below(1, size - 1)
    return m.add("Split", [x, m.ints([first, size - first])], outputs=2, axis=signed(m, axis, x.rank))


def slice_(m):
    x = m.pick(ANY, rank=range(1, 6))
    axes = sorted({axis_of(m, x, 2) for _ in range(m.below(1, 2))})
    starts, ends, steps = [], [], []
    for axis in axes:
        size = x.shape[axis]
        step = int(m.choice([1, 1, 1, 2, -1, 3, -2]))
        a, b = sorted(int(i) for i in m.rng.choice(size + 1, 2, replace=False))
        if step < 0:
            a, b = b - 1, a - 1 if a else -size - 1
        elif m.chance(0.3):
            a, b = a - size if a else 0, b if b < size else 2**31 - 1
        starts, ends, steps = starts + [a], ends + [b], steps + [step]
    inputs = [x, m.ints(starts), m.ints(ends), m.ints([signed(m, a, x.rank) for a in axes])]
    return m.add("Slice", inputs + ([m.ints(steps)] if steps != [1] * len(steps) or m.chance(0.5) else []))


def pad(m):
    x = m.pick(FLOATS + (I32, I64), rank=range(1, 5))
    mode = m.choice(["constant", "constant", "reflect", "edge"] + (["wrap"] if m.opset >= 19 else []))
    low = 0 if mode != "constant" else -1
    pads = [m.below(low, 2) if m.chance(0.6) and x.shape[i % x.rank] > 3 else 0 for i in range(2 * x.rank)]
    inputs = [x, m.ints(pads)]
    if mode == "constant" and m.chance(0.5):
        inputs.append(m.scalar(m.choice([0, 1, -2]), x.dtype))
    return m.add("Pad", inputs, mode=mode)


def trilu(m):
    x = m.pick((F32, F64, I64, BOOL, F16), rank=range(2, 5))
    return m.add("Trilu", [x] + ([m.scalar(m.below(-2, 2), I64)] if m.chance(0.6) else []), upper=m.below(0, 1), since=14)


def depth_space(m):
    x = m.pick((F32, F64), rank=4)
    if m.chance(0.5):
        return m.add("DepthToSpace", [x], blocksize=2, mode=m.choice(["DCR", "CRD"]))
    return m.add("SpaceToDepth", [x], blocksize=2)


def crop(m):
    x = m.pick((F32, I64), rank=range(2, 5))
    axis = axis_of(m, x)
    return m.add("CenterCropPad", [x, m.ints([m.dim()])], axes=[axis], since=18)


def reverse(m):
    x = m.pick((F32, F64, I64), rank=range(2, 5))
    batch = m.below(0, 1)
    lengths = m.given(m.rng.integers(1, x.shape[1 - batch] + 1, size=x.shape[batch]).astype(I64))
    return m.add("ReverseSequence", [x, lengths], batch_axis=batch, time_axis=1 - batch)


# Selections by index.


def indices(m, size, shape, dtype=I64, distinct=False):
    """Of a dim of this size; as a constant, an input, or computed."""
    array = m.rng.integers(0, size, size=shape) if not distinct else m.rng.permutation(size)[: int(np.prod(shape))].reshape(shape)
    if m.chance(0.2):
        array = array - size * (m.rng.random(array.shape) < 0.3)
    array = array.astype(dtype)
    if m.chance(0.5):
        return m.given(array)
    value = m.input(dtype, array.shape)
    value.array = array
    return value


def gather(m):
    x = m.pick(ANY, rank=range(1, 5))
    axis = axis_of(m, x)
    shape = [m.dim() for _ in range(m.choice([0, 1, 1, 2]))]
    return m.add("Gather", [x, indices(m, x.shape[axis], shape, m.choice([I64, I32]))], axis=signed(m, axis, x.rank))


def gather_by_argmax(m):
    """Rows of a table, at places that the graph computes."""
    x = m.pick((F32,), rank=range(2, 4))
    best = m.add("ArgMax", [x], axis=axis_of(m, x, 2), keepdims=m.below(0, 1))
    return m.add("Gather", [m.weight(F32, [max(x.shape), m.dim()]), best])


def gather_elements(m):
    x = m.pick((F32, F64, I64, I32), rank=range(1, 5))
    axis = axis_of(m, x)
    shape = [m.dim() if i == axis else s if m.chance(0.7) else m.below(1, s) for i, s in enumerate(x.shape)]
    return m.add("GatherElements", [x, indices(m, x.shape[axis], shape)], axis=signed(m, axis, x.rank))


def tuples(m, x, depth, shape):
    return np.stack([m.rng.integers(0, x.shape[i], size=shape) for i in range(depth)], axis=-1).astype(I64)


def gather_nd(m):
    x = m.pick((F32, F64, I64), rank=range(2, 5))
    batch = m.below(0, 1)
    depth = m.below(1, x.rank - batch)
    shape = [m.dim() for _ in range(m.below(0, 2))]
    array = np.stack([m.rng.integers(0, x.shape[batch + i], size=[*x.shape[:batch], *shape]) for i in range(depth)], axis=-1).astype(I64)
    return m.add("GatherND", [x, m.given(array)], batch_dims=batch)


def reduction(m):
    return m.choice(["none", "none", "add", "mul"] + (["max", "min"] if m.opset >= 18 else []))


def scatter_elements(m):
    x = m.pick((F32, F64, I64), rank=range(1, 4))
    axis, how = axis_of(m, x), reduction(m) if m.opset >= 16 else "none"
    count = m.below(1, x.shape[axis])
    shape = [count if i == axis else s for i, s in enumerate(x.shape)]
    places = m.rng.permuted(np.broadcast_to(np.arange(x.shape[axis]), [*[s for i, s in enumerate(x.shape) if i != axis], x.shape[axis]]), axis=-1)
    places = np.moveaxis(places[..., :count], -1, axis)
    if how != "none" and m.chance(0.5):
        places = m.rng.integers(0, x.shape[axis], size=shape)
    more = {} if how == "none" else {"reduction": how}
    return m.add("ScatterElements", [x, m.given(places.astype(I64)), partner_like(m, x, shape)], axis=signed(m, axis, x.rank), **more)


def partner_like(m, x, shape):
    fits = [v for v in m.values.values() if v.dtype == x.dtype and v.kind == "node" and list(v.shape) == list(shape)]
    return m.choice(fits) if fits and m.chance(0.7) else m.weight(x.dtype, shape, whole=x.whole())


def scatter_nd(m):
    x = m.pick((F32, F64, I64), rank=range(1, 5))
    depth, how = m.below(1, x.rank), reduction(m) if m.opset >= 16 else "none"
    cells = int(np.prod(x.shape[:depth]))
    count = m.below(1, min(cells, 8))
    flat = m.rng.permutation(cells)[:count] if how == "none" else m.rng.integers(0, cells, size=count)
    places = np.stack(np.unravel_index(flat, x.shape[:depth]), axis=-1).astype(I64)
    more = {} if how == "none" else {"reduction": how}
    return m.add("ScatterND", [x, m.given(places), partner_like(m, x, [count, *x.shape[depth:]])], **more)


def one_hot(m):
    count = m.dim()
    x = m.pick((I64, I32), where=lambda v: v.low >= -count and v.high < count and v.rank < 4, leaf=0.05)
    return m.add("OneHot", [x, m.scalar(count, I64), m.given(np.array([0, m.choice([1, 2])], F32))], axis=m.choice([-1, 0, x.rank]))


def compress(m):
    x = m.pick((F32, F64, I64), rank=range(1, 4))
    axis = axis_of(m, x, 2)
    keep = m.rng.random(x.shape[axis]) < 0.6
    keep[0] = True
    return m.add("Compress", [x, m.given(keep)], axis=axis)


def constants(m):
    """Values of shapes alone, used at once."""
    x = m.pick((F32,), rank=2)
    kind = m.below(0, 3)
    if kind == 0:
        return m.add("Add", [x, m.add("EyeLike", [x], k=m.below(-1, 1))])
    if kind == 1:
        return m.add("Mul", [x, m.add("ConstantOfShape", [m.ints(x.shape)], value=scalar_tensor(1.5))])
    if kind == 2:
        steps = m.add("Range", [m.scalar(0, I64), m.scalar(x.shape[1], I64), m.scalar(1, I64)])
        return m.add("Add", [x, m.add("Cast", [steps], to=1)])
    if x.shape[1] == 1:  # its only element is the end of a window, which is 0 up to roundings
        raise Skip
    return m.add("Mul", [x, m.add(m.choice(["HannWindow", "HammingWindow", "BlackmanWindow"]), [m.scalar(x.shape[1], I64)], since=17)])


def scalar_tensor(number):
    from onnx import numpy_helper  # pylint: disable=import-outside-toplevel

    return numpy_helper.from_array(np.array([number], F32))


# Reductions.


def reduce(m):
    op = "Reduce" + m.choice("Sum Sum Mean Mean Max Min Prod L1 L2 LogSum LogSumExp SumSquare".split())
    x = m.pick(FLOATS if op not in ("ReduceSum", "ReduceMax", "ReduceMin") else FLOATS + (I32, I64), rank=range(1, 6))
    if op == "ReduceLogSum":
        x = within(m, x, 0.1, 1e3)
    axes = sorted({axis_of(m, x) for _ in range(m.below(1, 2))})
    axes = [signed(m, a, x.rank) for a in axes]
    keep = {"keepdims": m.below(0, 1)} if m.chance(0.8) else {}
    if m.chance(0.15):
        return m.add(op, [x], **keep)
    if m.opset < (13 if op == "ReduceSum" else 18):
        return m.add(op, [x], axes=axes, **keep)
    return m.add(op, [x, m.ints(axes)], **keep)


def extreme(m):
    x = m.pick((F32, F64, I32), rank=range(1, 5))
    last = {"select_last_index": 1} if m.chance(0.3) else {}
    return m.add(m.choice(["ArgMax", "ArgMin"]), [x], axis=signed(m, axis_of(m, x), x.rank), keepdims=m.below(0, 1), **last)


def top_k(m):
    x = m.pick((F32, F64, I64), rank=range(1, 5))
    axis = axis_of(m, x)
    return m.add("TopK", [x, m.ints([m.below(1, x.shape[axis])])], outputs=2, axis=signed(m, axis, x.rank), largest=m.below(0, 1))


def running(m):
    x = m.pick((F32, F64, I64, I32), rank=range(1, 5))
    op = "CumProd" if m.opset >= 26 and m.chance(0.3) else "CumSum"
    return m.add(op, [x, m.scalar(signed(m, axis_of(m, x), x.rank), I64)], exclusive=m.below(0, 1), reverse=m.below(0, 1))


def sizes(m):
    """A size as a number in the graph."""
    x = m.pick((F32,))
    size = m.add("Size", [x]) if m.chance(0.5) or not x.rank else m.add("Gather", [m.add("Shape", [x]), m.scalar(axis_of(m, x), I64)])
    return m.add("Div", [x, m.add("Cast", [size], to=1)])


EMITTERS = {
    unary: 9, binary: 9, several: 1, divide: 2, power: 1, prelu: 1, modulo: 1, compare: 2, logic: 2, where: 3, bits: 1, cast: 3, back: 3,
    reshape: 7, transpose: 6, flatten: 1, squeeze: 2, unsqueeze: 2, expand: 2, tile: 2, concat: 4, split: 3, slice_: 4, pad: 3, trilu: 2,
    depth_space: 1, crop: 1, reverse: 1, gather: 3, gather_by_argmax: 1, gather_elements: 2, gather_nd: 2, scatter_elements: 2, scatter_nd: 2,
    one_hot: 2, compress: 1, constants: 1, reduce: 8, extreme: 3, top_k: 2, running: 2, sizes: 1,
}  # fmt: skip
