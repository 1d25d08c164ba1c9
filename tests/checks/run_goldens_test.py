# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import unittest

import planted

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
import golden_file  # noqa: E402

PROGRAM = """#!/usr/bin/env python3
import os, sys
words = sys.argv[1:]
if words[:1] == ["fail"]:
    print("metadist: error: bad", file=sys.stderr)
    sys.exit(int(words[1]))
if words[:1] == ["show"]:
    print(open(words[1]).read(), end="")
    sys.exit(0)
if words[:1] == ["cache"]:
    print(os.environ["METADIST_CACHE_DIR"])
    print(os.environ.get("NAME", "unset"), os.getcwd())
    sys.exit(0)
if words[:1] == ["time"]:
    print(f"step {os.getpid()}.5 ms")
    print(f"{'wait':8}{os.getpid():7} us   of 4 ranks")
    print('{"predicted_seconds": 0.25, "seconds": {"median": %d, "p10": 1e-3}}' % os.getpid())
    sys.exit(0)
print("# result:", *words)
"""


class RunGoldensTest(planted.PlantedTest):
    def run_golden(self, text, *options, name="case.txt"):
        self.plant("metadist", PROGRAM, run=True)
        self.plant(name, text)
        self.path = os.path.join(self.root, name)
        runner = os.path.join(ROOT, "tests", "cli", "run_goldens.py")
        binary = os.path.join(self.root, "metadist")
        done = subprocess.run([sys.executable, runner, "--binary", binary, *options, self.path], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def agrees(self, text, **more):
        status, said = self.run_golden(text, **more)
        self.assertEqual(status, 0, said)

    def differs(self, text, says, **more):
        status, said = self.run_golden(text, **more)
        self.assertEqual(status, 1)
        self.assertIn(says, said)

    def test_streams_and_exit(self):
        self.agrees("# why\n$ metadist plan a 'b c'\n\\# result: plan a b c\n\n$ metadist fail 3\n! metadist: error: bad\n[exit 3]\n")

    def test_each_difference_is_found(self):
        self.differs("$ metadist plan\n\\# result: run\n", "-\\# result: run")
        self.differs("$ metadist plan\n", "+\\# result: plan")
        self.differs("$ metadist fail 3\n! metadist: error: bad\n", "+[exit 3]")
        self.differs("$ metadist fail 3\n[exit 3]\n", "+! metadist: error: bad")
        self.differs("$ metadist fail 3\nmetadist: error: bad\n[exit 3]\n", "-metadist: error: bad")
        self.differs("# no command\n", "holds no command")
        self.differs("$ metadist fail 2\n! metadist: error: bad\n[exit 2]\n$ metadist plan\nx\n", "1 of 2 commands")

    def test_files_and_redirection(self):
        self.agrees("$ echo one two > a\n$ head -c 3 a > b\n$ metadist show b\none\n$ cp a c\n$ cmp a c\n$ replace c two 2\n"
                    "$ cat c\none 2\n$ cmp a c\n! cmp: a c differ\n[exit 1]\n")
        self.agrees("""$ echo '{"a": {"b": [1, 2]}}' > a.json\n$ json a.json a.b.1\na.b.1: 2\n""")
        self.differs("$ sh -c true\n", "unknown command sh")

    def test_environment(self):
        self.agrees("$ metadist cache\n<tmp>/fixtures\nunset <tmp>\n$ NAME=x metadist cache\n<tmp>/fixtures\nx <tmp>\n")

    def test_continued_line(self):
        self.agrees("$ metadist a \\\n    b\n\\# result: a b\n")

    def test_times_are_masked(self):
        text = ('$ metadist time\nstep 1 ms\nwait <time> of 4 ranks\n'
                '{"predicted_seconds": 0.25, "seconds": {"median": 3, "p10": 7}}\n')
        self.agrees(text)
        self.differs(text.replace("4 ranks", "5 ranks"), "5 ranks")
        self.differs(text.replace("0.25", "0.5"), "0.5")

    def test_predicted_times(self):
        self.plant("a.txt", "step 1.5 ms, auto (3 us)\n")
        golden = "# times: predicted\n$ metadist show {}\nstep {} ms, auto (9 us)\n"
        self.agrees(golden.format(os.path.join(self.root, "a.txt"), "1.5"))
        self.differs(golden.format(os.path.join(self.root, "a.txt"), "1.6"), "1.6")

    def test_own_mask(self):
        self.agrees("# mask: plan \\w+\n$ metadist plan xyz\n\\# result: plan abc\n")

    def test_update(self):
        status, _ = self.run_golden("# why\n\n$ metadist a \\\n  b\nold\n$ metadist fail 4\n$ metadist time\n", "--update")
        self.assertEqual(status, 0)
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("# why\n$ metadist a \\\n  b\n\\# result: a b\n\n$ metadist fail 4\n! metadist: error: bad\n[exit 4]\n", text)
        self.assertIn('"seconds": {"median": <time>, "p10": <time>}', text)
        self.agrees(text)
        self.assertEqual(golden_file.render(*golden_file.parse(text)), text)

    def test_markdown(self):
        text = "# Title\n```console\n$ ./scripts/x.sh\nno\n```\ntext\n```console\n$ metadist a b\n...\n```\n"
        self.agrees(text, name="case.md")
        self.differs(text.replace("...", "no such line"), "no such line", name="case.md")


if __name__ == "__main__":
    unittest.main()
