#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The systems that our baselines model, asked themselves.

    ninja -C build/release route_cases
    python3 -m venv DIR && DIR/bin/pip install torch jax==0.10.2
    DIR/bin/python tests/wide/peers.py [torch] [graph] [shardy] [xla] [case-a]      (all by default; about two minutes)

All pairs of shardings of a 16x16 array on a 2x2x2 mesh with axes in mesh order (702), no devices needed:
  torch   DTensor on a fake process group in communication debug mode: the collectives with their mesh dims and sizes must be those
          of dtensor-greedy (on a CPU a shard-to-shard step runs as a gather and a chunk). Needs torch only.
  graph   DTensor's shortest path with elements received for its cost, also for 300 pairs in other orders: as many elements and
          steps as dtensor-graph. How many pairs agree by its own prices is printed only. Needs torch only.
  shardy  the pass sdy-reshard-to-collectives inside jaxlib: the steps must be those of our shardy; so too for 2,000 random pairs on
          meshes of axes of 2 and 4, with sub-axes.
  xla     what XLA compiles with JAX_USE_SHARDY_PARTITIONER=0: a device must receive as much as by xla-later, and XLA must warn of
          full rematerialization as often as that copies the whole array. How xla (older patterns) compares is printed only.
  case-a  jax-ml/jax#21562: XLA's partitioner copies the whole array to every device, Shardy's pass takes two all-to-alls.
Exit 1 if anything differs. The JAX version is the newest that still has both partitioners.
"""

import collections
import itertools
import math
import os
import random
import re
import subprocess
import sys
import tempfile

from routes import Routes, dims_of, elements, merged, received, shardy_steps, text_of, to_shardy

MESH = {"x": 2, "y": 2, "z": 2}
SHAPE = (16, 16)


def ordered_shardings(mesh, rank):
    """Every axis in mesh order on one of the dims or on none."""
    for places in itertools.product(range(rank + 1), repeat=len(mesh)):
        yield text_of([[axis for axis, place in zip(mesh, places) if place == dim] for dim in range(rank)])


def all_pairs():
    return list(itertools.permutations(ordered_shardings(MESH, len(SHAPE)), 2))


def steps_of(route):
    return [(step["kind"], step["to"]) for step in route["steps"]]


# --- torch


def fake_mesh():
    """The mesh on a fake process group of this process's own."""
    import torch.distributed
    from torch.distributed.device_mesh import init_device_mesh
    from torch.testing._internal.distributed.fake_pg import FakeStore

    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=math.prod(MESH.values()))
    return init_device_mesh("cpu", tuple(MESH.values()), mesh_dim_names=tuple(MESH))


def placements_of(text):
    from torch.distributed.tensor import Replicate, Shard

    dims = dims_of(text)
    return tuple(next((Shard(d) for d, dim in enumerate(dims) if axis in dim), Replicate()) for axis in MESH)


