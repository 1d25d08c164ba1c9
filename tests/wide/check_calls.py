# SPDX-License-Identifier: Apache-2.0
"""Random calls of all operator families: elementwise, reductions, products, and what only moves elements."""

import numpy as np

SIZES = (1, 2, 2, 3, 4, 4, 5, 6, 6, 8, 9, 12)
FLOATS = ("f32", "f32", "f32", "f64", "f16", "bf16")
INTEGERS = ("i64", "i32", "i8", "i16", "u8", "u16", "u32", "u64")
UNARY = ("Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor HardSwish Identity Log Mish Neg Reciprocal Relu Round Sigmoid Sign Sin Sinh "
         "Softplus Softsign Sqrt Tan Tanh IsNaN").split()


class Node:
    """inputs: (type, shape), an array (a constant of the model), or None."""

    def __init__(self, op, inputs, attributes=None, outputs=1, least=7):
        self.op, self.inputs, self.attributes, self.outputs, self.least = op, list(inputs), dict(attributes or {}), outputs, least
        self.domain = ""


class Draw:
    def __init__(self, rng):
        self.rng = rng

    def one(self, *options):
        options = options[0] if len(options) == 1 else options
        return options[int(self.rng.integers(len(options)))]

    def flip(self, p=0.5):
        return self.rng.random() < p

    def size(self):
        return int(self.one(SIZES))

    def shape(self, least=1, most=4):
        rank = int(self.rng.integers(least, most + 1))
        shape = [self.size() for _ in range(rank)]
        if rank > 1 and self.flip(0.3):  # sizes that coincide
            shape[int(self.rng.integers(rank))] = shape[int(self.rng.integers(rank))]
        return shape

    def number(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def axis(self, rank):
        return self.number(-rank, rank - 1)

    def some(self, **options):
        """Some of the attributes, the others are left out."""
        return {name: value for name, value in options.items() if value is not None and self.flip()}

    def broadcast(self, shape):
        """A shape that broadcasts to this one."""
        lesser = [1 if self.flip(0.25) else size for size in shape[self.number(0, len(shape)) if self.flip(0.5) else 0 :]]
        return lesser


def ints(*values):
    return np.array(values, np.int64)


def unary(d):
    op = d.one(UNARY)
    return Node(op, [(d.one(FLOATS), d.shape(0))])


def unary_with(d):
    op = d.one("Celu Elu Gelu HardSigmoid LeakyRelu Selu Shrink Swish ThresholdedRelu IsInf Clip Cast BitwiseNot Not BitShift Dropout".split())
    shape, kind = d.shape(), d.one(FLOATS)
    x = (kind, shape)
    if op == "Gelu":
        return Node(op, [x], d.some(approximate=d.one("none", "tanh")))
    if op == "IsInf":
        return Node(op, [(d.one("f32", "f64"), shape)], d.some(detect_negative=0, detect_positive=d.number(0, 1)))
    if op == "Clip":
        kind = d.one(*FLOATS, "i64", "i32", "i8", "u8")
        bounds = [(kind, []) if d.flip(0.7) else None for _ in range(2)]
        return Node(op, [(kind, shape), *bounds])
    if op == "Cast":
        return Node(op, [(d.one(*FLOATS, *INTEGERS, "bool"), shape)], {"to": d.one(1, 6, 7, 9, 10, 11, 16)})
    if op == "BitwiseNot":
        return Node(op, [(d.one(INTEGERS), shape)])
    if op == "Not":
        return Node(op, [("bool", shape)])
    if op == "BitShift":
        kind = d.one("u8", "u16", "u32", "u64")
        return Node(op, [(kind, shape), (kind, d.broadcast(shape))], {"direction": d.one("LEFT", "RIGHT")})
    if op == "Dropout":
        return Node(op, [x], {}, d.number(1, 2))
    names = {"HardSigmoid": ("alpha", "beta"), "Selu": ("alpha", "gamma"), "Shrink": ("bias", "lambd")}.get(op, ("alpha",))
    return Node(op, [x], d.some(**{name: d.one(0.5, 2.0, 0.25, 1.0) for name in names}))


def binary(d):
    op = d.one("Add Sub Mul Div Pow Mod PRelu Max Min Sum Mean Equal Greater Less GreaterOrEqual LessOrEqual And Or Xor BitwiseAnd BitwiseOr BitwiseXor "
               "Add Sub Mul Div CastLike".split())
    shape = d.shape(0)
    kind = "bool" if op in ("And", "Or", "Xor") else d.one(INTEGERS) if op.startswith("Bitwise") else d.one(FLOATS) if op in ("Sum", "Mean", "PRelu") or (
        d.flip(0.7)) else d.one(INTEGERS)
    first, second = (shape, d.broadcast(shape)) if d.flip() else (d.broadcast(shape), shape)
    if op == "PRelu":
        return Node(op, [(kind, shape), (kind, d.broadcast(shape))])
    if op in ("Max", "Min", "Sum", "Mean"):
        kind = "f32" if kind == "f64" and op in ("Sum", "Mean") else kind
        return Node(op, [(kind, d.broadcast(shape)) for _ in range(d.number(0, 2))] + [(kind, shape)])
    if op == "Mod":
        return Node(op, [(kind, first), (kind, second)], {"fmod": 1} if kind in FLOATS or d.flip(0.3) else {})
    if op == "CastLike":
        return Node(op, [(kind, shape), (d.one(*FLOATS, "i32", "i64", "bool"), d.shape())])
    other = d.one("f32", "i64", "i32") if op == "Pow" and kind in ("f32", "i32", "i64") else kind
    return Node(op, [(kind, first), (other, second)])


def where(d):
    shape, kind = d.shape(), d.one(*FLOATS, "i64", "u8", "bool")
    return Node("Where", [("bool", d.broadcast(shape)), (kind, d.broadcast(shape)), (kind, shape)])


def reduction(d):
    op = d.one("ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare".split())
    shape = d.shape()
    kind = d.one(FLOATS) if d.flip(0.75) else d.one("i32", "i64", *(("u8", "i8", "bool") if op in ("ReduceMax", "ReduceMin") else ()))
    axes = sorted(d.rng.permutation(len(shape))[: d.number(0, len(shape))].tolist())
    axes = [axis - len(shape) if d.flip(0.3) else axis for axis in axes]
    inputs = [(kind, shape)] + ([ints(*axes)] if axes or d.flip(0.2) else [])
    return Node(op, inputs, d.some(keepdims=d.number(0, 1), noop_with_empty_axes=0 if not d.flip(0.1) else 1), least=20)


def along(d):
    op = d.one("Softmax LogSoftmax Hardmax LpNormalization ArgMax ArgMin CumSum CumSum TopK TopK ReverseSequence CumProd".split())
    shape, kind = d.shape(), d.one(FLOATS)
    axis = d.axis(len(shape))
    if op in ("ArgMax", "ArgMin"):
        return Node(op, [(d.one("f32", "f64", "i32", "i64"), shape)], d.some(axis=axis, keepdims=d.number(0, 1), select_last_index=d.number(0, 1)))
    if op in ("CumSum", "CumProd"):
        attributes = d.some(exclusive=d.number(0, 1), reverse=d.number(0, 1))
        return Node(op, [(d.one("f32", "f64", "i32", "i64"), shape), np.array(axis)], attributes, least=26 if op == "CumProd" else 14)
    if op == "TopK":
        wanted = d.number(1, shape[axis]) if d.flip(0.3) else max(1, shape[axis] // 4)
        attributes = {"axis": axis, **d.some(largest=d.number(0, 1), sorted=1)}
        return Node(op, [(d.one("f32", "f64", "i64", "i32"), shape), ints(wanted)], attributes, 2)
    if op == "ReverseSequence":
        shape = d.shape(2)
        batch = d.number(0, 1)
        return Node(op, [(kind, shape), ("i64", [shape[batch]])], {"batch_axis": batch, "time_axis": 1 - batch})
    return Node(op, [(kind, shape)], {**({"p": d.number(1, 2)} if op == "LpNormalization" and d.flip() else {}), **d.some(axis=axis)})


def norm(d):
    op = d.one("LayerNormalization RMSNormalization InstanceNormalization GroupNormalization BatchNormalization LRN MeanVarianceNormalization "
               "LayerNormalization".split())
    kind, shape = d.one("f32", "f32", "f64", "f16"), d.shape(2, 4)
    x, epsilon = (kind, shape), d.some(epsilon=0.25)
    if op in ("LayerNormalization", "RMSNormalization"):
        axis = d.axis(len(shape))
        scale = shape[axis if axis >= 0 else axis + len(shape) :]
        bias = [(kind, scale)] if op[0] == "L" and d.flip(0.7) else []
        outputs = d.one(1, 1, 2, 3) if op[0] == "L" and kind == "f32" else 1
        return Node(op, [x, (kind, scale), *bias], {"axis": axis, **epsilon}, outputs, 23 if op[0] == "R" else 17)
    channels = (kind, [shape[1]])
    if op == "InstanceNormalization":
        shape = d.shape(3, 4)
        return Node(op, [(kind, shape), (kind, [shape[1]]), (kind, [shape[1]])], epsilon)
    if op == "GroupNormalization":
        shape = d.shape(3, 4)
        shape[1], groups = d.one((6, 3), (6, 2), (4, 2), (4, 4), (8, 2), (6, 1))
        return Node(op, [(kind, shape), (kind, [shape[1]]), (kind, [shape[1]])], {"num_groups": groups, **epsilon}, least=21)
    if op == "BatchNormalization":
        train = d.flip(0.3)
        attributes = {**epsilon, **({"training_mode": 1} if train else {}), **d.some(momentum=0.75)}
        return Node(op, [x, channels, channels, channels, channels], attributes, 3 if train else 1)
    if op == "LRN":
        return Node(op, [("f32", d.shape(4, 4))], {"size": d.one(1, 3, 3, 5), **d.some(alpha=0.5, beta=0.5, bias=2.0)})
    shape = d.shape(4, 4)
    return Node(op, [("f32", shape)], d.some(axes=[0, 2, 3]))


def product(d):
    op = d.one("MatMul MatMul MatMul Gemm Gemm Einsum Einsum MatMulInteger QLinearMatMul".split())
    kind = d.one("f32", "f32", "f64", "f16", "bf16", "i32", "i64")
    m, k, n = d.size(), d.size(), d.size()
    if op == "MatMul":
        batch = d.shape(0, 2)
        first, second = [*d.broadcast(batch), m, k], [*batch, k, n]
        if d.flip(0.2):
            first, second = [k], second
        elif d.flip(0.2):
            second = [k]
        elif d.flip(0.3):
            second = [k, n]
        return Node(op, [(kind, first), (kind, second)])
    if op == "Gemm":
        a, b = d.number(0, 1), d.number(0, 1)
        c = [(kind, d.broadcast([m, n]))] if d.flip(0.7) else []
        return Node(op, [(kind, [k, m] if a else [m, k]), (kind, [n, k] if b else [k, n]), *c],
                    {**({"transA": 1} if a else {}), **({"transB": 1} if b else {}), **d.some(alpha=0.5, beta=2.0)})
    if op == "Einsum":
        return einsum(d, kind)
    first, second = d.one("u8", "i8"), d.one("u8", "i8")
    if op == "MatMulInteger":
        zeros = d.one([], [(first, [])], [(first, []), (second, [])], [None, (second, [])])
        return Node(op, [(first, [*d.shape(0, 1), m, k]), (second, [k, n]), *zeros])
    scalar = lambda kind: (kind, [])
    return Node(op, [(first, [m, k]), scalar("f32"), scalar(first), (second, [k, n]), scalar("f32"), scalar(second), scalar("f32"), scalar(first)], least=10)


def einsum(d, kind):
    equation = d.one("ij,jk->ik", "ij,kj->ik", "bij,bjk->bik", "ij->ji", "ij->i", "ij->", "i,j->ij", "bqhd,bkhd->bhqk", "...ij,jk->...ik",
                     "ij,ij->i", "ij,ik,jk->i",
                     "ii->i", "...ii->...i", "ijk->kij", "abc,cd->abd", "ab,bc,cd->ad", "i,i->", "ij,jk", "ijj->ij", "ii,ij->j")
    sizes = {letter: d.size() for letter in "abcdijkbqh"}
    dots = d.shape(1, 1)
    shapes = []
    for term in equation.split("->")[0].split(","):
        shapes.append((dots if "..." in term else []) + [sizes[letter] for letter in term.replace("...", "")])
    return Node("Einsum", [(kind, shape) for shape in shapes], {"equation": equation})


def loss(d):
    op = d.one("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
    shape = d.shape(2, 4)
    if shape[1] == 1:
        shape[1] = 5
    kind = d.one("f32", "f64")
    weight = [(kind, [shape[1]])] if d.flip(0.4) else []
    ignored = {"ignore_index": d.one(1, -1, 0)} if d.flip(0.3) else {}
    return Node(op, [(kind, shape), (d.one("i64", "i32"), [shape[0], *shape[2:]]), *weight], {**d.some(reduction=d.one("sum", "mean", "none")), **ignored},
                d.number(1, 2) if op[0] == "S" else 1, 13)


ELEMENTWISE = [(unary, 6), (unary_with, 6), (binary, 10), (where, 2), (reduction, 7), (along, 6), (norm, 5), (product, 8), (loss, 2)]
