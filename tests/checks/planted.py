# SPDX-License-Identifier: Apache-2.0
"""A small tree in a temporary folder, for planting what a check must find."""

import os
import sys
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")
sys.path.insert(0, os.path.abspath(SCRIPTS))


class PlantedTest(unittest.TestCase):
    """plant() writes files; problems() is what the check says of them."""

    check = None  # the module under test

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def plant(self, path, text, run=False):
        whole = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(whole, 0o755 if run else 0o644)

    def problems(self):
        return type(self).check.check(self.root)

    def assert_clean(self):
        self.assertEqual(self.problems(), [])

    def assert_found(self, *parts):
        """Exactly one problem, and it holds every part."""
        problems = self.problems()
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])
