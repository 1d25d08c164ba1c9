# SPDX-License-Identifier: Apache-2.0
import unittest

import planted
import check_op_spread


class CheckOpSpreadTest(planted.PlantedTest):
    check = check_op_spread

    def setUp(self):
        super().setUp()
        self.plant("metair/ops/ops.def", "// OP(X) is x.cc\nOP(MatMul)\nOP(Max)\nOP(Softmax)\n")
        self.plant("metair/ops/mat_mul.cc", 'name = "MatMul"; return ops::MatMul();')
        self.plant("metair/ops/max.cc", 'name = "Max";')
        self.plant("metair/ops/softmax.cc", 'name = "Softmax"; gradient(Node("MatMul"));')

    def test_exempt_places(self):
        self.plant("executor/cpu/mat_mul.cc", 'Register("MatMul");')
        self.plant("metair/passes/attention.cc", 'Match("Softmax");')
        self.plant("importers/onnx/adapters.cc", 'Adapt("Softmax");')
        self.plant("tests/metair/ops/a_test.cc", 'Op("Softmax");')
        self.assert_clean()

    def test_literal(self):
        self.plant("planner/a.cc", '\nif (node.op == "Softmax") {}')
        self.assert_found("planner/a.cc:2:", "Softmax")

    def test_constant_and_function(self):
        self.plant("executor/a.cc", "f(kSoftmax);")
        self.assert_found("executor/a.cc:1:", "kSoftmax")
        self.plant("executor/a.cc", "f(ops::Softmax());")
        self.assert_found("executor/a.cc:1:", "ops::Softmax")

    def test_kernel_names_only_its_own(self):
        self.plant("executor/cpu/mat_mul.cc", 'Register("Softmax");')
        self.assert_found("executor/cpu/mat_mul.cc:1:", "Softmax")

    def test_helper_among_the_operators_names_none(self):
        self.plant("metair/ops/broadcast.cc", 'if (op == "Max") {}')
        self.assert_found("metair/ops/broadcast.cc:1:", "Max")

    def test_ordinary_words(self):
        self.plant("planner/a.cc", 'enum class Reduction { kMax, kSum }; // "Softmax" in a comment\nf("Max of all", "max");')
        self.assert_clean()
        self.plant("planner/b.cc", 'f("Max");')
        self.assert_found("planner/b.cc:1:", "Max")

    def test_no_sharding_in_operators(self):
        self.plant("metair/ops/max.cc", "// how to Shard it\n")
        self.assert_found("metair/ops/max.cc:1:", "sharding")

    def test_table_and_folder_agree(self):
        self.plant("metair/ops/ops.def", "OP(Erf)\nOP(MatMul)\nOP(Max)\nOP(Softmax)\n")
        self.assert_found("ops.def:1:", "Erf")

    def test_table_is_alphabetical(self):
        self.plant("metair/ops/ops.def", "OP(Max)\nOP(MatMul)\nOP(Softmax)\n")
        self.assert_found("ops.def", "MatMul comes after Max")

    def test_empty_table_is_not_clean(self):
        self.plant("metair/ops/ops.def", "// nothing\n")
        self.assert_found("no operator")


if __name__ == "__main__":
    unittest.main()
