# SPDX-License-Identifier: Apache-2.0
"""What random graphs are made of, part 2: products, windows, norms, recurrences, attention, quantization, bodies, and usual compositions."""

import numpy as np
from onnx import helper

from graph_maker import BOOL, F16, F32, F64, I8, I32, I64, U8, Skip, info
from graph_operators import axis_of, partner, reshape, signed

# Products.


def scale_for(depth):
    return {"low": -1.5 / depth**0.5, "high": 1.5 / depth**0.5}


def other_factor(m, x, rows):
    """What a matrix product with x takes: a value of the graph, or a weight."""
    if x.rank > 1 and m.chance(0.5):
        fits = [v for v in m.values.values() if v.dtype == x.dtype and v.kind != "constant" and v.rank > 1 and v.shape[-2] == rows]
        fits = [v for v in fits if v.shape[:-2] in ((), x.shape[:-2])]
        if fits:
            return m.choice(fits)
    shape = [rows, m.dim()] if m.chance(0.8) or x.rank < 2 else [*x.shape[:-2], rows, m.dim()]
    if m.chance(0.05):
        shape = [rows]
    whole = x.whole() and m.chance(0.5)
    return m.weight(x.dtype, shape, **({"low": -1, "high": 1, "whole": True} if whole else scale_for(rows)))


def matmul(m):
    x = m.pick((F32, F32, F64, F16), rank=range(1, 6))
    return m.add("MatMul", [x, other_factor(m, x, x.shape[-1])])


def matmul_self(m):
    """x times its own transpose."""
    x = m.pick((F32, F64), rank=range(2, 5))
    perm = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    y = m.add("Transpose", [x], perm=perm)
    return m.add("Mul", [m.add("MatMul", [x, y] if m.chance(0.5) else [y, x]), m.scalar(1 / 8, x.dtype)])


def gemm(m):
    x = m.pick((F32, F64, F16), rank=2)
    ta, tb = m.below(0, 1), m.below(0, 1)
    rows, depth = (x.shape[1], x.shape[0]) if ta else x.shape
    columns = m.dim()
    w = m.weight(x.dtype, [columns, depth] if tb else [depth, columns], **scale_for(depth))
    c = [m.weight(x.dtype, m.choice([[columns], [rows, columns], [1, columns], [rows, 1], [1], []]))] if m.chance(0.7) else []
    more = {"alpha": 0.5, "beta": 1.5} if m.chance(0.3) else {}
    return m.add("Gemm", [x, w, *c], transA=ta, transB=tb, **more)


EINSUMS = """ij,jk->ik ij,kj->ik bij,bjk->bik bij,bkj->bik bhid,bhjd->bhij bhij,bhjd->bhid bid,bjd->bij ij,i->j ij,ij->i ij->ji ij->j bij->b
bij,jk->bik bij,k->bijk ...ij,...jk->...ik ij,jk,kl->il bind,bjnd->bnij ii->i bii->b bij->bji ijk,k->ij ijk,jk->i bihd,hde->bie ij,kl->ijkl
bijk,bijk->bij ijij->ij""".split()


def einsum(m):
    equation = m.choice(EINSUMS)
    left = equation.split("->")[0].split(",")
    letters = {letter: m.dim() for term in left for letter in term if letter != "."}
    terms = []
    for at, term in enumerate(left):
        rank = len(term.replace("...", ""))
        fits = [v for v in m.values.values() if v.kind in ("input", "node") and v.dtype == F32 and v.rank == rank]
        if at == 0 and fits and len(set(term)) == len(term) and m.chance(0.8):
            x = m.choice(fits)
            letters.update(zip(term.replace("...", ""), x.shape))
            terms.append(x)
            continue
        shape = [letters[letter] for letter in term.replace("...", "")]
        same = [v for v in fits if list(v.shape) == shape]
        terms.append(m.choice(same) if same and m.chance(0.7) else m.weight(F32, shape, low=-0.7, high=0.7))
    return m.add("Einsum", terms, equation=equation)