def check_torch(routes):
    import torch
    from torch.distributed.tensor import DTensor, _redistribute
    from torch.distributed.tensor.debug import CommDebugMode

    # Later versions join neighbouring collectives where a flattened mesh exists; there is none here.
    _redistribute._DISABLE_REDISTRIBUTE_TRANSFORM_OPTIMIZATION = True
    mesh = fake_mesh()
    groups = {mesh.get_group(dim).group_name: axis for dim, axis in enumerate(MESH)}

    class Ordered(CommDebugMode):
        """Also keeps the collectives in order: (operator, mesh dim, elements before)."""

        def __enter__(self):
            self.calls = []
            return super().__enter__()

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            group = next((value for value in args if isinstance(value, str) and value in groups), None)
            if func.namespace == "_c10d_functional" and group:
                self.calls.append((str(func).split(".")[1], groups[group], args[0].numel()))
            return super().__torch_dispatch__(func, types, args, kwargs)

    def run(start, end):
        local = torch.zeros([size // 2 ** len(dim) for size, dim in zip(SHAPE, dims_of(start))])
        array = DTensor.from_local(local, mesh, placements_of(start), run_check=False)
        with Ordered() as mode:
            result = array.redistribute(mesh, placements_of(end))
        assert sum(mode.get_comm_counts().values()) == len(mode.calls), (mode.get_comm_counts(), mode.calls)
        assert result.to_local().numel() == elements(SHAPE, end, MESH)
        return mode.calls

    different = 0
    for start, end in all_pairs():
        wanted = []
        before = start
        for step in routes.ask(MESH, SHAPE, start, end, "dtensor-greedy")["steps"]:
            if step["kind"] != "Slice":
                wanted.append(("all_gather_into_tensor", step["axes"], elements(SHAPE, before, MESH)))
            before = step["to"]
        got = run(start, end)
        if got != wanted:
            different += 1
            print(f"torch: {start} -> {end}: {got}, dtensor-greedy {wanted}")
    print(f"torch {torch.__version__}: collectives of {len(all_pairs()) - different} of {len(all_pairs())} pairs are dtensor-greedy's")
    return different == 0


def check_graph(routes):
    import torch
    from torch.distributed.tensor import _redistribute
    from torch.distributed.tensor._dtensor_spec import ShardOrderEntry, TensorMeta

    def planner():
        _redistribute.clear_redistribute_planner_cache()
        meta = TensorMeta(torch.Size(SHAPE), (SHAPE[1], 1), torch.float32)
        return _redistribute.get_redistribute_planner(fake_mesh(), meta)

    def state_of(text):
        axes = list(MESH)
        order = tuple(ShardOrderEntry(d, tuple(axes.index(axis) for axis in dim)) for d, dim in enumerate(dims_of(text)) if dim)
        return _redistribute.DTensorRedistributePlanner.DistState(placements_of(text), order)

    def text(state):
        axes = list(MESH)
        dims = [[] for _ in SHAPE]
        for entry in state.tensor_dim_to_mesh_dim:
            dims[entry.tensor_dim] = [axes[axis] for axis in entry.mesh_dims]
        return text_of(dims)

    def step_of(before, after):
        """(kind, sharding after) between two states."""
        here, there = elements(SHAPE, text(before), MESH), elements(SHAPE, text(after), MESH)
        return "Slice" if there < here else "AllGather" if there > here else "AllToAll", text(after)

    def cost(before, after):
        return received(SHAPE, text(before), [step_of(before, after)], MESH) + 1e-3

    def totals(planner, start, end):
        path = planner.find_min_cost_path(state_of(start), state_of(end))
        steps = [step_of(before, after) for before, after in itertools.pairwise(path)]
        return received(SHAPE, start, steps, MESH), len(steps)

    own, by_elements = planner(), planner()
    by_elements.cost_function = cost
    draw = random.Random(2)
    pairs = all_pairs()
    for start, end in draw.sample(pairs, 300):
        pairs.append(tuple(text_of([draw.sample(dim, len(dim)) for dim in dims_of(side)]) for side in (start, end)))
    same = same_by_own = 0
    for start, end in pairs:
        route = routes.ask(MESH, SHAPE, start, end, "dtensor-graph")
        ours = (route["received"], len(route["steps"]))
        theirs = totals(by_elements, start, end)
        same += ours == theirs
        same_by_own += ours[0] == totals(own, start, end)[0]
        if ours != theirs:
            print(f"graph: {start} -> {end}: elements and steps {theirs}, dtensor-graph {ours}")
    print(f"graph: elements and steps of {same} of {len(pairs)} pairs are dtensor-graph's; "
          f"by PyTorch's own prices, elements of {same_by_own}")
    return same == len(pairs)


# --- shardy


class ShardyPass:
    """sdy-reshard-to-collectives as jaxlib holds it."""

    def __init__(self):
        from jax._src.interpreters import mlir

        self.context = mlir.make_ir_context()

    def __call__(self, mesh, shape, start, end):
        """[(kind, sharding after)]."""
        from jaxlib.mlir import ir, passmanager

        axes = ", ".join(f'"{axis}"={size}' for axis, size in mesh.items())
        array = f"tensor<{'x'.join(map(str, shape))}xf32>"
        sharding = f"{{sdy.sharding = #sdy.sharding<@mesh, {to_shardy(start)}>}}"
        text = f"""
            sdy.mesh @mesh = <[{axes}]>
            func.func @main(%arg0: {array} {sharding}) -> {array} {{
              %0 = sdy.reshard %arg0 <@mesh, {to_shardy(end)}> : {array}
              return %0 : {array}
            }}"""
        with self.context, ir.Location.unknown():
            module = ir.Module.parse(text)
            passes = passmanager.PassManager.parse("builtin.module(func.func(sdy-reshard-to-collectives))")
            passes.run(module.operation)
            return shardy_steps(str(module))


def random_sharding(draw, mesh, rank):
    """Some axes, in any order, on some dims; axes of 4 now and then as halves."""
    dims = [[] for _ in range(rank)]
    for axis in draw.sample(list(mesh), len(mesh)):
        if mesh[axis] == 4 and draw.random() < 0.4:
            for half in draw.sample([f"{axis}@1.2", f"{axis}@2.2"], draw.randint(0, 2)):
                draw.choice(dims).append(half)
        elif draw.random() < 0.75:
            draw.choice(dims).append(axis)
    return re.sub(r"(\w)@1\.2,\1@2\.2", r"\1", text_of(dims))


def random_problems(seed, count):
    draw = random.Random(seed)
    for _ in range(count):
        mesh = {axis: draw.choice([2, 4]) for axis in "xyzw"[: draw.randint(2, 4)]}
        rank = draw.randint(1, 4)
        start, end = (random_sharding(draw, mesh, rank) for _ in range(2))
        if start != end:
            yield mesh, (256,) * rank, start, end


def check_shardy(routes):
    shardy = ShardyPass()
    same = different = 0
    for problem in [(MESH, SHAPE, *pair) for pair in all_pairs()] + list(random_problems(1, 2000)):
        theirs = merged(shardy(*problem))
        route = routes.ask(*problem, "shardy")
        ours = merged(steps_of(route)) if route else None
        if ours == theirs:
            same += 1
            continue
        different += 1
        print(f"shardy: {problem}: {theirs}, ours {ours}")
    print(f"shardy: the same steps in {same} of {same + different} pairs")
    return different == 0


# --- XLA


XLA_PROGRAM = """
import sys, jax, numpy
from jax.sharding import Mesh, NamedSharding, PartitionSpec
axes, shape, cases = eval(sys.stdin.read())
mesh = Mesh(numpy.array(jax.devices()).reshape(tuple(axes.values())), tuple(axes))
def spec(dims):
    return NamedSharding(mesh, PartitionSpec(*(tuple(dim) if dim else None for dim in dims)))
for start, end in cases:
    identity = jax.jit(lambda value: value, in_shardings=spec(start), out_shardings=spec(end))
    print(identity.lower(jax.ShapeDtypeStruct(shape, numpy.float32)).compile().as_text())
    print("=====", flush=True)
"""


def compiled(mesh, shape, pairs):
    """[text] of XLA's programs for pairs of shardings, and what it warned of; GSPMD's partitioner."""
    environment = dict(os.environ, JAX_USE_SHARDY_PARTITIONER="0", JAX_PLATFORMS="cpu",
                       XLA_FLAGS=f"--xla_force_host_platform_device_count={math.prod(mesh.values())}")
    cases = [tuple(dims_of(text) for text in pair) for pair in pairs]
    with tempfile.TemporaryFile("w+") as errors:
        done = subprocess.run([sys.executable, "-c", XLA_PROGRAM], input=repr((mesh, shape, cases)), stdout=subprocess.PIPE,
                              stderr=errors, text=True, env=environment, check=True)
        errors.seek(0)
        return done.stdout.split("=====\n")[:-1], errors.read()


def group_of(line):
    """Devices in a group of a collective of an HLO text."""
    if named := re.search(r"replica_groups=mesh\[(.*?)\].*?\{([^}]*)\}", line):
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", named[1]))
        return math.prod(int(part or sizes[axis]) for axis, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", named[2]))
    if counted := re.search(r"replica_groups=\[\d+,(\d+)\]", line):
        return int(counted[1])
    return len(re.search(r"replica_groups=\{\{([\d,]*)\}", line)[1].split(","))


def received_by_xla(text):
    """Elements a device receives, and the kinds of collectives."""
    total = 0
    kinds = []
    for line in text.splitlines():
        found = re.search(r"= (.*?) (all-gather|all-to-all|collective-permute|all-reduce)(?:-start)?\(", line)
        if not found:
            continue
        kinds.append(found[2])
        held = sum(math.prod(map(int, dims.split(","))) for dims in re.findall(r"f32\[([\d,]+)\]", found[1]))
        share = 1 if found[2] == "collective-permute" else 1 - 1 / group_of(line)
        total += held * share * (2 if found[2] == "all-reduce" else 1)
    return total, kinds


def check_xla(routes):
    pairs = all_pairs()
    texts, warnings = compiled(MESH, SHAPE, pairs)
    tally = {"xla": collections.Counter(), "xla-later": collections.Counter()}
    copies = 0
    for (start, end), text in zip(pairs, texts):
        real, kinds = received_by_xla(text)
        for algorithm, counts in tally.items():
            ours = routes.ask(MESH, SHAPE, start, end, algorithm)
            order = "same" if math.isclose(real, ours["received"]) else "less" if real < ours["received"] else "more"
            counts[order] += 1
            if algorithm == "xla-later":
                ends = (elements(SHAPE, text, MESH) for text in (start, end))
                copies += ours["peak"] == math.prod(SHAPE) and max(ends) < math.prod(SHAPE)
                if order != "same":
                    print(f"xla: {start} -> {end}: {real:g} by {kinds}, xla-later {ours['received']:g} by {steps_of(ours)}")
    for algorithm, counts in tally.items():
        print(f"xla: of {len(pairs)} pairs XLA receives as much as {algorithm} in {counts['same']}, "
              f"less in {counts['less']}, more in {counts['more']}")
    warned = warnings.count("Involuntary full rematerialization")
    print(f"xla: {warned} warnings of full rematerialization, {copies} routes of xla-later that copy the whole array")
    return tally["xla-later"]["same"] == len(pairs) and warned == copies


def check_case_a(routes):
    mesh, shape, start, end = {"x": 4, "y": 2}, (16, 16, 16), "[y][][x]", "[][x,y][]"
    texts, warnings = compiled(mesh, shape, [(start, end)])
    copies = "Involuntary full rematerialization" in warnings
    real, kinds = received_by_xla(texts[0])
    steps = ShardyPass()(mesh, shape, start, end)
    ours = routes.ask(mesh, shape, start, end, "nf")
    print(f"case A: XLA {'copies the whole array' if copies else 'finds a way'}, {real:g} elements by {kinds}; "
          f"Shardy {steps}; nf {ours['received']:g} elements by {steps_of(ours)}")
    model = routes.ask(mesh, shape, start, end, "xla")["received"]
    return copies and real == model and [kind for kind, _ in steps] == ["AllToAll", "AllToAll"]


def main():
    parts = {"torch": check_torch, "graph": check_graph, "shardy": check_shardy, "xla": check_xla, "case-a": check_case_a}
    chosen = sys.argv[1:] or list(parts)
    if unknown := [name for name in chosen if name not in parts]:
        print(f"no part {unknown[0]!r}; {__doc__}", file=sys.stderr)
        return 2
    routes = Routes()
    return 0 if all([parts[name](routes) for name in chosen]) else 1


if __name__ == "__main__":
    sys.exit(main())
