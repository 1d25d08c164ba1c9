# SPDX-License-Identifier: Apache-2.0
"""Full-size models and training steps on a GPU, as PyTorch runs them eagerly, with fused attention, and compiled."""

import gc
import time

import torch
from gpu_measuring import FLOATS, tf32, time_eagerly, time_graph


def small_gpt2():
    from make_models import gpt_like
    return gpt_like(12, 768, 12, 50257, loss=False)


def small_gpt2_loss():
    from make_models import gpt_like
    return gpt_like(12, 768, 12, 50257, loss=True)


def llama_1b():
    from make_models import llama_like
    return llama_like(16, 2048, 8192, 32, 8, positions=2048)


def resnet50():
    from export_models import Full
    from torchvision.models import resnet50 as make
    return Full(lambda: make(weights=None), {"image": (torch.float32, (32, 3, 224, 224))}, ["logits"], "torchvision resnet50")


def resnet50_loss():
    from export_models import Full
    from make_models import ClassifierLoss
    from torchvision.models import resnet50 as make
    return Full(lambda: ClassifierLoss(make(weights=None)),
                {"image": (torch.float32, (32, 3, 224, 224)), "labels": (torch.int64, (32,))}, ["loss"],
                "torchvision resnet50, cross entropy", training=True)


def factory(name):
    import make_models
    own = {"gpt2-124m": small_gpt2, "gpt2-124m-loss": small_gpt2_loss, "llama-1b": llama_1b, "resnet50": resnet50,
           "resnet50-loss": resnet50_loss}
    return own[name] if name in own else make_models.FULL[name]


def build(full, dtype, attention=None):
    torch.set_default_dtype(dtype)
    try:
        with torch.device("cuda"):
            module = full.build()
    finally:
        torch.set_default_dtype(torch.float32)
    module.train(full.training)
    if attention:
        from make_models import CausalOutput, Output
        if isinstance(module, CausalOutput):  # the mask of its own would keep the fused kernels away
            module = Output(module.model, list(full.inputs), full.outputs[0], use_cache=False)
            module.train(full.training)
        for child in module.modules():
            if hasattr(child, "config") and hasattr(child.config, "_attn_implementation"):
                child.config._attn_implementation = attention
    return module


def inputs_of(full, batch, dtype):
    tensors = []
    for name, (kind, shape) in full.inputs.items():
        shape = (batch, *shape[1:])
        if name == "attention_mask":
            tensors.append(torch.ones(shape, device="cuda", dtype=kind))
        elif kind == torch.int64:
            tensors.append(torch.randint(0, 500, shape, device="cuda"))
        else:
            tensors.append(torch.randn(shape, device="cuda", dtype=dtype))
    return tensors


def clean():
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()


