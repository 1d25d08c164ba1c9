// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/json_scanner.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace metadist {
namespace {

// Returns the text in pieces of `size` bytes.
ByteSource Pieces(const std::string& text, size_t size) {
  return [text, size, at = size_t{0}](std::span<char> into) mutable -> Result<size_t> {
    const size_t count = std::min({size, into.size(), text.size() - at});
    text.copy(into.data(), count, at);
    at += count;
    return count;
  };
}

struct Read {
  std::vector<int64_t> numbers;
  std::vector<std::string> misfits;  // "index:text"
  std::string error;
};

Read Integers(const std::string& text, size_t piece = 1000) {
  JsonScanner scanner(Pieces(text, piece));
  Read out;
  std::vector<JsonScanner::Misfit> misfits;
  if (scanner.Integers(out.numbers, misfits)) scanner.End();
  for (const auto& misfit : misfits) {
    out.misfits.push_back(std::to_string(misfit.index) + ":" + misfit.text);
  }
  if (scanner.error()) out.error = scanner.error()->text();
  return out;
}

std::string ErrorOfSkip(const std::string& text) {
  JsonScanner scanner(Pieces(text, 7));
  if (scanner.Skip()) scanner.End();
  return scanner.error() ? scanner.error()->text() : "";
}

TEST(JsonScanner, ReadsIntegersOfEveryLength) {
  std::string text = "[";
  std::vector<int64_t> expected;
  int64_t value = 0;
  for (int digits = 1; digits <= 18; ++digits) {
    value = value * 10 + (digits % 10 == 0 ? 1 : digits % 10);
    for (int64_t number : {value, -value}) {
      expected.push_back(number);
      text += (text.size() > 1 ? "," : "") + std::to_string(number);
    }
  }
  for (const char* number : {"9223372036854775807", "-9223372036854775808", "0", "-0"}) {
    expected.push_back(number == std::string("-0") ? 0 : std::stoll(number));
    text += std::string(" ,\n") + number;
  }
  text += "\t]\r\n ";
  for (size_t piece : {1, 2, 3, 63, 64, 65, 1000}) {
    const Read read = Integers(text, piece);
    EXPECT_EQ(read.error, "") << piece;
    EXPECT_EQ(read.numbers, expected) << piece;
    EXPECT_TRUE(read.misfits.empty()) << piece;
  }
}

TEST(JsonScanner, ReadsMoreThanItsBuffer) {
  std::string text = "[1";
  std::vector<int64_t> expected = {1};
  for (int64_t k = 0; k < 200'000; ++k) {
    expected.push_back(k * 1'234'567'891);
    text += "," + std::to_string(expected.back());
  }
  text += "]";
  EXPECT_EQ(Integers(text, 100'003).numbers, expected);
  EXPECT_EQ(Integers(text, 1).numbers, expected);
  const std::string blanks(1'000'000, ' ');
  EXPECT_EQ(Integers(blanks + "[" + blanks + "7" + blanks + "]" + blanks, 999).numbers,
            (std::vector<int64_t>{7}));
}

TEST(JsonScanner, TellsWhatIsNoInteger) {
  const Read read = Integers(
      "[1, 1.5, 9223372036854775808, -9223372036854775809, 1e3, 01, -, \"2\", [3, [4]], "
      "{\"a\": 5}, true, null, 6]");
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.numbers.front(), 1);
  EXPECT_EQ(read.numbers.back(), 6);
  EXPECT_EQ(read.misfits,
            (std::vector<std::string>{"1:1.5",
                                      "2:9223372036854775808",
                                      "3:-9223372036854775809",
                                      "4:1e3",
                                      "5:01",
                                      "6:-",
                                      "7:string",
                                      "8:array",
                                      "9:object",
                                      "10:boolean",
                                      "11:null"}));
  const Read longest = Integers("[" + std::string(1'000'000, '9') + "]", 997);
  EXPECT_EQ(longest.misfits, (std::vector<std::string>{"0:" + std::string(40, '9') + "..."}));
}

TEST(JsonScanner, SaysWhereTextIsNoJson) {
  EXPECT_EQ(Integers("[1,\n2 3]").error, "expected ',' or ']', got '3' (line 2, byte 6)");
  EXPECT_EQ(Integers("[1,]").error, "expected a value, got ']' (line 1, byte 3)");
  EXPECT_EQ(Integers("[1,2").error,
            "expected ',' or ']', got the end of the file (line 1, byte 4)");
  EXPECT_EQ(Integers("[1]\n\n]").error, "expected the end of the file, got ']' (line 3, byte 5)");
  EXPECT_EQ(Integers(std::string("[1,\0]", 5)).error,
            "expected a value, got byte 0x00 (line 1, byte 3)");
  EXPECT_EQ(Integers("").error, "expected '[', got the end of the file (line 1, byte 0)");
  const std::string far = "[" + std::string(700'000, '\n') + "x]";
  EXPECT_EQ(Integers(far, 10'000).error, "expected a value, got 'x' (line 700001, byte 700001)");
}

TEST(JsonScanner, PassesOverValues) {
  EXPECT_EQ(ErrorOfSkip(R"({"a": [1, -2.5e+3, "x\"y\\", {}], "b": {"c": [[], true, null]}})"), "");
  EXPECT_EQ(ErrorOfSkip(std::string(100, '[') + std::string(100, ']')), "");
  EXPECT_EQ(ErrorOfSkip(std::string(1'000'000, '[')),
            "expected at most 100 levels, got '[' (line 1, byte 100)");
  EXPECT_EQ(ErrorOfSkip(R"({"a" 1})"), "expected ':', got '1' (line 1, byte 5)");
  EXPECT_EQ(ErrorOfSkip(R"({a: 1})"), "expected a key in quotes, got 'a' (line 1, byte 1)");
  EXPECT_EQ(ErrorOfSkip(R"([1, 2})"), "expected ',' or ']', got '}' (line 1, byte 5)");
  EXPECT_EQ(ErrorOfSkip("tru"), "expected a value, got 't' (line 1, byte 0)");
}

TEST(JsonScanner, ReadsStrings) {
  const auto read = [](const std::string& text) {
    JsonScanner scanner(Pieces(text, 3));
    std::string out;
    return scanner.String(out) ? out : "error: " + scanner.error()->text();
  };
  EXPECT_EQ(read(R"("")"), "");
  EXPECT_EQ(read(R"("a\"b\\\u00e9\n")"), "a\"b\\\xc3\xa9\n");
  EXPECT_EQ(read("\"\xff\""),
            "error: expected a string of UTF-8 and known escapes before it, got '\"' "
            "(line 1, byte 2)");
  EXPECT_EQ(read("\"\\x\"").substr(0, 6), "error:");
  EXPECT_EQ(read("\"abc"), "error: expected '\"', got the end of the file (line 1, byte 4)");
  EXPECT_EQ(read("\"" + std::string(2 << 20, 'a') + "\"").substr(0, 32),
            "error: expected a string below 1");
}

TEST(JsonScanner, PassesOnWhatTheSourceSays) {
  JsonScanner scanner([](std::span<char>) -> Result<size_t> { return Usage("disk on fire"); });
  std::vector<int64_t> numbers;
  std::vector<JsonScanner::Misfit> misfits;
  EXPECT_FALSE(scanner.Integers(numbers, misfits));
  EXPECT_TRUE(scanner.source_failed());
  EXPECT_EQ(scanner.error()->text(), "disk on fire");
}

}  // namespace
}  // namespace metadist
