# SPDX-License-Identifier: Apache-2.0
"""Random calls of operators that move elements, and of windows, sequences and places."""

import math

import numpy as np

from check_calls import FLOATS, Node, ints

ANY = (*FLOATS, "i64", "i32", "u8", "bool")


def reshape(d):
    op = d.one("Reshape Reshape Reshape Flatten Squeeze Unsqueeze Expand Tile Transpose Transpose ConstantOfShape Shape Size".split())
    kind, shape = d.one(ANY), d.shape(1)
    rank = len(shape)
    if op == "Reshape":
        return reshaped(d, kind, shape)
    if op == "Flatten":
        return Node(op, [(kind, shape)], d.some(axis=d.number(-rank, rank)))
    if op == "Squeeze":
        ones = [axis for axis, size in enumerate(shape) if size == 1]
        return Node(op, [(kind, shape)] + ([ints(*(axis - rank if d.flip(0.3) else axis for axis in ones))] if ones and d.flip(0.7) else []), least=13)
    if op == "Unsqueeze":
        count = d.number(1, 2)
        axes = sorted(d.rng.permutation(rank + count)[:count].tolist())
        return Node(op, [(kind, shape), ints(*(axis - rank - count if d.flip(0.3) else axis for axis in axes))], least=13)
    if op == "Expand":
        wanted = [1 if d.flip(0.4) else d.size() if size == 1 else size for size in shape]
        return Node(op, [(kind, shape), ints(*d.shape(0, 1), *wanted)])
    if op == "Tile":
        return Node(op, [(kind, shape), ints(*(d.one(1, 1, 2, 3) for _ in shape))])
    if op == "Transpose":
        return Node(op, [(kind, shape)], d.some(perm=d.rng.permutation(rank).tolist()))
    if op == "ConstantOfShape":
        return Node(op, [ints(*shape)])
    return Node(op, [(kind, shape)], d.some(start=d.number(0, rank - 1) - rank * d.number(0, 1)) if op == "Shape" else {}, least=15)


def reshaped(d, kind, shape):
    """Merges and splits dims at random; some sizes are written as 0 or -1."""
    wanted, at = [], 0
    while at < len(shape):
        take = d.number(1, min(3, len(shape) - at))
        whole = math.prod(shape[at : at + take])
        at += take
        for _ in range(d.number(0, 2)):
            factors = [n for n in range(1, whole + 1) if whole % n == 0]
            part = d.one(factors)
            wanted.append(part)
            whole //= part
        wanted.append(whole)
    if d.flip(0.2):
        wanted.insert(d.number(0, len(wanted)), 1)
    text = list(wanted)
    for place in range(min(len(text), len(shape))):
        if text[place] == shape[place] and d.flip(0.25):
            text[place] = 0
    if d.flip(0.35):
        text[d.number(0, len(text) - 1)] = -1
    return Node("Reshape", [(kind, shape), ints(*text)])


def cut(d):
    op = d.one("Slice Slice Slice Split Split Concat Concat Pad Pad Pad CenterCropPad Trilu EyeLike DepthToSpace SpaceToDepth".split())
    kind, shape = d.one(ANY), d.shape(1, 3)
    rank = len(shape)
    axis = d.axis(rank)
    if op == "Slice":
        return sliced(d, kind, shape)
    if op == "Split":
        if d.flip(0.4):
            parts = d.one(2, 3)
            shape[axis] *= parts
            return Node(op, [(kind, shape)], {"axis": axis, "num_outputs": parts}, parts, 18)
        sizes = [d.size() for _ in range(d.number(1, 3))]
        shape[axis] = sum(sizes)
        return Node(op, [(kind, shape), ints(*sizes)], {"axis": axis}, len(sizes), 18)
    if op == "Concat":
        parts = []
        for _ in range(d.number(1, 4)):
            part = list(shape)
            part[axis] = d.size() if d.flip() else shape[axis]
            parts.append((kind, part))
        return Node(op, parts, {"axis": axis})
    if op == "Pad":
        return padded(d, kind, shape)
    if op == "CenterCropPad":
        return Node(op, [(kind if kind != "bool" else "f32", shape), ints(*(d.number(1, 12) for _ in shape))], least=18)
    if op == "Trilu":
        shape = d.shape(2, 3)
        return Node(op, [(kind, shape)] + ([np.array(d.number(-3, 3))] if d.flip(0.7) else []), d.some(upper=d.number(0, 1)), least=14)
    if op == "EyeLike":
        return Node(op, [(d.one("f32", "i64", "f64"), d.shape(2, 2))], d.some(k=d.number(-3, 3), dtype=d.one(1, 7)))
    block = d.one(2, 2, 3)
    shape = [d.size(), d.one(1, 2, 3), d.one(1, 2, 4), d.one(2, 3, 5)]
    kind = d.one("f32", "f64")
    if op == "DepthToSpace":
        return Node(op, [(kind, [shape[0], shape[1] * block * block, shape[2], shape[3]])], {"blocksize": block, **d.some(mode=d.one("DCR", "CRD"))})
    return Node(op, [(kind, [shape[0], shape[1], shape[2] * block, shape[3] * block])], {"blocksize": block})


