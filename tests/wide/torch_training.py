#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports models of many architectures and trains them in PyTorch, as references for trained_plans.py.

    tests/wide/torch_training.py FOLDER [--legacy | --optimized] [NAME...]
    tests/wide/trained_plans.py FOLDER

Writes NAME.onnx, NAME.inputs.npz and NAME.adamw.npz (see trained_plans.py): losses, first gradients and parameters of three AdamW steps, on the
first output, if it is a scalar, or its mean squared distance from a random target. --legacy: by the TorchScript exporter; --optimized: with
constants folded, where trained_plans.py needs --by-name. A parameter that is not in the file, as it is or transposed, is frozen. Exports that fail
are told and left out. Needs torch, torchvision, transformers and onnxscript from pip.
"""

import argparse
import contextlib
import copy
import io
import logging
import os
import sys
import warnings

import numpy as np
import onnx
import torch
import torch.nn.functional as F
import torchvision
import transformers
from onnx import numpy_helper
from torch import nn
from torchvision.models.efficientnet import EfficientNet, MBConvConfig
from torchvision.models.swin_transformer import SwinTransformer

STEPS = 3
ADAMW = {"lr": 0.01, "betas": (0.9, 0.999), "weight_decay": 0.01, "eps": 1e-3}
NOISE = 0.02  # added to all parameters: none stays at a round number
MODELS = {}


def model(function):
    MODELS[function.__name__.replace("_", "-")] = function
    return function


def ids(most, count, batch=8):
    return torch.randint(2, most, (batch, count))


class Named(nn.Module):
    """A model of transformers: inputs by name, one output."""

    def __init__(self, inner, names, output, **options):
        super().__init__()
        self.inner, self.names, self.output, self.options = inner, names, output, options

    def forward(self, *values):
        return self.inner(**dict(zip(self.names, values)), **self.options)[self.output]


def hugging_face(name, task, inputs, output="loss", options=None, **config):
    inner = getattr(transformers, f"{name}{task}")(getattr(transformers, f"{name}Config")(**config))
    return Named(inner, list(inputs), output, **(options or {})), inputs


NO_CACHE = {"use_cache": False}
NO_DROPOUT = {"hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}


@model
def t5():
    return hugging_face("T5", "ForConditionalGeneration", {"input_ids": ids(200, 12), "labels": ids(200, 10)}, options=NO_CACHE, vocab_size=200,
                        d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0, feed_forward_proj="gated-gelu",
                        decoder_start_token_id=0)  # fmt: skip


@model
def albert():
    return hugging_face("Albert", "ForSequenceClassification", {"input_ids": ids(200, 12), "labels": torch.randint(0, 5, (8,))}, vocab_size=200,
                        embedding_size=16, hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=64,
                        classifier_dropout_prob=0, num_labels=5, **NO_DROPOUT)  # fmt: skip


@model
def deberta():
    return hugging_face("DebertaV2", "ForTokenClassification", {"input_ids": ids(200, 12), "labels": torch.randint(0, 3, (8, 12))}, vocab_size=200,
                        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, relative_attention=True,
                        pos_att_type=["p2c", "c2p"], max_position_embeddings=64, num_labels=3, **NO_DROPOUT)  # fmt: skip


@model
def mamba():
    tokens = ids(120, 8, 4)
    return hugging_face("Mamba", "ForCausalLM", {"input_ids": tokens, "labels": tokens.clone()}, options=NO_CACHE, vocab_size=120, hidden_size=32,
                        state_size=4, num_hidden_layers=2, expand=2, use_mambapy=False)  # fmt: skip


@model
def gemma2():
    return hugging_face("Gemma2", "ForCausalLM", {"input_ids": ids(200, 12)}, "logits", NO_CACHE, vocab_size=200, hidden_size=32,
                        intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=8, sliding_window=4)  # fmt: skip


@model
def neox():
    tokens = ids(200, 12)
    return hugging_face("GPTNeoX", "ForCausalLM", {"input_ids": tokens, "labels": tokens.clone()}, options=NO_CACHE, vocab_size=200, hidden_size=32,
                        num_hidden_layers=2, num_attention_heads=4, intermediate_size=96)  # fmt: skip


@model
def bloom():
    tokens = ids(200, 12)
    return hugging_face("Bloom", "ForCausalLM", {"input_ids": tokens, "labels": tokens.clone()}, options=NO_CACHE, vocab_size=200, hidden_size=32,
                        n_layer=2, n_head=4, hidden_dropout=0, attention_dropout=0)  # fmt: skip


@model
def whisper():
    return hugging_face("Whisper", "ForConditionalGeneration", {"input_features": torch.randn(4, 8, 32), "labels": ids(120, 10, 4)},
                        options=NO_CACHE, vocab_size=120, num_mel_bins=8, encoder_layers=1, decoder_layers=1,
                        encoder_attention_heads=2, decoder_attention_heads=2, d_model=32, encoder_ffn_dim=64, decoder_ffn_dim=64,
                        max_source_positions=16, max_target_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                        decoder_start_token_id=1, dropout=0.0)  # fmt: skip


@model
def clip():
    text = {"vocab_size": 99, "max_position_embeddings": 16, "eos_token_id": 98, "bos_token_id": 0, "pad_token_id": 1}
    layers = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    return hugging_face("CLIP", "Model", {"input_ids": ids(98, 10), "pixel_values": torch.randn(8, 3, 16, 16)}, options={"return_loss": True},
                        text_config=text | layers, vision_config={"image_size": 16, "patch_size": 8} | layers, projection_dim=16)  # fmt: skip


@model
def segformer():
    return hugging_face("Segformer", "ForSemanticSegmentation", {"pixel_values": torch.randn(4, 3, 32, 32)}, "logits", num_encoder_blocks=2,
                        depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[16, 32], patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[1, 2],
                        mlp_ratios=[2, 2], decoder_hidden_size=16, num_labels=4, classifier_dropout_prob=0, drop_path_rate=0, **NO_DROPOUT)  # fmt: skip


@model
def swin():
    return SwinTransformer([4, 4], 16, [2, 2], [2, 2], [4, 4], num_classes=8, stochastic_depth_prob=0.0), {"x": torch.randn(4, 3, 32, 32)}


@model
def efficientnet():
    blocks = [MBConvConfig(1, 3, 1, 32, 16, 1, 1.0, 1.0), MBConvConfig(6, 3, 2, 16, 24, 2, 1.0, 1.0)]
    module = EfficientNet(blocks, dropout=0.0, stochastic_depth_prob=0.0, num_classes=8, last_channel=64)
    return module.train(), {"x": torch.randn(8, 3, 32, 32)}


@model
def densenet():
    return torchvision.models.DenseNet(8, (2, 2), 16, num_classes=8).train(), {"x": torch.randn(8, 3, 32, 32)}


class Tagger(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.embedding = nn.Embedding(60, 24)
        self.cells = cell(24, 16, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(32, 9)

    def forward(self, x, y):
        return F.cross_entropy(self.out(self.cells(self.embedding(x))[0]).flatten(0, 1), y.flatten())


@model
def lstm_tagger():
    return Tagger(nn.LSTM), {"x": ids(60, 11), "y": torch.randint(0, 9, (8, 11))}


@model
def gru_tagger():
    return Tagger(nn.GRU), {"x": ids(60, 11), "y": torch.randint(0, 9, (8, 11))}


class Recommender(nn.Module):
    """DLRM: embeddings, products of all pairs, and one logit."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(count, 8) for count in (50, 30, 20)])
        self.bottom = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(14, 16), nn.SiLU(), nn.Linear(16, 1))

    def forward(self, dense, classes, y):
        low = self.bottom(dense)
        features = torch.stack([low] + [table(classes[:, i]) for i, table in enumerate(self.tables)], 1)
        i, j = torch.triu_indices(4, 4, 1)
        pairs = (features @ features.transpose(1, 2))[:, i, j]
        return F.binary_cross_entropy_with_logits(self.top(torch.cat([low, pairs], 1)).squeeze(1), y)


