# SPDX-License-Identifier: Apache-2.0
import unittest

import planted
import check_discovery_inputs

DEFINITIONS = """
struct OpDef;
struct OpCall {
  struct Input {
    bool present = false;
    const Tensor* constant = nullptr;  // a comment; of words
  };
  const OpDef* op = nullptr;
  std::vector<Input> inputs;
  bool has(size_t input) const { return inputs[input].present; }
};
struct Work {
  int64_t flops = 0;
};
struct OpDef {
  std::string name = {};
  Result<Graph> (*decompose)(const OpCall& call) = nullptr;
  Work (*work)(const OpCall& call, std::span<const TensorType> outputs) = nullptr;
  bool view = false;
};
Result<std::vector<TensorType>> InferTypes(const OpCall& call);
Work WorkOf(const OpCall& call);
"""

LIST = """# What steers discovery

## What is read

| field | what for | why it is no rule |
|---|---|---|
| `OpDef::name`, `OpCall::op` | messages | `OpDef::view` is none of it |
| `OpDef::decompose`, `InferTypes()` | x | y |
| `OpCall::inputs`, `OpCall::has`, `OpCall::Input::present` | x | y |

## What is not read

- `OpDef::view`, `OpDef::work`, `Work`: costs.
- `OpCall::Input::constant`: no.
"""


class CheckDiscoveryInputsTest(planted.PlantedTest):
    check = check_discovery_inputs

    def setUp(self):
        super().setUp()
        self.plant("metair/ops/op_def.h", DEFINITIONS)
        self.plant("docs/discovery.md", LIST)
        self.plant("planner/rules/box.h", "struct Box {\n  const OpDef& op() const { return *call_.op; }\n  OpCall call_;\n};\n")
        self.plant("planner/rules/a.cc", "f(InferTypes(call), box.op().name, call.op->decompose != nullptr);")

    def test_listed_fields(self):
        self.plant("planner/rules/b.cc", "struct Cut { int view = 0; };\nbool F(const Cut& cut) { return cut.view; }  // op.view\n")
        self.plant("planner/space/c.cc", "bool F(const OpDef& op) { return op.view; }")
        self.assert_clean()

    def test_field_of_a_parameter(self):
        self.plant("planner/rules/b.cc", "\nbool F(const OpDef& op) { return op.view; }")
        self.assert_found("planner/rules/b.cc:2:", "OpDef::view", "what for")

    def test_field_by_a_function_of_another_file(self):
        self.plant("planner/rules/b.cc", "bool F(const Box& box) { return box.op().view; }")
        self.assert_found("planner/rules/b.cc:1:", "OpDef::view")

    def test_field_through_members_and_auto(self):
        self.plant("planner/rules/b.cc", "for (const auto& input : call_.inputs) f(input.constant);")
        self.assert_found("planner/rules/b.cc:1:", "OpCall::Input::constant")
        self.plant("planner/rules/b.cc", "const auto* def = one.call_.op;\nf(def->view);")
        self.assert_found("planner/rules/b.cc:2:", "OpDef::view")

    def test_field_of_a_name_that_nothing_else_has(self):
        self.plant("metair/ops/op_def.h", DEFINITIONS.replace("  bool view", "  Hint (*cuts_along)(const OpCall& call) = nullptr;\n  bool view"))
        self.plant("docs/discovery.md", LIST.replace("- `OpDef::view`", "- `OpDef::cuts_along`, `OpDef::view`"))
        self.plant("planner/rules/b.cc", "const Hint hint = Unknown(x).cuts_along(y);")
        self.assert_found("planner/rules/b.cc:1:", "OpDef::cuts_along")

    def test_function_that_is_given_a_call(self):
        self.plant("planner/rules/b.cc", "return WorkOf(call).flops;")
        self.assert_found("planner/rules/b.cc:1:", "WorkOf")

    def test_function_of_its_own_with_such_a_name(self):
        self.plant("planner/rules/b.cc", "int Box::WorkOf(int x) { return x; }\nint F(const Box& box) { return box.WorkOf(1); }")
        self.assert_clean()

    def test_new_field_must_be_listed(self):
        self.plant("metair/ops/op_def.h", DEFINITIONS.replace("  bool view", "  int hint = 0;\n  bool view"))
        self.assert_found("docs/discovery.md:1:", "OpDef::hint is in neither list")

    def test_field_that_is_gone(self):
        self.plant("docs/discovery.md", LIST.replace("`OpCall::has`", "`OpCall::had`, `OpCall::has`"))
        self.assert_found("docs/discovery.md:1:", "OpCall::had")

    def test_field_in_both_lists(self):
        self.plant("docs/discovery.md", LIST.replace("- `OpDef::view`", "- `OpDef::name`, `OpDef::view`"))
        self.assert_found("OpDef::name", "and not to be")

    def test_no_table_is_not_clean(self):
        self.plant("docs/discovery.md", "# What steers discovery\n")
        self.assert_found("expected a table")


if __name__ == "__main__":
    unittest.main()
