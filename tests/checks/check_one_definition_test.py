# SPDX-License-Identifier: Apache-2.0
import unittest

import planted
import check_one_definition


def inside(namespace, text):
    return f"namespace {namespace} {{\n{text}\n}}\n"


class CheckOneDefinitionTest(planted.PlantedTest):
    check = check_one_definition

    def setUp(self):
        super().setUp()
        self.plant("planner/a.h", inside("metadist", "class Random {\n struct Part {};\n};\nstruct Later;"))

    def test_second_definition(self):
        for text in ("struct Random { int x; };", "class Random final : public Base<int> {};", "enum class Random : int { kA };", "using Random = int;"):
            self.plant("planner/b.cc", inside("metadist", text))
            self.assert_found("planner/b.cc:2:", "metadist::Random", "planner/a.h:2")

    def test_what_may_be(self):
        self.plant("planner/b.cc", inside("metadist", "namespace {\nclass Random {};\n}") + inside("metadist::rules", "class Random {};"))
        self.plant("planner/c.cc", inside("metadist", "class Random;\nstruct Part {};\nvoid F(struct Later* x) { struct Random {}; }"))
        self.plant("planner/d.cc", inside("metadist", "template <>\nstruct Later<int> {};\n// struct Random {};") + inside("metadist", "struct Later {};"))
        self.assert_clean()

    def test_folders_of_tests_are_programs_of_their_own(self):
        self.plant("tests/one/a.h", inside("metadist::testing", "struct Case {};"))
        self.plant("tests/two/a.h", inside("metadist::testing", "struct Case {};"))
        self.assert_clean()
        self.plant("tests/two/b.cc", inside("metadist", "struct Random {};"))
        self.assert_found("tests/two/b.cc:2:", "planner/a.h:2")


if __name__ == "__main__":
    unittest.main()
