// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/text_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace metadist {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '.' ||
         c == '/';
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Digits with an optional point, exponent and trailing `d`.
bool IsNumber(std::string_view word) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t start = i;
    while (i < word.size() && IsDigit(word[i])) ++i;
    return i > start;
  };
  if (i < word.size() && word[i] == '-') ++i;
  if (!digits()) return false;
  if (i < word.size() && word[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < word.size() && word[i] == 'e') {
    ++i;
    if (i < word.size() && (word[i] == '+' || word[i] == '-')) ++i;
    if (!digits()) return false;
  }
  if (i < word.size() && word[i] == 'd') ++i;
  return i == word.size();
}

}  // namespace

bool IsPlainName(std::string_view name) {
  return !name.empty() && name != "_" && std::all_of(name.begin(), name.end(), IsPlain) &&
         name.substr(0, 3) != "...";
}

std::string QuotedText(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string NameText(std::string_view name) {
  return IsPlainName(name) ? std::string(name) : QuotedText(name);
}

Token TokenReader::Take() {
  Token taken = std::move(token_);
  Advance();
  return taken;
}

void TokenReader::SkipSpace() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (c == '\n') ++line_;
      ++at_;
    } else {
      return;
    }
  }
}

void TokenReader::ReadQuoted() {
  token_.kind = Token::Kind::kBad;
  for (++at_; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      token_.kind = Token::Kind::kQuoted;
      return;
    }
    if (c == '\n') return;
    if (c != '\\') {
      token_.text += c;
      continue;
    }
    if (++at_ == text_.size()) return;
    const char escaped = text_[at_];
    if (escaped == 'x') {
      const int high = at_ + 2 < text_.size() ? HexDigit(text_[at_ + 1]) : -1;
      const int low = at_ + 2 < text_.size() ? HexDigit(text_[at_ + 2]) : -1;
      if (high < 0 || low < 0) return;
      token_.text += static_cast<char>(high * 16 + low);
      at_ += 2;
    } else {
      token_.text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    }
  }
}

void TokenReader::ReadWord() {
  const size_t start = at_;
  if (text_[at_] == '-') ++at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool exponent_sign = (c == '+' || c == '-') && at_ > start && text_[at_ - 1] == 'e' &&
                               IsNumber(std::string(text_.substr(start, at_ - start)) + "0");
    if (!IsPlain(c) && !exponent_sign) break;
    ++at_;
  }
  token_.text = std::string(text_.substr(start, at_ - start));
  token_.kind = IsNumber(token_.text) ? Token::Kind::kNumber : Token::Kind::kWord;
  if (token_.text[0] == '-' && token_.kind == Token::Kind::kWord && token_.text != "-inf" &&
      token_.text != "-nan")
    token_.kind = Token::Kind::kBad;
}

void TokenReader::Advance() {
  SkipSpace();
  token_ = Token();
  token_.line = line_;
  if (at_ == text_.size()) return;
  const char c = text_[at_];
  const std::string_view rest = text_.substr(at_);
  if (rest.substr(0, 2) == "->" || rest.substr(0, 3) == "...") {
    token_ = {Token::Kind::kSymbol, std::string(rest.substr(0, c == '-' ? 2 : 3)), line_};
    at_ += token_.text.size();
  } else if (c == '"') {
    ReadQuoted();
  } else if (IsPlain(c) || c == '-') {
    ReadWord();
  } else {
    token_ = {Token::Kind::kSymbol, std::string(1, c), line_};
    ++at_;
  }
}

}  // namespace metadist
