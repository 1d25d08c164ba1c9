#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times whole commands and compares two such measurements; times models beside onnxruntime, and training steps beside PyTorch.

    scripts/bench.py run [-n RUNS] [--warm-up N] [--name NAME] [-o FILE.json] -- COMMAND...
    scripts/bench.py compare BEFORE.json AFTER.json
    scripts/bench.py models [--ranks N] [--history FILE [--compare [--max-regress P]]] MODEL.onnx|FOLDER...
    scripts/bench.py training [--rounds N] [--steps N] FOLDER [NAME...]

run prints one JSON document: per command median, min and max of wall and CPU seconds; a name that is already in
FILE.json is replaced, others are kept. same_output says whether every run wrote the same stdout. A command that fails ends it all.
compare prints, per name in both, the ratio of the medians; it says `same` where the two ranges overlap.
models runs each model on one rank (or under the solver's plan on several) and by onnxruntime with as many threads, in turn, and prints the
shortest step of both. It needs numpy and onnxruntime from pip. With --compare the ratios are set beside those of the last line of the
history, before a line is added. Ratios are compared, not seconds: a busy machine slows both down. scripts/make_bench_models.py makes two
models of ordinary size.
training runs steps of the models of make_bench_models.py, whose files are in FOLDER, and the same in PyTorch eager, on one thread, in turn, and
prints the shortest step of both. It needs torch, torchvision and transformers from pip.
"""

import argparse
import hashlib
import json
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCHEMA = {"schema": "metadist.bench", "schema_version": 1}


def once(command):
    """Wall seconds, CPU seconds (children included) and the hash of stdout of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.stderr.buffer.write(done.stderr)
        sys.exit(f"bench: exit status {done.returncode}: {' '.join(command)}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, hashlib.sha256(done.stdout).hexdigest()


def summary(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def run(options):
    for _ in range(options.warm_up):
        once(options.command)
    runs = [once(options.command) for _ in range(options.runs)]
    document = dict(SCHEMA, machine={"cpu": cpu_model(), "cores": os.cpu_count()}, results={})
    if options.output != "-" and os.path.exists(options.output):
        document = load(options.output)
    document["results"][options.name or " ".join(options.command)] = {
        "command": options.command,
        "runs": options.runs,
        "wall_seconds": summary([wall for wall, _, _ in runs]),
        "cpu_seconds": summary([cpu for _, cpu, _ in runs]),
        "same_output": len({output for _, _, output in runs}) == 1,
    }
    text = json.dumps(document, indent=1, sort_keys=True) + "\n"
    if options.output == "-":
        sys.stdout.write(text)
    else:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        return names[0] if names else platform.processor()
    except OSError:
        return platform.processor()


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"bench: {path}: {error}")
    if not isinstance(document, dict) or document.get("schema") != SCHEMA["schema"]:
        sys.exit(f"bench: {path}: not written by this script")
    return document


def verdict(before, after):
    if before["max"] >= after["min"] and after["max"] >= before["min"]:
        return "same"
    return "faster" if after["median"] < before["median"] else "slower"


def compare(options):
    before, after = load(options.before), load(options.after)
    if before["machine"] != after["machine"]:
        print(f"measured on two machines: {before['machine']} and {after['machine']}")
    names = sorted(set(before["results"]) & set(after["results"]))
    if not names:
        sys.exit("bench: the two files have no name in common")
    for name in names:
        old, new = (document["results"][name]["wall_seconds"] for document in (before, after))
        ratio = new["median"] / old["median"]
        print(f"{ratio:6.2f}x  {verdict(old, new):6}  {old['median']:.3f} s -> {new['median']:.3f} s  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    runner = verbs.add_parser("run", help="time a command")
    runner.add_argument("-n", "--runs", type=int, default=10, help="timed runs (default 10)")
    runner.add_argument("--warm-up", type=int, default=1, help="runs before them (default 1)")
    runner.add_argument("--name", help="what the result is called (default: the command)")
    runner.add_argument("-o", "--output", default="-", help="JSON file to add to (default: stdout)")
    runner.add_argument("command", nargs="+")
    comparer = verbs.add_parser("compare", help="compare two measurements")
    comparer.add_argument("before")
    comparer.add_argument("after")
    timer = verbs.add_parser("models", help="time models beside onnxruntime")
    timer.add_argument("--binary", default=os.path.join(ROOT, "build", "release", "bin", "metadist"))
    timer.add_argument("--ranks", type=int, default=1, help="ranks, and threads of onnxruntime (default 1)")
    timer.add_argument("--rounds", type=int, default=3, help="turns of each (default 3)")
    timer.add_argument("--seconds", type=float, default=0.5, help="of a turn of onnxruntime (default 0.5)")
    timer.add_argument("--history", metavar="FILE", help="add a line of JSON to FILE")
    timer.add_argument("--compare", action="store_true", help="with the last line of the history from this machine")
    timer.add_argument("--max-regress", type=float, default=math.inf, metavar="P", help="exit 7 if a ratio grew by more than P %%")
    timer.add_argument("models", nargs="+", metavar="MODEL.onnx|FOLDER")
    trainer = verbs.add_parser("training", help="time training steps beside PyTorch eager")
    trainer.add_argument("--binary", default=os.path.join(ROOT, "build", "release", "bin", "metadist"))
    trainer.add_argument("--rounds", type=int, default=3, help="turns of each (default 3)")
    trainer.add_argument("--steps", type=int, default=3, help="of a turn (default 3)")
    trainer.add_argument("folder", help="of make_bench_models.py")
    trainer.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    options = parser.parse_args()
    if options.verb == "run" and options.runs < 1:
        parser.error("--runs must be at least 1")
    if options.verb == "models":
        if options.compare and not options.history:
            parser.error("--compare needs --history")
        import bench_models

        bench_models.models(options, {"cpu": cpu_model(), "cores": os.cpu_count()})
        return
    if options.verb == "training":
        import bench_training

        bench_training.training(options)
        return
    (run if options.verb == "run" else compare)(options)


if __name__ == "__main__":
    main()
