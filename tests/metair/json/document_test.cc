// SPDX-License-Identifier: Apache-2.0
#include "metair/json/document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace metadist {
namespace {

std::string Problem(std::string_view text) {
  const auto document = ParseJson(text, "f", "a list", "write one");
  if (document.ok()) return "";
  EXPECT_EQ("f", document.error().where);
  EXPECT_EQ("write one", document.error().hint);
  EXPECT_EQ(ErrorCode::kBadInput, document.error().code);
  return document.error().message;
}

TEST(ParseJson, SaysWhatItGotAndWhere) {
  EXPECT_EQ("", Problem("[1, 2]\n"));
  EXPECT_EQ("expected a list in JSON, got the end of the file at line 1", Problem(""));
  EXPECT_EQ("expected a list in JSON, got the end of the file at line 3", Problem("[1,\n2,\n"));
  EXPECT_EQ("expected a list in JSON, got something else at line 2", Problem("[1,\n2 3]"));
  EXPECT_EQ("expected a list in JSON, got something else at line 1", Problem("[NaN]"));
  EXPECT_EQ("expected a list in JSON, got something else at line 1", Problem("[-Infinity]"));
  EXPECT_EQ("expected a list in JSON, got something else at line 1", Problem("[01]"));
  EXPECT_EQ("expected a list in JSON, got something else at line 1", Problem("[\"\xff\"]"));
  EXPECT_EQ("expected a list in JSON, got a number beyond the range of f64", Problem("[1e999]"));
  EXPECT_EQ("expected a list in JSON, got something else at line 1", Problem("[1] [2]"));
}

TEST(ParseJson, LimitsNestingOutsideOfTexts) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  const std::string deep = "expected a list in JSON, got values more than 64 levels deep in others";
  EXPECT_EQ("", Problem(nested(64)));
  EXPECT_EQ(deep, Problem(nested(65)));
  EXPECT_EQ(deep, Problem(std::string(1 << 20, '[')));
  EXPECT_EQ("", Problem("[" + nested(40) + "," + nested(40) + "]"));
  EXPECT_EQ("", Problem("\"" + nested(100) + "\""));
  EXPECT_EQ("", Problem(R"(["\"", )" + nested(60) + "]"));
  EXPECT_EQ(deep, Problem(R"(["\\", )" + nested(70) + "]"));
}

TEST(ParseJson, RefusesAFieldThatIsThereTwice) {
  const auto text = [](std::string_view document) {
    const auto read = ParseJson(document, "f", "it", "write it again");
    return read.ok() ? JsonLine(read.value()) : read.error().text();
  };
  EXPECT_EQ("f: field 'a' is there twice\n  hint: write it again", text(R"({"a": 1, "a": 2})"));
  EXPECT_EQ("f: x[1].y: field 'a' is there twice\n  hint: write it again",
            text(R"({"x": [{"a": 1}, {"b": [1, {}], "y": {"a": {"a": 1}, "c": "a", "a": 1}}]})"));
  EXPECT_EQ("f: [2].x[1][0]: field '\"' is there twice\n  hint: write it again",
            text(R"([1, [], {"x": [{}, [{"\"": 1, "\u0022": 2}]]}])"));
  EXPECT_EQ("f: c: field 'b' is there twice\nf: field 'c' is there twice\n  hint: write it again",
            text(R"({"c": {"b": "{\"b\":", "b": []}, "c": 1})"));
  EXPECT_EQ(R"({"a":":","b":[{"a":1},{"a":":\":"}]})",
            text(R"({"a": ":", "b": [{"a": 1}, {"a": ":\":"}]})"));
}

TEST(JsonLine, SortsAndReplaces) {
  const nlohmann::ordered_json value = {{"b", 1}, {"a", {{"d", 0.1}, {"c", "\xff"}}}};
  EXPECT_EQ("{\"a\":{\"c\":\"\xef\xbf\xbd\",\"d\":0.1},\"b\":1}", SortedJsonLine(value));
}

TEST(ShownJson, EndsBetweenTwoCharacters) {
  EXPECT_EQ("[1,2]", ShownJson({1, 2}));
  std::string text = "x";
  for (int i = 0; i < 30; ++i) text += "é";
  const std::string shown = ShownJson(text);
  EXPECT_EQ("\"x" + text.substr(1, 38) + "...", shown);
}

}  // namespace
}  // namespace metadist