def integer_products(m):
    dtype = m.choice([U8, I8])
    low = 0 if dtype == U8 else -9
    x = m.pick((dtype,), rank=2, leaf=0.3)
    w = m.weight(dtype, [x.shape[1], m.dim()], low=low, high=9)
    zeros = [m.scalar(2, dtype), m.scalar(1, dtype)] if m.chance(0.6) else []
    y = m.add("MatMulInteger", [x, w, *zeros])
    return m.add("Mul", [m.add("Cast", [y], to=1), m.scalar(1 / 64)])


def linear_quantized(m):
    """QLinearMatMul, of quantized values of the graph."""
    x = m.pick((F32,), rank=2)
    scale, zero = m.scalar(max(abs(x.low), abs(x.high), 0.1) / 100), m.scalar(0, I8)
    q = m.add("QuantizeLinear", [x, scale, zero])
    w = m.weight(I8, [x.shape[1], m.dim()], low=-20, high=20)
    y = m.add("QLinearMatMul", [q, scale, zero, w, m.scalar(0.037), m.scalar(0, I8), m.scalar(0.21), m.scalar(3, I8)])
    return m.add("DequantizeLinear", [y, m.scalar(0.21), m.scalar(3, I8)])


# Windows.


def window(m, x, spatial, kernel_low=1):
    kernel = [m.below(kernel_low, min(4, s)) for s in x.shape[2:]]
    attributes = {"strides": [m.choice([1, 1, 2, 3]) for _ in range(spatial)]}
    dilations = [2 if m.chance(0.2) and 2 * (k - 1) + 1 <= s else 1 for k, s in zip(kernel, x.shape[2:])]
    if m.chance(0.2) and not any(d > 1 for d in dilations):
        auto = m.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
        # SAME would pad by less than nothing where a window is shorter than its step, and ONNX Runtime's operators disagree.
        attributes["auto_pad"] = auto if all(k >= s for k, s in zip(kernel, attributes["strides"])) else "VALID"
    else:
        attributes["pads"] = [m.below(0, (k - 1)) if m.chance(0.7) else 0 for k in kernel + kernel]
    return kernel, dilations, attributes


def image(m, spatial=None):
    """A value with dims batch, channels, space."""
    ranks = [spatial + 2] if spatial else [3, 4, 4, 4, 5]
    fits = [v for v in m.values.values() if v.kind in ("input", "node") and v.dtype == F32 and v.rank in ranks and v.size]
    if fits and m.chance(0.85):
        return m.choice(fits[-4:])
    return m.input(F32, m.shape(int(m.choice(ranks))), whole=m.chance(0.3))


