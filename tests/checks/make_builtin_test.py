#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The committed profiles and docs/clusters.md are what make_builtin.py makes of the data."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILTIN = os.path.join(ROOT, "profiles", "builtin")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class MakeBuiltin(unittest.TestCase):
    def test_committed_files_are_fresh(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", os.path.join(BUILTIN, "make_builtin.py"), folder, folder], check=True)
            made = sorted(os.listdir(folder))
            committed = sorted(name for name in os.listdir(BUILTIN) if name.endswith(".json")) + ["clusters.md"]
            self.assertEqual(made, sorted(committed))
            for name in made:
                where = os.path.join(ROOT, "docs") if name == "clusters.md" else BUILTIN
                self.assertEqual(read(os.path.join(folder, name)), read(os.path.join(where, name)), name)


if __name__ == "__main__":
    unittest.main()
