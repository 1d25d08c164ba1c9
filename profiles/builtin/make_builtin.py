#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the built-in profiles from the published figures in ../data, as clusters.py says (README.md beside this file).

usage: make_builtin.py [PROFILES_FOLDER [DOCS_FOLDER]]      (default: the folder of this file, docs)

Writes NAME.json for each profile and clusters.md, which says what each of them holds.

The result depends on nothing else: same data, same bytes.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from clusters import PROFILES  # noqa: E402

DATE = "2026-11-21"
SMALLEST_BYTES = 512  # the size grid of a profile starts here; smaller rows are launch noise
OPS = {"all_reduce": "all_reduce", "all_gather": "all_gather", "reduce_scatter": "reduce_scatter",
       "alltoall": "all_to_all", "sendrecv": "send_recv"}

DTYPES = {"float": "f32", "half": "f16", "uint8": "u8"}


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def check_row(op, ranks, size, time_us, busbw_gbps):
    """Every imported row must agree with its own bus bandwidth (nccl-tests: algbw x factor)."""
    factor = {"all_reduce": 2 * (ranks - 1) / ranks, "send_recv": 1}.get(op, (ranks - 1) / ranks)
    busbw = size / time_us / 1e3 * factor
    assert abs(busbw - busbw_gbps) <= 0.01 * busbw + 1e-3, (op, ranks, size, time_us, busbw_gbps)


class Origins:
    """Origin rows by id; the id is what rows refer to."""

    def __init__(self):
        self.rows = {}

    def add(self, name, kind, source, licence, transferred=False):
        row = {"id": name, "class": kind, "source": source, "licence": licence, "date": DATE}
        if transferred:
            row["transferred"] = True
        assert self.rows.setdefault(name, row) == row, name
        return name


def device(spec, profile, origins):
    flops = {"f32": spec["fp32_TFLOPS"], "tf32": spec["tf32_TFLOPS"], "f16": spec["bf16_fp16_TFLOPS"],
             "bf16": spec["bf16_fp16_TFLOPS"], "fp8": spec["fp8_TFLOPS"]}
    if profile.get("no_bf16"):
        flops["bf16"] = spec["fp32_TFLOPS"]  # no units for it: computed like f32
    origin = origins.add("data-sheet", "borrowed", spec["gpu"] + ": " + "; ".join(spec["sources"]),
                         "facts restated")
    return {
        "memory_bytes": spec["memory_GB"] * 10**9,
        "memory_bytes_per_second": spec["memory_GBps"] * 1e9,
        "link_bytes_per_second": (spec["nvlink_GBps_per_direction"] or 0) * 1e9,
        "network_bytes_per_second": profile["network_Gbps"] / 8 * 1e9,
        "host_bytes_per_second": (spec["pcie_GBps_per_direction"] or profile["host_GBps"]) * 1e9,
        "cache_bytes": (spec["L2_MB"] or 0) * 2**20,
        "units": spec.get("sms") or 0,
        "contraction_flops_per_second": {k: v * 1e12 for k, v in flops.items() if v},
        # Outside the matrix units every type is computed at the rate of f32.
        "vector_flops_per_second": {"f32": spec["fp32_TFLOPS"] * 1e12},
        "origin": origin,
    }


def bf16_entry(data, file):
    return next(e for e in data["entries"] if e["file"] == file and e["dtype"] == "bfloat16")


def gemm(data, profile, origins):
    """Rows of products and the curve of their share of the peak; without rows another device's curve, as a formula."""
    if "curve_of" in profile:
        entry = bf16_entry(data, profile["curve_of"])
        origin = origins.add("gemm", "analytic", "share of the peak of another device: " + entry["file"] + ", " + entry["backend"],
                             "Apache-2.0, Copyright (c) 2025-2026 NVIDIA", transferred=True)
        dtype, rows = "f16", []
    else:
        entry = bf16_entry(data, profile["gemm"])
        origin = origins.add("gemm", "borrowed", data["source"].split(" aic-core")[0] + " " + entry["file"]
                             + ", " + entry["backend"], "Apache-2.0, Copyright (c) 2025-2026 NVIDIA")
        dtype = "bf16"
        rows = [{"dtype": dtype, "m": m, "n": n, "k": k, "time_us": us, "origin": origin}
                for m, n, k, us in entry["grid"]]
    rows.sort(key=lambda r: (r["n"], r["k"], r["m"]))
    curve = [{"dtype": dtype, "log2_gflop": b["log2_GFLOP"], "fraction": b["median"],
              "origin": origin} for b in entry["eff_by_GFLOP"]]
    return rows, curve


