# SPDX-License-Identifier: Apache-2.0
"""An ONNX graph that grows node by node, each run at once by ONNX Runtime (or by ONNX's own evaluator where that lacks the node).

So shapes, element types and outputs are known, and whether they can be compared: beside its array a value that arithmetic has rounded
carries SHAKEN copies, made of shaken inputs and disturbed themselves by more than rounding is. A node whose shaken outputs differ by a share
of what `metadist run` lets pass, or at all in integers, is not taken: no comparison, rounding or argmax of a near tie, no division by
almost nothing. What only moves or selects, or adds and multiplies small integers, is not rounded.
"""

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

F32, F64, F16, BF16 = np.dtype("float32"), np.dtype("float64"), np.dtype("float16"), np.dtype(ml_dtypes.bfloat16)
I8, I16, I32, I64 = (np.dtype(f"int{bits}") for bits in (8, 16, 32, 64))
U8, U16, U32, U64 = (np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64))
BOOL = np.dtype("bool")
FLOATS, HALVES, INTS = (F32, F64, F16, BF16), (F16, BF16), (I8, I16, I32, I64, U8, U16, U32, U64)
# The error that `metadist run` lets pass: a share of the root mean square of all elements (here at most of 1), a share of the element,
# and an epsilon. And how much of a value's largest element shakes it, besides half an epsilon.
TOLERANCE = {F64: (1e-8, 1e-7), F32: (1e-4, 1e-3), F16: (1e-2, 1e-2), BF16: (5e-2, 5e-2)}
EPSILON = {F64: 2.0**-52, F32: 2.0**-23, F16: 2.0**-10, BF16: 2.0**-7}
SHAKE = {F64: 2.0**-46, F32: 2.0**-20, F16: 2.0**-11, BF16: 2.0**-8}
LARGEST = {F64: 1e4, F32: 1e4, F16: 500, BF16: 500}
ELEMENTS = 6000  # of a value
TRIALS = 8  # a tie of two that roundings decide is overlooked once in 256

# What moves, selects or rounds to a few values alone: no order of additions shows.
MOVING = set(
    """Identity Reshape Transpose Flatten Squeeze Unsqueeze Expand Tile Concat Split Slice Pad Gather GatherElements GatherND
    ScatterElements ScatterND DepthToSpace SpaceToDepth CenterCropPad ReverseSequence Trilu OneHot EyeLike Shape Size Compress Dropout
    Max Min Relu Neg Abs Sign Floor Ceil Round Where ReduceMax ReduceMin ArgMax ArgMin TopK MaxPool GlobalMaxPool Hardmax Clip Constant
    ConstantOfShape Range NonZero Unique MaxUnpool TensorScatter Not And Or Xor Equal Less Greater LessOrEqual GreaterOrEqual IsNaN IsInf
    BitCast""".split()
)
ADDING = set(
    """Add Sub Mul Sum MatMul Gemm Einsum Conv ConvTranspose ReduceSum ReduceSumSquare ReduceL1 ReduceProd CumSum CumProd PRelu Col2Im
    ScatterElements ScatterND If Loop Scan""".split()
)

onnxruntime.set_default_logger_severity(4)


class Skip(Exception):
    """What was tried does not fit the graph."""


class Value:
    """A named array of the graph. kind: input, weight, constant (a node) or node."""

    def __init__(self, name, array, kind, shaken=None):
        self.name, self.array, self.kind, self.shaken = name, array, kind, shaken
        self.uses = 0

    dtype = property(lambda self: self.array.dtype)
    shape = property(lambda self: self.array.shape)
    rank = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    fixed = property(lambda self: self.kind in ("weight", "constant"))

    @property
    def low(self):
        return float(np.min(self.array.astype(F64), initial=np.inf))

    @property
    def high(self):
        return float(np.max(self.array.astype(F64), initial=-np.inf))

    def whole(self):
        """Small integers, whatever the element type."""
        if self.dtype not in FLOATS:
            return True
        wide = self.array.astype(F64)
        limit = 8 if self.dtype == BF16 else 32 if self.dtype == F16 else 4096
        return bool(np.all(np.isfinite(wide)) and np.all(wide == np.round(wide)) and np.all(np.abs(wide) <= limit))


def type_of(dtype):
    return helper.np_dtype_to_tensor_dtype(dtype)


def tensor(name, array):
    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


def info(name, dtype, shape):
    return helper.make_tensor_value_info(name, type_of(dtype), list(shape))


