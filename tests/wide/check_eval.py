# SPDX-License-Identifier: Apache-2.0
"""Calls of operators, and what evaluates them: onnxruntime, or the reference evaluator of onnx where that refuses."""

import json
import math

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

# Name -> (ONNX number, numpy type).
TYPES = {
    "f32": (TensorProto.FLOAT, np.float32), "f64": (TensorProto.DOUBLE, np.float64), "f16": (TensorProto.FLOAT16, np.float16),
    "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16), "bool": (TensorProto.BOOL, np.bool_),
    "i8": (TensorProto.INT8, np.int8), "i16": (TensorProto.INT16, np.int16), "i32": (TensorProto.INT32, np.int32), "i64": (TensorProto.INT64, np.int64),
    "u8": (TensorProto.UINT8, np.uint8), "u16": (TensorProto.UINT16, np.uint16), "u32": (TensorProto.UINT32, np.uint32), "u64": (TensorProto.UINT64, np.uint64),
    "f8e4m3fn": (TensorProto.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn), "f8e4m3fnuz": (TensorProto.FLOAT8E4M3FNUZ, ml_dtypes.float8_e4m3fnuz),
    "f8e5m2": (TensorProto.FLOAT8E5M2, ml_dtypes.float8_e5m2), "f8e5m2fnuz": (TensorProto.FLOAT8E5M2FNUZ, ml_dtypes.float8_e5m2fnuz),
    "f8e8m0": (TensorProto.FLOAT8E8M0, ml_dtypes.float8_e8m0fnu), "f4e2m1": (TensorProto.FLOAT4E2M1, ml_dtypes.float4_e2m1fn),
    "i4": (TensorProto.INT4, ml_dtypes.int4), "u4": (TensorProto.UINT4, ml_dtypes.uint4),
    "i2": (TensorProto.INT2, ml_dtypes.int2), "u2": (TensorProto.UINT2, ml_dtypes.uint2),
}
FLOATS = {np.dtype(kind) for name, (_, kind) in TYPES.items() if name[0] == "f" or name == "bf16"}
OF_NUMPY = {name for name, (_, kind) in TYPES.items() if kind.__module__ == "numpy"}
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
# One rounding, not four, of what has so few digits.
EPSILON |= {"f8e4m3fn": 2.0**-5, "f8e4m3fnuz": 2.0**-5, "f8e5m2": 2.0**-4, "f8e5m2fnuz": 2.0**-4, "f8e8m0": 2.0**-2, "f4e2m1": 2.0**-3}
LEAST = {"f64": 8 * 5e-324, "f32": 8 * 1.5e-45, "f16": 8 * 6e-8, "bf16": 8 * 1e-40}  # roundings of subnormals
NARROW = ("f16", "bf16")


class Refused(Exception):
    """The evaluator does not run this call."""


class Input:
    def __init__(self, dtype, shape, value=None):
        self.dtype, self.shape, self.value = dtype, list(shape), value
        self.constant = None  # values of the model that the report does not tell

    def array(self):
        return np.array(self.value, TYPES[self.dtype][1]).reshape(self.shape)


class Call:
    """A node: `inputs` has None where one is left out."""

    def __init__(self, op, attributes, inputs, outputs, opset, domain=""):
        self.op, self.attributes, self.inputs, self.outputs, self.opset, self.domain = op, attributes, inputs, outputs, opset, domain
        self.reason = ""
        self.rule, self.factors, self.source, self.model_opset = "", [], "", opset

    @staticmethod
    def of(signature):
        inputs = [None if one is None else Input(one["dtype"], one["shape"], one.get("value")) for one in signature["inputs"]]
        outputs = [Input(one["dtype"], one["shape"]) for one in signature["outputs"]]
        call = Call(signature["op"], signature["attributes"], inputs, outputs, signature["opset"], signature["domain"])
        call.rule, call.factors, call.reason = signature["rule"], signature["factors"], signature["reason"]
        return call

    def elements(self):
        return sum(math.prod(one.shape) for one in self.inputs + self.outputs if one is not None)

    def text(self):
        def show(one):
            if one is None:
                return "_"
            return f"{one.dtype}{one.shape}".replace(" ", "") if one.value is None else f"{{{','.join(map(str, one.value))}}}"

        attributes = "".join(f" {name}={json.dumps(value).replace(' ', '')}" for name, value in sorted(self.attributes.items()))
        return f"{self.op}-{self.opset} {' '.join(map(show, self.inputs))}{attributes} -> {' '.join(map(show, self.outputs))}"


def tensor_attribute(text):
    """A constant that stands for one whose elements the report does not tell: f32[2] -> 0.5 in both places."""
    dtype, _, sizes = text.partition("[")
    shape = [int(size) for size in sizes.rstrip("]").split(",") if size]
    values = np.full(shape, 3).astype(TYPES[dtype][1])
    return helper.make_tensor("value", TYPES[dtype][0], shape, values.astype(np.float32).ravel().tolist())


def node_of(call, attributes, inputs, outputs):
    node = helper.make_node(call.op, inputs, outputs, domain=call.domain)
    for name, value in attributes.items():
        if isinstance(value, str) and value.endswith("]") and value.split("[")[0] in TYPES:
            value = tensor_attribute(value)
        elif isinstance(value, list) and not value:
            attribute = onnx.AttributeProto(name=name, type=onnx.AttributeProto.INTS)
            node.attribute.append(attribute)
            continue
        node.attribute.append(helper.make_attribute(name, value))
    return node


