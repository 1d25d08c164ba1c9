// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace metadist {

// The kind of an error. The value is the exit status of the process (docs/cli.md).
enum class ErrorCode {
  kInternal = 1,
  kUsage = 2,
  kBadInput = 3,
  kInfeasible = 4,
  kMismatch = 5,
  kDevice = 6,
  kRegression = 7,
  kTimeLimit = 8,
  kInterrupted = 130,
};

// One problem that a user, a file, a machine or another rank can cause.
// message: lower case, no final dot, expected value first, then actual. where: the file, node or
// flag concerned. hint: what to do next, a whole sentence or command; may be empty. also: further
// problems found in the same step, so that all are reported at once.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string where = {};
  std::string message = {};
  std::string hint = {};
  std::vector<Error> also = {};

  // Prefixes the location: `gpt2.onnx` + `node 'a'` -> `gpt2.onnx: node 'a'`.
  Error in(const std::string& outer) &&;
  // "where: message", one line per problem; hints on separate lines.
  std::string text() const;
};

// An Error while it propagates from the function that found it to the caller that reads it. A
// single pointer, which keeps the code of functions with many steps small. Never empty unless moved
// from.
class [[nodiscard]] Failure {
 public:
  explicit Failure(Error error);
  Failure(const Failure& other);
  Failure(Failure&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  Failure& operator=(Failure other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Failure() {
    if (error_ != nullptr) Free();
  }

  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  void Free();

  Error* error_;
};

Error Internal(std::string message);
Error Usage(std::string message, std::string hint = "");
Error BadInput(std::string where, std::string message, std::string hint = "");
Error OutOfMemory();  // kDevice; allocates nothing

// Adds an error to the problems, or separately all problems joined in it.
void AddProblem(std::vector<Error>& problems, Error error);

// Joins problems into one error: the first carries the others. `problems` must not be empty.
Error Join(std::vector<Error> problems);

}  // namespace metadist