def in_node(data, profile, origins):
    rows = []
    for sweep in data["systems"].get(profile.get("system"), []):
        if sweep["dtype"] != "half":
            continue
        origin = origins.add("nccl-" + profile["system"], "borrowed",
                             data["source"].split(" (")[0] + ", " + sweep["device"] + ", NCCL "
                             + sweep["nccl_version"] + ("; " + profile["remark"] if "remark" in profile else ""),
                             "Apache-2.0, Copyright (c) 2025-2026 NVIDIA")
        for size, time_us, busbw in sweep["rows"]:
            check_row(OPS[sweep["op"]], sweep["nranks"], size, time_us, busbw)
            rows.append({"op": OPS[sweep["op"]], "dtype": "f16", "ranks": sweep["nranks"], "nodes": 1,
                         "ranks_per_node": sweep["nranks"], "bytes": size, "time_us": time_us,
                         "origin": origin})
    return rows


def published(data, profile, origins, inside):
    """Rows of single sweeps. inside: the rows of one node, which those of "beyond" continue."""
    sweeps = {s["id"]: s for s in data["sweeps"]}
    largest = max((row["bytes"] for row in inside), default=0)
    wanted = [(*sweep, None, SMALLEST_BYTES) for sweep in profile["sweeps"]]
    wanted += [(name, OPS[sweeps[name]["op"]], False, None, "f16", largest + 1) for name in profile.get("beyond", [])]
    rows = []
    for name, op, transferred, nodes, dtype, least in wanted:
        sweep = sweeps[name]
        nodes = nodes or sweep["nnodes"]
        assert sweep.get("use") != "negative example" and "CC-BY" not in sweep["licence"], name
        origin = origins.add(name + ("-as-" + op if op != OPS[sweep["op"]] else ""), "borrowed",
                             sweep["source"] + ", " + sweep["cluster"], sweep["licence"], transferred)
        for row in sweep["rows"]:
            if row["bytes"] < least:
                continue
            check_row(OPS[sweep["op"]], sweep["nranks"], row["bytes"], row["time_us"], row["busbw_GBps"])
            out = {"op": op, "dtype": dtype or DTYPES[sweep["dtype"]], "ranks": sweep["nranks"], "nodes": nodes,
                   "ranks_per_node": sweep["nranks"] // nodes, "bytes": row["bytes"],
                   "time_us": row["time_us"], "origin": origin}
            if row.get("time_us_inplace"):
                out["time_inplace_us"] = row["time_us_inplace"]
            rows.append(out)
    return rows


def factors(profile, origins):
    model = origins.add("formula", "analytic", "metadist cost model, default scalars", "own")
    nccl = origins.add("nccl-tuner", "analytic", "github:NVIDIA/nccl@5067397c (v2.30.7) src/graph/tuning.cc",
                       "facts only; NCCL is Apache-2.0 with BSD parts")
    aic = origins.add("aiconfigurator-system", "borrowed", "github:ai-dynamo/aiconfigurator@095f58a5 "
                      "system files", "Apache-2.0, Copyright (c) 2025-2026 NVIDIA")
    rows = [
        ("all_to_all_efficiency", 0.65, model), ("analytic_band", profile["analytic_band"], model),
        ("kernel_floor_seconds", 2e-6, aic), ("launch_seconds", 0, model),
        ("network_latency_seconds", 14e-6, nccl), ("overlap_slowdown", 1.2, model),
        # Context and libraries, and the buffers of the collective library for 4 to 8 devices.
        ("reserve_bytes", 3.5e9 + 392e6, aic), ("reserve_share", 0.03, model),
        ("stream_efficiency", profile["stream_efficiency"], aic), ("stream_latency_seconds", 3e-6, aic),
    ]
    if "network_ceiling_GBps" in profile:
        ceiling = origins.add("network-ceiling", "borrowed", profile["ceiling_source"], "figures only")
        rows.append(("network_ceiling_bytes_per_second", profile["network_ceiling_GBps"] * 1e9, ceiling))
    return [{"name": n, "value": v, "origin": o} for n, v, o in sorted(rows)]


def table(name, rows):
    lines = ",\n".join(json.dumps(row, sort_keys=True, separators=(",", ":")) for row in rows)
    return f',\n"{name}": [' + (f"\n{lines}\n]" if rows else "]")


