# SPDX-License-Identifier: Apache-2.0
"""The shardings that forced.py forces."""

from dataclasses import dataclass, field


@dataclass
class Case:
    """{x} stands for the axes that must work on the kind, {y} for the mesh's other axis or nothing."""

    kind: str
    model: str
    pins: dict  # value -> sharding
    divided: list  # patterns of nodes that must work on a factor on every axis of x, with pinned values as they are
    # Node that runs as its decomposition -> f32 elements that its exchanges reduce, in all (with y: of all its pieces).
    exchanged: dict = field(default_factory=dict)


TOKENS = 8 * 17  # of vit
ROWS = 8 * 8 * 17  # of its attention: batch, heads, queries
CASES = [
    Case("vocabulary, cross entropy", "loss", {"linear": "[][][{x}]", "view": "[][{x}]"},
         ["node_linear", "node_view", "node_cross_entropy_loss"], {"node_cross_entropy_loss": 2 * 40}),
    Case("vocabulary, embedding", "gpt2", {"model.lm_head.weight": "[{x}][]", "embedding": "[{y}][][] partial{sum: {x}}"}, ["node_embedding"]),
    Case("vocabulary, logits", "gpt2", {"logits": "[{y}][][{x}]"}, ["node_linear"]),
    Case("sequence, norms", "vit",
         {"add": "[{y}][{x}][]", "layer_norm": "[{y}][{x}][]", "add_4": "[{y}][{x}][]", "layer_norm_1": "[{y}][{x}][]", "gelu": "[{y}][{x}][]",
          "add_5": "[{y}][{x}][]"},
         ["node_layer_norm", "node_layer_norm_1", "node_MatMul_62", "node_gelu", "node_MatMul_64"]),
    Case("width, norm", "vit", {"add": "[{y}][][{x}]", "layer_norm": "[{y}][][{x}]"}, ["node_layer_norm"], {"node_layer_norm": 2 * TOKENS}),
    Case("sequence, attention's queries", "vit",
         {"transpose_1": "[{y}][][{x}][]", "add_3": "[{y}][][{x}][]", "val_55": "[{y}][][{x}][]", "transpose_5": "[{y}][{x}][][]"},
         ["node_matmul", "node_Softmax_53", "node_matmul_1"]),
    Case("sequence, attention's keys", "vit",
         {"transpose_4": "[{y}][][][{x}]", "transpose_3": "[{y}][][{x}][]", "add_3": "[{y}][][][{x}]", "val_55": "[{y}][][][{x}]",
          "matmul_1": "[{y}][][][] partial{sum: {x}}"},
         ["node_matmul", "node_Softmax_53", "node_matmul_1"], {"node_Softmax_53": 2 * ROWS}),
    Case("heads", "vit", {"transpose_1": "[{y}][{x}][][]", "transpose_3": "[{y}][{x}][][]", "transpose_4": "[{y}][{x}][][]", "transpose_5": "[{y}][][{x}][]"},
         ["node_matmul", "node_Softmax_53", "node_matmul_1", "node_transpose_5"]),
    Case("experts", "moe", {"einsum_1": "[{x}][{y}][][]", "einsum_2": "[{x}][{y}][][]", "gelu": "[{x}][{y}][][]", "einsum_3": "[{x}][{y}][][]"},
         ["node_einsum_1", "node_einsum_2", "node_gelu", "node_einsum_3", "node_einsum_4"]),
    Case("experts, dispatch too", "moe",
         {"eq": "[{y}][][][{x}]", "cumsum": "[{y}][][{x}]", "einsum": "[{y}][][{x}][]", "_to_copy_2": "[{y}][][{x}][]", "einsum_1": "[{x}][{y}][][]",
          "einsum_3": "[{x}][{y}][][]"},
         ["node_eq", "node_cumsum", "node_einsum", "node_einsum_1", "node_einsum_2", "node_einsum_3", "node_einsum_4"]),
    Case("spatial", "unet",
         {name: "[][][{x}][{y}]" for name in ("sample", "conv2d", "silu_1", "conv2d_1", "silu_3", "conv2d_2", "add_1", "conv2d_3", "upsample_nearest2d",
                                              "conv2d_17", "silu_25", "noise")},
         ["node_conv2d", "node_conv2d_1", "node_conv2d_2", "node_conv2d_3", "node_conv2d_17", "node_conv2d_24"]),
    Case("group norm over divided groups", "unet", {"val_13": "[][][{x}]", "val_20": "[][][{x}]"},
         ["node_InstanceNormalization_20"], {"node_InstanceNormalization_20": 2 * 4}),
    Case("spatial", "resnet", {"image": "[{y}][][{x}][]", "getitem*": "[{y}][][{x}][]"}, ["node_Conv*"]),
    Case("nodes of a graph", "gat", {"x": "[{x}][]", "view": "[{x}][{y}][]", "val_70": "[{x}][{y}][]", "val_79": "[{x}][]", "logits": "[{x}][]"},
         ["node_linear", "node_mul", "node_linear_1", "node_linear_2"]),
    Case("edges of a graph", "gat", {"edges": "[][{x}]", "add": "[{x}][{y}]", "exp": "[{x}][{y}]", "mul_2": "[{x}][{y}][]"},
         ["node_select", "node_GatherND_15", "node_scatter_reduce", "node_exp", "node_scatter_add", "node_GatherND_56", "node_ScatterND_70"]),
    Case("heads of a graph", "gat", {"view": "[][{x}][]", "val_70": "[][{x}][]"},
         ["node_GatherND_56", "node_scatter_add", "node_mul_2", "node_ScatterND_70"]),
]
