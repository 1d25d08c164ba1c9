// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"

namespace metadist {

// Bytes of a file, piece by piece: fills `into` (never empty) from its front and returns how many
// bytes it wrote; 0 at the end only.
using ByteSource = std::function<Result<size_t>(std::span<char> into)>;

// A source that reads `text`, which must outlive it.
ByteSource TextSource(std::string_view text);

// Pulls JSON out of a source in one pass, in constant memory. The caller asks for what the grammar
// of its file allows next. A text that is not JSON, or a source that fails, is final: every call
// answers false from then on, and error() says why.
class JsonScanner {
 public:
  explicit JsonScanner(ByteSource source);

  // Of the value that comes next; kNone at the end, or where no value can begin.
  enum class Kind { kNone, kObject, kArray, kString, kNumber, kBoolean, kNull };
  Kind NextKind();
  // "object", "array", "string", "number", "boolean", "null".
  static std::string_view KindName(Kind kind);

  // Walks an object or array:  for (bool more = Open('['); more; more = Another(']'))  read one.
  // A key is read by Key().
  bool Open(char bracket);
  bool Another(char bracket);
  bool Key(std::string& out);
  bool String(std::string& out);

  // What an array of integers holds besides.
  struct Misfit {
    size_t index = 0;
    std::string text;  // the number as written, or the kind of value
  };
  // Reads an array of integers of 64 bits behind `out`. Other elements become 0 and are told, the
  // first twenty.
  bool Integers(std::vector<int64_t>& out, std::vector<Misfit>& misfits);
  // One integer. Anything else is skipped and told in `misfit`.
  bool Integer(int64_t& out, std::string& misfit);

  // Passes over any value.
  bool Skip();
  // Whether only blanks are left; anything else is an error.
  bool End();

  // Set by the first failure; its place is line and byte, in the message.
  const std::optional<Error>& error() const { return error_; }
  // The error is the source's own.
  bool source_failed() const { return source_failed_; }

 private:
  bool Refill();
  bool SkipBlanks();
  bool FastInteger(int64_t& out);
  std::string Unreadable();
  std::string NumberText();
  bool Literal(std::string_view word);
  bool Expect(char wanted);
  bool Fail(const std::string& expected);

  ByteSource source_;
  std::vector<char> buffer_;
  // What is not read yet, followed by zeros.
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool ended_ = false;
  int64_t passed_bytes_ = 0;  // before the buffer
  int64_t passed_lines_ = 0;
  std::optional<Error> error_;
  bool source_failed_ = false;
};

}  // namespace metadist