def make(name, profile, folder):
    origins = Origins()
    spec = next(g for g in read(folder, "gpu_specs.json")["gpus"] if g["gpu"] == profile["spec"])
    sheet = device(spec, profile, origins)
    grid, curve = gemm(read(folder, "gemm_efficiency.json"), profile, origins)
    collectives = in_node(read(folder, "nccl_aiconfigurator.json"), profile, origins)
    collectives += published(read(folder, "nccl_measurements.json"), profile, origins, collectives)
    order = list(OPS.values())
    devices = profile.get("devices_per_node", 8)
    collectives.sort(key=lambda r: (order.index(r["op"]), r["dtype"], r["ranks"], r["nodes"], r["bytes"]))
    scalars = factors(profile, origins)
    header = {"name": name, "kind": "gpu", "device_model": profile["spec"], "devices_per_node": devices,
              "nodes": 1, "link_domain": devices, "nics_per_node": profile.get("nics", devices), "cores": 0,
              "launch_mode": "threads of one process", "date": DATE, "tool_version": "make_builtin.py",
              "software": {}, "settings": {"network": profile["interconnect"]}}
    text = '{"schema": "metadist.profile",\n"schema_version": 1'
    for key, value in (("header", header), ("device", sheet)):
        text += f',\n"{key}": ' + json.dumps(value, sort_keys=True, separators=(",", ":"))
    text += table("origins", [origins.rows[k] for k in sorted(origins.rows)])
    text += table("factors", scalars) + table("efficiency", curve) + table("contractions", grid)
    text += table("kernels", []) + table("stream", []) + table("collectives", collectives)
    return text + table("p2p", []) + "\n}\n"


def groups(rows):
    """Which groups have rows: "2, 4, 8" devices of one node; "2x8" nodes x devices; a star marks rows of another machine."""
    shapes = {}
    for row in rows:
        shape = (row["nodes"], row["ranks_per_node"])
        shapes[shape] = shapes.get(shape, False) or row["transferred"]
    names = [(f"{nodes}x{devices}" if nodes > 1 else str(devices)) + ("\\*" if other else "")
             for (nodes, devices), other in sorted(shapes.items())]
    return ", ".join(names)


def describe(profiles):
    lines = ["# Built-in clusters", "",
             "Made by `profiles/builtin/make_builtin.py`; `metadist plan --cluster 2x8xh200` takes nodes x devices x name, or the machine's name for one full",
             "node. A node is what shares links: eight devices, and for `gb200` the 72 of a rack. No figure is measured by metadist: rows are *borrowed* from",
             "what others published (source and licence stand in the profile), everything else is *analytic*, NCCL's own model with two scalars",
             "(latency, bandwidth) fitted to the nearest rows of the operation or, where it has none, of the all-reduce ([cost-model.md](cost-model.md)).",
             "`metadist plan` shows the share of each class.", "",
             "| cluster | device | memory | products | between nodes |", "|---|---|---|---|---|"]
    for name, text in profiles.items():
        profile = json.loads(text)
        products = f'{len(profile["contractions"])} rows, borrowed' if profile["contractions"] else "curve of a relative, analytic"
        lines.append(f'| `{name}` | {profile["header"]["device_model"]} | {profile["device"]["memory_bytes"] // 10**9} GB | {products} '
                     f'| {profile["header"]["settings"]["network"]} |')
    lines += ["", "Groups with borrowed rows, as devices of one node or nodes x devices of each; all other groups are analytic or lie between two of these.",
              "A star marks rows of another machine (*transferred*).", "",
              "| cluster | " + " | ".join(op.replace("_", "-") for op in OPS.values()) + " |", "|---" * (len(OPS) + 1) + "|"]
    for name, text in profiles.items():
        profile = json.loads(text)
        other = {o["id"] for o in profile["origins"] if o.get("transferred")}
        rows = [{**row, "transferred": row["origin"] in other} for row in profile["collectives"]]
        cells = [groups([r for r in rows if r["op"] == op]) or "analytic" for op in OPS.values()]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    lines += ["", "* `l40s` with 4 and 8 devices was measured on what looks like a machine without peer-to-peer: pessimistic."]
    lines += [f"* `{name}`: the network is {p['interconnect']}." for name, p in PROFILES.items() if "assumed" in p["interconnect"]]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) > 3:
        sys.exit(__doc__)
    here = os.path.dirname(os.path.abspath(__file__))
    top = os.path.dirname(os.path.dirname(here))
    output = sys.argv[1] if len(sys.argv) > 1 else here
    docs = sys.argv[2] if len(sys.argv) > 2 else os.path.join(top, "docs")
    texts = {name: make(name, profile, os.path.join(top, "profiles", "data")) for name, profile in PROFILES.items()}
    for name, text in texts.items():
        with open(os.path.join(output, name + ".json"), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(docs, "clusters.md"), "w", encoding="utf-8") as file:
        file.write(describe(texts))


if __name__ == "__main__":
    main()
