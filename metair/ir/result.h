// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "metair/ir/check.h"
#include "metair/ir/error.h"

namespace metadist {

// A value, or the reason why there is none. Exceptions never cross a public header.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(*-explicit-*)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*-explicit-*)
  Result(Failure failure)
      : state_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return state_.index() == 0; }
  const T& value() const& {
    CHECK(ok(), error_text());
    return *std::get_if<0>(&state_);
  }
  T& value() & {
    CHECK(ok(), error_text());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CHECK(ok(), error_text());
    return std::move(*std::get_if<0>(&state_));
  }
  // Only if ok() is false.
  const Error& error() const& { return std::get_if<1>(&state_)->error(); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)).error(); }
  Failure&& failure() && { return std::move(*std::get_if<1>(&state_)); }
  // The same result; an error gets a location, see Error::in.
  Result in(const std::string& outer) && {
    if (!ok()) return std::move(*this).error().in(outer);
    return std::move(*this);
  }

 private:
  const char* error_text() const { return error().message.c_str(); }

  std::variant<T, Failure> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : failure_(std::move(error)) {}        // NOLINT(*-explicit-*)
  Result(Failure failure) : failure_(std::move(failure)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return !failure_.has_value(); }
  void value() const { CHECK(ok(), error().message.c_str()); }
  const Error& error() const& { return failure_->error(); }
  Error&& error() && { return std::move(*failure_).error(); }
  Failure&& failure() && { return std::move(*failure_); }
  Result in(const std::string& outer) && {
    if (!ok()) return std::move(*this).error().in(outer);
    return std::move(*this);
  }

 private:
  std::optional<Failure> failure_;
};

}  // namespace metadist

// Unwraps a Result, or returns its error from the calling function.
#define TRY(expr)                                                 \
  (__extension__({                                                \
    auto try_result = (expr);                                     \
    if (!try_result.ok()) return std::move(try_result).failure(); \
    std::move(try_result).value();                                \
  }))
