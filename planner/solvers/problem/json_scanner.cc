// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/json_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace metadist {

// Problem files hold up to gigabytes of integers in nested arrays. For the 93 MB of the public
// instance A, nlohmann's document tree takes 2.0 s and 250 MB beyond the text, its event parser 0.8
// s (one call per number, and the caller must track the nesting), and a fast tree 0.55 s and 140
// MB; reading the file from disk takes 0.02 s. Here the caller drives the scanner, so that a whole
// array is read in one loop: 0.1 s, and 31 MB including the problem itself.
//  * The buffer always holds a whole number: when fewer than kLookahead bytes are left, they are
//    moved to the front and the buffer is refilled. Zeros follow its end, so the loop checks no
//    bounds.
//  * Eight digits at a time are recognised and converted by arithmetic on one word (Lemire,
//    "Quickly parsing eight digits", 2018); forbidden entries have nineteen.
//  * Lines are counted by memchr when the buffer is moved; positions are computed only for
//    messages.
//
// Strings are rare: they are passed to the library, which handles escapes and UTF-8. Nesting uses
// no call stack; more than kMostNested levels are refused.

namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;
constexpr ptrdiff_t kLookahead = 64;
constexpr size_t kLongestString = size_t{1} << 20;
constexpr size_t kShownBytes = 40;
constexpr size_t kMostMisfits = 20;
constexpr size_t kMostNested = 100;

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNumberPart(char c) {
  return IsDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

bool EightDigits(uint64_t word) {
  constexpr uint64_t kHigh = 0xf0f0f0f0f0f0f0f0;
  constexpr uint64_t kZeros = 0x3030303030303030;
  return (word & kHigh) == kZeros && ((word + 0x0606060606060606) & kHigh) == kZeros;
}

// The first digit is the lowest byte.
uint64_t ValueOfEight(uint64_t word) {
  word -= 0x3030303030303030;
  word = word * 10 + (word >> 8);
  constexpr uint64_t kMask = 0x000000ff000000ff;
  constexpr uint64_t kUpper = 100 + (uint64_t{1'000'000} << 32);
  constexpr uint64_t kLower = 1 + (uint64_t{10'000} << 32);
  return ((word & kMask) * kUpper + ((word >> 16) & kMask) * kLower) >> 32;
}

}  // namespace

ByteSource TextSource(std::string_view text) {
  return [text](std::span<char> into) mutable -> Result<size_t> {
    const size_t count = text.copy(into.data(), into.size());
    text.remove_prefix(count);
    return count;
  };
}

JsonScanner::JsonScanner(ByteSource source)
    : source_(std::move(source)), buffer_(kBufferBytes + kLookahead, '\0') {
  at_ = end_ = buffer_.data();
}

// Moves the unread bytes to the front and fills the rest of the buffer. False if nothing was added.
bool JsonScanner::Refill() {
  if (ended_) return false;
  for (const char* line = buffer_.data(); line < at_; ++line) {
    line = static_cast<const char*>(std::memchr(line, '\n', static_cast<size_t>(at_ - line)));
    if (line == nullptr) break;
    ++passed_lines_;
  }
  passed_bytes_ += at_ - buffer_.data();
  size_t held = static_cast<size_t>(end_ - at_);
  std::memmove(buffer_.data(), at_, held);
  const size_t before = held;
  while (held < static_cast<size_t>(2 * kLookahead) && !ended_) {
    const Result<size_t> added = source_(std::span(buffer_.data() + held, kBufferBytes - held));
    if (!added.ok()) {
      if (!error_) error_ = added.error();
      source_failed_ = true;
      ended_ = true;
      held = 0;
      break;
    }
    held += added.value();
    ended_ = added.value() == 0;
  }
  std::fill_n(buffer_.begin() + static_cast<ptrdiff_t>(held), kLookahead, '\0');
  at_ = buffer_.data();
  end_ = at_ + held;
  return held > before;
}

// False at the end.
bool JsonScanner::SkipBlanks() {
  while (true) {
    while (at_ < end_ && IsBlank(*at_)) ++at_;
    if (at_ < end_) return true;
    if (!Refill()) return false;
  }
}

bool JsonScanner::Fail(const std::string& expected) {
  if (error_) return false;
  std::string got = "the end of the file";
  if (at_ < end_) {
    const auto byte = static_cast<unsigned char>(*at_);
    got = byte > ' ' && byte < 127 ? fmt::format("'{}'", *at_) : fmt::format("byte {:#04x}", byte);
  }
  const char* const front = buffer_.data();
  const int64_t lines = passed_lines_ + std::count(front, at_, '\n');
  error_ = BadInput("",
                    fmt::format("expected {}, got {} (line {}, byte {})",
                                expected,
                                got,
                                lines + 1,
                                passed_bytes_ + (at_ - front)));
  ended_ = true;
  at_ = end_ = buffer_.data();
  buffer_[0] = '\0';
  return false;
}

JsonScanner::Kind JsonScanner::NextKind() {
  if (!SkipBlanks()) return Kind::kNone;
  switch (*at_) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBoolean;
    case 'n':
      return Kind::kNull;
    default:
      return IsDigit(*at_) || *at_ == '-' ? Kind::kNumber : Kind::kNone;
  }
}

std::string_view JsonScanner::KindName(Kind kind) {
  constexpr std::string_view kNames[] = {
      "nothing", "object", "array", "string", "number", "boolean", "null"};
  return kNames[static_cast<size_t>(kind)];
}

bool JsonScanner::Expect(char wanted) {
  if (!SkipBlanks() || *at_ != wanted) return Fail(fmt::format("'{}'", wanted));
  ++at_;
  return true;
}

bool JsonScanner::Open(char bracket) {
  if (!Expect(bracket)) return false;
  const char closing = bracket == '[' ? ']' : '}';
  if (!SkipBlanks() || *at_ != closing) return true;
  ++at_;
  return false;
}

bool JsonScanner::Another(char bracket) {
  if (error_) return false;
  if (SkipBlanks() && *at_ == ',') {
    ++at_;
    return true;
  }
  if (at_ < end_ && *at_ == bracket) {
    ++at_;
    return false;
  }
  return Fail(fmt::format("',' or '{}'", bracket));
}

bool JsonScanner::Key(std::string& out) {
  if (NextKind() != Kind::kString) return Fail("a key in quotes");
  return String(out) && Expect(':');
}

bool JsonScanner::String(std::string& out) {
  if (!Expect('"')) return false;
  std::string raw = "\"";
  bool escaped = false;
  while (true) {
    if (at_ == end_ && !Refill()) return Fail("'\"'");
    const char c = *at_;
    if (raw.size() > kLongestString) return Fail(fmt::format("a string below {}", kLongestString));
    raw.push_back(c);
    ++at_;
    if (c == '"' && !escaped) break;
    escaped = c == '\\' && !escaped;
  }
  const nlohmann::json text = nlohmann::json::parse(raw, nullptr, /*allow_exceptions=*/false);
  if (!text.is_string()) {
    --at_;
    return Fail("a string of UTF-8 and known escapes before it");
  }
  out = text.get<std::string>();
  return true;
}

// Reads the number at the cursor if it is a 64-bit integer; otherwise does not move the cursor.
inline bool JsonScanner::FastInteger(int64_t& out) {
  const char* p = at_;
  const bool negative = *p == '-';
  p += negative;
  const char* const first = p;
  uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (int block = 0; block < 2; ++block) {
      uint64_t word = 0;
      std::memcpy(&word, p, sizeof(word));
      if (!EightDigits(word)) break;
      value = value * 100'000'000 + ValueOfEight(word);
      p += sizeof(word);
    }
  }
  while (IsDigit(*p) && p - first < 19) value = value * 10 + static_cast<uint64_t>(*p++ - '0');
  const ptrdiff_t digits = p - first;
  if (digits == 0 || (digits > 1 && *first == '0') || IsNumberPart(*p)) return false;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  if (value > kMost + (negative ? 1 : 0)) return false;
  out = static_cast<int64_t>(negative ? ~value + 1 : value);
  at_ = p;
  return true;
}

