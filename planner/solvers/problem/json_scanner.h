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

// Reads a file piece by piece: writes into `into` (never empty) from its front and returns how many
// bytes it wrote; 0 only at the end.
using ByteSource = std::function<Result<size_t>(std::span<char> into)>;

// A source that reads `text`, which must outlive it.
ByteSource TextSource(std::string_view text);

// Reads JSON from a source in one pass, in constant memory. The caller requests what the grammar of
// its file allows next. Invalid JSON or a failing source is final: every later call returns false,
// and error() holds the reason.
class JsonScanner {
 public:
  explicit JsonScanner(ByteSource source);

  // Kind of the next value; kNone at the end, or where no value can begin.
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

  // An element of an array of integers that is not a 64-bit integer.
  struct Misfit {
    size_t index = 0;
    std::string text;  // the number as written, or the kind of value
  };
  // Appends an array of 64-bit integers to `out`. Other elements become 0; the first twenty of them
  // are reported in `misfits`.
  bool Integers(std::vector<int64_t>& out, std::vector<Misfit>& misfits);
  // Reads one integer. Anything else is skipped and reported in `misfit`.
  bool Integer(int64_t& out, std::string& misfit);

  // Skips any value.
  bool Skip();
  // True if only blanks are left; anything else is an error.
  bool End();

  // Set by the first failure; the message contains line and byte.
  const std::optional<Error>& error() const { return error_; }
  // True if the error came from the source.
  bool source_failed() const { return source_failed_; }

 private:
  bool Refill();
  bool SkipBlanks();
  bool FastInteger(int64_t& out);
  std::string NumberText();
  bool Literal(std::string_view word);
  bool Expect(char wanted);
  bool Fail(const std::string& expected);

  ByteSource source_;
  std::vector<char> buffer_;
  // The unread bytes, followed by zeros.
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool ended_ = false;
  int64_t passed_bytes_ = 0;  // before the buffer
  int64_t passed_lines_ = 0;
  std::optional<Error> error_;
  bool source_failed_ = false;
};

}  // namespace metadist