@model
def dlrm():
    return Recommender(), {"dense": torch.randn(16, 6), "classes": torch.randint(0, 20, (16, 3)), "y": torch.rand(16).round()}


@model
def generator():
    layers = [nn.ConvTranspose2d(8, 16, 4), nn.GroupNorm(4, 16), nn.LeakyReLU(0.2), nn.ConvTranspose2d(16, 8, 4, 2, 1),
              nn.InstanceNorm2d(8, affine=True), nn.Softplus(), nn.Upsample(scale_factor=2, mode="bilinear"),
              nn.Conv2d(8, 3, 3, padding=1, padding_mode="reflect"), nn.Tanh()]  # fmt: skip
    return nn.Sequential(*layers), {"z": torch.randn(8, 8, 1, 1)}


class CausalConvolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.utils.parametrizations.weight_norm(nn.Conv1d(8, 8, 3, dilation=d)) for d in (1, 2, 4)])
        self.head, self.slope = nn.Linear(8, 5), nn.PReLU(8)

    def forward(self, x, y):
        for i, layer in enumerate(self.layers):
            x = x + self.slope(layer(F.pad(x, (2 * 2**i, 0))))
        scores = F.log_softmax(self.head(x.transpose(1, 2)), -1).transpose(1, 2)
        return F.nll_loss(scores, y, weight=torch.tensor([1.0, 2.0, 0.5, 1.0, 3.0]))


