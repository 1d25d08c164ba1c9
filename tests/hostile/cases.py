#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile ONNX files, made here rather than kept: `cases.py NAME [FOLDER]` writes NAME.onnx and what lies beside it; without a name it
lists them. Goldens in tests/cli/inspect say what metadist answers; tests/fuzz starts from the small ones."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from onnx_wire import encode, nested  # noqa: E402

FLOAT, INT64, STRING = 1, 7, 8
EXTERNAL = 1
GRAPH = 5  # type of an attribute

CASES = {}


def case(make):
    """A function without arguments gives a Model: a dict, bytes, or a pair of one of these and {file beside it: bytes or link target}."""
    CASES[make.__name__.replace("_", "-")] = make
    return make


def value(name, *sizes, element=FLOAT):
    dims = [{"dim_param": s} if isinstance(s, str) else {"dim_value": s} for s in sizes]
    return {"name": name, "type": {"tensor_type": {"elem_type": element, "shape": {"dim": dims}}}}


def node(op, inputs, outputs, *attributes, **more):
    found = {"op_type": op, "input": inputs.split(), "output": outputs.split(), "attribute": list(attributes)}
    found.update(more)
    return found


def body(name, graph):
    return {"name": name, "type": GRAPH, "g": graph}


def integer(name, number):
    return {"name": name, "type": 2, "i": number}


def weight(name, dims, element=FLOAT, **payload):
    return {"name": name, "dims": dims, "data_type": element, **payload}


def model(nodes, inputs=None, outputs=None, opset=20, ir=10, **more):
    graph = {
        "name": "g",
        "node": nodes,
        "input": [value("x", 4)] if inputs is None else inputs,
        "output": [value("y", 4)] if outputs is None else outputs,
    }
    made = {"ir_version": ir, "opset_import": [{"version": opset}], "graph": graph}
    for name, items in more.items():
        (made if name in ("functions",) else graph)[name] = items
    return made


def with_domain(made, domain):
    made["opset_import"].append({"domain": domain, "version": 1})
    return made


def function(name, nodes, **more):
    made = {"name": name, "domain": "local", "input": ["a"], "output": ["b"], "node": nodes}
    made["opset_import"] = [{"version": 20}, {"domain": "local", "version": 1}]
    made.update(more)
    return made


def external(**entries):
    stub = weight("w", [4], data_location=EXTERNAL)
    stub["external_data"] = [{"key": key, "value": text} for key, text in entries.items()]
    return model([node("Add", "x w", "y")], initializer=[stub])


@case
def initializer_raw_length():
    return model([node("Add", "x w", "y")], initializer=[weight("w", [4], raw_data=b"\0" * 13)])


@case
def initializer_typed_length():
    return model([node("Add", "x w", "y")], initializer=[weight("w", [4], float_data=[1, 2, 3])])


@case
def initializer_wrong_field():
    return model([node("Add", "x w", "y")], initializer=[weight("w", [4], int64_data=[1, 2, 3, 4])])


@case
def dims_negative():
    return model([node("Add", "x w", "y")], initializer=[weight("w", [-4], raw_data=b"")])


@case
def dims_overflow():
    return model([node("Add", "x w", "y")], initializer=[weight("w", [1 << 40, 1 << 40], raw_data=b"")])


@case
def dims_of_input():
    return model([node("Neg", "x", "y"), node("Neg", "z", "u")], inputs=[value("x", 1 << 40, 1 << 40), value("z", -3)])


@case
def dims_gigabytes():
    """A payload of four bytes for a tensor of four terabytes."""
    return model([node("Add", "x w", "y")], initializer=[weight("w", [1 << 40], raw_data=b"\0" * 4)])


@case
def dims_by_billions():
    """A result with a dim for each of 16 billion elements."""
    return model(
        [node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "a", "y")],
        opset=10,
        outputs=[value("y")],
        initializer=[weight("s", [1], INT64, int64_data=[1 << 34])],
    )


@case
def fills_gigabytes():
    """Small constants that ask for 16 EiB, and for 4 GiB."""
    return model(
        [node("ConstantOfShape", "s", "a"), node("ConstantOfShape", "t", "y")],
        outputs=[value("a"), value("y")],
        initializer=[
            weight("s", [3], INT64, int64_data=[1 << 31, 1 << 31, 1]),
            weight("t", [1], INT64, int64_data=[1 << 30]),
        ],
    )


@case
def cycle():
    return model([node("Add", "x b", "a", name="first"), node("Neg", "a", "b"), node("Neg", "b", "y")])


@case
def cycle_through_body():
    then = {"name": "then", "node": [node("Neg", "y", "t")], "output": [value("t", 4)]}
    other = {"name": "else", "node": [node("Neg", "x", "e")], "output": [value("e", 4)]}
    return model(
        [node("If", "c", "y", body("then_branch", then), body("else_branch", other), name="choice")],
        inputs=[value("x", 4), value("c", element=9)],
    )


