# SPDX-License-Identifier: Apache-2.0
"""Of each built-in profile: where its rows are in the data, and what the data lack.

A sweep is (name in nccl_measurements.json, operation it stands for, the rows describe another machine, nodes or None for the sweep's own).
"beyond" names sweeps of one node that continue the rows of the system above their largest size. A node is what shares links: eight devices of a chassis, the 72 of an NVL72 rack.
"""

H100_ALL_REDUCE = ("h100_309_ar_16", "h100_309_ar_32", "h100_309b_ar_64_tuned", "h100_322_ar_1024")

PROFILES = {
    "a100": {
        "spec": "A100 SXM4 80GB", "system": "a100_sxm", "gemm": "a100_sxm_gemm_sglang_0.5.10.parquet",
        "sweeps": [("a100_oci_ar_16", "all_reduce", False, None), ("a100_roce_a2a_16", "all_to_all", False, None)],
        "network_Gbps": 200, "network_ceiling_GBps": 190, "ceiling_source": "NVIDIA/nccl#1576",
        "stream_efficiency": 0.79, "analytic_band": 0.35, "interconnect": "8x 200 Gb/s HDR",
    },
    "h100": {
        "spec": "H100 SXM5 80GB", "system": "h100_sxm", "gemm": "h100_sxm_gemm_trtllm_1.3.0rc20.parquet",
        "sweeps": [(sweep, "all_reduce", False, None) for sweep in H100_ALL_REDUCE]
                  + [("h200_gke_ag_16", "all_gather", True, None), ("h200_gke_ag_16", "reduce_scatter", True, None)],
        "network_Gbps": 400, "network_ceiling_GBps": 391, "ceiling_source": "NVIDIA/nccl-tests#309",
        "stream_efficiency": 0.8, "analytic_band": 0.15, "interconnect": "8x 400 Gb/s NDR",
    },
    "h200": {
        "spec": "H200 SXM 141GB", "system": "h200_sxm", "gemm": "h200_sxm_gemm_trtllm_1.3.0rc20.parquet",
        # The reduce-scatter is its own all-gather: both move the same bytes over the same wires.
        "sweeps": [(sweep, "all_reduce", True, None) for sweep in H100_ALL_REDUCE]
                  + [("h200_gke_ag_16", "all_gather", False, None), ("h200_gke_ag_16", "reduce_scatter", True, None)],
        "network_Gbps": 400, "network_ceiling_GBps": 391, "ceiling_source": "NVIDIA/nccl-tests#309",
        "stream_efficiency": 0.84, "analytic_band": 0.15, "interconnect": "8x 400 Gb/s",
    },
    "b200": {
        "spec": "B200 SXM 180GB", "system": "b200_sxm", "gemm": "b200_sxm_gemm_trtllm_1.3.0rc15.parquet",
        "sweeps": [("b200_ar_16", "all_reduce", False, None), ("b200_ag_16", "all_gather", False, None),
                   ("b200_rs_16", "reduce_scatter", False, None), ("b200_a2a_16", "all_to_all", False, None),
                   ("b200_sr_8", "send_recv", False, None), ("b200_sr_16", "send_recv", False, None)],
        "beyond": ["b200_ar_8", "b200_ag_8", "b200_rs_8", "b200_a2a_8"],
        "network_Gbps": 400, "stream_efficiency": 0.8, "analytic_band": 0.35, "interconnect": "8x 400 Gb/s NDR",
    },
    "gb200": {
        "spec": "GB200 (per GPU)", "system": "gb200", "gemm": "gb200_gemm_trtllm_1.3.0rc20.parquet",
        "sweeps": [("gb200_cw_ar_72", "all_reduce", False, 1), ("gb200_cw_ar_128", "all_reduce", False, 2),
                   ("gb200_cw_ar_1440", "all_reduce", False, 20), ("gb300_oci_ar_8", "all_reduce", True, 1),
                   ("gb300_oci_a2a_8", "all_to_all", True, 1), ("gb300_oci_a2a_64", "all_to_all", True, 1),
                   ("gb300_oci_a2a_128", "all_to_all", True, 2), ("b200_sr_8", "send_recv", True, None)],
        "devices_per_node": 72, "host_GBps": 450,
        "network_Gbps": 400, "network_ceiling_GBps": 406, "ceiling_source": "github:coreweave/nccl-tests@cb865533 README.md",
        "stream_efficiency": 0.8, "analytic_band": 0.35, "interconnect": "400 Gb/s a device between racks of 72",
    },
    "l40s": {
        "spec": "L40S", "system": "l40s", "gemm": "l40s_gemm_trtllm_1.3.0rc20.parquet", "sweeps": [],
        "remark": "4 and 8 devices look like a machine without peer-to-peer: pessimistic",
        "nics": 1, "network_Gbps": 25, "stream_efficiency": 0.8, "analytic_band": 0.35,
        "interconnect": "assumed: one 200 Gb/s card of eight devices",
    },
    "rtx4090": {
        "spec": "RTX 4090", "curve_of": "l40s_gemm_trtllm_1.3.0rc20.parquet",
        "sweeps": [("rtx4090_ar_8_stock", "all_reduce", False, None)],
        "nics": 1, "network_Gbps": 12.5, "stream_efficiency": 0.8, "analytic_band": 0.35,
        "interconnect": "assumed: one 100 Gb/s card of eight devices",
    },
    "v100": {
        "spec": "V100 SXM2 32GB", "curve_of": "a100_sxm_gemm_sglang_0.5.10.parquet", "sweeps": [],
        "no_bf16": True,
        "nics": 4, "network_Gbps": 50, "stream_efficiency": 0.8, "analytic_band": 0.35,
        "interconnect": "assumed: four 100 Gb/s cards of eight devices",
    },
}
