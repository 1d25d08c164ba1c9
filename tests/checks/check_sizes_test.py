# SPDX-License-Identifier: Apache-2.0
import unittest

import planted
import check_sizes


def body(lines):
    return "{\n" + "  Step();\n" * (lines - 2) + "}\n"


class CheckSizesTest(planted.PlantedTest):
    check = check_sizes

    def test_limits_are_allowed(self):
        self.plant("metair/a.cc", "int F(int a, int b, int c, int d, int e, std::map<int, int> f) " + body(80) + "\n" * 720)
        self.plant("metair/a.h", "\n" * 250)
        self.assert_clean()

    def test_files(self):
        self.plant("metair/a.cc", "\n" * 801)
        self.assert_found("metair/a.cc:1:", "801 lines")
        self.plant("metair/a.cc", "")
        self.plant("metair/a.h", "\n" * 251)
        self.assert_found("metair/a.h:1:", "251 lines")

    def test_long_functions(self):
        heads = ("void F() ", "Result<int> Class::F(const std::string& a) const ", "Class::Class(int a) : a_(a), b_{1} ",
                 "template <typename T = int>\nvoid F(T t) ", "TEST(Suite, Case) ", "bool operator<(const A& a, const A& b) ",
                 "static auto f = [](int a) -> int ", "[[nodiscard]] int F() noexcept ")
        for head in heads:
            with self.subTest(head=head):
                self.plant("metair/a.cc", "namespace metadist {\nnamespace {\n\n" + head + body(100) + "}\n}\n")
                self.assert_found("metair/a.cc:", "limit 80")

    def test_long_method_in_a_class(self):
        self.plant("metair/a.cc", "class A final : public B {\n public:\n  struct C {\n   int x = 1;\n   void F(int a) " + body(81) + "};\n};\n")
        self.assert_found("metair/a.cc:5:", "81 lines")

    def test_what_is_no_function(self):
        table = "const Table kTable = Make({\n" + "  1,\n" * 90 + "});\nconst int kList[] = {\n" + "  1,\n" * 90 + "};\n"
        self.plant("metair/a.cc", table + "enum class E {\n" + "  kA,\n" * 90 + "};\n// void F() {\n" + "//\n" * 90)
        self.assert_clean()

    def test_braces_in_strings_and_directives(self):
        self.plant("metair/a.cc", '#define OPEN {\\\n  {\nvoid F() { f("{", \'{\', R"({{)"); }\n' + "int x;\n" * 90)
        self.assert_clean()

    def test_parameters(self):
        seven = "(int a, int b, std::map<int, std::pair<int, int>> c, int d = f(1, 2), int e, int f, int g)"
        self.plant("metair/a.cc", "void F" + seven + " {}\n")
        self.assert_found("metair/a.cc:1:", "7 parameters")
        self.plant("metair/a.cc", "")
        self.plant("metair/a.h", "struct A {\n  virtual int F" + seven + " = 0;\n};\n")
        self.assert_found("metair/a.h:2:", "7 parameters")

    def test_names_that_say_nothing(self):
        self.plant("metair/utils.h", "")
        self.assert_found("metair/utils.h:1:")


if __name__ == "__main__":
    unittest.main()