def sliced(d, kind, shape):
    count = d.number(1, len(shape))
    axes = sorted(d.rng.permutation(len(shape))[:count].tolist())
    starts, ends, steps = [], [], []
    for axis in axes:
        size, step = shape[axis], d.one(1, 1, 1, 2, 3, -1, -1, -2)
        low, high = sorted((d.number(0, size - 1), d.number(0, size)))
        high = max(high, low + 1)
        start, end = (low, high) if step > 0 else (high - 1, low - 1)
        start = d.one(start, start - size, start)
        if step > 0:
            end = d.one(end, end - size if end < size else end, end, 2**63 - 1 if end == size else end)
        else:
            end = -(2**63) + 1 if end < 0 else d.one(end, end - size)
        starts.append(start)
        ends.append(end)
        steps.append(step)
    inputs = [(kind, shape), ints(*starts), ints(*ends)]
    if axes != list(range(count)) or d.flip():
        inputs.append(ints(*(axis - len(shape) if d.flip(0.3) else axis for axis in axes)))
        if any(step != 1 for step in steps) or d.flip():
            inputs.append(ints(*steps))
    elif any(step != 1 for step in steps):
        inputs += [ints(*axes), ints(*steps)]
    return Node("Slice", inputs, least=13)


def padded(d, kind, shape):
    mode = d.one("constant", "constant", "reflect", "edge", "wrap")
    rank = len(shape)
    shape = [max(size, 3) for size in shape]
    axes = sorted(d.rng.permutation(rank)[: d.number(1, rank)].tolist()) if d.flip() else None
    count = rank if axes is None else len(axes)
    low = -1 if mode == "constant" else 0
    pads = [d.one(0, 0, 1, 2, low) for _ in range(2 * count)]
    value = [(kind, [])] if mode == "constant" and d.flip() else [None]
    inputs = [(kind, shape), ints(*pads)] + (value if value[0] or axes is not None else []) + ([ints(*axes)] if axes is not None else [])
    return Node("Pad", inputs, {"mode": mode} if mode != "constant" or d.flip(0.2) else {}, least=19)


def indexed(d):
    op = d.one("Gather Gather GatherElements GatherND ScatterElements ScatterND OneHot TensorScatter".split())
    kind, shape, index = d.one(ANY), d.shape(1, 3), d.one("i64", "i64", "i32")
    rank = len(shape)
    axis = d.axis(rank)
    if op == "Gather":
        at = np.asarray(d.rng.integers(-shape[axis], shape[axis], d.shape(0, 1))) if d.flip(0.25) else (index, d.shape(0, 2))
        return Node(op, [(kind, shape), at], {"axis": axis} if axis % rank or d.flip() else {})
    lesser = [d.number(1, size) for size in shape]
    if op == "GatherElements":
        return Node(op, [(kind, shape), (index, [d.size() if at == axis % rank else size for at, size in enumerate(lesser)])], {"axis": axis})
    if op == "ScatterElements":
        how = d.one(None, "add", "max", "min", "mul")
        kind = d.one("f32", "f64", "i64") if how else kind
        return Node(op, [(kind, shape), (index, lesser), (kind, lesser)], {"axis": axis, **({"reduction": how} if how else {})}, least=18)
    if op == "GatherND":
        batch = d.number(0, 1) if rank > 1 else 0
        depth = d.number(1, rank - batch)
        return Node(op, [(kind, shape), ("i64", [*shape[:batch], *d.shape(0 if not batch else 1, 2), depth])], {"batch_dims": batch} if batch else {})
    if op == "ScatterND":
        how, depth = d.one(None, "add", "max", "min", "mul"), d.number(1, rank)
        kind = d.one("f32", "f64", "i64") if how else kind
        places = [d.number(1, 2)] if not how else d.shape(1, 2)
        return Node(op, [(kind, shape), ("i64", [*places, depth]), (kind, [*places, *shape[depth:]])], {"reduction": how} if how else {}, least=18)
    if op == "OneHot":
        kind = d.one("f32", "i64")
        depth = np.array(d.number(2, 7)) if d.flip() else ints(d.number(2, 7))
        return Node(op, [("i64", shape), depth, (kind, [2])], d.some(axis=d.number(-rank - 1, rank)))
    shape = d.shape(3, 4)
    axis = d.one(-2, -2, 1)
    update = list(shape)
    update[axis] = d.number(1, shape[axis])
    where = [("i64", [shape[0]])] if d.flip(0.7) else []
    attributes = {**({"axis": axis} if axis != -2 else {}), **d.some(mode=d.one("linear", "circular"))}
    return Node(op, [("f32", shape), ("f32", update), *where], attributes, least=24)