@case
def names_twice():
    return model(
        [node("Neg", "x", "a", name="n"), node("Exp", "x", "a", name="n"), node("Add", "a w", "y", name="n"), node("Neg", "x", "x")],
        inputs=[value("x", 4), value("x", 4)],
        outputs=[value("y", 4), value("y", 4)],
        initializer=[weight("w", [4], float_data=[1] * 4), weight("w", [4], float_data=[2] * 4)],
    )


@case
def functions_twice():
    twice = function("F", [node("Neg", "a", "b")])
    return with_domain(model([node("F", "x", "y", domain="local")], functions=[twice, twice]), "local")


@case
def value_undefined():
    return model([node("Add", "x wieght", "y", name="sum")], outputs=[value("y", 4), value("z", 4)], initializer=[weight("weight", [4], float_data=[1] * 4)])


@case
def value_nameless():
    """An initializer and an input without a name, and a required operand left out."""
    return model(
        [{"op_type": "Add", "input": ["x", ""], "output": ["y"], "name": "sum"}],
        inputs=[value("x", 4), value("", 4)],
        initializer=[weight("", [1], float_data=[1])],
    )


@case
def arity():
    return model(
        [
            node("Add", "x", "a", name="one operand"),
            node("Neg", "x x", "b", name="two operands"),
            node("Neg", "x", "c d", name="two results"),
            node("Relu", "x", "", name="no result"),
            node("Neg", "x", "y"),
        ]
    )


@case
def types_differ():
    return model(
        [node("Add", "x i", "a", name="sum"), node("MatMul", "m m", "b", name="product"), node("Neg", "x", "y")],
        inputs=[value("x", 4), value("i", 4, element=INT64), value("m", 2, 3)],
    )


@case
def attributes_wrong():
    return model(
        [
            node("Concat", "x x", "a", name="no axis"),
            node("Concat", "x x", "b", {"name": "axis", "type": 1, "f": 0.5}, name="float axis"),
            node("Softmax", "x", "c", integer("axis", 7), name="far axis"),
            node("Softmax", "x", "d", integer("axis", 0), integer("axis", 0), name="two axes"),
            node("Softmax", "x", "e", {"name": "axis", "type": 77, "i": 0}, name="no such type"),
            node("Cast", "x", "f", integer("to", 99), name="no such element"),
            node("Neg", "x", "y"),
        ]
    )


@case
def body_captures_nothing():
    then = {"name": "then", "node": [node("Add", "x nowhere", "t", name="inner")], "output": [value("t", 4)]}
    other = {"name": "else", "node": [node("Neg", "x", "e")], "output": [value("elsewhere", 4)]}
    return model(
        [node("If", "c", "y", body("then_branch", then), body("else_branch", other), name="choice")],
        inputs=[value("x", 4), value("c", element=9)],
    )


@case
def body_hides_outer():
    """A body may not give a name a second meaning, nor read what is made after it in a way that makes a cycle."""
    then = {"name": "then", "node": [node("Neg", "x", "x")], "output": [value("x", 4)]}
    other = {"name": "else", "node": [node("Neg", "x", "e")], "output": [value("e", 4)], "initializer": [weight("e2", [4], raw_data=b"12")]}
    return model(
        [node("If", "c", "y", body("then_branch", then), body("else_branch", other), name="choice")],
        inputs=[value("x", 4), value("c", element=9)],
    )


@case
def external_absolute():
    return external(location="/etc/passwd")


@case
def external_parent():
    return external(location="sub/../../w.bin")


@case
def external_symlink():
    return external(location="link.bin"), {"w.bin": b"\0" * 16, "link.bin": "w.bin"}


@case
def external_beyond():
    return external(location="w.bin", offset="8", length="16"), {"w.bin": b"\0" * 20}


@case
def external_offset_overflow():
    return external(location="w.bin", offset="9223372036854775800"), {"w.bin": b"\0" * 20}


@case
def external_offset_unreadable():
    return external(location="w.bin", offset="99999999999999999999"), {"w.bin": b"\0" * 20}


@case
def external_length():
    return external(location="w.bin", length="12"), {"w.bin": b"\0" * 20}


@case
def external_nowhere():
    return external(offset="0")


@case
def future():
    return model([node("Neg", "x", "y")], opset=77, ir=99)


@case
def no_opset():
    made = model([node("Neg", "x", "y"), node("Frob", "x", "z", domain="far.away")])
    del made["opset_import"]
    return made


@case
def opset_twice():
    made = model([node("Neg", "x", "y")])
    made["opset_import"].append({"domain": "ai.onnx", "version": 7})
    return made


@case
def no_graph():
    return {"ir_version": 10, "producer_name": "nobody", "opset_import": [{"version": 20}], "graph": {}}


@case
def deep_bodies():
    """A hundred thousand bodies inside each other: graph, node, attribute, graph, ..."""
    return encode("Model", {"ir_version": 10, "opset_import": [{"version": 20}]}) + nested(nested(b"", [1, 5, 6], 100000), [7], 1)


@case
def deep_types():
    return encode("Model", {"ir_version": 10, "opset_import": [{"version": 20}]}) + nested(nested(b"", [4, 1], 100000), [7, 11, 2], 1)