class Evaluator:
    """Runs calls; `only` names one of the ways (ort, reference, wide), else the first that does not refuse."""

    WAYS = ("ort", "reference", "wide", "older")

    def __init__(self):
        self.sessions = {}
        self.runs = 0
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.options = options

    def model(self, call, attributes, dtypes, ranks, older, fixed):
        names = [f"x{i}" if dtype else "" for i, dtype in enumerate(dtypes)]
        outs = [f"y{i}" for i in range(len(call.outputs))]
        node = node_of(call, attributes, names, outs)
        infos = [helper.make_tensor_value_info(name, TYPES[dtype][0], [None] * rank)
                 for name, dtype, rank in zip(names, dtypes, ranks) if dtype and name not in fixed]
        made = [helper.make_tensor_value_info(name, TYPES[one.dtype][0] if not isinstance(one, str) else TYPES[one][0], None)
                for name, one in zip(outs, self.made(call, dtypes))]
        graph = helper.make_graph([node], "g", infos, made, initializer=[onnx.numpy_helper.from_array(x, name) for name, x in fixed.items()])
        opsets = [helper.make_opsetid("", min(call.opset, 21) if older else call.opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    @staticmethod
    def made(call, dtypes):
        """Types of the outputs, where narrow inputs were replaced by wide ones."""
        wide = any(one is not None and one.dtype in NARROW and dtype == "f32" for one, dtype in zip(call.inputs, dtypes))
        return [Input("f32", one.shape) if wide and one.dtype in NARROW else one for one in call.outputs]

    def session(self, call, attributes, dtypes, ranks, way, fixed):
        constants = tuple((name, x.tobytes()) for name, x in fixed.items())
        key = (constants, call.op, call.opset, json.dumps(attributes, sort_keys=True), dtypes, ranks, len(call.outputs), way)
        if key not in self.sessions:
            if len(self.sessions) > 4000:
                self.sessions.clear()
            self.sessions[key] = self.open(call, attributes, dtypes, ranks, way, fixed)
        return self.sessions[key]

    def open(self, call, attributes, dtypes, ranks, way, fixed):
        try:
            model = self.model(call, attributes, dtypes, ranks, way == "older", fixed)
            if way == "reference":
                return ReferenceEvaluator(model)
            return onnxruntime.InferenceSession(model.SerializeToString(), self.options, providers=["CPUExecutionProvider"])
        except Exception as error:  # each raises kinds of its own
            return str(error)[:200]

    def run(self, call, inputs, attributes, way):
        """Outputs of the call with these arrays and attributes. Raises Refused."""
        wide = way == "wide"
        if wide and not any(one is not None and one.dtype in NARROW for one in call.inputs):
            raise Refused("nothing to widen")
        arrays = [x.astype(np.float32) if wide and x is not None and x.dtype in (np.float16, ml_dtypes.bfloat16) else x for x in inputs]
        dtypes = tuple(None if x is None else "f32" if wide and one.dtype in NARROW else one.dtype for one, x in zip(call.inputs, arrays))
        ranks = tuple(0 if x is None else x.ndim for x in arrays)
        feeds = {f"x{i}": np.asarray(x) for i, x in enumerate(arrays) if x is not None}
        if way == "older" and call.opset < 22:
            raise Refused("nothing older")
        if way != "reference" and any(dtype and dtype not in OF_NUMPY for dtype in dtypes):
            raise Refused("onnxruntime takes no arrays of types that NumPy lacks")
        # Where inference wants to see the integers, they are constants of the model.
        fixed = {name: feeds.pop(name) for name in list(feeds) if name != "x0"} if call.op == "Resize" else {}
        session = self.session(call, attributes, dtypes, ranks, way, fixed)
        if isinstance(session, str):
            raise Refused(session)
        self.runs += 1
        try:
            with np.errstate(all="ignore"):
                made = session.run(None, feeds)
        except Exception as error:
            raise Refused(str(error)[:200]) from error
        if len(made) < len(call.outputs):
            raise Refused("too few outputs")
        return [as_own_type(y, one.dtype) for y, one in zip(made, call.outputs)]


def as_own_type(y, dtype):
    y = np.asarray(y)
    with np.errstate(all="ignore"):
        return y if y.dtype == TYPES[dtype][1] else y.astype(TYPES[dtype][1])


def largest(x):
    """The greatest finite magnitude."""
    if x.dtype == np.bool_ or x.size == 0:
        return 0.0
    wide = np.abs(x.astype(np.float64))
    wide = wide[np.isfinite(wide)]
    return float(wide.max()) if wide.size else 0.0


def is_float(x):
    return x.dtype in FLOATS


def differs(x, y, dtype, slack):
    """Where x is not y, as text, or None. slack: absolute, for floats."""
    slack += LEAST.get(dtype, 0)
    if x.shape != y.shape:
        return f"shape {list(y.shape)} instead of {list(x.shape)}"
    if not is_float(x):
        wrong = x != y
    else:
        with np.errstate(all="ignore"):
            a, b = x.astype(np.float64), y.astype(np.float64)
            near = np.abs(a - b) <= slack + 4 * EPSILON[dtype] * np.maximum(np.abs(a), np.abs(b))
        wrong = ~((a == b) | (np.isnan(a) & np.isnan(b)) | (near & np.isfinite(a) & np.isfinite(b)))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements, first at {list(at)}: {y[at]} instead of {x[at]}"