def window_attributes(d, kernel, strides, dilations, pooling):
    """Where ONNX Runtime refuses a pool (padding as wide as its kernel) only ONNX's evaluator is left, which errs there."""
    found = {}
    n = len(kernel)
    if d.flip(0.15):
        found["auto_pad"] = d.one("SAME_UPPER", "SAME_LOWER", "VALID")
    elif not pooling and d.flip(0.15):  # causal
        found["pads"] = [(k - 1) * dil for k, dil in zip(kernel, dilations)] + [d.one(0, 0, 1) if k > 1 else 0 for k in kernel]
    elif d.flip(0.6):
        found["pads"] = [d.number(0, (k - 1) * dil // 2 if k > 1 else 0) for k, dil in zip(kernel * 2, dilations * 2)]
    if any(one != 1 for one in strides) or d.flip(0.3):
        found["strides"] = strides
    if any(one != 1 for one in dilations) or d.flip(0.3):
        found["dilations"] = dilations
    return found if n else {}


def spatial(d):
    op = d.one("Conv Conv Conv ConvTranspose ConvTranspose MaxPool MaxPool AveragePool AveragePool LpPool ConvInteger QLinearConv GlobalAveragePool "
               "GlobalMaxPool".split())
    n = d.one(1, 1, 2, 2, 3) if op in ("Conv", "MaxPool", "AveragePool") else d.one(1, 2)
    kernel = [d.one(1, 2, 3, 3, 4) for _ in range(n)]
    strides = [d.one(1, 1, 2, 3) for _ in range(n)]
    dilations = [d.one(1, 1, 1, 2) for _ in range(n)]
    space = [d.number(7, 16 if n < 3 else 9) for _ in range(n)]
    kind, batch = d.one("f32", "f32", "f64", "f16"), d.one(1, 2, 3)
    if op.startswith("Global"):
        return Node(op, [("f32", d.shape(3, 4))])
    found = window_attributes(d, kernel, strides, dilations, op.endswith("Pool"))
    if op.endswith("Pool"):
        ceil = {"ceil_mode": 1} if d.flip(0.3) and "auto_pad" not in found else {}
        more = {"AveragePool": d.some(count_include_pad=d.number(0, 1)), "LpPool": d.some(p=d.one(1, 2, 3)),
                "MaxPool": {"storage_order": 1} if d.flip(0.1) else {}}[op]
        kind = kind if op != "MaxPool" else d.one("f32", "f64", "u8", "i8")
        if ceil and op in ("AveragePool", "LpPool") and kind == "f64":
            kind = "f32"  # only ONNX's evaluator takes f64, and it pads the beginning as well
        return Node(op, [(kind, [batch, d.one(1, 2, 3, 4), *space])], {"kernel_shape": kernel, **found, **ceil, **more},
                    2 if op == "MaxPool" and d.flip(0.25) else 1, 19)
    group = d.one(1, 1, 1, 2, 3)
    own, made = d.one(1, 2, 2, 4), d.one(1, 2, 3, 4)
    shape = {**({"kernel_shape": kernel} if d.flip() else {}), **({"group": group} if group > 1 or d.flip(0.3) else {})}
    x = [batch, own * group, *space]
    if op == "ConvTranspose":
        kind = "f16" if kind == "f16" else "f32"
        bias = [(kind, [made * group])] if d.flip() else []
        extra = {"output_padding": [d.number(0, max(s, dil) - 1) for s, dil in zip(strides, dilations)]} if d.flip(0.3) and "auto_pad" not in found else {}
        return Node(op, [(kind, x), (kind, [own * group, made, *kernel]), *bias], {**shape, **found, **extra})
    weight = [made * group, own, *kernel]
    if op == "Conv":
        return Node(op, [(kind, x), (kind, weight)] + ([(kind, [made * group])] if d.flip() else []), {**shape, **found})
    if op == "ConvInteger":
        zeros = d.one([], [("u8", [])], [("u8", []), ("u8", [])])
        return Node(op, [("u8", x), ("u8", weight), *zeros], {**shape, **found}, least=10)
    each = [made * group] if d.flip(0.3) else []
    inputs = [("u8", x), ("f32", []), ("u8", []), ("u8", weight), ("f32", each), ("u8", each), ("f32", []), ("u8", [])]
    return Node(op, inputs + ([("i32", [made * group])] if d.flip() else []), {**shape, **found}, least=10)


def recurrent(d):
    op = d.one("LSTM", "GRU", "RNN")
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    direction = d.one("forward", "forward", "reverse", "bidirectional")
    ways = 2 if direction == "bidirectional" else 1
    steps, batch, size, hidden = d.one(1, 1, 4, 6), d.one(1, 2, 3, 4), d.one(2, 3, 4), d.one(2, 3, 4, 6)
    kind = "f32"
    x, first = [steps, batch, size], [ways, batch, hidden]
    inputs = [(kind, x), (kind, [ways, gates * hidden, size]), (kind, [ways, gates * hidden, hidden])]
    optional = [(kind, [ways, 2 * gates * hidden]), ("i32", [batch]), (kind, first)]
    if op == "LSTM":
        optional += [(kind, first), (kind, [ways, 3 * hidden])]
    inputs += [one if d.flip() else None for one in optional]
    while inputs[-1] is None:
        inputs.pop()
    attributes = {"hidden_size": hidden, **({"direction": direction} if direction != "forward" else {}), **d.some(clip=1.5)}
    if op == "GRU":
        attributes.update(d.some(linear_before_reset=d.number(0, 1)))
    if op == "LSTM":
        attributes.update(d.some(input_forget=0))
    return Node(op, inputs, attributes, 3 if op == "LSTM" else 2)


def attention(d):
    if d.flip(0.3):
        batch, heads, steps, size = d.one(1, 2), d.one(2, 4), d.one(2, 3), d.one(4, 8)
        cache = [batch, steps, size // 2]
        if d.flip():
            return Node("RotaryEmbedding", [("f32", [batch, heads, steps, size]), ("f32", cache), ("f32", cache)], d.some(interleaved=d.number(0, 1)), least=23)
        table = [d.one(5, 7), size // 2]
        return Node("RotaryEmbedding", [("f32", [batch, steps, heads * size]), ("f32", table), ("f32", table), ("i64", [batch, steps])],
                    {"num_heads": heads, **d.some(interleaved=1)}, least=23)
    batch, groups, keys, queries, size, made = d.one(1, 2, 3), d.one(1, 1, 2), d.one(1, 2, 3), d.one(2, 3, 4), d.one(2, 4), d.one(2, 3, 4)
    heads, length, kind = groups * keys, d.one(2, 4, 5), "f32"
    mask = [(d.one(kind, "bool"), [*([1] * d.number(0, 2)), queries, length])] if d.flip(0.3) else []
    # What is left of a query that sees no key at all is open: causal calls have no mask of their own.
    extra = {**d.some(scale=0.5, is_causal=0 if mask else 1), **({"softcap": 2.0} if d.flip(0.2) else {})}
    if d.flip(0.4):
        inputs = [(kind, [batch, queries, heads * size]), (kind, [batch, length, keys * size]), (kind, [batch, length, keys * made]), *mask]
        return Node("Attention", inputs, {"q_num_heads": heads, "kv_num_heads": keys, **extra}, least=23)
    shapes = [batch, heads, queries, size], [batch, keys, length, size], [batch, keys, length, made]
    return Node("Attention", [*((kind, shape) for shape in shapes), *mask], extra, least=23)


def resized(d):
    shape = [d.one(1, 2), d.one(1, 3), *(d.number(2, 9) for _ in range(d.one(1, 2)))]
    mode = d.one("nearest", "linear", "cubic") if len(shape) == 4 else d.one("nearest", "linear")
    how = d.some(coordinate_transformation_mode=d.one("asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"))
    how.update(d.some(nearest_mode=d.one("floor", "ceil", "round_prefer_floor")) if mode == "nearest" else {})
    how.update({"mode": mode} if mode != "nearest" or d.flip(0.3) else {})
    if d.flip():
        return Node("Resize", [("f32", shape), None, np.array([1, 1, *(d.one(1, 2, 2, 3, 0.5) for _ in shape[2:])], np.float32)], how, least=19)
    return Node("Resize", [("f32", shape), None, None, ints(*shape[:2], *(d.number(2, 18) if d.flip(0.5) else 2 * size for size in shape[2:]))], how, least=19)


def places(d):
    op = d.one("GridSample RoiAlign AffineGrid Col2Im DFT STFT Det MaxUnpool QuantizeLinear DequantizeLinear DynamicQuantizeLinear HannWindow Range "
               "DeformConv".split())
    batch, channels = d.one(1, 2, 3), d.one(1, 2, 4)
    if op == "GridSample":
        return Node(op, [("f32", [batch, channels, 4, 5]), ("f32", [batch, d.one(2, 4, 6), d.one(3, 5), 2])],
                    d.some(mode=d.one("linear", "nearest", "cubic"), padding_mode=d.one("zeros", "border", "reflection"), align_corners=d.number(0, 1)), least=20)
    if op == "RoiAlign":
        rois = d.one(1, 3, 4, 6)
        return Node(op, [("f32", [batch, channels, 6, 8]), ("f32", [rois, 4]), ("i64", [rois])],
                    d.some(output_height=d.one(1, 2, 3), output_width=2, sampling_ratio=2, mode=d.one("avg", "max")), least=16)
    if op == "AffineGrid":
        return Node(op, [("f32", [batch, 2, 3]), ints(batch, channels, d.one(2, 3, 4), d.one(2, 5))], d.some(align_corners=1), least=20)
    if op == "Col2Im":
        h, w, kh, kw = d.one(4, 6), d.one(4, 5), d.one(1, 2), d.one(1, 2, 3)
        return Node(op, [("f32", [batch, channels * kh * kw, (h - kh + 1) * (w - kw + 1)]), ints(h, w), ints(kh, kw)], {}, least=18)
    if op == "DFT":
        return Node(op, [("f32", [batch, d.one(4, 6, 5), d.one(3, 4), d.one(1, 2)]), None, np.array(d.one(1, 2))], d.some(inverse=d.number(0, 1)), least=20)
    if op == "STFT":
        frame = d.one(4, 5)
        return Node(op, [("f32", [batch, d.number(10, 20), 1]), np.array(d.one(1, 2, 3)), ("f32", [frame])], d.some(onesided=d.number(0, 1)), least=17)
    if op == "Det":
        n = d.one(1, 2, 3)
        return Node(op, [("f32", [*d.shape(0, 2), n, n])])
    if op == "MaxUnpool":
        small = [batch, channels, d.one(2, 3), d.one(2, 3)]
        return Node(op, [("f32", small), ("i64", small)], {"kernel_shape": [2, 2], "strides": [2, 2]})
    if op in ("QuantizeLinear", "DequantizeLinear"):
        return quantized(d, op)
    if op == "DynamicQuantizeLinear":
        return Node(op, [("f32", d.shape(1, 3))], {}, 3)
    if op == "Range":
        start, delta, count = d.number(-4, 9), d.one(1, 2, 3, -1, -2), d.number(1, 9)
        return Node(op, [np.array(start), np.array(start + delta * count), np.array(delta)])
    if op == "DeformConv":
        kh, h = d.one(1, 2), d.one(4, 5)
        out = h - kh + 1
        return Node(op, [("f32", [batch, channels, h, h]), ("f32", [d.one(2, 3), channels, kh, kh]), ("f32", [batch, 2 * kh * kh, out, out])], least=19)
    return Node(d.one("HannWindow", "HammingWindow", "BlackmanWindow"), [np.array(d.number(3, 12))], d.some(periodic=d.number(0, 1)), least=17)


def quantized(d, op):
    shape, axis, own = d.shape(2, 3), d.number(0, 1), d.one("u8", "i8")
    each = d.one([], [shape[axis]])
    zero = [(own, each)] if d.flip() else []
    if op == "QuantizeLinear":
        return Node(op, [("f32", shape), ("f32", each), *zero], {"axis": axis}, least=13)
    return Node(op, [(own, shape), ("f32", each), *zero], {"axis": axis}, least=13)


MOVES = [(reshape, 10), (cut, 12), (indexed, 8), (spatial, 14), (recurrent, 2), (attention, 3), (resized, 3), (places, 5)]