@case
def deep_functions():
    """Each of a hundred thousand functions calls the next one."""
    count = 100000
    chain = [function(f"F{i}", [node(f"F{i + 1}", "a", "b", domain="local")]) for i in range(count)]
    chain.append(function(f"F{count}", [node("Neg", "a", "b")]))
    return with_domain(model([node("F0", "x", "y", domain="local")], functions=chain), "local")


@case
def wide_functions():
    """Each of fifty functions calls the next one twice: 2^50 nodes."""
    chain = [function(f"F{i}", [node(f"F{i + 1}", "a", "c", domain="local"), node(f"F{i + 1}", "c", "b", domain="local")]) for i in range(50)]
    chain.append(function("F50", [node("Neg", "a", "b")]))
    return with_domain(model([node("F0", "x", "y", domain="local")], functions=chain), "local")


@case
def function_recursive():
    first = function("First", [node("Second", "a", "b", domain="local")])
    second = function("Second", [node("First", "a", "c", domain="local"), node("Neg", "c", "b")])
    return with_domain(model([node("First", "x", "y", domain="local")], functions=[first, second]), "local")


@case
def function_undefined():
    made = function("Twice", [node("Add", "a a", "b")])
    return with_domain(model([node("Twise", "x", "y", domain="local", name="call")], functions=[made]), "local")


@case
def function_arity():
    made = function("Twice", [node("Add", "a nowhere", "c"), node("Neg", "c", "c")], attribute=["scale"])
    return with_domain(model([node("Twice", "x x", "y z", domain="local", name="call")], functions=[made]), "local")


@case
def sparse():
    stored = {"values": weight("s", [1], float_data=[1]), "indices": weight("i", [1], INT64, int64_data=[2]), "dims": [4]}
    return model([node("Add", "x s", "y")], sparse_initializer=[stored])


@case
def segment():
    return model([node("Add", "x w", "y")], initializer=[weight("w", [4], float_data=[1] * 4, segment={"begin": 0, "end": 2})])


@case
def elements_unknown():
    return model(
        [node("Add", "x w", "y"), node("Neg", "s", "t"), node("Neg", "q", "r")],
        inputs=[value("x", 4), value("s", 4, element=STRING), {"name": "q", "type": {"sequence_type": {"elem_type": {"tensor_type": {"elem_type": 1}}}}}],
        initializer=[weight("w", [1], 14, raw_data=b"12345678"), weight("v", [4], 99, raw_data=b"1234"), weight("u", [1], STRING, string_data=["a"])],
    )


@case
def sizes_wrong():
    """Sizes of inputs that are no expressions, or have no value."""
    return model(
        [node("Neg", "x", "y")],
        inputs=[value("x", "2*"), value("z", "1/0"), value("w", "1 - 2"), value("v", "(" * 2000), value("u", "9223372036854775807*9")],
    )


@case
def everything():
    """One fault of each kind, all to be reported in one run."""
    then = {"name": "then", "node": [node("Add", "x nowhere", "t", name="inner")], "output": [value("t", 4)]}
    other = {"name": "else", "node": [node("Neg", "x", "e")], "output": [value("e", 4)]}
    far = weight("far", [4], data_location=EXTERNAL)
    far["external_data"] = [{"key": "location", "value": "../w.bin"}]
    return with_domain(
        model(
            [
                node("Add", "x loop2", "loop1", name="first"),
                node("Neg", "loop1", "loop2", name="second"),
                node("Neg", "x", "a", name="m"),
                node("Neg", "x", "a", name="n"),
                node("Add", "x undefined", "b", name="reads nothing"),
                node("Add", "x", "c", name="one operand"),
                node("Add", "x i", "d", name="mixes types"),
                node("MatMul", "z z", "f", name="sizes differ"),
                node("If", "k", "g", body("then_branch", then), body("else_branch", other), name="choice"),
                node("Forever", "x", "h", domain="local"),
                node("Neg", "x", "y"),
            ],
            inputs=[value("x", 4), value("i", 4, element=INT64), value("k", element=9), value("z", 2, 3), value("batched", "batch")],
            outputs=[value("y", 4), value("d", 4), value("f", 4), value("nothing", 4)],
            initializer=[
                weight("raw", [4], raw_data=b"\0" * 13),
                weight("typed", [4], float_data=[1]),
                weight("negative", [-4]),
                weight("huge", [1 << 40, 1 << 40]),
                far,
                weight("text", [1], STRING, string_data=["a"]),
            ],
            functions=[function("Forever", [node("Forever", "a", "b", domain="local")])],
            opset=77,
            ir=99,
        ),
        "local",
    )


def files_of(name):
    """(bytes of the model, {file beside it: bytes or link target})"""
    made = CASES[name]()
    made, beside = made if isinstance(made, tuple) else (made, {})
    return encode("Model", made), beside


def write(name, folder="."):
    data, beside = files_of(name)
    with open(os.path.join(folder, name + ".onnx"), "wb") as file:
        file.write(data)
    for path, content in beside.items():
        path = os.path.join(folder, path)
        if isinstance(content, str):
            if not os.path.lexists(path):
                os.symlink(content, path)
            continue
        with open(path, "wb") as file:
            file.write(content)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(*sys.argv[1:])
    else:
        print("\n".join(CASES))