// Skips a number of any length and returns its text, truncated.
std::string JsonScanner::NumberText() {
  std::string text;
  size_t length = 0;
  while ((at_ < end_ || Refill()) && IsNumberPart(*at_)) {
    if (length++ < kShownBytes) text.push_back(*at_);
    ++at_;
  }
  return length > kShownBytes ? text + "..." : text;
}

bool JsonScanner::Integer(int64_t& out, std::string& misfit) {
  misfit.clear();
  if (end_ - at_ < kLookahead) Refill();
  if (FastInteger(out)) return true;
  SkipBlanks();
  if (end_ - at_ < kLookahead) Refill();
  if (FastInteger(out)) return true;
  out = 0;
  const Kind kind = NextKind();
  misfit = kind == Kind::kNumber ? NumberText() : std::string(KindName(kind));
  if (kind != Kind::kNumber) Skip();
  return !error_;
}

bool JsonScanner::Integers(std::vector<int64_t>& out, std::vector<Misfit>& misfits) {
  std::string misfit;
  size_t index = 0;
  bool more = Open('[');
  while (more) {
    int64_t value = 0;
    if (end_ - at_ < kLookahead) Refill();
    if (!FastInteger(value)) {
      if (!Integer(value, misfit)) return false;
      if (!misfit.empty() && misfits.size() < kMostMisfits) misfits.push_back({index, misfit});
    }
    out.push_back(value);
    ++index;
    if (*at_ == ',') {
      ++at_;
    } else {
      more = Another(']');
    }
  }
  return !error_;
}

bool JsonScanner::Literal(std::string_view word) {
  if (end_ - at_ < kLookahead) Refill();
  if (std::string_view(at_, static_cast<size_t>(end_ - at_)).substr(0, word.size()) != word) {
    return Fail("a value");
  }
  at_ += word.size();
  return true;
}

bool JsonScanner::Skip() {
  std::string open;  // closing brackets still expected
  std::string text;
  while (true) {
    const Kind kind = NextKind();
    if (kind == Kind::kObject || kind == Kind::kArray) {
      if (open.size() == kMostNested) return Fail(fmt::format("at most {} levels", kMostNested));
      const char bracket = *at_;
      if (Open(bracket)) {
        open.push_back(bracket == '[' ? ']' : '}');
        if (bracket == '{' && !Key(text)) return false;
        continue;
      }
    } else if (kind == Kind::kString) {
      if (!String(text)) return false;
    } else if (kind == Kind::kNumber) {
      NumberText();
    } else if (kind == Kind::kBoolean || kind == Kind::kNull) {
      if (!Literal(*at_ == 't' ? "true" : *at_ == 'f' ? "false" : "null")) return false;
    } else {
      return Fail("a value");
    }
    while (!open.empty() && !Another(open.back())) {
      if (error_) return false;
      open.pop_back();
    }
    if (error_) return false;
    if (open.empty()) return true;
    if (open.back() == '}' && !Key(text)) return false;
  }
}

bool JsonScanner::End() {
  if (error_) return false;
  if (!SkipBlanks()) return !error_;
  return Fail("the end of the file");
}

}  // namespace metadist
