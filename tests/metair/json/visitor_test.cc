// SPDX-License-Identifier: Apache-2.0
#include "metair/json/visitor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "metair/json/names.h"

namespace metadist {
namespace {

using nlohmann::json;

enum class Colour { kRed, kBlue };
std::string_view Name(Colour colour) { return colour == Colour::kRed ? "red" : "blue"; }

struct Wheel {
  int64_t spokes = 0;
  std::optional<double> load;
  bool operator==(const Wheel&) const = default;
};

// A field of every kind.
struct Cart {
  std::string name = "cart";
  Colour colour = Colour::kRed;
  bool braked = false;
  int gear = 1;
  int64_t weight = 7;
  uint64_t seed = UINT64_MAX;
  double price = 0.1;
  std::string kind = "hand";
  std::vector<Wheel> wheels;
  std::array<double, 2> size{};
  std::map<std::string, int64_t> loads;
  std::vector<int> marks;
  std::optional<int> owner;  // written as null if there is none
  bool operator==(const Cart&) const = default;
};

void VisitWheel(JsonVisitor& v, Wheel& wheel) {
  v.Field("spokes", wheel.spokes, Integers{1});
  v.Optional("load", wheel.load, std::nullopt, Reals::kPositive);
}

void VisitCart(JsonVisitor& v, Cart& cart) {
  if (!v.Schema("cart", 3, "buy one")) return;
  v.Field("name", cart.name, Texts::kNotEmpty);
  v.Field("colour", cart.colour, OneOf({Colour::kRed, Colour::kBlue}));
  v.Optional("braked", cart.braked, false);
  v.Defaulted("gear", cart.gear, 1, Integers{-1, 5});
  v.Field("weight", cart.weight);
  v.Field("seed", cart.seed);
  v.Field("price", cart.price, Reals::kNotNegative);
  v.Field("kind", cart.kind, Words{{"hand", "horse"}});
  v.Field("wheels", cart.wheels, VisitWheel);
  v.Field("size", cart.size);
  v.Field("loads", cart.loads, Integers{0});
  v.Field("marks", cart.marks, [](JsonVisitor& at, std::vector<int>& marks) {
    at.Visit(marks, Integers{0, 9});
    if (at.ok() && marks.size() == 3) at.Wrong("must not be three");
  });
  v.Field("owner", cart.owner, [](JsonVisitor& at, std::optional<int>& owner) {
    if (at.Null(!owner)) return;
    if (at.reading()) owner = 0;
    at.Value(*owner);
  });
  v.Unread("note", [](JsonVisitor& note) {
    std::string text = "not read";
    note.Value(text);
  });
}

Cart Full() {
  Cart cart;
  cart.braked = true;
  cart.wheels = {{8, {}}, {10, 2.5}};
  cart.loads = {{"hay", 3}, {"Mist", 0}};
  cart.marks = {4, 2};
  return cart;
}

nlohmann::ordered_json Written(const Cart& cart) {
  nlohmann::ordered_json out;
  WriteJson(cart, VisitCart, out);
  return out;
}

Result<Cart> Read(const json& document, const JsonLimits& limits = {}) {
  Cart cart;
  TRY(ReadJson(document, "f", [&](JsonVisitor& v) { VisitCart(v, cart); }, limits));
  return cart;
}

std::string Problem(const json& document, const JsonLimits& limits = {}) {
  const auto read = Read(document, limits);
  return read.ok() ? "" : read.error().text();
}

// The problem reported for a whole cart with another value at one place.
std::string ProblemAt(const char* place, const json& value, const JsonLimits& limits = {}) {
  json document = Written(Full());
  document[json::json_pointer(place)] = value;
  return Problem(document, limits);
}

TEST(JsonVisitor, WritesFieldsInOrder) {
  EXPECT_EQ(
      R"({"schema":"cart","schema_version":3,"name":"cart","colour":"red","braked":true,"gear":1,)"
      R"("weight":7,"seed":18446744073709551615,"price":0.1,"kind":"hand",)"
      R"("wheels":[{"spokes":8},{"spokes":10,"load":2.5}],"size":[0.0,0.0],)"
      R"("loads":{"Mist":0,"hay":3},"marks":[4,2],"owner":null,"note":"not read"})",
      Written(Full()).dump());
}

TEST(JsonVisitor, WritesEmptyListsAndObjects) {
  const auto out = Written(Cart());
  EXPECT_EQ("[]", out["wheels"].dump());
  EXPECT_EQ("{}", out["loads"].dump());
  EXPECT_FALSE(out.contains("braked"));
}

TEST(JsonVisitor, ReadsWhatItWrote) {
  for (Cart cart : {Cart(), Full()}) {
    cart.owner = cart.braked ? std::optional<int>(-3) : std::nullopt;
    const auto read = Read(json(Written(cart)));
    ASSERT_TRUE(read.ok()) << read.error().text();
    EXPECT_EQ(cart, read.value());
  }
}

TEST(JsonVisitor, TakesDefaultsWhereFieldsAreAbsent) {
  json document = Written(Full());
  document.erase("braked");
  document.erase("gear");
  const auto read = Read(document);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_FALSE(read.value().braked);
  EXPECT_EQ(1, read.value().gear);
}

TEST(JsonVisitor, NamesThePlace) {
  EXPECT_EQ("f: wheels[1].spokes: must be an integer >= 1, got 0",
            ProblemAt("/wheels/1/spokes", 0));
  EXPECT_EQ("f: wheels[1].load: must be a number > 0, got -1", ProblemAt("/wheels/1/load", -1));
  EXPECT_EQ("f: wheels[0]: must be an object, got 5", ProblemAt("/wheels/0", 5));
  EXPECT_EQ("f: wheels[0]: field 'spokes' is missing", ProblemAt("/wheels/0", json::object()));
  EXPECT_EQ("f: wheels[0]: field 'x' is unknown", ProblemAt("/wheels/0/x", 5));
  EXPECT_EQ("f: wheels: must be a list, got {}", ProblemAt("/wheels", json::object()));
  EXPECT_EQ("f: loads.hay: must be an integer >= 0, got \"\"", ProblemAt("/loads/hay", ""));
  EXPECT_EQ("f: loads: must be an object, got []", ProblemAt("/loads", json::array()));
  EXPECT_EQ("f: field 'more' is unknown", ProblemAt("/more", 1));
  EXPECT_EQ("f: marks: must not be three", ProblemAt("/marks", {1, 2, 3}));
}

TEST(JsonVisitor, RefusesWhatIsOutOfRange) {
  EXPECT_EQ("f: name: must be a text that is not empty, got \"\"", ProblemAt("/name", ""));
  EXPECT_EQ("f: name: must be a text, got null", ProblemAt("/name", nullptr));
  EXPECT_EQ("f: colour: must be one of red, blue, got \"green\"", ProblemAt("/colour", "green"));
  EXPECT_EQ("f: colour: must be one of red, blue, got 1", ProblemAt("/colour", 1));
  EXPECT_EQ("f: braked: must be true or false, got 0", ProblemAt("/braked", 0));
  EXPECT_EQ("f: gear: must be an integer from -1 to 5, got 6", ProblemAt("/gear", 6));
  EXPECT_EQ("f: gear: must be an integer from -1 to 5, got 4294967296",
            ProblemAt("/gear", int64_t{1} << 32));
  EXPECT_EQ("f: weight: must be an integer, got 1.5", ProblemAt("/weight", 1.5));
  EXPECT_EQ("f: weight: must be an integer, got 9223372036854775808",
            ProblemAt("/weight", uint64_t{1} << 63));
  EXPECT_EQ("f: seed: must be an integer >= 0, got -1", ProblemAt("/seed", -1));
  EXPECT_EQ("f: price: must be a number >= 0, got -0.5", ProblemAt("/price", -0.5));
  EXPECT_EQ("f: price: must be a number >= 0, got null", ProblemAt("/price", NAN));
  EXPECT_EQ("f: kind: must be one of hand, horse, got \"dog\"", ProblemAt("/kind", "dog"));
  EXPECT_EQ("f: size: must be a list of 2 elements, got 3", ProblemAt("/size", {1, 2, 3}));
  EXPECT_EQ("f: owner: must be an integer from -2147483648 to 2147483647, got 2147483648",
            ProblemAt("/owner", int64_t{1} << 31));
}

TEST(JsonVisitor, LimitsAreOfTheFormat) {
  EXPECT_EQ("f: weight: must be an integer, got 2000.0", ProblemAt("/weight", 2e3));
  EXPECT_EQ("", ProblemAt("/weight", 2e3, {.whole_reals = true}));
  EXPECT_NE("", ProblemAt("/weight", 1e300, {.whole_reals = true}));
  EXPECT_EQ("f: marks: must be a list of at most 2 elements, got 4",
            ProblemAt("/marks", {1, 2, 3, 4}, {.elements = 2}));
  EXPECT_EQ("f: name: must be a text of at most 4 bytes, got 5 bytes",
            ProblemAt("/name", "carts", {.text_bytes = 4}));
}

TEST(JsonVisitor, AnotherSchemaIsTheOnlyProblem) {
  EXPECT_EQ("f: schema: must be \"cart\", got \"boat\"\n  hint: buy one",
            Problem({{"schema", "boat"}, {"weight", ""}}));
  EXPECT_EQ("f: schema_version: must be 3, got 4\n  hint: buy one",
            Problem({{"schema", "cart"}, {"schema_version", 4}}));
  EXPECT_EQ("f: field 'schema' is missing\n  hint: buy one", Problem(json::object()));
  EXPECT_EQ("f: must be an object, got []\n  hint: buy one", Problem(json::array()));
}

TEST(JsonVisitor, ReportsAllProblemsAtOnce) {
  json document = Written(Full());
  document["gear"] = 6;
  document["wheels"][0]["spokes"] = 0;
  document["more"] = 1;
  document.erase("price");
  const auto read = Read(document);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(
      "f: gear: must be an integer from -1 to 5, got 6\n"
      "f: field 'price' is missing\n"
      "f: wheels[0].spokes: must be an integer >= 1, got 0\n"
      "f: field 'more' is unknown",
      read.error().text());
  EXPECT_EQ(ErrorCode::kBadInput, read.error().code);
}

TEST(JsonVisitor, CutsALongReportShort) {
  json document = Written(Full());
  document["marks"] = std::vector<int>(500, -1);
  const auto read = Read(document);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(20u, read.error().also.size());
  EXPECT_EQ("480 more problems", read.error().also.back().message);
}

// Any value at any place is either read or rejected.
TEST(JsonVisitor, AnyValueAtAnyPlace) {
  const json whole = Written(Full());
  const json flat = whole.flatten();
  const json values[] = {nullptr,
                         true,
                         -1,
                         UINT64_MAX,
                         1e308,
                         "x",
                         "\xff",
                         json::array(),
                         json::object(),
                         {{"a", {1, {2}}}}};
  for (const auto& place : flat.items())
    for (json::json_pointer at(place.key()); !at.empty(); at.pop_back())
      for (const json& value : values) {
        json document = whole;
        document[at] = value;
        const auto read = Read(document);
        EXPECT_TRUE(read.ok() || read.error().code == ErrorCode::kBadInput);
      }
}

}  // namespace
}  // namespace metadist
