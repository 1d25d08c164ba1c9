// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Words of the text forms (graph, plan, program).
namespace metadist {

// Whether a name is not empty, consists of letters, digits, `_`, `.` and `/` only, and is not `_`.
bool IsPlainName(std::string_view name);
// In double quotes, with \" \\ \n \t and \xNN for other control characters.
std::string QuotedText(std::string_view text);
// The name unchanged if plain, else quoted.
std::string NameText(std::string_view name);

struct Token {
  enum class Kind { kEnd, kWord, kQuoted, kNumber, kSymbol, kBad };
  Kind kind = Kind::kEnd;
  std::string text;  // kQuoted: unescaped; kSymbol: one character, `->` or `...`
  int line = 1;
};

// Splits text into tokens. `#` starts a comment that ends with the line.
// A word starts with a letter, `_`, `.` or `/`; a number with a digit or `-` and a digit (words
// such as 3d_conv, which start with a digit, are words as well: a number holds digits, `.`, `e`,
// `+`, `-` only, and may end with `d`).
class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : text_(text) { Advance(); }

  const Token& peek() const { return token_; }
  Token Take();

 private:
  void Advance();
  void SkipSpace();
  void ReadQuoted();
  void ReadWord();

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  Token token_;
};

}  // namespace metadist
