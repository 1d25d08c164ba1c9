#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a longer run of the ONNX fuzzer starts.

    make_corpus.py FOLDER [MODEL.onnx ...]    the small hostile files of tests/hostile, and the models (default: those of models/) without
                                              their weights, traces and documentation
    METADIST_WRITE_MODELS=FOLDER build/release/bin/importers_test --gtest_filter='*OldOpset*'
                                              every operator in every spelling since opset 7, a few hundred bytes each
    build/fuzz/bin/onnx_fuzz -max_total_time=600 -rss_limit_mb=2048 -timeout=10 -dict=tests/fuzz/onnx.dict FOLDER tests/fuzz/corpus/onnx
    build/fuzz/bin/onnx_fuzz -merge=1 SMALL FOLDER    keeps what covers something of its own; that is what tests/fuzz/corpus/onnx holds
"""

import glob
import os
import sys

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "hostile"))

import cases  # noqa: E402
from onnx_wire import FIELDS, varint  # noqa: E402

LARGEST = 64 << 10
DROPPED = {"Tensor": {"raw_data", "float_data", "external_data", "data_location"}}  # where there is much of it
STUB = varint(13 << 3 | 2) + varint(14) + b"\x0a\x08location\x12\x02ab" + varint(14 << 3) + varint(1)


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def stripped(message, data):
    """The bytes of a message without the fields that onnx_wire does not know and without long payloads."""
    names = {number: (name, kind) for name, (number, kind) in FIELDS[message].items()}
    out, at, absent = bytearray(), 0, False
    while at < len(data):
        start = at
        tag, at = read_varint(data, at)
        wire = tag & 7
        if wire == 2:
            size, at = read_varint(data, at)
            payload = data[at : at + size]
            at += size
        elif wire == 0:
            _, at = read_varint(data, at)
        else:
            at += 8 if wire == 1 else 4
        name, kind = names.get(tag >> 3, (None, None))
        if name is None:
            continue
        if wire != 2 or kind not in FIELDS:
            if name in DROPPED.get(message, ()) and wire == 2 and len(payload) > 64:
                absent = True
                continue
            out += data[start:at]
            continue
        inner = stripped(kind, payload)
        out += varint(tag) + varint(len(inner)) + inner
    return bytes(out) + (STUB if absent else b"")


def main():
    folder, models = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    made = {name: cases.files_of(name)[0] for name in cases.CASES if name != "deep-functions"}
    for path in models or glob.glob(os.path.join(os.path.dirname(TESTS), "models", "*.onnx")):
        with open(path, "rb") as file:
            made[os.path.basename(path)] = stripped("Model", file.read())
    for name, data in made.items():
        if len(data) > LARGEST:
            continue
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
