#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the built-in profiles from the published figures (README.md beside this file).

usage: make_builtin.py DATA_FOLDER OUTPUT_FOLDER

DATA_FOLDER holds gpu_specs.json, gemm_efficiency.json, nccl_aiconfigurator.json and
nccl_measurements.json. The result depends on nothing else: same data, same bytes.
"""

import json
import os
import sys

DATE = "2026-11-21"
SMALLEST_BYTES = 512  # the size grid of a profile starts here; smaller rows are launch noise
OPS = {"all_reduce": "all_reduce", "all_gather": "all_gather", "reduce_scatter": "reduce_scatter",
       "alltoall": "all_to_all", "sendrecv": "send_recv"}

# Of each profile: where its rows are in the data, and what the data lack.
PROFILES = {
    "a100": {
        "spec": "A100 SXM4 80GB", "system": "a100_sxm", "gemm": "a100_sxm_gemm_sglang_0.5.10.parquet",
        # (sweep, operation it stands for, the rows are another machine's)
        "sweeps": [("a100_oci_ar_16", "all_reduce", False), ("a100_roce_a2a_16", "all_to_all", False)],
        "network_Gbps": 200, "network_ceiling_GBps": 190, "ceiling_source": "NVIDIA/nccl#1576",
        "stream_efficiency": 0.79, "analytic_band": 0.35, "interconnect": "8x 200 Gb/s HDR",
    },
    "h100": {
        "spec": "H100 SXM5 80GB", "system": "h100_sxm", "gemm": "h100_sxm_gemm_trtllm_1.3.0rc20.parquet",
        "sweeps": [("h100_309_ar_16", "all_reduce", False), ("h100_309_ar_32", "all_reduce", False),
                   ("h100_309b_ar_64_tuned", "all_reduce", False),
                   ("h100_322_ar_1024", "all_reduce", False),
                   ("h200_gke_ag_16", "all_gather", True), ("h200_gke_ag_16", "reduce_scatter", True)],
        "network_Gbps": 400, "network_ceiling_GBps": 391, "ceiling_source": "NVIDIA/nccl-tests#309",
        "stream_efficiency": 0.8, "analytic_band": 0.15, "interconnect": "8x 400 Gb/s NDR",
    },
}


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
    origin = origins.add("data-sheet", "borrowed", spec["gpu"] + ": " + "; ".join(spec["sources"]),
                         "facts restated")
    return {
        "memory_bytes": spec["memory_GB"] * 10**9,
        "memory_bytes_per_second": spec["memory_GBps"] * 1e9,
        "link_bytes_per_second": spec["nvlink_GBps_per_direction"] * 1e9,
        "network_bytes_per_second": profile["network_Gbps"] / 8 * 1e9,
        "host_bytes_per_second": spec["pcie_GBps_per_direction"] * 1e9,
        "cache_bytes": spec["L2_MB"] * 2**20,
        "units": spec["sms"],
        "contraction_flops_per_second": {k: v * 1e12 for k, v in flops.items() if v},
        # Outside the matrix units every type is computed at the rate of f32.
        "vector_flops_per_second": {"f32": spec["fp32_TFLOPS"] * 1e12},
        "origin": origin,
    }


def gemm(data, profile, origins):
    entry = next(e for e in data["entries"]
                 if e["file"] == profile["gemm"] and e["dtype"] == "bfloat16")
    origin = origins.add("gemm", "borrowed", data["source"].split(" aic-core")[0] + " " + entry["file"]
                         + ", " + entry["backend"], "Apache-2.0, Copyright (c) 2025-2026 NVIDIA")
    rows = [{"dtype": "bf16", "m": m, "n": n, "k": k, "time_us": us, "origin": origin}
            for m, n, k, us in entry["grid"]]
    rows.sort(key=lambda r: (r["n"], r["k"], r["m"]))
    curve = [{"dtype": "bf16", "log2_gflop": b["log2_GFLOP"], "fraction": b["median"],
              "origin": origin} for b in entry["eff_by_GFLOP"]]
    return rows, curve


def in_node(data, profile, origins):
    rows = []
    for sweep in data["systems"][profile["system"]]:
        if sweep["dtype"] != "half":
            continue
        origin = origins.add("nccl-" + profile["system"], "borrowed",
                             data["source"].split(" (")[0] + ", " + sweep["device"] + ", NCCL "
                             + sweep["nccl_version"], "Apache-2.0, Copyright (c) 2025-2026 NVIDIA")
        for size, time_us, busbw in sweep["rows"]:
            check_row(OPS[sweep["op"]], sweep["nranks"], size, time_us, busbw)
            rows.append({"op": OPS[sweep["op"]], "dtype": "f16", "ranks": sweep["nranks"], "nodes": 1,
                         "ranks_per_node": sweep["nranks"], "bytes": size, "time_us": time_us,
                         "origin": origin})
    return rows


def between_nodes(data, profile, origins):
    sweeps = {s["id"]: s for s in data["sweeps"]}
    rows = []
    for name, op, transferred in profile["sweeps"]:
        sweep = sweeps[name]
        assert sweep.get("use") != "negative example" and "CC-BY" not in sweep["licence"], name
        origin = origins.add(name + ("-as-" + op if op != OPS[sweep["op"]] else ""), "borrowed",
                             sweep["source"] + ", " + sweep["cluster"], sweep["licence"], transferred)
        for row in sweep["rows"]:
            if row["bytes"] < SMALLEST_BYTES:
                continue
            check_row(OPS[sweep["op"]], sweep["nranks"], row["bytes"], row["time_us"], row["busbw_GBps"])
            out = {"op": op, "dtype": "f32", "ranks": sweep["nranks"], "nodes": sweep["nnodes"],
                   "ranks_per_node": sweep["nranks"] // sweep["nnodes"], "bytes": row["bytes"],
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
    ceiling = origins.add("network-ceiling", "borrowed", profile["ceiling_source"], "figures only")
    rows = [
        ("all_to_all_efficiency", 0.65, model), ("analytic_band", profile["analytic_band"], model),
        ("kernel_floor_seconds", 2e-6, aic), ("launch_seconds", 0, model),
        ("network_ceiling_bytes_per_second", profile["network_ceiling_GBps"] * 1e9, ceiling),
        ("network_latency_seconds", 14e-6, nccl), ("overlap_slowdown", 1.2, model),
        # Context and libraries, and the buffers of the collective library for 4 to 8 devices.
        ("reserve_bytes", 3.5e9 + 392e6, aic), ("reserve_share", 0.03, model),
        ("stream_efficiency", profile["stream_efficiency"], aic), ("stream_latency_seconds", 3e-6, aic),
    ]
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
    collectives += between_nodes(read(folder, "nccl_measurements.json"), profile, origins)
    order = list(OPS.values())
    collectives.sort(key=lambda r: (order.index(r["op"]), r["dtype"], r["ranks"], r["nodes"], r["bytes"]))
    scalars = factors(profile, origins)
    header = {"name": name, "kind": "gpu", "device_model": profile["spec"], "devices_per_node": 8,
              "nodes": 1, "link_domain": 8, "nics_per_node": 8, "cores": 0,
              "launch_mode": "threads of one process", "date": DATE, "tool_version": "make_builtin.py",
              "software": {}, "settings": {"network": profile["interconnect"]}}
    text = '{"schema": "metadist.profile",\n"schema_version": 1'
    for key, value in (("header", header), ("device", sheet)):
        text += f',\n"{key}": ' + json.dumps(value, sort_keys=True, separators=(",", ":"))
    text += table("origins", [origins.rows[k] for k in sorted(origins.rows)])
    text += table("factors", scalars) + table("efficiency", curve) + table("contractions", grid)
    text += table("kernels", []) + table("stream", []) + table("collectives", collectives)
    return text + table("p2p", []) + "\n}\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for name, profile in PROFILES.items():
        path = os.path.join(sys.argv[2], name + ".json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(make(name, profile, sys.argv[1]))


if __name__ == "__main__":
    main()
