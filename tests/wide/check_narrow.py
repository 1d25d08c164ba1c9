# SPDX-License-Identifier: Apache-2.0
"""Random calls that quantize, and whatever else takes elements of 8 bits and fewer."""

from check_calls import Node
from check_eval import TYPES

FEW_BITS = ("i4", "u4", "i2", "u2")
SMALL_FLOATS = ("f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz")
LEAST = {"f4e2m1": 23, "f8e8m0": 24, "i2": 25, "u2": 25}  # opset; of all others 21


def least_of(*kinds):
    return max(LEAST.get(kind, 21) for kind in kinds)


def cast(d):
    """From or into a narrow type."""
    narrow, other = d.one(*FEW_BITS, *SMALL_FLOATS, "f4e2m1", "f8e8m0"), d.one("f32", "f32", "f16", "bf16", "i32", "u8", "bool", *SMALL_FLOATS)
    if narrow == "f8e8m0" or other in SMALL_FLOATS and narrow in FEW_BITS:
        other = "f32"
    kind, to = (other, narrow) if d.flip(0.6) else (narrow, other)
    saturate = d.some(saturate=d.number(0, 1)) if to in SMALL_FLOATS else {}
    return Node("Cast", [(kind, d.shape())], {"to": TYPES[to][0], **saturate}, least=least_of(kind, to))


def scaled(d):
    """Shapes of what is scaled and of its scales, and the attributes that say how they lie: one scale, one of an axis, one of a block."""
    shape = d.shape(1, 3)
    way = d.one("one", "axis", "axis", "block")
    if way == "one":
        return shape, [] if d.flip(0.7) else [1], {}
    axis = d.number(0, len(shape) - 1)
    attributes = {"axis": axis - len(shape) if d.flip(0.3) else axis}
    if way == "axis":
        return shape, [shape[axis]], attributes
    block, blocks = d.one(2, 3, 4), d.one(1, 2, 3, 4)
    shape[axis] = block * blocks
    scales = list(shape)
    scales[axis] = blocks
    return shape, scales, {**attributes, "block_size": block}


def quantize(d):
    shape, scales, attributes = scaled(d)
    kind, to = d.one("f32", "f32", "f16"), d.one("u8", "i8", "u16", "i16", *FEW_BITS, *SMALL_FLOATS)
    x = [(kind, shape), (kind, scales)]
    if d.flip(0.6):
        return Node("QuantizeLinear", [*x, (to, scales)], attributes, least=least_of(to))
    return Node("QuantizeLinear", x, {**attributes, "output_dtype": TYPES[to][0]}, least=least_of(to))


def dequantize(d):
    shape, scales, attributes = scaled(d)
    kind, to = d.one("u8", "i8", "u16", "i16", "i32", *FEW_BITS, *SMALL_FLOATS), d.one("f32", "f32", "f16")
    zero = [(kind, scales)] if kind != "i32" and d.flip(0.6) else []
    return Node("DequantizeLinear", [(kind, shape), (to, scales), *zero], attributes, least=least_of(kind))


def move(d):
    kind, shape = d.one(*FEW_BITS, *SMALL_FLOATS), d.shape(2, 4)
    op = d.one("Transpose", "Identity", "Flatten", "Transpose")
    if op == "Flatten":
        return Node(op, [(kind, shape)], {"axis": d.number(0, len(shape))}, least=least_of(kind))
    order = [int(axis) for axis in d.rng.permutation(len(shape))]
    return Node(op, [(kind, shape)], {"perm": order} if op == "Transpose" else {}, least=least_of(kind))


NARROW = [(cast, 2), (quantize, 2), (dequantize, 3), (move, 1)]
