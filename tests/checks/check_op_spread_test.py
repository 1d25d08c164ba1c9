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

    def test_kernels_name_what_they_implement(self):
        self.plant("executor/cpu/kernels.def", "KERNEL(MatMul, MatMul)\n")
        self.plant("executor/cpu/products.cc", "enum class F { kMatMul };\nPrepared MatMul(const KernelSite& site);")
        self.assert_clean()
        self.plant("executor/cpu/products.cc", 'Register("Softmax");')
        self.assert_found("executor/cpu/products.cc:1:", "Softmax")

    def test_name_within_an_identifier(self):
        self.plant("planner/a.cc", "\nbool IsSoftmax(const OpDef& op);")
        self.assert_found("planner/a.cc:2:", "Softmax (IsSoftmax)")
        self.plant("planner/a.cc", "Rule kMatMulRule;")
        self.assert_found("planner/a.cc:1:", "MatMul (kMatMulRule)")
        self.plant("planner/a.cc", "int Matrix; int MatMultiple; int kMaxRows; f(softmax);")
        self.assert_clean()

    def test_name_of_a_node_that_is_written(self):
        self.plant("planner/a.cc", 'x = compose.Add("Max", {compose.Fold(\n    "MatMul", y), pieces->AddAll("Softmax", {y}, {}, 1)});')
        self.assert_clean()
        self.plant("planner/a.cc", 'x = compose.Add(f("Max"), {y});')
        self.assert_found("planner/a.cc:1:", "Max")
        self.plant("planner/a.cc", 'if (op == "Max") return;')
        self.assert_found("planner/a.cc:1:", "Max")

    def test_table_by_name(self):
        self.plant("planner/a.cc", 'const std::map<std::string, int> kFactors = {{"Softmax", 1}};')
        self.assert_found("planner/a.cc:1:", "Softmax")

    def plant_types(self):
        self.plant("metair/ir/graph.h", "struct Node {\n  std::string op;\n};\nstruct Graph {\n  std::vector<Node> nodes;\n};\n")
        self.plant("metair/ops/op_def.h", "struct OpDef {\n  std::string name;\n};\nstruct OpCall {\n  const OpDef* op = nullptr;\n};\n")

    def test_decisions_by_name(self):
        self.plant_types()
        for text in (
            "bool F(const Node& node) { return node.op == kName; }",
            "for (const auto& node : graph.nodes) if (kNames[0] != node.op) return;\nGraph graph;",
            "Rule F(const OpCall& call) { return kRules.at(call.op->name); }",
            "auto F(const OpDef& op) { return kRules.find({op.domain, op.name}); }",
            "auto F(const OpDef& op) { return kRules[op.name]; }",
            'bool F(const OpDef& op) { return op.name.starts_with("Re"); }',
            "bool F(const OpDef& op) { return op.name[0] == 'R'; }",
            "bool F(const OpDef& op) { return IsPooling(op.name); }",
            "bool F(const OpCall& call) { const std::string& name = call.op->name; return name == kPool; }",
            'bool F(const OpDef& op) { return op.name == "Re" "lu"; }',
        ):
            self.plant("planner/a.cc", "\n" + text)
            self.assert_found("planner/a.cc:2:", "decides by an operator's name")

    def test_names_that_decide_nothing(self):
        self.plant_types()
        self.plant("planner/a.h", "struct Box {\n  const OpCall& call() const;\n};\n")
        self.plant(
            "planner/a.cc",
            "std::string F(const Box& box, const Node& a, const Node& b, const Pass& pass) {\n"
            "  if (a.op != b.op || pass.op == ReduceOp::kSum) return {};\n"
            "  Node next;\n  next.op = a.op;\n  const OpDef* op = table.Find(a.domain, a.op);\n"
            '  return fmt::format("{} ({})", a.op, box.call().op->name);\n}',
        )
        self.plant("metair/passes/fold.cc", "bool F(const Node& node) { return node.op == kName; }")
        self.plant("metair/spmd/collective.cc", "bool F(const Node& node) { return node.op == kName; }")
        self.assert_clean()

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
