// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "metair/json/limits.h"
#include "metair/json/problems.h"

namespace metadist {

// One place in a JSON document, either written from a value or read into one. A format lists its
// fields once, in a function that serves both:
//
//   void VisitOrigin(JsonVisitor& v, Origin& origin) {
//     v.Field("class", origin.provenance, OneOf({Provenance::kMeasured, Provenance::kBorrowed}));
//     v.Field("source", origin.source, Texts::kNotEmpty);
//     v.Optional("date", origin.date, "");
//   }
//
// Writing neither changes nor checks the value. Reading collects all problems with their locations,
// leaves a value unchanged if the document has none for it, and continues; a function must check
// ok() before it uses what it has read. The first field makes the place an object; fields of the
// document that were never requested are problems.
//
// `how` is a limit (Integers{1}) or a function (JsonVisitor&, T&). For a vector, an array, a map or
// an optional it applies to the whole if it is a function that accepts it, else to each element.
class JsonVisitor {
 public:
  // Reads `in`. All arguments must outlive the visitor.
  JsonVisitor(const nlohmann::json& in, JsonProblems& problems, const JsonLimits& limits = {});
  // Writes into `out`.
  explicit JsonVisitor(nlohmann::ordered_json& out);
  JsonVisitor(const JsonVisitor&) = delete;
  JsonVisitor& operator=(const JsonVisitor&) = delete;

  bool reading() const { return in_ != nullptr; }
  // The document's value at this place; only in reading.
  const nlohmann::json& in() const { return *in_; }
  // Applies to this place and everything within it, from here on.
  void Limit(const JsonLimits& limits) { limits_ = limits; }

  // Whether no problem was found at this place or within it.
  bool ok() const { return problems_ == nullptr || problems_->count() == problems_before_; }
  // Reports a problem of this place, or of one within it, by name or "[3]". No effect in writing.
  void Wrong(std::string message, std::string hint = "");
  void WrongAt(std::string_view name, std::string message, std::string hint = "");
  // Fields of this object that were not requested are allowed: it is unused, or may have any.
  void LeaveRest() { rest_is_open_ = true; }
  // Reports the fields that were not requested; the last call on the outermost visitor.
  void RefuseRest();

  // The place is a single value.
  void Value(bool& value);
  void Value(int64_t& value, const Integers& range = {});
  void Value(int& value, const Integers& range = {INT32_MIN, INT32_MAX});
  void Value(uint64_t& value);
  void Value(double& value, Reals range = Reals::kAny);
  void Value(std::string& value, Texts range = Texts::kAny);
  void Value(std::string& value, const Words& range);
  // The place is a text: write() returns it, read(text) parses it.
  template <typename Write, typename Read>
  void Text(const Write& write, const Read& read) {
    std::string text;
    if (!reading()) text = write();
    Value(text);
    if (reading() && ok()) read(text);
  }
  // Writes null, or reads whether the place is null; returns which.
  bool Null(bool null);
  // The place is one of the names; returns its index. Reading returns `chosen` after a problem.
  size_t Choice(const std::vector<std::string_view>& names, size_t chosen);

  template <typename T, typename... How>
  void Visit(T& value, const How&... how);

  // The place is a list of `count` elements; in reading, returns the document's count, or 0 after a
  // problem.
  size_t Items(size_t count);
  // The place is a list of exactly `count` elements; returns false after a problem.
  bool Tuple(size_t count);
  template <typename T, typename... How>
  void Item(size_t index, T& value, const How&... how) {
    VisitAt(ItemAt(index), value, how...);
  }