def model_of(graph, opset):
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


# Operators that ONNX Runtime computes with large roundings: angles of f32 that grow with the index.
ROUGH = {"DFT"}


class Kernel:
    """One node as a model of its own, to run on several arrays."""

    def __init__(self, node, values, opset, before=()):
        """values: those that the node and its bodies read. before: nodes that make for it what is no tensor."""
        self.nodes, self.values, self.opset = [*before, node], values, opset
        self.names = [name for name in node.output if name]
        self.wide = any(value.dtype == BF16 for value in values)
        self.session = None
        if not self.wide and node.op_type not in ROUGH:
            try:
                self.session = self._session(values)
            except Exception:  # pylint: disable=broad-except
                self.wide = any(value.dtype in HALVES for value in values)
        if self.wide:
            if before or node.op_type in ("Cast", "CastLike", "QuantizeLinear", "DequantizeLinear", "EyeLike", "BitCast", "If", "Loop", "Scan"):
                raise Skip
            self.narrow = next(value.dtype for value in values if value.dtype in HALVES)
            self.values = [Value(v.name, self._widened(v.array), v.kind) for v in values]
            try:
                self.session = self._session(self.values)
            except Exception as error:
                raise Skip from error
        self.slow = None
        if self.session is None:  # which asks less of types than ONNX does
            model = self._model(values)
            onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
            self.slow = ReferenceEvaluator(model)

    @staticmethod
    def _widened(array):
        return array.astype(F32) if array.dtype in HALVES else array

    def _model(self, values):
        graph = helper.make_graph(
            self.nodes,
            "node",
            [info(v.name, v.dtype, v.shape) for v in values if not v.fixed],
            [onnx.ValueInfoProto(name=name) for name in self.names],
            [tensor(v.name, v.array) for v in values if v.fixed],
        )
        return model_of(graph, self.opset)

    def _session(self, values):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(self._model(values).SerializeToString(), options, providers=["CPUExecutionProvider"])

    def run(self, arrays):
        feed = {v.name: self._widened(a) if self.wide else a for v, a in zip(self.values, arrays) if not v.fixed}
        results = self.session.run(None, feed) if self.session else self.slow.run(None, feed)
        if not all(isinstance(result, (np.ndarray, np.generic)) for result in results):
            raise Skip
        results = [np.asarray(result) for result in results]
        if self.wide:
            results = [r.astype(self.narrow) if r.dtype == F32 else r for r in results]
        return results


