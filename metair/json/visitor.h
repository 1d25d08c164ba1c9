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

// One place in a JSON document that is written from a value or read into one. A format lists its
// fields once, in a function that does either:
//
//   void VisitOrigin(JsonVisitor& v, Origin& origin) {
//     v.Field("class", origin.provenance, OneOf({Provenance::kMeasured, Provenance::kBorrowed}));
//     v.Field("source", origin.source, Texts::kNotEmpty);
//     v.Optional("date", origin.date, "");
//   }
//
// Writing changes nothing of the value and checks nothing. Reading collects all problems with their
// places, leaves a value as it was where the document has none for it, and goes on; a function asks
// ok() before it uses what it has read. The first field makes the place an object; fields of the
// document that were not asked for are problems.
//
// `how` is a limit (Integers{1}) or a function (JsonVisitor&, T&). A vector, an array, a map or an
// optional is for a function that takes it as a whole; else `how` is for each of its elements.
class JsonVisitor {
 public:
  // Reads `in`. All outlive the visitor.
  JsonVisitor(const nlohmann::json& in, JsonProblems& problems, const JsonLimits& limits = {});
  // Writes into `out`.
  explicit JsonVisitor(nlohmann::ordered_json& out);
  JsonVisitor(const JsonVisitor&) = delete;
  JsonVisitor& operator=(const JsonVisitor&) = delete;

  bool reading() const { return in_ != nullptr; }
  // What is read.
  const nlohmann::json& in() const { return *in_; }
  // From here on, at this place and within it.
  void Limit(const JsonLimits& limits) { limits_ = limits; }

  // No problem was found at this place or within it.
  bool ok() const { return problems_ == nullptr || problems_->count() == problems_before_; }
  // A problem of this place, or of one within it by its name or "[3]". Nothing in writing.
  void Wrong(std::string message, std::string hint = "");
  void WrongAt(std::string_view name, std::string message, std::string hint = "");
  // Fields of this object that are not asked for are no problems: it is of no use, or has any.
  void LeaveRest() { rest_is_open_ = true; }
  // Makes problems of the fields that were not asked for; the outermost visitor's last call.
  void RefuseRest();

  // The place is one value.
  void Value(bool& value);
  void Value(int64_t& value, const Integers& range = {});
  void Value(int& value, const Integers& range = {INT32_MIN, INT32_MAX});
  void Value(uint64_t& value);
  void Value(double& value, Reals range = Reals::kAny);
  void Value(std::string& value, Texts range = Texts::kAny);
  void Value(std::string& value, const Words& range);
  // The place is a text: write() makes it, read(text) takes it in.
  template <typename Write, typename Read>
  void Text(const Write& write, const Read& read) {
    std::string text;
    if (!reading()) text = write();
    Value(text);
    if (reading() && ok()) read(text);
  }
  // The place is null or not; which of both.
  bool Null(bool null);
  // The place is one of the names; which one. Reading gives `chosen` back after a problem.
  size_t Choice(const std::vector<std::string_view>& names, size_t chosen);

  template <typename T, typename... How>
  void Visit(T& value, const How&... how);

  // The place is a list of `count` elements; in reading, as many as it has, and none after a
  // problem.
  size_t Items(size_t count);
  // The place is a list of so many elements; false after a problem.
  bool Tuple(size_t count);
  template <typename T, typename... How>
  void Item(size_t index, T& value, const How&... how) {
    VisitAt(ItemAt(index), value, how...);
  }

  // A field that must be there.
  template <typename T, typename... How>
  void Field(std::string_view name, T& value, const How&... how) {
    const Place place = FieldAt(name, /*required=*/true);
    if (place) VisitAt(place, value, how...);
  }
  // A field that is always written; reading takes `absent` where there is none.
  template <typename T, typename... How>
  void Defaulted(std::string_view name,
                 T& value,
                 const std::type_identity_t<T>& absent,
                 const How&... how) {
    if (reading()) value = absent;
    const Place place = FieldAt(name, /*required=*/false);
    if (place) VisitAt(place, value, how...);
  }
  // The same, but not written where it is as absent.
  template <typename T, typename... How>
  void Optional(std::string_view name,
                T& value,
                const std::type_identity_t<T>& absent,
                const How&... how) {
    if (reading() || !(value == absent)) Defaulted(name, value, absent, how...);
  }
  // A field that always says the same.
  void Constant(std::string_view name, const std::string& text);
  // The fields `schema` and `schema_version`. False where they say otherwise; no other problem of
  // the document is looked for then.
  bool Schema(const std::string& name, int64_t version, const std::string& hint);
  // An object, whose fields visit(JsonVisitor&) visits.
  template <typename Function>
  void Object(std::string_view name, const Function& visit) {
    const Place place = FieldAt(name, /*required=*/true);
    if (!place) return;
    JsonVisitor inner(*this, place);
    if (inner.IsObject()) visit(inner);
    inner.RefuseRest();
  }
  // A field that must be there and is not read: write(JsonVisitor&), or the text of write().
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
  // A field by its name or an element by its index.
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
  // The names of an object's fields in reading.
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
  std::vector<std::string_view> asked_;  // names of fields, those that the document lacks too
  bool is_object_ = false;
  bool is_no_object_ = false;  // and that was said
  bool rest_is_open_ = false;
};

// Reads a document with visit(JsonVisitor&); all problems as one. where: the file, for messages.
// Errors: kBadInput.
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

// Writes a value with visit(JsonVisitor&, T&), which changes nothing of it.
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
