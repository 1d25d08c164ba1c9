# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import json
import os
import subprocess
import sys
import types
from unittest import mock

import planted
import unittest

BENCH = os.path.join(planted.SCRIPTS, "bench.py")


class BenchTest(planted.PlantedTest):
    def bench(self, *arguments):
        done = subprocess.run([sys.executable, "-B", BENCH, *arguments], cwd=self.root, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def result(self, low, high):
        times = {"median": (low + high) / 2, "min": low, "max": high}
        return {"schema": "metadist.bench", "schema_version": 1, "machine": {}, "results": {"a": {"wall_seconds": times}}}

    def test_run_keeps_other_names(self):
        for name in ("a", "b"):
            status, _, err = self.bench("run", "-n", "3", "--warm-up", "0", "--name", name, "-o", "out.json", "--", "echo", "x")
            self.assertEqual(status, 0, err)
        with open(os.path.join(self.root, "out.json"), encoding="utf-8") as file:
            results = json.load(file)["results"]
        self.assertEqual(sorted(results), ["a", "b"])
        times = results["a"]["wall_seconds"]
        self.assertTrue(0 < times["min"] <= times["median"] <= times["max"])
        self.assertTrue(results["a"]["same_output"])

    def test_changing_output_is_told(self):
        status, out, _ = self.bench("run", "-n", "2", "--", sys.executable, "-c", "import os; print(os.getpid())")
        self.assertEqual(status, 0)
        self.assertFalse(next(iter(json.loads(out)["results"].values()))["same_output"])

    def test_failing_command(self):
        status, _, err = self.bench("run", "-n", "1", "--", "false")
        self.assertEqual(status, 1)
        self.assertIn("exit status 1", err)

    def test_compare(self):
        for after, says in (((1.5, 2.5), "same"), ((4.0, 4.0), "slower"), ((0.1, 0.1), "faster")):
            self.plant("before.json", json.dumps(self.result(2.0, 2.0)))
            self.plant("after.json", json.dumps(self.result(*after)))
            status, out, err = self.bench("compare", "before.json", "after.json")
            self.assertEqual(status, 0, err)
            self.assertIn(says, out)

    def test_compare_refuses_other_files(self):
        self.plant("a.json", "[]")
        status, _, err = self.bench("compare", "a.json", "a.json")
        self.assertEqual(status, 1)
        self.assertIn("not written by this script", err)

    def history(self, ratio):
        """What `models` finds in a history, and whether it exits with 7 where the model now has this ratio."""
        sys.path.insert(0, planted.SCRIPTS)
        import bench_models

        result = {"metadist_seconds": ratio, "onnxruntime_seconds": 1.0, "ratio": ratio, "reference_kernels": []}
        options = types.SimpleNamespace(
            models=["a.onnx"], ranks=1, history=os.path.join(self.root, "h.jsonl"), compare=True, max_regress=5
        )
        out = io.StringIO()
        with mock.patch.object(bench_models, "measure", return_value=result), contextlib.redirect_stdout(out):
            with contextlib.redirect_stderr(out):
                try:
                    bench_models.models(options, {"cpu": "x"})
                except SystemExit as stop:
                    return out.getvalue(), stop.code
        return out.getvalue(), 0

    def test_history_of_models(self):
        text, status = self.history(2.0)
        self.assertEqual(status, 0)
        self.assertNotIn("before", text)
        text, status = self.history(2.05)
        self.assertEqual(status, 0)
        self.assertIn("2.00x before", text)
        text, status = self.history(3.0)
        self.assertEqual(status, 7)
        self.assertIn("more than 5 % slower than before: a", text)

    def test_history_of_another_machine_is_passed_over(self):
        other = {"schema": "metadist.bench-models", "machine": {"cpu": "y"}, "ranks": 1, "results": {"a": {"ratio": 1.0}}}
        self.plant("h.jsonl", json.dumps(other) + "\n")
        text, status = self.history(3.0)
        self.assertEqual(status, 0)
        self.assertNotIn("before", text)


if __name__ == "__main__":
    unittest.main()