def kernels_of(function):
    """Device time by kernel name of one call."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as seen:
        function()
        torch.cuda.synchronize()
    rows = {}
    for event in seen.key_averages():
        time_us = getattr(event, "self_device_time_total", 0)
        if time_us > 0:
            rows[event.key[:120]] = [event.count, round(time_us, 1)]
    return dict(sorted(rows.items(), key=lambda r: -r[1][1])[:40])


def run_model(out, name, dtype_name, batch, use_tf32=False, attention=None, profile=False, channels_last=False, compiled=None):
    row = {"kind": "model", "model": name, "dtype": dtype_name, "tf32": use_tf32, "batch": batch,
           "attention": attention or "eager", "channels_last": channels_last}
    if out.clock.over():
        return
    try:
        clean()
        full = factory(name)()
        dtype = FLOATS[dtype_name]
        module = build(full, dtype, attention)
        if channels_last:
            module = module.to(memory_format=torch.channels_last)
        weights = torch.cuda.memory_allocated()
        tensors = inputs_of(full, batch, dtype)
        if channels_last:
            tensors = [t.to(memory_format=torch.channels_last) if t.dim() == 4 else t for t in tensors]
        with tf32(use_tf32), torch.no_grad():
            if compiled is None:
                torch.cuda.reset_peak_memory_stats()
                out.write(**row, runtime="eager", weight_bytes=weights, **time_eagerly(lambda: module(*tensors), 5, 50, 100),
                          peak_bytes=torch.cuda.max_memory_allocated())
                if profile:
                    out.write(**row, runtime="eager", kernels=kernels_of(lambda: module(*tensors)))
                try:
                    out.write(**row, runtime="eager in a graph", **time_graph(lambda: module(*tensors)))
                except Exception as error:
                    out.write(**row, runtime="eager in a graph", failed=f"{type(error).__name__}: {str(error)[:300]}")
            else:
                begin = time.perf_counter()
                fast = torch.compile(module, mode=compiled)
                fast(*tensors)
                torch.cuda.synchronize()
                spent = time.perf_counter() - begin
                torch.cuda.reset_peak_memory_stats()
                result = time_eagerly(lambda: fast(*tensors), 5, 50, 100)
                out.write(**row, runtime=f"compiled, {compiled}", compile_seconds=round(spent, 1), weight_bytes=weights,
                          peak_bytes=torch.cuda.max_memory_allocated(), **result)
                if profile:
                    out.write(**row, runtime=f"compiled, {compiled}", kernels=kernels_of(lambda: fast(*tensors)))
                torch._dynamo.reset()
    except Exception as error:
        out.write(**row, runtime=compiled or "eager", failed=f"{type(error).__name__}: {str(error)[:300]}")
    module = tensors = fast = None
    clean()


def models(out, tiny):
    cases = [("bert-large", "f32", 8, {}), ("bert-large", "f32", 8, dict(use_tf32=True)), ("gpt-1.3b", "f16", 8, dict(profile=True)),
             ("gpt-1.3b", "f16", 1, {}), ("gpt-1.3b", "f16", 8, dict(attention="sdpa")),
             ("gpt2-124m", "f32", 8, dict(use_tf32=True, profile=True)), ("gpt2-124m", "bf16", 8, {}),
             ("gpt2-124m", "f32", 1, {}),
             ("resnet50", "f32", 32, dict(profile=True)), ("resnet50", "f32", 32, dict(use_tf32=True)),
             ("resnet50", "bf16", 32, dict(channels_last=True)),
             ("vit-huge", "f32", 8, {}), ("vit-huge", "f32", 8, dict(use_tf32=True)), ("vit-huge", "bf16", 8, {}),
             ("llama3-8b", "bf16", 1, dict(profile=True)), ("llama3-8b", "bf16", 1, dict(attention="sdpa", profile=True)),
             ("llama3-8b", "bf16", 4, {}),
             ("wideresnet-1b", "f32", 32, {}), ("wideresnet-1b", "f32", 32, dict(use_tf32=True)),
             ("gpt2-xl", "f32", 8, {}), ("gpt2-xl", "f32", 8, dict(use_tf32=True)), ("gpt2-xl", "bf16", 8, {}),
             ("llama-1b", "bf16", 8, {}), ("llama-1b", "bf16", 1, dict(attention="sdpa")), ("llama-1b", "bf16", 8, dict(attention="sdpa")),
             ("gpt-2.6b", "f16", 8, {}), ("bert-large", "f32", 1, {}), ("bert-large", "bf16", 8, dict(attention="sdpa")),
             ("bert-large", "f32", 32, dict(use_tf32=True)), ("gpt-1.3b", "f16", 32, {}),
             ("resnet50", "f32", 256, dict(use_tf32=True)), ("vit-huge", "bf16", 8, dict(attention="sdpa"))]
    for name, dtype, batch, more in cases[:1] if tiny else cases:
        run_model(out, name, dtype, batch, **more)


def batches(out, tiny):
    """Fused attention at batch 1, 8 and 32."""
    kinds = {"bert-large": "tf32", "gpt-1.3b": "f16", "llama3-8b": "bf16", "vit-huge": "tf32", "gpt2-xl": "tf32", "wideresnet-1b": "tf32", "gpt-2.6b": "f16"}
    cases = [(name, batch, None if name == "wideresnet-1b" else "sdpa") for name in kinds for batch in (1, 8, 32)]
    cases += [(name, batch, None) for name, batch in (("gpt-1.3b", 1), ("bert-large", 1), ("vit-huge", 1), ("gpt2-xl", 1), ("gpt-2.6b", 1), ("gpt-2.6b", 32),
                                                      ("vit-huge", 32))]
    for name, batch, attention in cases[:1] if tiny else cases:
        units = kinds[name] == "tf32"
        run_model(out, name, "f32" if units else kinds[name], batch, use_tf32=units, attention=attention)


def compiled(out, tiny):
    cases = [("gpt-1.3b", "f16", 8, dict(attention="sdpa", profile=True)), ("gpt-1.3b", "f16", 8, {}),
             ("resnet50", "f32", 32, dict(use_tf32=True)), ("bert-large", "f32", 8, dict(use_tf32=True)),
             ("llama3-8b", "bf16", 1, dict(attention="sdpa", profile=True)), ("gpt2-124m", "bf16", 8, dict(attention="sdpa")),
             ("vit-huge", "bf16", 8, dict(attention="sdpa")), ("llama-1b", "bf16", 8, dict(attention="sdpa"))]
    for name, dtype, batch, more in cases[:1] if tiny else cases:
        run_model(out, name, dtype, batch, compiled="default", **more)


def run_training(out, name, dtype_name, batch, use_tf32=False, attention=None, compiled=None, recompute=False):
    row = {"kind": "training", "model": name, "dtype": dtype_name, "tf32": use_tf32, "batch": batch, "attention": attention or "eager",
           "recompute": "every layer" if recompute else "none"}
    if out.clock.over():
        return
    try:
        clean()
        full = factory(name)()
        full.training = True
        module = build(full, FLOATS[dtype_name], attention)
        if recompute:
            module.model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        tensors = inputs_of(full, batch, FLOATS[dtype_name])
        optimizer = torch.optim.AdamW(module.parameters(), lr=1e-5, fused=True, capturable=True)
        forward = torch.compile(module) if compiled else module

        def step():
            loss = forward(*tensors)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

        def both():
            forward(*tensors).backward()
            optimizer.zero_grad(set_to_none=True)

        with tf32(use_tf32):
            begin = time.perf_counter()
            step()
            torch.cuda.synchronize()
            spent = time.perf_counter() - begin
            before = torch.cuda.memory_allocated()
            loss = forward(*tensors)
            kept = torch.cuda.memory_allocated() - before
            del loss
            torch.cuda.reset_peak_memory_stats()
            whole = time_eagerly(step, 5, 20, 200)
            peak = torch.cuda.max_memory_allocated()
            out.write(**row, runtime="compiled, default" if compiled else "eager", what="forward, backward, AdamW",
                      first_seconds=round(spent, 1), peak_bytes=peak, kept_bytes=kept, **whole)
            out.write(**row, runtime="compiled, default" if compiled else "eager", what="forward, backward",
                      **time_eagerly(both, 5, 20, 200))
            if not compiled:
                with torch.no_grad():
                    out.write(**row, runtime="eager", what="forward without gradients", **time_eagerly(lambda: module(*tensors), 5, 20, 100))
                forward(*tensors).backward()
                out.write(**row, runtime="eager", what="AdamW", **time_eagerly(optimizer.step, 5, 20, 100),
                          parameters=sum(p.numel() for p in module.parameters()))
            torch._dynamo.reset()
    except Exception as error:
        out.write(**row, failed=f"{type(error).__name__}: {str(error)[:300]}")
    module = optimizer = forward = tensors = step = both = None
    clean()


def training(out, tiny):
    cases = [("gpt-1.3b-loss", "bf16", 4, {}), ("gpt2-124m-loss", "f32", 8, dict(use_tf32=True)), ("resnet50-loss", "f32", 32, dict(use_tf32=True)),
             ("gpt-1.3b-loss", "bf16", 4, dict(attention="sdpa")), ("gpt2-124m-loss", "bf16", 8, {}),
             ("wideresnet-1b-train", "f32", 32, dict(use_tf32=True)), ("resnet50-loss", "f32", 32, {}), ("gpt2-124m-loss", "f32", 8, {}),
             ("gpt2-124m-loss", "bf16", 8, dict(attention="sdpa", compiled=True)), ("resnet50-loss", "f32", 32, dict(use_tf32=True, compiled=True))]
    for name, dtype, batch, more in cases[:1] if tiny else cases:
        run_training(out, name, dtype, batch, **more)


def recomputation(out, tiny):
    """Training steps at several batches that keep all activations, and such as keep each layer's input and run the layer again."""
    middle = [("gpt-1.3b-loss", "bf16", batch, dict(attention=attention, recompute=recompute))
              for batch in (1, 4, 8, 16, 32) for attention in (None, "sdpa") for recompute in (False, True)]
    small = [("gpt2-124m-loss", "f32", batch, dict(use_tf32=True, recompute=recompute)) for batch in (1, 4, 8, 16) for recompute in (False, True)]
    large = [("gpt-2.6b-loss", "bf16", batch, dict(attention="sdpa", recompute=recompute)) for batch in (1, 4, 8) for recompute in (False, True)]
    for name, dtype, batch, more in middle[:2] if tiny else middle + small + large:
        run_training(out, name, dtype, batch, **more)