def conv(m):
    x = image(m)
    spatial, channels = x.rank - 2, x.shape[1]
    kernel, dilations, attributes = window(m, x, spatial)
    group = int(m.choice([g for g in range(1, channels + 1) if channels % g == 0])) if m.chance(0.4) else 1
    filters = group * m.choice([1, 2, 3]) if group > 1 else m.dim()
    depth = channels // group * int(np.prod(kernel))
    whole = {"low": -1, "high": 1, "whole": True} if x.whole() and m.chance(0.5) else scale_for(depth)
    w = m.weight(F32, [filters, channels // group, *kernel], **whole)
    bias = [m.weight(F32, [filters])] if m.chance(0.5) else []
    return m.add("Conv", [x, w, *bias], dilations=dilations, group=group, kernel_shape=kernel, **attributes)


def conv_transpose(m):
    x = image(m)
    spatial, channels = x.rank - 2, x.shape[1]
    kernel, dilations, attributes = window(m, x, spatial)
    attributes.pop("auto_pad", None)
    group = int(m.choice([g for g in range(1, channels + 1) if channels % g == 0])) if m.chance(0.3) else 1
    w = m.weight(F32, [channels, m.below(1, 4), *kernel], **scale_for(channels // group))
    if m.chance(0.4):
        attributes["output_padding"] = [m.below(0, s - 1) for s in attributes["strides"]]
    bias = [m.weight(F32, [w.shape[1] * group])] if m.chance(0.4) else []
    return m.add("ConvTranspose", [x, w, *bias], dilations=dilations, group=group, kernel_shape=kernel, **attributes)


def pool(m):
    x = image(m)
    op = m.choice(["MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool"])
    kernel, dilations, attributes = window(m, x, x.rank - 2)
    if m.chance(0.3):
        attributes["ceil_mode"] = 1
    if op == "MaxPool" or m.opset >= 19:
        attributes["dilations"] = dilations
    if op == "AveragePool" and m.chance(0.4):
        attributes["count_include_pad"] = 1
    if op == "LpPool":
        attributes.pop("ceil_mode", None)
    if op == "MaxPool" and m.chance(0.35):
        return m.add(op, [x], outputs=2, kernel_shape=kernel, **attributes)
    return m.add(op, [x], kernel_shape=kernel, **attributes)


def global_pool(m):
    return m.add(m.choice(["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"]), [image(m)])


def unpool(m):
    x = image(m, 2)
    if min(x.shape[2:]) < 2:  # ONNX Runtime takes a window that fits nowhere
        raise Skip
    y, places = m.add("MaxPool", [x], outputs=2, kernel_shape=[2, 2], strides=[2, 2])
    return m.add("MaxUnpool", [m.add("Relu", [y]), places], kernel_shape=[2, 2], strides=[2, 2])


def resize(m):
    x = image(m, m.choice([1, 2, 2]))
    mode = m.choice(["nearest", "linear", "cubic"] if x.rank == 4 else ["nearest", "linear"])
    place = m.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    more = {"nearest_mode": m.choice(["floor", "ceil", "round_prefer_floor"])} if mode == "nearest" else {}
    scales = [1.0, 1.0] + [m.choice([2.0, 1.0, 0.5, 1.5]) for _ in x.shape[2:]]
    if place == "align_corners" and any(size * scale % 1 for size, scale in zip(x.shape, scales)):
        place = "asymmetric"  # ONNX takes the fraction of an element for size, ONNX Runtime does not
    to = [m.given(np.array(scales, F32))] if m.chance(0.6) else [None, m.ints([*x.shape[:2], *[m.dim() for _ in x.shape[2:]]])]
    return m.add("Resize", [x, None, *to], mode=mode, coordinate_transformation_mode=place, **more)


def sampled(m):
    """GridSample, its grid an input or of AffineGrid."""
    x = image(m, 2)
    height, width = m.dim(), m.dim()
    if m.chance(0.5):
        theta = m.weight(F32, [x.shape[0], 2, 3], low=-0.8, high=0.8)
        grid = m.add("AffineGrid", [theta, m.ints([x.shape[0], x.shape[1], height, width])], align_corners=m.below(0, 1), since=20)
    else:
        grid = m.weight(F32, [x.shape[0], height, width, 2], low=-0.95, high=0.95)
    mode = "linear" if m.opset >= 20 else "bilinear"
    return m.add("GridSample", [x, grid], mode=mode, padding_mode=m.choice(["zeros", "border"]), align_corners=m.below(0, 1), since=16)


def columns(m):
    x = m.input(F32, [m.dim(), 4 * m.below(1, 3), 9])
    return m.add("Col2Im", [x, m.ints([4, 4]), m.ints([2, 2])], pads=[0, 0, 0, 0], strides=[1, 1], since=18)


def regions(m):
    x = image(m, 2)
    count = m.dim()
    corners = m.rng.uniform(0, min(x.shape[2:]) / 2, size=(count, 2))
    boxes = m.given(np.concatenate([corners, corners + m.rng.uniform(1, 2, size=(count, 2))], axis=1).astype(F32))
    batch = m.given(m.rng.integers(0, x.shape[0], size=count).astype(I64))
    return m.add("RoiAlign", [x, boxes, batch], output_height=2, output_width=m.below(1, 3), sampling_ratio=2, since=16)


# Norms.


def softmax(m):
    x = m.pick((F32, F32, F64, F16), rank=range(1, 6))
    return m.add(m.choice(["Softmax", "Softmax", "LogSoftmax"]), [x], axis=signed(m, axis_of(m, x), x.rank))


def hardmax(m):
    x = m.pick((F32,), rank=range(1, 5))
    return m.add("Hardmax", [x], axis=axis_of(m, x))


def layer_norm(m):
    x = m.pick((F32, F32, F16), rank=range(2, 5))
    axis = axis_of(m, x) if m.chance(0.3) else x.rank - 1
    scale = m.weight(x.dtype, x.shape[axis:], low=0.5, high=1.5)
    if m.chance(0.3):
        return m.add("RMSNormalization", [x, scale], axis=signed(m, axis, x.rank), since=23)
    bias = [m.weight(x.dtype, x.shape[axis:])] if m.chance(0.6) else []
    return m.add("LayerNormalization", [x, scale, *bias], axis=signed(m, axis, x.rank), since=17, outputs=3 if m.chance(0.2) else 1)


def channel_norm(m):
    x = image(m)
    channels = x.shape[1]
    scale, bias = m.weight(F32, [channels], low=0.5, high=1.5), m.weight(F32, [channels])
    kind = m.below(0, 5)
    if kind < 2 and x.size == x.shape[0] * channels:
        raise Skip  # no variance: rounding is divided by the root of epsilon
    if kind == 0:
        return m.add("InstanceNormalization", [x, scale, bias])
    if kind == 1:
        groups = int(m.choice([g for g in range(1, channels + 1) if channels % g == 0]))
        parts = x.array.astype(F64).reshape(x.shape[0], groups, -1)
        if np.any(np.var(parts, axis=-1) < 1e-3 * np.mean(parts, axis=-1) ** 2):
            raise Skip  # ONNX Runtime takes the square of the mean from the mean of the squares: nothing exact is left
        return m.add("GroupNormalization", [x, scale, bias], num_groups=groups, since=21)
    if kind == 2:
        return m.add("LRN", [x], size=m.choice([1, 3, 5]), alpha=0.1)
    if kind == 3:
        return m.add("MeanVarianceNormalization", [x], axes=sorted({axis_of(m, x), axis_of(m, x)}))
    if kind == 4:
        return m.add("LpNormalization", [x], axis=axis_of(m, x), p=m.below(1, 2))
    mean, variance = m.weight(F32, [channels], low=-0.5, high=0.5), m.weight(F32, [channels], low=0.5, high=1.5)
    if m.chance(0.25):
        return m.add("BatchNormalization", [x, scale, bias, mean, variance], outputs=3, training_mode=1, since=15)
    return m.add("BatchNormalization", [x, scale, bias, mean, variance])


def group_norm(m):
    """As exporters spell it, by InstanceNormalization of a reshaped value."""
    x = image(m, 2)
    if x.size == x.shape[0] * x.shape[1]:
        raise Skip
    groups = int(m.choice([g for g in range(1, x.shape[1] + 1) if x.shape[1] % g == 0]))
    y = m.add("Reshape", [x, m.ints([0, groups, -1])])
    y = m.add("InstanceNormalization", [y, m.given(np.ones(groups, F32)), m.given(np.zeros(groups, F32))])
    y = m.add("Reshape", [y, m.ints(x.shape)])
    return m.add("Add", [m.add("Mul", [y, m.weight(F32, [x.shape[1], 1, 1])]), m.weight(F32, [x.shape[1], 1, 1])])


# Recurrences and attention.


def recurrent(m):
    op = m.choice(["LSTM", "GRU", "RNN"])
    x = m.pick((F32,), rank=3)
    steps, batch, width = x.shape
    direction, hidden = m.choice(["forward", "reverse", "bidirectional"]), m.dim()
    ways, gates = 2 if direction == "bidirectional" else 1, {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    w = m.weight(F32, [ways, gates * hidden, width], **scale_for(width))
    r = m.weight(F32, [ways, gates * hidden, hidden], **scale_for(hidden))
    bias = m.weight(F32, [ways, 2 * gates * hidden]) if m.chance(0.6) else None
    lengths = m.given(m.rng.integers(1, steps + 1, size=batch).astype(I32)) if m.chance(0.2) else None
    start = m.weight(F32, [ways, batch, hidden]) if m.chance(0.4) else None
    more = {"linear_before_reset": m.below(0, 1)} if op == "GRU" else {}
    inputs = [x, w, r, bias, lengths, start]
    while inputs[-1] is None:
        inputs.pop()
    return m.add(op, inputs, outputs=3 if op == "LSTM" else 2, hidden_size=hidden, direction=direction, **more)


def attention(m):
    """The operator, on heads of their own or packed, some with fewer heads of keys."""
    batch, heads, length, width = m.dim(), int(m.choice([2, 4, 6])), m.dim(), m.dim()
    shared = int(m.choice([h for h in (1, 2, heads) if heads % h == 0]))
    keys = m.dim()
    packed = m.chance(0.4)
    shapes = [(heads, length), (shared, keys), (shared, keys)]
    q, k, v = [m.pick_or(F32, [batch, n, h * width] if packed else [batch, h, n, width]) for h, n in shapes]
    more = {"q_num_heads": heads, "kv_num_heads": shared} if packed else {}
    mask = [m.input(BOOL, [length, keys])] if m.chance(0.3) else []
    if mask:
        mask[0].array[:, 0] = True
    elif m.chance(0.3):
        more["is_causal"] = 1
    return m.add("Attention", [q, k, v, *mask], since=23, **more)


def rotary(m):
    batch, heads, length, width = m.dim(), m.dim(), m.dim(), 2 * m.dim()
    x = m.pick_or(F32, [batch, heads, length, width])
    tables = [m.weight(F32, [batch, length, width // 2], low=-1, high=1) for _ in range(2)]
    return m.add("RotaryEmbedding", [x, *tables], interleaved=m.below(0, 1), since=23)


def heads_block(m):
    """Self-attention as exporters write it."""
    x = m.pick((F32,), rank=3)
    batch, length, width = x.shape
    heads = int(m.choice([h for h in range(1, width + 1) if width % h == 0]))
    parts = []
    for at in range(3):
        y = m.add("MatMul", [x, m.weight(F32, [width, width], **scale_for(width))])
        y = m.add("Reshape", [y, m.ints([0, -1, heads, width // heads] if m.chance(0.5) else [batch, length, heads, width // heads])])
        parts.append(m.add("Transpose", [y], perm=[0, 2, 3, 1] if at == 1 else [0, 2, 1, 3]))
    scores = m.add("Mul", [m.add("MatMul", parts[:2]), m.scalar(0.3)])
    if m.chance(0.4):
        causal = np.tril(np.ones((length, length), bool))
        scores = m.add("Where", [m.given(causal), scores, m.scalar(-30)])
    y = m.add("MatMul", [m.add("Softmax", [scores], axis=-1), parts[2]])
    y = m.add("Reshape", [m.add("Transpose", [y], perm=[0, 2, 1, 3]), m.ints([batch, length, width])])
    return m.add("Add", [x, m.add("MatMul", [y, m.weight(F32, [width, width], **scale_for(width))])])


def experts(m):
    """Tokens sent to experts by the best gate, and back."""
    x = m.pick((F32,), rank=2)
    tokens, width = x.shape
    count = m.dim()
    gates = m.add("Softmax", [m.add("MatMul", [x, m.weight(F32, [width, count])])], axis=-1)
    best = m.add("ArgMax", [gates], axis=-1, keepdims=0)
    chosen = m.add("OneHot", [best, m.scalar(count, I64), m.given(np.array([0, 1], F32))], axis=-1)
    sent = m.add("Einsum", [chosen, x], equation="te,td->etd")
    y = m.add("MatMul", [sent, m.weight(F32, [count, width, m.dim()], **scale_for(width))])
    return m.add("ReduceSum" if m.opset >= 13 else "Sum", [y, m.ints([0])], keepdims=0)


def messages(m):
    """Rows gathered by an edge's source, summed where it ends."""
    x = m.pick((F32,), rank=2)
    nodes, edges = x.shape[0], m.dim() * 2
    source, target = (m.given(m.rng.integers(0, nodes, size=edges).astype(I64)) for _ in range(2))
    sent = m.add("Gather", [x, source], axis=0)
    zeros = m.add("ConstantOfShape", [m.ints(x.shape)])
    return m.add("ScatterND", [zeros, m.add("Unsqueeze", [target, m.ints([1])]), sent], reduction="add", since=16)


def residual(m):
    x = m.pick((F32,), rank=range(2, 5))
    y = m.add(m.choice(["Relu", "Tanh", "Sigmoid"]), [m.add("MatMul", [x, m.weight(F32, [x.shape[-1], x.shape[-1]], **scale_for(x.shape[-1]))])])
    return m.add("Add", ([x, y] if m.chance(0.5) else [y, x]))


def shuffle(m):
    """Reshape, Transpose, Reshape: channels shuffled, patches, split heads."""
    x = m.pick(rank=range(2, 5))
    y = reshape(m, x)
    y = m.add("Transpose", [y], perm=[int(i) for i in m.rng.permutation(y.rank)]) if y.rank > 1 else y
    return reshape(m, y)


# Quantization and losses.


def quantize(m):
    x = m.pick((F32,), rank=range(1, 5))
    dtype = m.choice([I8, U8])
    if m.chance(0.25):
        y, scale, zero = m.add("DynamicQuantizeLinear", [x], outputs=3)
        return m.add("DequantizeLinear", [y, scale, zero])
    axis = axis_of(m, x)
    shape = [x.shape[axis]] if m.chance(0.5) else []
    scale = m.given(m.array(F32, shape, low=0.05, high=0.2))
    zero = m.given(m.array(dtype, shape, low=0, high=9))
    y = m.add("QuantizeLinear", [x, scale, zero], axis=axis)
    return m.add("DequantizeLinear", [y, scale, zero], axis=axis)


def loss(m):
    x = m.pick((F32,), rank=range(2, 5))
    labels = m.input(I64, [x.shape[0], *x.shape[2:]], low=0, high=x.shape[1] - 1)
    weight = [m.weight(F32, [x.shape[1]], low=0.5, high=1.5)] if m.chance(0.4) else []
    how = {"reduction": m.choice(["none", "mean", "sum"])}
    if m.chance(0.3):
        how["ignore_index"] = m.below(0, x.shape[1] - 1)
    if m.chance(0.6):
        return m.add("SoftmaxCrossEntropyLoss", [x, labels, *weight], outputs=m.below(1, 2), **how)
    return m.add("NegativeLogLikelihoodLoss", [m.add("LogSoftmax", [x], axis=1), labels, *weight], **how)


def signal(m):
    if m.chance(0.5):
        size = m.dim()
        x = m.pick_or(F32, [m.dim(), size, size])
        return m.add("Det", [x])
    x = m.pick((F32,), rank=range(2, 4))
    x = m.add("Unsqueeze", [x, m.ints([x.rank])])
    return m.add("DFT", [x, None, m.scalar(1, I64)], onesided=m.below(0, 1), since=20)


# Bodies.


def body(m, x):
    """Nodes of a few operators on `inner`, of x's type, and the last one's name; the values that they read from outside."""
    nodes, at, captured = [], "inner", []
    for i in range(m.below(1, 3)):
        op = m.choice(["Relu", "Tanh", "Add", "Mul"])
        inputs = [at]
        if op in ("Add", "Mul"):
            other = partner(m, x, low=-1, high=1)
            if np.broadcast_shapes(other.shape, x.shape) != x.shape:
                raise Skip
            captured.append(other)
            inputs.append(other.name)
        nodes.append(helper.make_node(op, inputs, [f"inner{i}"]))
        at = f"inner{i}"
    return nodes, at, captured


def branch(m):
    """If: its condition is computed."""
    x = m.pick((F32,), rank=range(1, 4), leaf=0)
    total = m.add("ReduceMax", [m.add("Abs", [x])], keepdims=0)
    condition = m.add("Greater", [total, m.scalar(m.choice([0.0, 1e3]))])
    captured, graphs = [x], []
    for name in ("then", "else"):
        nodes, at, read = body(m, x)
        nodes[0].input[0] = x.name
        for node in nodes:
            node.output[0] = f"{name}_{x.name}_{len(m.nodes)}_{node.output[0]}"
        for before, node in zip(nodes, nodes[1:]):
            node.input[0] = before.output[0]
        graphs.append(helper.make_graph(nodes, name, [], [info(nodes[-1].output[0], x.dtype, x.shape)]))
        captured += read
    return m.add("If", [condition], captured=captured, then_branch=graphs[0], else_branch=graphs[1])


def loop(m):
    """A few turns, with a carried value and now and then a stacked one."""
    x = m.pick((F32,), rank=range(1, 4), leaf=0)
    nodes, at, captured = body(m, x)
    nodes.append(helper.make_node("Identity", ["go"], ["go_on"]))
    outputs = [info("go_on", BOOL, []), info(at, x.dtype, x.shape)]
    stacked = m.chance(0.4)
    if stacked:
        nodes.append(helper.make_node("Identity", [at], ["turn"]))
        outputs.append(info("turn", x.dtype, x.shape))
    inputs = [info("i", I64, []), info("go", BOOL, []), info("inner", x.dtype, x.shape)]
    graph = helper.make_graph(nodes, "turns", inputs, outputs)
    return m.add("Loop", [m.scalar(m.below(1, 3), I64), m.given(np.array(True)), x], outputs=1 + stacked, captured=captured, body=graph)


def scan(m):
    """A recurrence over the first dim: a carried state, a place's result."""
    x = m.pick((F32,), rank=range(2, 4), leaf=0)
    shape = x.shape[1:]
    start = m.weight(F32, shape)
    nodes = [
        helper.make_node("Add", ["state", "place"], ["sum"]),
        helper.make_node(m.choice(["Tanh", "Sigmoid"]), ["sum"], ["next"]),
        helper.make_node("Identity", ["next"], ["here"]),
    ]
    sides = [[info(a, F32, shape), info(b, F32, shape)] for a, b in (("state", "place"), ("next", "here"))]
    more = {"scan_input_directions": [1]} if m.chance(0.3) else {}
    graph = helper.make_graph(nodes, "scan", *sides)
    return m.add("Scan", [start, x], outputs=2, body=graph, num_scan_inputs=1, **more)


EMITTERS = {
    matmul: 8, matmul_self: 2, gemm: 4, einsum: 5, integer_products: 1, linear_quantized: 1, conv: 5, conv_transpose: 2, pool: 4, global_pool: 1,
    unpool: 0.5, resize: 2, sampled: 0.7, columns: 0.5, regions: 0.5, softmax: 4, hardmax: 0.5, layer_norm: 4, channel_norm: 4, group_norm: 1,
    recurrent: 1.5, attention: 1.5, rotary: 0.8, heads_block: 1.5, experts: 1, messages: 1.5, residual: 4, shuffle: 4, quantize: 1.5, loss: 1.5,
    signal: 0.7, branch: 0.8, loop: 0.8, scan: 0.8,
}  # fmt: skip
