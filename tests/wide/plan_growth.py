#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How planning grows with the depth of a model and with the mesh.

    tests/wide/plan_growth.py [--binary FILE] [--layers 2,8,24,48,96] [--meshes 4,8,2x4,8x8,2x2x2] [--bind batch=16] [MODEL]

MODEL is a decoder whose parameters are named ...h.0..., ...h.1... (models/full/gpt-1.3b.onnx by default). Its second layer is repeated
until there are as many layers as wanted. One row a mesh and depth: sizes of the problem before and after exact reduction, CPU seconds of
the process, wall seconds of its phases, what was proven. Needs the Python packages onnx.
"""

import argparse
import json
import os
import re
import sys
import tempfile

import onnx

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import full_models  # noqa: E402
import models  # noqa: E402

LAYER = re.compile(r"\bh\.(\d+)\.")


def layer_of(node, parameters):
    """Number of the layer whose parameters the node reads; None of no layer."""
    found = [LAYER.search(name) for name in node.input if name in parameters]
    return max((int(one.group(1)) for one in found if one), default=None)


def with_layers(path, layers):
    """The model with that many layers: the first, copies of the second, the tail."""
    model = onnx.load(path, load_external_data=False)
    graph = model.graph
    parameters = {one.name: one for one in graph.initializer}
    nodes = list(graph.node)
    starts = {}
    for index, node in enumerate(nodes):
        layer = layer_of(node, parameters)
        if layer is not None:
            starts.setdefault(layer, index)
    first, second = starts[1], starts[2]
    last = len(starts) - 1
    body = nodes[first:second]
    # The tail begins behind the last layer, which is as long as the second.
    tail = nodes[starts[last] + len(body) :]
    made = {name for node in body for name in node.output}
    stream = next(name for name in nodes[first].input if name not in parameters)
    result = next(name for name in nodes[second].input if name in made)
    end = next(name for name in tail[0].input if name not in parameters)
    kept = nodes[:first]
    renamed = stream
    used = {name for node in kept + tail for name in node.input}
    for copy in range(1, layers):
        names = {name: f"{name}.{copy}" for name in made} | {stream: renamed}
        for node in body:
            twin = onnx.NodeProto()
            twin.CopyFrom(node)
            twin.name = f"{node.name}.{copy}"
            for i, name in enumerate(node.input):
                if name in parameters:
                    twin.input[i] = LAYER.sub(f"h.{copy}.", name)
                    if twin.input[i] not in parameters:
                        parameters[twin.input[i]] = onnx.TensorProto()
                        parameters[twin.input[i]].CopyFrom(parameters[name])
                        parameters[twin.input[i]].name = twin.input[i]
                    used.add(twin.input[i])
                else:
                    twin.input[i] = names.get(name, name)
            for i, name in enumerate(node.output):
                twin.output[i] = names[name]
            kept.append(twin)
        renamed = names[result]
    for node in tail:
        twin = onnx.NodeProto()
        twin.CopyFrom(node)
        for i, name in enumerate(node.input):
            if name == end:
                twin.input[i] = renamed
        kept.append(twin)
    del graph.node[:], graph.initializer[:], graph.value_info[:]
    graph.node.extend(kept)
    graph.initializer.extend(parameters[name] for name in sorted(used & parameters.keys()))
    return model


def cluster_of(mesh):
    ranks = models.ranks(mesh)
    return f"{ranks}xh100" if ranks <= 8 else f"{ranks // 8}x8xh100"


def row(options, file, layers, mesh):
    """(text, CPU seconds, good?)"""
    bind = ["--bind", options.bind] if options.bind else []
    plan = ["plan", file, *bind, "--cluster", cluster_of(mesh), "--mesh", mesh, "--no-alternatives", "--threads", "1", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        status, out, err, cpu, peak = full_models.run(options.binary, *plan, "-o", os.path.join(folder, "plan.json"))
    if status:
        return f"| {mesh} | {layers} | FAILED ({status}) {err.strip().splitlines()[0] if err.strip() else ''} |", cpu, False
    plan = json.loads(out)
    reduced, seconds = plan["reduced"], plan["seconds"]
    phases = " | ".join(f"{seconds[name]:.2f}" for name in ("import", "discover", "formulate", "solve", "lower", "total"))
    return (
        f"| {mesh} | {layers} | {plan['nodes']} | {plan['strategies']} | {reduced['nodes']} | {reduced['entries']} | {phases} | {cpu:.2f} | "
        f"{peak / 2**20:.0f} | {plan['status']} | {100 * plan['gap']:.3f} % | {plan['bound_of']} |",
        cpu,
        True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(models.ROOT, "build/release/bin/metadist"))
    parser.add_argument("--layers", default="2,8,24,48,96")
    parser.add_argument("--meshes", default="4,8,2x4,8x8,2x2x2")
    parser.add_argument("--bind", default="batch=16")
    parser.add_argument("model", nargs="?", default=os.path.join(models.ROOT, "models/full/gpt-1.3b.onnx"))
    options = parser.parse_args()
    print("| mesh | layers | nodes | strategies | reduced nodes | entries | import | discover | formulate | solve | lower | total | CPU s | MiB | status | gap | bound of |")
    print("|" + "-|" * 17)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for layers in (int(one) for one in options.layers.split(",")):
            files[layers] = os.path.join(folder, f"{layers}.onnx")
            onnx.save(with_layers(options.model, layers), files[layers])
        for mesh in options.meshes.split(","):
            for layers, file in files.items():
                text, _, good = row(options, file, layers, mesh)
                print(text, flush=True)
                failed += not good
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