  // A required field.
  template <typename T, typename... How>
  void Field(std::string_view name, T& value, const How&... how) {
    const Place place = FieldAt(name, /*required=*/true);
    if (place) VisitAt(place, value, how...);
  }
  // A field that is always written; in reading, defaults to `absent`.
  template <typename T, typename... How>
  void Defaulted(std::string_view name,
                 T& value,
                 const std::type_identity_t<T>& absent,
                 const How&... how) {
    if (reading()) value = absent;
    const Place place = FieldAt(name, /*required=*/false);
    if (place) VisitAt(place, value, how...);
  }
  // The same, but not written if it equals `absent`.
  template <typename T, typename... How>
  void Optional(std::string_view name,
                T& value,
                const std::type_identity_t<T>& absent,
                const How&... how) {
    if (reading() || !(value == absent)) Defaulted(name, value, absent, how...);
  }
  // A field with a fixed text.
  void Constant(std::string_view name, const std::string& text);
  // The fields `schema` and `schema_version`. Returns false if they differ; no other problems of
  // the document are then reported.
  bool Schema(const std::string& name, int64_t version, const std::string& hint);
  // An object, whose fields are visited by visit(JsonVisitor&).
  template <typename Function>
  void Object(std::string_view name, const Function& visit) {
    const Place place = FieldAt(name, /*required=*/true);
    if (!place) return;
    JsonVisitor inner(*this, place);
    if (inner.IsObject()) visit(inner);
    inner.RefuseRest();
  }
  // A required field that is not read: write(JsonVisitor&) writes it, or write() returns its text.
  template <typename Function>
  void Unread(std::string_view name, const Function& write) {
    const Place place = FieldAt(name, /*required=*/true);
    if (reading()) return;
    JsonVisitor inner(*this, place);
    if constexpr (std::invocable<const Function&, JsonVisitor&>)
      write(inner);
    else
      inner.Text(write, [](const std::string&) {});
  }

 private:
  // A field by name or an element by index.
  struct Place {
    std::string_view name;
    size_t index = 0;
    const nlohmann::json* in = nullptr;
    nlohmann::ordered_json* out = nullptr;
    explicit operator bool() const { return in != nullptr || out != nullptr; }
  };

  JsonVisitor(JsonVisitor& outer, const Place& place);

  template <typename T, typename... How>
  void VisitAt(const Place& place, T& value, const How&... how) {
    JsonVisitor inner(*this, place);
    inner.Visit(value, how...);
    inner.RefuseRest();
  }
  Place FieldAt(std::string_view name, bool required);
  Place ItemAt(size_t index);
  // In reading, the names of the object's fields.
  std::vector<std::string_view> Names();
  bool IsObject();
  std::string Path() const;
  void Expected(const std::string& what);

  const JsonVisitor* outer_ = nullptr;
  Place place_;
  const nlohmann::json* in_ = nullptr;
  nlohmann::ordered_json* out_ = nullptr;
  JsonProblems* problems_ = nullptr;
  size_t problems_before_ = 0;
  JsonLimits limits_;
  std::vector<std::string_view> asked_;  // names of requested fields, also of missing ones
  bool is_object_ = false;
  bool is_no_object_ = false;  // and this was reported
  bool rest_is_open_ = false;
};

// Reads a document with visit(JsonVisitor&); all problems become one error. where: the file, for
// messages. Errors: kBadInput.
template <typename Function>
Result<void> ReadJson(const nlohmann::json& document,
                      const std::string& where,
                      const Function& visit,
                      const JsonLimits& limits = {}) {
  JsonProblems problems(where);
  JsonVisitor v(document, problems, limits);
  visit(v);
  v.RefuseRest();
  return std::move(problems).Check();
}

// Writes a value with visit(JsonVisitor&, T&), which must not change it.
template <typename T, typename Function>
void WriteJson(const T& value, const Function& visit, nlohmann::ordered_json& out) {
  JsonVisitor v(out);
  visit(v, const_cast<T&>(value));
}

namespace json_visitor {

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <typename T>
inline constexpr bool kIsArray = false;
template <typename T, size_t count>
inline constexpr bool kIsArray<std::array<T, count>> = true;
template <typename T>
inline constexpr bool kIsMap = false;
template <typename T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

}  // namespace json_visitor

template <typename T, typename... How>
void JsonVisitor::Visit(T& value, const How&... how) {
  if constexpr ((std::invocable<const How&, JsonVisitor&, T&> || ...)) {
    (how(*this, value), ...);
  } else if constexpr (json_visitor::kIsVector<T>) {
    const size_t count = Items(value.size());
    if (reading()) value.assign(count, {});
    for (size_t i = 0; i < count; ++i) Item(i, value[i], how...);
  } else if constexpr (json_visitor::kIsArray<T>) {
    if (!Tuple(value.size())) return;
    for (size_t i = 0; i < value.size(); ++i) Item(i, value[i], how...);
  } else if constexpr (json_visitor::kIsMap<T>) {
    for (const std::string_view name : Names()) value[std::string(name)] = {};
    for (auto& [name, one] : value) Field(name, one, how...);
  } else if constexpr (json_visitor::kIsOptional<T>) {
    if (reading()) value.emplace();
    Visit(*value, how...);
  } else {
    Value(value, how...);
  }
}

}  // namespace metadist
