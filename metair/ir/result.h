// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
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

  bool ok() const { return state_.index() == 0; }
  const T& value() const& {
    CHECK(ok(), error_text());
    return std::get<0>(state_);
  }
  T& value() & {
    CHECK(ok(), error_text());
    return std::get<0>(state_);
  }
  T&& value() && {
    CHECK(ok(), error_text());
    return std::get<0>(std::move(state_));
  }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  const char* error_text() const { return ok() ? "" : std::get<1>(state_).message.c_str(); }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return !error_.has_value(); }
  void value() const { CHECK(ok(), error_ ? error_->message.c_str() : ""); }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace metadist

// Unwraps a Result, or returns its error from the calling function.
#define TRY(expr)                                               \
  (__extension__({                                              \
    auto try_result = (expr);                                   \
    if (!try_result.ok()) return std::move(try_result).error(); \
    std::move(try_result).value();                              \
  }))
