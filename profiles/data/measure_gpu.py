#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures one GPU through PyTorch: kernels, whole models, training steps, and what overlaps.

  measure_gpu.py measure PART --seconds S -o FILE.jsonl [--models FOLDER]
  measure_gpu.py collect FILE... -o FILE.json

PART is operators or grid (gpu_kernels.py), overlap (gpu_overlap.py), models, batches, training, recomputation or compiled (gpu_models.py).
Those of gpu_models.py need transformers, torchvision and, in FOLDER, the make_models.py and export_models.py of the collection of full-size models.
What is collected are files of rows, and such as have been collected before.

A part writes one JSON object a line, in the order of measuring; the first says what machine it was. A row that cannot be
measured is written with "failed". The part ends by itself after S seconds: what matters most comes first.

How: CUDA events around replays of a CUDA graph, random data, at least 5 replays and 10 ms; "cold" rotates over
buffers of more than twice the L2 cache, "warm" over fewer (at most 64 sets), "hot" uses the same ones again. Clocks and power limit are left as found.
"""

import argparse
import json
import sys
import time

# What runs on a GPU is imported where it is measured: rows are collected on any machine.
# What a collected file keeps of the rows of each kind.
TIMES = ["residence", "time_us", "mad_us", "samples"]
COLUMNS = {
    "product": ["dtype", "batch", "m", "n", "k", "layout", *TIMES],
    "copy": ["dtype", "bytes", *TIMES],
    "operator": ["op", "dtype", "bytes", "form", *TIMES],
    "convolution": ["dtype", "batch", "inputs", "side", "outputs", "kernel", "stride", "groups", "layout", *TIMES],
    "attention": ["dtype", "batch", "heads", "length", "depth", "causal", "kernel", "pass", *TIMES],
    "launch": ["how", "issue_us", "time_us"],
    "transfer": ["how", "bytes", "time_us", "mad_us", "samples"],
    "graph": ["how", "nodes", "time_us", "mad_us", "wall_us", "samples"],
    "overlap": ["main", "beside", "time_us", "beside_us"],
    "model": ["model", "dtype", "batch", "attention", "channels_last", "runtime", "time_us", "mad_us", "wall_us", "samples", "weight_bytes",
              "peak_bytes"],
    "training": ["model", "dtype", "batch", "attention", "runtime", "what", "time_us", "mad_us", "wall_us", "samples", "peak_bytes",
                 "recompute", "kept_bytes"],
}
STATE = "clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit,temperature.gpu"
MACHINE = ["device", "memory_bytes", "units", "cache_bytes", "driver", "torch", "cuda", "cudnn", STATE, "date"]
ABOUT = {
    "source": "own measurement: measure_gpu.py beside this file, on one GPU of a machine with several",
    "licence": "own",
    "meaning": "medians. product: C[batch,m,n] = A[batch,m,k] B, layout nt: B is stored [n,k]; tf32: f32 operands, TF32 units; f32: without "
               "them. bytes: read plus written, every operand once. residence: cold = the operands of calls in turn are more than twice the L2 "
               "cache, hot = the same operands again, warm = in between. copy, product, operator, convolution: replayed CUDA graphs. attention: "
               "PyTorch's scaled_dot_product_attention. model: one forward pass, no gradients; attention eager = as exported to ONNX. training: "
               "one step; recompute: none, or every layer = a layer keeps its input and runs again in the backward pass; kept_bytes: what a forward "
               "pass leaves for the backward pass. peak_bytes: of PyTorch's allocator, weights included. transfer: pinned host memory. graph: "
               "kernels of 1,024 elements, one after the other. overlap: a kernel alone, and beside another that runs all the time.",
}


def collect(files, output):
    """One JSON document of several files of rows, a table for each kind; a machine's files may be of several runs."""
    machines = {}
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if '"metadist-data/gpu-torch/1"' in text[:100]:
            for machine in json.loads(text)["machines"]:
                for kind, columns in COLUMNS.items():  # rows of fewer columns were measured without the others
                    for row in machine["tables"].get(kind, []):
                        row += [None] * (len(columns) - len(row))
                machines[machine["device"]] = machine
            continue
        rows = [json.loads(line) for line in text.splitlines()]
        first = rows[0]
        machine = machines.setdefault(first["device"], {key: first[key] for key in MACHINE} | {"tables": {}, "failed": []})
        for row in rows[1:]:
            kind = row.pop("kind")
            if "failed" in row:
                machine["failed"].append({"kind": kind, **row})
            elif "kernels" in row:
                machine["tables"].setdefault("kernels of models", []).append(row)
            elif kind in COLUMNS:
                if row.pop("tf32", False):
                    row["dtype"] = "tf32"
                machine["tables"].setdefault(kind, []).append([row.get(key) for key in COLUMNS[kind]])
    with open(output, "w", encoding="utf-8") as file:
        file.write('{\n "schema": "metadist-data/gpu-torch/1",\n')
        for key, text in ABOUT.items():
            file.write(f' "{key}": {json.dumps(text)},\n')
        file.write(f' "columns": {json.dumps(COLUMNS)},\n "machines": [')
        for i, machine in enumerate(machines.values()):
            file.write((",\n" if i else "\n") + "  {")
            for key in MACHINE:
                file.write(f'"{key}": {json.dumps(machine[key])}, ')
            file.write('"tables": {')
            for t, (kind, rows) in enumerate(sorted(machine["tables"].items())):
                lines = ",\n".join("    " + json.dumps(row, separators=(",", ":")) for row in rows)
                file.write((",\n" if t else "\n") + f'   "{kind}": [\n{lines}\n   ]')
            failed = ",\n".join("    " + json.dumps(row, separators=(",", ":")) for row in machine["failed"])
            file.write(f'}},\n   "failed": [\n{failed}\n   ]}}')
        file.write("\n ]\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["measure", "collect"])
    parser.add_argument("what", nargs="+", metavar="PART|FILE")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--models", default=".", metavar="FOLDER")
    parser.add_argument("-o", "--output", required=True, metavar="FILE")
    parser.add_argument("--tiny", action="store_true", help="one small case of each kind, to try the script")
    arguments = parser.parse_args()
    if arguments.command == "collect":
        return collect(arguments.what, arguments.output)
    sys.path.insert(0, arguments.models)
    import torch
    from gpu_kernels import grid, operators
    from gpu_measuring import Clock, Out, machine
    from gpu_models import batches, compiled, models, recomputation, training
    from gpu_overlap import overlap

    parts = {f.__name__: f for f in (operators, grid, overlap, models, batches, training, recomputation, compiled)}
    if len(arguments.what) != 1 or arguments.what[0] not in parts:
        parser.error("measure takes one of " + ", ".join(parts))
    part = arguments.what[0]
    torch.manual_seed(20261126)
    begin = time.monotonic()
    out = Out(arguments.output, Clock(arguments.seconds))
    out.write(kind="machine", part=part, **machine())
    parts[part](out, arguments.tiny)
    out.write(kind="machine", part=part, at="end", **machine())
    print(f"{part}: {out.rows} rows, {out.failed} failed, {time.monotonic() - begin:.0f} s, {'cut by time' if out.clock.over() else 'whole'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