@model
def causal_convolutions():
    return CausalConvolutions(), {"x": torch.randn(8, 8, 20), "y": torch.randint(0, 5, (8, 20))}


class Contrastive(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(12, 16), nn.Linear(20, 16)
        self.temperature = nn.Parameter(torch.tensor([0.5]))

    def forward(self, x, y):
        logits = F.normalize(self.a(x), dim=-1) @ F.normalize(self.b(y), dim=-1).T * self.temperature.exp()
        own = torch.arange(logits.shape[0])
        return (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2


@model
def contrastive():
    return Contrastive(), {"x": torch.randn(8, 12), "y": torch.randn(8, 20)}


class Quantiles(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(10, 32), nn.Linear(32, 3)
        self.register_buffer("quantiles", torch.tensor([0.1, 0.5, 0.9]))

    def forward(self, x, y):
        off = y - self.b(F.mish(self.a(x)))
        penalty = sum(weight.square().sum() for weight in (self.a.weight, self.b.weight))
        return torch.maximum(self.quantiles * off, (self.quantiles - 1) * off).mean() + 1e-3 * penalty


@model
def quantiles():
    return Quantiles(), {"x": torch.randn(16, 10), "y": torch.randn(16, 1)}


class SetPooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.queries = nn.Linear(6, 16), nn.Parameter(torch.randn(4, 16))
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.norm, self.out = nn.RMSNorm(16), nn.Bilinear(16, 16, 3)

    def forward(self, x):
        keys = self.norm(self.into(x))
        pooled, _ = self.attention(self.queries.expand(x.shape[0], -1, -1), keys, keys)
        best, _ = torch.topk(pooled, 2, dim=1)
        return self.out(best.mean(1), torch.logsumexp(torch.cumsum(pooled, 1)[:, -1:] + best, 1))


@model
def set_pooling():
    return SetPooling(), {"x": torch.randn(8, 7, 6)}


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.mean, self.spread = nn.Linear(20, 16), nn.Linear(16, 4), nn.Linear(16, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 20))

    def forward(self, x, noise):
        hidden = F.hardswish(self.encoder(x))
        mean, spread = self.mean(hidden), self.spread(hidden).clamp(-3, 3)
        made = torch.sigmoid(self.decoder(mean + noise * (0.5 * spread).exp()))
        divergence = -0.5 * (1 + spread - mean**2 - spread.exp()).sum(1).mean()
        return F.binary_cross_entropy(made, x, reduction="sum") / x.shape[0] + divergence


@model
def auto_encoder():
    return AutoEncoder(), {"x": torch.rand(8, 20), "noise": torch.randn(8, 4)}


def first(outputs):
    return outputs[0] if isinstance(outputs, (tuple, list)) else outputs


def export(module, inputs, path, options):
    legacy = options.legacy or module.training  # the newer exporter writes batch normalisation for inference
    how = {"input_names": list(inputs), "dynamo": not legacy}
    if legacy:
        mode = torch.onnx.TrainingMode
        how |= {"training": mode.TRAINING if module.training else mode.EVAL, "do_constant_folding": options.optimized}
    else:
        how |= {"external_data": False, "verbose": False, "optimize": options.optimized}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        torch.onnx.export(copy.deepcopy(module), tuple(inputs.values()), path, **how)


def match(parameters, path):
    """By parameter name: its initializer, and whether that is transposed."""
    arrays = {stored.name: numpy_helper.to_array(stored) for stored in onnx.load(path).graph.initializer}
    found = {}
    for name, parameter in parameters.items():
        data = parameter.detach().numpy()
        for stored, array in arrays.items():
            if array.dtype == np.float32 and array.shape in (data.shape, data.T.shape):
                if np.array_equal(array, data) or (array.ndim == 2 and np.array_equal(array, data.T)):
                    found[name] = (stored, not np.array_equal(array, data))
                    del arrays[stored]
                    break
    return found


def make(name, options):
    torch.manual_seed(3)
    module, inputs = MODELS[name]()
    module.train(name in ("efficientnet", "densenet"))
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn(parameter.shape) * NOISE)
    stem = os.path.join(options.folder, name)
    try:
        export(module, inputs, f"{stem}.onnx", options)
    except Exception as error:  # exporters raise whatever they like
        return f"not exported: {str(error).splitlines()[0][:150]}"
    parameters = dict(module.named_parameters())
    names = match({n: p for n, p in parameters.items() if p.requires_grad}, f"{stem}.onnx")
    for parameter_name, parameter in parameters.items():
        parameter.requires_grad_(parameter_name in names)
    values, arrays = tuple(inputs.values()), {}
    before = first(module(*values)).detach()
    if before.dim() > 0:
        arrays["target"] = torch.randn(before.shape)

    def loss():
        output = first(module(*values))
        return F.mse_loss(output, arrays["target"]) if "target" in arrays else output

    def keep(kind, of):
        for parameter_name, (stored, transposed) in names.items():
            array = of(parameters[parameter_name]).detach().numpy()
            arrays[f"{kind}/{stored}"] = (array.T if transposed else array).copy()

    optimizer, losses = torch.optim.AdamW([parameters[n] for n in names], **ADAMW), []
    for step in range(STEPS + 1):
        value = loss()
        losses.append(value.item())
        if step == STEPS:
            break
        for parameter_name in names:
            parameters[parameter_name].grad = torch.zeros_like(parameters[parameter_name])
        value.backward()
        if step == 0:
            keep("grad", lambda parameter: parameter.grad)
        optimizer.step()
    keep("after", lambda parameter: parameter)
    np.savez_compressed(f"{stem}.adamw.npz", losses=np.array(losses, np.float32), names=np.array(sorted(s for s, _ in names.values())), **arrays)
    np.savez(f"{stem}.inputs.npz", **{key: array.numpy() for key, array in inputs.items()})
    frozen = len(parameters) - len(names)
    return f"{len(names)} parameters, {frozen} frozen, losses {' '.join(f'{x:.5f}' for x in losses)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--legacy", action="store_true", help="by the TorchScript exporter")
    parser.add_argument("--optimized", action="store_true", help="with constants folded")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in MODELS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(MODELS)}")
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    os.makedirs(options.folder, exist_ok=True)
    for name in options.names or MODELS:
        print(f"{name}: {make(name, options)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
