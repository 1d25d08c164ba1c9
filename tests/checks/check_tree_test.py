# SPDX-License-Identifier: Apache-2.0
import unittest

import planted
import check_tree

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


class CheckTreeTest(planted.PlantedTest):
    check = check_tree

    def test_clean(self):
        self.plant("a.cc", LICENCE)
        self.plant("scripts/a.sh", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n", run=True)
        self.plant("tests/cli/plan/a.txt", "$ metadist plan \nrow   \n")
        self.assert_clean()

    def test_lines(self):
        for bad, says in (("int a; \n", "white space"), ("int a;\r\n", "carriage return"), ("\tint a;\n", "tab"), ("int a;", "no new line"),
                          ("// TO" "DO later\n", "unfinished"), ('f("/wo' 'rk/shared/x");\n', "path of one machine")):
            with self.subTest(says=says):
                self.plant("a.cc", LICENCE + bad)
                self.assert_found("a.cc:2:", says)

    def test_licence(self):
        self.plant("a.h", "#pragma once\n")
        self.assert_found("a.h:1:", "SPDX")

    def test_run_bits(self):
        self.plant("a.sh", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n")
        self.assert_found("a.sh:1:", "without its run bit")
        self.plant("a.sh", "# SPDX-License-Identifier: Apache-2.0\n", run=True)
        self.assert_found("a.sh:1:", "no script")

    def test_size(self):
        self.plant("models/a.onnx", "x" * (check_tree.BYTES + 1))
        self.assert_clean()
        self.plant("docs/a.bin", "x" * (check_tree.BYTES + 1))
        self.assert_found("docs/a.bin:1:", "bytes")


if __name__ == "__main__":
    unittest.main()
