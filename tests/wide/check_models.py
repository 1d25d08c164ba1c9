# SPDX-License-Identifier: Apache-2.0
"""Models of many independent nodes, and the rules that `metadist rules` prints of them."""

import json
import os
import re
import subprocess

import numpy as np
import onnx
from onnx import helper

from check_calls import ELEMENTWISE, Draw, Node
from check_eval import TYPES, Call, node_of
from check_moves import MOVES
from check_narrow import NARROW
from check_run import RANDOM
from check_values import is_fixed

OPSETS = (21, 23, 24, 24, 25, 25, 26)
FAMILIES = ELEMENTWISE + MOVES + NARROW


class Failed(Exception):
    pass


def drawn(rng, count, only=None):
    """Random nodes of all families, by weight."""
    draw = Draw(rng)
    weights = np.array([weight for _, weight in FAMILIES], float)
    nodes = []
    while len(nodes) < count:
        family = FAMILIES[rng.choice(len(FAMILIES), p=weights / weights.sum())][0]
        node = family(draw)
        if only is None or node.op in only:
            nodes.append(node)
    return nodes


def node_of_call(call):
    """The call as a node, for a model of its own. A random one loses the key and the place that the program has given it."""
    if call.op in RANDOM or call.op == "Dropout" and "start" in call.attributes:
        own = [True if one.dtype == "bool" else (one.dtype, one.shape) for one in call.inputs[:-1] if one is not None]
        attributes = {name: value for name, value in call.attributes.items() if name != "start"}
        return Node(call.op, [np.array(one) if one is True else one for one in own], attributes, len(call.outputs), 1)
    inputs = [None if one is None else one.array() if one.value is not None else one.constant if is_fixed(call, at) else (one.dtype, one.shape)
              for at, one in enumerate(call.inputs)]
    node = Node(call.op, inputs, call.attributes, len(call.outputs), 1)
    node.domain = call.domain
    return node


def write_model(nodes, path, opset, types=None):
    """types: {output: (type, shape)} where known."""
    made, graph_inputs, constants, outputs = [], [], [], []
    for at, node in enumerate(nodes):
        names = []
        for number, one in enumerate(node.inputs):
            name = "" if one is None else f"n{at}_x{number}"
            names.append(name)
            if isinstance(one, np.ndarray):
                constants.append(onnx.numpy_helper.from_array(one, name))
            elif one is not None:
                graph_inputs.append(helper.make_tensor_value_info(name, TYPES[one[0]][0], one[1]))
        outs = [f"n{at}_y{number}" for number in range(node.outputs)]
        call = Call(node.op, node.attributes, [], [], opset, node.domain)
        proto = node_of(call, node.attributes, names, outs)
        proto.name = f"n{at}"
        made.append(proto)
        outputs += [helper.make_empty_tensor_value_info(name) for name in outs]
    graph = helper.make_graph(made, "calls", graph_inputs, outputs, initializer=constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("metadist", 1)], ir_version=13)
    onnx.save(model, path)


def run_json(binary, *arguments):
    """(status, document, error lines)."""
    done = subprocess.run([binary, *arguments, "--json"], capture_output=True, text=True, check=False)
    try:
        return done.returncode, json.loads(done.stdout), done.stderr
    except json.JSONDecodeError:
        return done.returncode, None, done.stderr


def rules_of(binary, path, *more):
    """The signatures of a model, or with --op of an operator's examples."""
    arguments = ("--op", more[0]) if path is None else (path, *more)
    status, document, error = run_json(binary, "rules", *arguments, "-q")
    if status:
        raise Failed(error.strip() or f"exit {status}")
    return document["signatures"]


def call_of_node(signature, nodes):
    """The call of a signature, with the constants of its first node that the report does not tell."""
    call = Call.of(signature)
    named = re.fullmatch(r"n(\d+)", signature["names"][0])
    if not named:  # a node that a pass has made
        return call
    node = nodes[int(named.group(1))]
    for one, given in zip(call.inputs, node.inputs):
        if one is not None and one.value is None and isinstance(given, np.ndarray):
            one.constant = given
    return call


def calls_of(binary, nodes, path, opset, refused, *more):
    """Calls with rules of all nodes; those that the program refuses are left out and told."""
    left = list(nodes)
    while left:
        write_model(left, path, opset)
        try:
            signatures = rules_of(binary, path, *more)
        except Failed as error:
            named = re.search(r"'?\bn(\d+)(?:_[xy]\d+)?\b", str(error))
            at = int(named.group(1)) if named else 0
            if not named and len(left) > 1:
                half = len(left) // 2
                return calls_of(binary, left[:half], path, opset, refused, *more) + calls_of(binary, left[half:], path, opset, refused, *more)
            refused.append((left.pop(at), opset, str(error)))
            continue
        calls = [call_of_node(signature, left) for signature in signatures]
        for call, signature in zip(calls, signatures):
            call.model_opset = opset
            call.nodes = [left[int(name[1:])] for name in signature["names"] if re.fullmatch(r"n\d+", name)]
        return calls
    return []


def calls_of_model(binary, path):
    """Calls with rules of a model's distinct signatures; sizes that it leaves open are 4."""
    model = onnx.load(path, load_external_data=False)
    opset = next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), 21)
    bind = []
    symbols = {dim.dim_param for one in model.graph.input for dim in one.type.tensor_type.shape.dim if dim.dim_param}
    for symbol in sorted(symbols):
        bind += ["--bind", f"{symbol}=4"]
    signatures = rules_of(binary, path, *bind)
    nodes = {node.name: node for node in model.graph.node}
    small = {one.name: one for one in model.graph.initializer if one.data_location != onnx.TensorProto.EXTERNAL and np.prod(one.dims) <= 64}
    small.update({node.output[0]: node.attribute[0].t for node in model.graph.node if node.op_type == "Constant" and node.attribute[0].name == "value"})
    calls = []
    for signature in signatures:
        call = Call.of(signature)
        call.model_opset = opset
        node = nodes.get(signature["names"][0])
        for one, name in zip(call.inputs, node.input if node else ()):
            if one is not None and one.value is None and name in small:
                given = onnx.numpy_helper.to_array(small[name])
                if list(given.shape) == one.shape and given.dtype == TYPES[one.dtype][1]:
                    one.constant = given
        calls.append(call)
    return calls