class Maker:
    """values: by name, in order. nodes: NodeProtos, in order."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.opset = int(self.choice([13, 17, 18, 20, 21, 22, 23, 23, 24, 24, 26, 27]))
        self.sizes = [int(s) for s in self.rng.choice([2, 3, 4, 6, 8, 12, 16], size=self.rng.integers(1, 4), p=[0.12, 0.1, 0.22, 0.18, 0.18, 0.12, 0.08])]
        self.symbolic = self.chance(0.15)
        self.values, self.nodes = {}, []
        self.operators = 0

    # Drawing.

    def chance(self, share):
        return self.rng.random() < share

    def choice(self, things):
        return things[self.rng.integers(len(things))]

    def dim(self):
        return int(self.choice(self.sizes))

    def below(self, low, high):
        """An integer in [low, high]."""
        return int(self.rng.integers(low, high + 1))

    def shape(self, rank):
        shape = [self.dim() if self.chance(0.93) else 1 for _ in range(rank)]
        while np.prod(shape) > ELEMENTS // 2:
            at = int(np.argmax(shape))
            shape[at] = max(1, shape[at] // 2)
        return shape

    def array(self, dtype, shape, low=-2.0, high=2.0, whole=False):
        dtype = np.dtype(dtype)
        if dtype == BOOL:
            return self.rng.random(shape) < 0.5
        if dtype in INTS or whole:
            low = max(low, 0) if dtype in (U8, U16, U32, U64) else low
            return self.rng.integers(int(np.ceil(low)), int(np.floor(high)) + 1, size=shape).astype(dtype)
        return self.rng.uniform(low, high, size=shape).astype(dtype)

    # Values.

    def name(self, stem):
        return f"{stem}{len(self.values)}"

    def _keep(self, value):
        self.values[value.name] = value
        return value

    def input(self, dtype, shape, **how):
        return self._keep(Value(self.name("x"), self.array(dtype, shape, **how), "input"))

    def given(self, array):
        """An initializer of these elements, now and then a Constant."""
        array = np.asarray(array)
        value = self._keep(Value(self.name("w"), array, "weight"))
        if self.chance(0.15):
            value.kind = "constant"
            self.nodes.append(helper.make_node("Constant", [], [value.name], value=tensor("", array)))
        return value

    def weight(self, dtype, shape, **how):
        if self.chance(0.15):
            return self.input(dtype, shape, **how)
        return self.given(self.array(dtype, shape, **how))

    def ints(self, numbers):
        return self.given(np.array(numbers, dtype=I64))

    def scalar(self, number, dtype=F32):
        return self.given(np.array(number, dtype=dtype))

    def pick(self, types=FLOATS, rank=None, where=None, leaf=0.15):
        """A value of the graph; fresh ones and those that nothing reads come first. Or a new input."""
        ranks = [rank] if isinstance(rank, int) else rank
        fits = [v for v in self.values.values() if v.kind in ("input", "node") and v.dtype in types]
        fits = [v for v in fits if v.size > 0 and (ranks is None or v.rank in ranks) and (where is None or where(v))]
        if not fits or self.chance(leaf / (1 + len(self.nodes) / 8)):
            dtype = types[0] if self.chance(0.8) else self.choice(types)
            dtype = F32 if dtype in FLOATS and F32 in types and self.chance(0.85) else dtype
            shape = self.shape(int(self.choice(list(ranks))) if ranks else self.below(1, 4))
            new = self.input(dtype, shape, whole=self.chance(0.4), low=-3, high=3)
            if where is not None and not where(new):
                del self.values[new.name]
                raise Skip
            return new
        weights = np.array([(4.0 if v.uses == 0 else 1.0) * (1 + 2 * i / len(fits)) for i, v in enumerate(fits)])
        return fits[self.rng.choice(len(fits), p=weights / weights.sum())]

    def pick_or(self, dtype, shape):
        """A value of this very shape, or a new input."""
        fits = [v for v in self.values.values() if v.kind != "constant" and v.dtype == dtype and list(v.shape) == list(shape)]
        return self.choice(fits) if fits and self.chance(0.8) else self.input(dtype, shape)

    # Nodes.

    def add(self, op, inputs, outputs=1, captured=(), before=(), since=1, **attributes):
        """The node's output, or list of outputs. inputs: values, None, or names of what nodes of `before` make that is no tensor. captured:
        values that bodies, or nodes of `before`, read."""
        if self.opset < since:
            raise Skip
        names = [self.name("y") if i == 0 else self.name(f"y{i}_") for i in range(outputs)]
        operands = ["" if v is None else v if isinstance(v, str) else v.name for v in inputs]
        node = helper.make_node(op, operands, names, name=f"n{len(self.nodes)}_{op}", **attributes)
        read = list({v.name: v for v in [*inputs, *captured] if v is not None and not isinstance(v, str)}.values())
        try:
            kernel = Kernel(node, read, self.opset, before)
            arrays = kernel.run([v.array for v in read])
            shaken = None
            if any(v.shaken is not None for v in read):
                shaken = [kernel.run([v.array if v.shaken is None else v.shaken[t] for v in read]) for t in range(TRIALS)]
        except Skip:
            raise
        except Exception as error:
            raise Skip(f"{op}: {error}") from error
        made = [self._made(op, n, a, read, shaken and [s[i] for s in shaken]) for i, (n, a) in enumerate(zip(names, arrays))]
        for value in read:
            value.uses += 1
        for value in made:
            self._keep(value)
        self.nodes += [*before, node]
        self.operators += 1
        return made if outputs > 1 else made[0]

    def _made(self, op, name, array, read, shaken):
        if array.size > ELEMENTS or array.dtype not in (*FLOATS, *INTS, BOOL):
            raise Skip(f"{op}: {array.size} elements of {array.dtype}")
        value = Value(name, array, "node")
        if array.dtype not in FLOATS:
            if shaken and not all(np.array_equal(array, s) for s in shaken):
                raise Skip(f"{op}: near a step")
            if op != "BitCast" and array.dtype in (I32, I64) and array.size and np.max(np.abs(array.astype(F64))) > 2**20:
                raise Skip
            return value
        wide = array.astype(F64)
        if not np.all(np.isfinite(wide)) or np.max(np.abs(wide), initial=0) > LARGEST[array.dtype]:
            raise Skip(f"{op}: too large")
        if shaken:
            of_all, relative = TOLERANCE[array.dtype]
            absolute = of_all * min(1, np.sqrt(np.mean(wide**2))) + EPSILON[array.dtype] if wide.size else 0
            bound = (absolute + relative * np.abs(wide)) / (2 if array.dtype in HALVES else 4)
            for one in shaken:
                if one.shape != array.shape or not np.all(np.abs(one.astype(F64) - wide) <= bound):
                    raise Skip(f"{op}: rounding shows")
        if self._unrounded(op, value, read, shaken):
            return value
        value.shaken = [self._shake(s, t == 0) for t, s in enumerate(shaken or [array] * TRIALS)]
        return value

    @staticmethod
    def _unrounded(op, value, read, shaken):
        if shaken:
            return op in MOVING and all(np.array_equal(value.array, s) for s in shaken)
        if op in MOVING and op not in ("Clip", "Pad", "ScatterElements", "ScatterND"):
            return True
        return op in MOVING | ADDING and value.whole() and all(v.whole() for v in read) and value.dtype not in HALVES

    def _shake(self, array, to_zero):
        """Moved by as much as roundings may; `to_zero`: what so little may make zero is zero, which chance would not hit."""
        wide = array.astype(F64)
        by = SHAKE[array.dtype] * (np.abs(wide) + np.max(np.abs(wide), initial=0)) / 2
        by += EPSILON[array.dtype] / 2  # ONNX Runtime's exp(x) - 1 of almost nothing is nothing
        shaken = wide + by * self.rng.uniform(-1, 1, size=wide.shape)
        return np.asarray(np.where(to_zero & (np.abs(wide) <= by), 0, shaken), array.dtype)

    # The whole.

    def outputs(self):
        """What nothing reads, and some of the rest."""
        made = [v for v in self.values.values() if v.kind == "node"]
        return [v for v in made if v.uses == 0 or self.chance(0.06)]

    def graph(self):
        return Graph(self.opset, list(self.nodes), self.values, [v.name for v in self.outputs()], self.symbolic)


class Graph:
    """Nodes, and the arrays of all values: what no node makes is an input or a weight."""

    def __init__(self, opset, nodes, values, outputs, symbolic=False):
        self.opset, self.nodes, self.values, self.outputs, self.symbolic = opset, nodes, values, outputs, symbolic

    @staticmethod
    def reads(node):
        """Names that a node or one of its bodies reads, its bodies' own among them."""
        names = [name for name in node.input if name]
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                for inner in attribute.g.node:
                    names += Graph.reads(inner)
                names += [value.name for value in attribute.g.output]
        return names

    def live(self, nodes=None, outputs=None):
        """The graph of the nodes that the outputs need; what the left out ones made is given."""
        wanted, kept = set(self.outputs if outputs is None else outputs), []
        for node in reversed(self.nodes if nodes is None else nodes):
            if wanted & set(node.output):
                kept.append(node)
                wanted |= set(self.reads(node))
        made = {name for node in kept for name in node.output}
        outputs = [name for name in (self.outputs if outputs is None else outputs) if name in made]
        return Graph(self.opset, kept[::-1], self.values, outputs, self.symbolic)

    def leaves(self):
        made = {name for node in self.nodes for name in node.output}
        read = [name for node in self.nodes for name in self.reads(node)]
        return [self.values[name] for name in dict.fromkeys(read) if name in self.values and name not in made]

    def model(self):
        inputs, weights = [], []
        for leaf in self.leaves():
            if leaf.fixed:
                weights.append(tensor(leaf.name, leaf.array))
            else:
                inputs.append(info(leaf.name, leaf.dtype, [f"s{s}" if self.symbolic and s > 1 else s for s in leaf.shape]))
        outputs = [info(name, self.values[name].dtype, self.values[name].shape) for name in self.outputs]
        return model_of(helper.make_graph(self.nodes, "random", inputs, outputs, weights), self.opset)

    def binds(self):
        sizes = {s for leaf in self.leaves() if not leaf.fixed for s in leaf.shape if s > 1}
        return [flag for s in sorted(sizes) for flag in ("--bind", f"s{s}={s}")] if self.symbolic else []

    def inputs(self):
        return {leaf.name: leaf.array for leaf in self.leaves() if not leaf.fixed}

    def expected(self):
        return {name: self.values[name].array for name in self.outputs}
