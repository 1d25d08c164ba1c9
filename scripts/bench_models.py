# SPDX-License-Identifier: Apache-2.0
"""One step of models, by metadist and by onnxruntime: `scripts/bench.py models`.

Other programs disturb both, so the two take turns, and the shortest step of each counts. Both get the same inputs, bound beforehand, and one
thread a rank. A history is a file of one JSON document a line, added to at its end.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import time

SCHEMA = {"schema": "metadist.bench-models", "schema_version": 1}


def paths_of(arguments):
    """Model files, and all *.onnx of folders, those with weights beside them first in order of name."""
    paths = []
    for argument in arguments:
        paths += sorted(glob.glob(os.path.join(argument, "*.onnx"))) if os.path.isdir(argument) else [argument]
    return paths


class OnnxRuntime:
    """A model in onnxruntime with `threads` threads, outputs bound."""

    def __init__(self, path, threads, inputs):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        for name, array in inputs.items():
            self.binding.bind_cpu_input(name, array)
        for output in self.session.get_outputs():
            self.binding.bind_output(output.name, "cpu")

    def step_seconds(self, seconds):
        """The shortest step within that time, at least three after a first one."""
        self.session.run_with_iobinding(self.binding)
        best, done = float("inf"), 0
        stop = time.perf_counter() + seconds
        while done < 3 or time.perf_counter() < stop:
            start = time.perf_counter()
            self.session.run_with_iobinding(self.binding)
            best = min(best, time.perf_counter() - start)
            done += 1
        return best


def inputs_of(path, folder):
    """(file of inputs, arrays): those beside the model as NAME.inputs.npz, else random ones in `folder`."""
    import numpy
    import onnxruntime

    stem = os.path.join(os.path.dirname(path), os.path.basename(path).split(".")[0])
    if os.path.exists(stem + ".inputs.npz"):
        file = stem + ".inputs.npz"
        with numpy.load(file) as arrays:
            return file, {name: arrays[name] for name in arrays.files}
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    draw = numpy.random.default_rng(0)
    arrays = {}
    for value in onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).get_inputs():
        if "int64" in value.type:  # ids, in range for any vocabulary of use
            arrays[value.name] = draw.integers(0, 16, value.shape)
        else:
            arrays[value.name] = draw.standard_normal(value.shape).astype(numpy.float32)
    file = os.path.join(folder, os.path.basename(stem) + ".npz")
    numpy.savez(file, **arrays)
    return file, arrays


class Metadist:
    """A model, or the solver's plan of it for several ranks."""

    def __init__(self, binary, path, ranks, inputs, folder):
        file, arrays = inputs
        batch = next(iter(arrays.values())).shape
        self.bind = [] if self.call(binary, "inspect", path)[0] != 2 else ["--bind", f"batch={batch[0]}"]
        model = [path, *self.bind]
        if ranks > 1:
            plan = os.path.join(folder, "plan.json")
            status, _, error = self.call(
                binary, "plan", *model, "--cluster", f"cpu:{ranks}", "--no-alternatives", "--force", "-o", plan
            )
            if status:
                raise RuntimeError(error)
            model = [plan]
        self.command = [binary, "run", *model, "--bench", "--no-check", "--inputs", file]

    @staticmethod
    def call(binary, *arguments):
        done = subprocess.run([binary, *arguments, "--json"], capture_output=True, text=True, check=False)
        error = next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr[:200])
        return done.returncode, done.stdout, error

    def run(self):
        status, text, error = self.call(*self.command)
        if status:
            raise RuntimeError(error)
        return json.loads(text)


def measure(path, options, folder):
    """Shortest steps of both; `error` in place of ours where the model does not run."""
    inputs = inputs_of(path, folder)
    other = OnnxRuntime(path, options.ranks, inputs[1])
    result = {"onnxruntime_seconds": other.step_seconds(0)}
    try:
        model = Metadist(options.binary, path, options.ranks, inputs, folder)
        result["metadist_seconds"] = float("inf")
        for _ in range(options.rounds):
            ours = model.run()
            result["metadist_seconds"] = min(result["metadist_seconds"], ours["seconds"]["min"])
            result["onnxruntime_seconds"] = min(result["onnxruntime_seconds"], other.step_seconds(options.seconds))
        result["reference_kernels"] = ours["reference_kernels"]
        result["ratio"] = result["metadist_seconds"] / result["onnxruntime_seconds"]
    except RuntimeError as error:
        result.pop("metadist_seconds", None)
        result["error"] = str(error)
    return result


def describe(name, result, before):
    theirs = f"{result['onnxruntime_seconds'] * 1e3:9.3f} ms"
    if "error" in result:
        return f"{name:20} {'-':>12} {theirs}         {result['error']}"
    text = f"{name:20} {result['metadist_seconds'] * 1e3:9.3f} ms {theirs} {result['ratio']:6.2f}x"
    if before and "ratio" in before:
        text += f"  {before['ratio']:6.2f}x before"
    if result["reference_kernels"]:
        text += "  reference: " + " ".join(result["reference_kernels"])
    return text


def last_of(history, machine, ranks):
    """Results of the newest document of the file that was measured on this machine with as many ranks."""
    documents = []
    if history and os.path.exists(history):
        with open(history, encoding="utf-8") as file:
            documents = [json.loads(line) for line in file if line.strip()]
    for document in reversed(documents):
        if document.get("schema") == SCHEMA["schema"] and document["machine"] == machine and document["ranks"] == ranks:
            return document["results"]
    return {}


def models(options, machine):
    """Prints the table; exit status 7 where --max-regress is given and the ratio of a model grew by more."""
    try:
        before = last_of(options.history, machine, options.ranks) if options.compare else {}
    except (ValueError, KeyError) as error:
        sys.exit(f"bench: {options.history}: not a history of this script: {error}")
    results, slower = {}, []
    print(f"{'':20} {'metadist':>12} {'onnxruntime':>12} {'ratio':>7}", flush=True)
    for path in paths_of(options.models):
        name = os.path.basename(path)[: -len(".onnx")]
        with tempfile.TemporaryDirectory() as folder:
            result = results[name] = measure(path, options, folder)
        old = before.get(name, {})
        print(describe(name, result, old), flush=True)
        if "ratio" in result and "ratio" in old and result["ratio"] > old["ratio"] * (1 + options.max_regress / 100):
            slower.append(name)
    if options.history:
        document = dict(SCHEMA, machine=machine, ranks=options.ranks, date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), results=results)
        with open(options.history, "a", encoding="utf-8") as file:
            file.write(json.dumps(document, sort_keys=True) + "\n")
    if slower:
        print(f"more than {options.max_regress:g} % slower than before: {' '.join(slower)}", file=sys.stderr)
        sys.exit(7)
