#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans a training step of every model and sets the plan beside its alternatives, the templates above all.

    tests/wide/template_table.py [--binary FILE] [--rows] MODEL.onnx|FOLDER... [FLAG...]

FLAGs are those of `metadist plan`, such as --cluster 8xh100 (the default), --overlap, --memory, --bind; --train adamw is the default. The loss is the
first output if it is a single number, otherwise its mean squared error, unless --loss says so. A model is NAME.onnx; beside it NAME.inputs.npz gives
the batch where it is symbolic. --rows prints the alternatives, too. "unrestricted" is the gap to the bound of all layers free and all meshes tried. Exit 1
if a model cannot be planned, or if an alternative that fits has a shorter step than the plan. With --overlap, steps are those with overlap.
"""

import argparse
import glob
import os
import sys
import time

from models import ROOT, Model, call

NONE_FITS = 4  # the exit status of a plan
KINDS = ["parameters", "gradients", "optimizer", "activations", "buffers"]


def loss(binary, path, bind, flags):
    """The flags that say what is minimised, or what is wrong."""
    if "--loss" in flags:
        return [], ""
    _, report, error = call(binary, "inspect", path, *bind, *bound(flags))
    if report is None:
        return [], error
    output = next((one for one in report["outputs"] if one["dtype"] in ("f16", "bf16", "f32", "f64")), None)
    if output is None:
        return [], "no output of floats"
    return ["--loss", ("mse:" if output["shape"] not in ([], [1]) else "") + output["name"]], ""


def bound(flags):
    """What of the flags `metadist inspect` needs."""
    return [flag for i, one in enumerate(flags) if one == "--bind" for flag in flags[i : i + 2]]


def shorter(plan):
    """The alternatives that fit and have a shorter step than the plan: (name, their step over the plan's)."""
    limit, own = plan["memory_limit_bytes"], plan["step_seconds"]
    for row in plan["alternatives"]:
        if not row["feasible"] or row["name"] == "no memory limit" or (limit and row["peak_bytes"] > limit):
            continue
        if row["step_seconds"] < own * (1 - 1e-9):
            yield row["name"], row["step_seconds"] / own


def number(value, unit=1.0, digits=4):
    return "" if value is None else f"{value / unit:.{digits}g}"


def size(count):
    unit, name = next(((1 << power, name) for power, name in ((30, "GiB"), (20, "MiB")) if count >= 1 << power), (1 << 10, "KiB"))
    return f"{count / unit:.3g} {name}"


def line(name, plan, seconds):
    overlapped = (plan["overlapped"] or {}).get("step_seconds")
    gaps = [None if gap is None else f"{gap:.2%}" for gap in (plan["gap"], (plan["unrestricted"] or {}).get("gap"))]
    kinds = " + ".join(size(plan["memory"][kind]) for kind in KINDS)
    share = "" if plan.get("mfu") is None else f"{plan['mfu']:.1%}"
    fields = [name, plan["mesh"], number(plan["step_seconds"], 1e-3), number(overlapped, 1e-3), size(plan["peak_bytes"]), kinds,
              number(plan.get("tokens_per_second"), 1, 6), share, plan["status"], gaps[0] or "", gaps[1] or "", plan["recompute"],
              f"{seconds:.1f}"]  # fmt: skip
    return "| " + " | ".join(fields) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build/release/bin/metadist"))
    parser.add_argument("--rows", action="store_true", help="print the alternatives of every model")
    options, flags = parser.parse_known_args()
    given = []
    while flags and not flags[0].startswith("-"):
        given.append(flags.pop(0))
    paths = [path for one in given for path in (sorted(glob.glob(os.path.join(one, "*.onnx"))) if os.path.isdir(one) else [one])]
    absent = [path for path in paths if not os.path.exists(path)]
    if absent or not paths:
        parser.error("no such file: " + ", ".join(absent) if absent else "no model given")
    flags = (["--cluster", "8xh100"] if "--cluster" not in flags else []) + (["--train", "adamw"] if "--train" not in flags else []) + flags
    print("| model | mesh | step, ms | overlapped, ms | peak | " + " + ".join(KINDS) +
          " | tokens/s | MFU | status | gap | unrestricted | run again | seconds |\n" + "|---" * 13 + "|")  # fmt: skip
    failed, worse = 0, 0
    for path in paths:
        name = os.path.basename(path)[: -len(".onnx")]
        bind = [] if "--bind" in flags else Model(options.binary, path).bind
        minimised, error = loss(options.binary, path, bind, flags)
        status, plan, began = 2, None, time.monotonic()
        if not error:
            status, plan, error = call(options.binary, "plan", path, *bind, *flags, *minimised, "-q")
        if status:
            failed += status != NONE_FITS
            print(f"| {name} | {'none fits' if status == NONE_FITS else 'FAILED'}: {error} |", flush=True)
            continue
        print(line(name, plan, time.monotonic() - began), flush=True)
        for row in plan["alternatives"] if options.rows else []:
            if row["feasible"]:
                print(f"|   {row['name']} | | {number(row['step_seconds'], 1e-3)} | {number(row.get('overlapped_seconds'), 1e-3)} | {size(row['peak_bytes'])} |")
        for alternative, ratio in shorter(plan):
            worse += 1
            print(f"  SHORTER: {alternative}: {ratio:.4f} of the plan's step")
    print(f"\n{len(paths)} models, {failed} failed, {worse} times an alternative was shorter")
    return 1 if failed or worse else 0


if __name__ == "__main__":
    sys.exit(main())
