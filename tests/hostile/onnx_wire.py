# SPDX-License-Identifier: Apache-2.0
"""ONNX files as nested dicts, encoded without the ONNX library: it refuses to write most of what these tests need.

    encode("Model", {"ir_version": 10, "graph": {"node": [{"op_type": "Neg", ...}]}})

A dict holds fields by name, a list stands for a repeated field, `bytes` for a message or string that is encoded already. Source: protobuf
encoding; onnx.proto of 1.22.
"""

import struct

# message -> field -> (number, kind); kind: int, float, double, bytes, or the name of a message
FIELDS = {
    "Model": {
        "ir_version": (1, "int"),
        "producer_name": (2, "bytes"),
        "graph": (7, "Graph"),
        "opset_import": (8, "OperatorSetId"),
        "functions": (25, "Function"),
    },
    "OperatorSetId": {"domain": (1, "bytes"), "version": (2, "int")},
    "Graph": {
        "node": (1, "Node"),
        "name": (2, "bytes"),
        "initializer": (5, "Tensor"),
        "input": (11, "ValueInfo"),
        "output": (12, "ValueInfo"),
        "value_info": (13, "ValueInfo"),
        "sparse_initializer": (15, "SparseTensor"),
    },
    "Node": {
        "input": (1, "bytes"),
        "output": (2, "bytes"),
        "name": (3, "bytes"),
        "op_type": (4, "bytes"),
        "attribute": (5, "Attribute"),
        "domain": (7, "bytes"),
        "overload": (8, "bytes"),
    },
    "Attribute": {
        "name": (1, "bytes"),
        "f": (2, "float"),
        "i": (3, "int"),
        "s": (4, "bytes"),
        "t": (5, "Tensor"),
        "g": (6, "Graph"),
        "floats": (7, "float"),
        "ints": (8, "int"),
        "strings": (9, "bytes"),
        "type": (20, "int"),
        "ref_attr_name": (21, "bytes"),
    },
    "Tensor": {
        "dims": (1, "int"),
        "data_type": (2, "int"),
        "segment": (3, "Segment"),
        "float_data": (4, "float"),
        "int32_data": (5, "int"),
        "string_data": (6, "bytes"),
        "int64_data": (7, "int"),
        "name": (8, "bytes"),
        "raw_data": (9, "bytes"),
        "double_data": (10, "double"),
        "uint64_data": (11, "int"),
        "external_data": (13, "StringEntry"),
        "data_location": (14, "int"),
    },
    "Segment": {"begin": (1, "int"), "end": (2, "int")},
    "StringEntry": {"key": (1, "bytes"), "value": (2, "bytes")},
    "SparseTensor": {"values": (1, "Tensor"), "indices": (2, "Tensor"), "dims": (3, "int")},
    "ValueInfo": {"name": (1, "bytes"), "type": (2, "Type")},
    "Type": {"tensor_type": (1, "TensorType"), "sequence_type": (4, "SequenceType")},
    "TensorType": {"elem_type": (1, "int"), "shape": (2, "Shape")},
    "SequenceType": {"elem_type": (1, "Type")},
    "Shape": {"dim": (1, "Dim")},
    "Dim": {"dim_value": (1, "int"), "dim_param": (2, "bytes")},
    "Function": {
        "name": (1, "bytes"),
        "input": (4, "bytes"),
        "output": (5, "bytes"),
        "attribute": (6, "bytes"),
        "node": (7, "Node"),
        "opset_import": (9, "OperatorSetId"),
        "domain": (10, "bytes"),
        "attribute_proto": (11, "Attribute"),
        "overload": (13, "bytes"),
    },
}


def varint(value):
    """Negative numbers take ten bytes, as protobuf's int32 and int64 do."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, payload):
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def encode(message, fields):
    if isinstance(fields, bytes):
        return fields
    out = bytearray()
    for name, values in fields.items():
        number, kind = FIELDS[message][name]
        for value in values if isinstance(values, list) else [values]:
            if kind == "int":
                out += varint(number << 3) + varint(value)
            elif kind == "float":
                out += varint(number << 3 | 5) + struct.pack("<f", value)
            elif kind == "double":
                out += varint(number << 3 | 1) + struct.pack("<d", value)
            elif kind == "bytes":
                out += field(number, value.encode() if isinstance(value, str) else value)
            else:
                out += field(number, encode(kind, value))
    return bytes(out)


def nested(innermost, numbers, depth):
    """`innermost` wrapped `depth` times in the fields `numbers`, the last of them innermost, in linear time."""
    prefixes, size = [], len(innermost)
    for _ in range(depth):
        for number in reversed(numbers):
            prefix = varint(number << 3 | 2) + varint(size)
            prefixes.append(prefix)
            size += len(prefix)
    return b"".join(reversed(prefixes)) + innermost
