# SPDX-License-Identifier: Apache-2.0
"""One training step of models, by metadist and by PyTorch eager: `scripts/bench.py training`.

The models are those of make_bench_models.py, their ONNX files are in a folder. A step is forward pass, cross entropy, backward pass and AdamW, on
one thread. Dropout is off and batch normalisation uses its running statistics, as in the files. Other programs disturb both, so the two take turns,
and the shortest step of each counts.
"""

import json
import math
import os
import subprocess
import sys
import time


class Torch:
    """A model with its optimizer, and a batch."""

    def __init__(self, make):
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(0)
        model, inputs, _ = make()
        self.model, self.inputs = model.eval(), list(inputs.values())
        with torch.no_grad():
            scores = self.model(*self.inputs)
        self.labels = torch.randint(0, scores.shape[-1], scores.shape[:-1])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)

    def step(self):
        from torch.nn.functional import cross_entropy

        self.optimizer.zero_grad()
        scores = self.model(*self.inputs)
        loss = cross_entropy(scores.reshape(-1, scores.shape[-1]), self.labels.reshape(-1))
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def step_seconds(self, steps):
        best = math.inf
        for _ in range(steps):
            start = time.perf_counter()
            self.step()
            best = min(best, time.perf_counter() - start)
        return best


def metadist_seconds(binary, path, steps):
    command = [binary, "run", path, "--train", "adamw", "--lr", "1e-4", "--loss", "cross_entropy:logits", "--no-check", "--warm-up", "1",
               "--iterations", str(steps), "--json"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bench: exit status {done.returncode}: {' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)["seconds"]["min"]


def training(options):
    import make_bench_models

    print("| model | metadist | PyTorch eager | ratio |\n|---|---|---|---|")
    for name in options.names or make_bench_models.MODELS:
        other = Torch(make_bench_models.MODELS[name])
        other.step()
        ours = theirs = math.inf
        for _ in range(options.rounds):
            theirs = min(theirs, other.step_seconds(options.steps))
            ours = min(ours, metadist_seconds(options.binary, os.path.join(options.folder, name + ".onnx"), options.steps))
        print(f"| {name} | {ours:.3f} s | {theirs:.3f} s | {ours / theirs:.2f} |", flush=True)
