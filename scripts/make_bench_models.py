#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the two larger models that scripts/bench.py times beside onnxruntime.

    scripts/make_bench_models.py FOLDER [NAME...]

FOLDER gets NAME.onnx for each of
  gpt2-124m   transformers' GPT2LMHeadModel as published (12 layers of 768), batch 1, sequence 128
  resnet50    torchvision's resnet50, batch 8, images of 224 x 224
Weights are random, drawn from a fixed seed: nothing is downloaded. Needs torch, torchvision, transformers and onnxscript.
"""

import argparse
import os

import torch

SEED = 20240917


class Logits(torch.nn.Module):
    """A transformers model as a function from token ids to logits."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids):
        return self.model(input_ids=input_ids, use_cache=False).logits


def gpt2_124m():
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(attn_implementation="eager", bos_token_id=None, eos_token_id=None)
    return Logits(GPT2LMHeadModel(config)), {"input_ids": torch.randint(0, config.vocab_size, (1, 128))}, "logits"


def resnet50():
    from torchvision.models import resnet50 as make

    model = make(weights=None)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):  # statistics as if it had been trained
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    return model, {"image": torch.randn(8, 3, 224, 224)}, "logits"


MODELS = {"gpt2-124m": gpt2_124m, "resnet50": resnet50}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    options = parser.parse_args()
    for name in options.names:
        if name not in MODELS:
            parser.error(f"no model '{name}'; there are {', '.join(MODELS)}")
    os.makedirs(options.folder, exist_ok=True)
    for name in options.names or MODELS:
        torch.manual_seed(SEED)
        model, inputs, output = MODELS[name]()
        path = os.path.join(options.folder, name + ".onnx")
        with torch.no_grad():
            program = torch.onnx.export(model.eval(), tuple(inputs.values()), input_names=list(inputs), output_names=[output],
                                        opset_version=20, dynamo=True)
        program.save(path, external_data=False)
        print(f"{path}: {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()
