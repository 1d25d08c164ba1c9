// SPDX-License-Identifier: Apache-2.0
//
// Expressions are evaluated in fractions: sympy splits divisions, so that floor((h - 1)/2) becomes
// floor(h/2 - 1/2), and rounding each quotient would be wrong.
#include "importers/onnx/symbolic_size.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <vector>

namespace metadist {
namespace {

constexpr int kMaxNesting = 64;
constexpr int64_t kMaxPower = 64;
constexpr size_t kMaxText = 4096;

// up / down in lowest terms, down > 0.
struct Fraction {
  int64_t up = 1;
  int64_t down = 1;

  bool whole() const { return down == 1; }
  int64_t Floor() const { return up / down - (up % down < 0 ? 1 : 0); }
  int64_t Ceiling() const { return up / down + (up % down > 0 ? 1 : 0); }
};

std::optional<Fraction> Reduced(__int128 up, __int128 down) {
  if (down < 0) {
    up = -up;
    down = -down;
  }
  __int128 a = up < 0 ? -up : up;
  __int128 b = down;
  while (b != 0) {
    const __int128 rest = a % b;
    a = b;
    b = rest;
  }
  if (down == 0) return std::nullopt;
  up /= a;
  down /= a;
  constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
  if (up > kMost || up < -kMost || down > kMost) return std::nullopt;
  return Fraction{static_cast<int64_t>(up), static_cast<int64_t>(down)};
}

using Wide = __int128;

// Recursive descent: sum, product, sign, power, atom. A problem sets failed_; parsing continues as
// far as possible so that all unbound names are found.
class Evaluator {
 public:
  Evaluator(std::string_view text,
            const std::map<std::string, int64_t>& sizes,
            std::set<std::string>* unbound)
      : text_(text), sizes_(sizes), unbound_(unbound) {}

  std::optional<int64_t> Run() {
    const Fraction value = Sum();
    Skip();
    if (failed_ || at_ != text_.size() || !value.whole()) return std::nullopt;
    return value.up;
  }

 private:
  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(std::string_view symbol) {
    Skip();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }
  Fraction Fail() {
    failed_ = true;
    return {};
  }
  Fraction Checked(std::optional<Fraction> value) { return value ? *value : Fail(); }

  Fraction Add(Fraction a, Fraction b, int sign) {
    return Checked(
        Reduced(Wide{a.up} * b.down + Wide{sign} * b.up * a.down, Wide{a.down} * b.down));
  }
  Fraction Multiply(Fraction a, Fraction b) {
    return Checked(Reduced(Wide{a.up} * b.up, Wide{a.down} * b.down));
  }
  Fraction Divide(Fraction a, Fraction b) {
    if (b.up <= 0) return Fail();
    return Checked(Reduced(Wide{a.up} * b.down, Wide{a.down} * b.up));
  }
  Fraction FloorDivide(Fraction a, Fraction b) { return {Divide(a, b).Floor(), 1}; }
  Fraction Modulo(Fraction a, Fraction b) { return Add(a, Multiply(FloorDivide(a, b), b), -1); }

  Fraction Sum() {
    Fraction value = Product();
    while (true) {
      if (Take("+"))
        value = Add(value, Product(), 1);
      else if (Take("-"))
        value = Add(value, Product(), -1);
      else
        return value;
    }
  }

  Fraction Product() {
    Fraction value = Signed();
    while (true) {
      if (Take("*"))
        value = Multiply(value, Signed());
      else if (Take("//"))
        value = FloorDivide(value, Signed());
      else if (Take("/"))
        value = Divide(value, Signed());
      else if (Take("%"))
        value = Modulo(value, Signed());
      else
        return value;
    }
  }

  Fraction Signed() {
    bool negative = false;
    while (Take("-")) negative = !negative;
    const Fraction value = Power();
    return negative ? Fraction{-value.up, value.down} : value;
  }

  Fraction Power() {
    const Fraction base = Atom();
    if (!Take("**")) return base;
    const Fraction exponent = Atom();
    if (!exponent.whole() || exponent.up < 0 || exponent.up > kMaxPower) return Fail();
    Fraction value;
    for (int64_t i = 0; i < exponent.up; ++i) value = Multiply(value, base);
    return value;
  }

  Fraction Atom() {
    Skip();
    if (++depth_ > kMaxNesting || at_ == text_.size()) {
      at_ = text_.size();
      return Fail();
    }
    const char c = text_[at_];
    Fraction value;
    if (Take("(")) {
      value = Sum();
      if (!Take(")")) Fail();
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      const auto [end, status] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value.up);
      if (status != std::errc()) Fail();
      at_ = static_cast<size_t>(end - text_.data());
    } else {
      value = NameOrCall();
    }
    --depth_;
    return value;
  }

  Fraction NameOrCall() {
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    const std::string name(text_.substr(start, at_ - start));
    if (name.empty()) {
      at_ = text_.size();
      return Fail();
    }
    if (Take("(")) return Call(name);
    const auto found = sizes_.find(name);
    if (found != sizes_.end()) return {found->second, 1};
    unbound_->insert(name);
    return Fail();
  }

  Fraction Call(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    std::vector<Fraction> values = {Sum()};
    while (Take(",")) values.push_back(Sum());
    if (!Take(")") || failed_) return Fail();
    if (name == "min" || name == "max") return Extreme(name == "min", values);
    const Fraction a = values[0];
    if (values.size() == 1) {
      if (name == "floor") return {a.Floor(), 1};
      if (name == "ceiling" || name == "ceil" || name == "ceiltoint") return {a.Ceiling(), 1};
      if (name == "trunctoint" || name == "int") return {a.up / a.down, 1};
      if (name == "abs") return {a.up < 0 ? -a.up : a.up, a.down};
    } else if (values.size() == 2) {
      const Fraction b = values[1];
      if (name == "mod" || name == "pythonmod") return Modulo(a, b);
      if (name == "floordiv" || name == "cleandiv") return FloorDivide(a, b);
      if (name == "inttruediv" || name == "truediv") return Divide(a, b);
    }
    return Fail();
  }

  static Fraction Extreme(bool least, const std::vector<Fraction>& values) {
    const auto less = [](Fraction a, Fraction b) {
      return Wide{a.up} * b.down < Wide{b.up} * a.down;
    };
    return least ? *std::min_element(values.begin(), values.end(), less)
                 : *std::max_element(values.begin(), values.end(), less);
  }

  std::string_view text_;
  const std::map<std::string, int64_t>& sizes_;
  std::set<std::string>* unbound_;
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<int64_t> EvaluateSize(std::string_view text,
                                    const std::map<std::string, int64_t>& sizes,
                                    std::set<std::string>* unbound) {
  // A name may be any string: one that is bound as a whole is not an expression.
  const auto whole = sizes.find(std::string(text));
  if (whole != sizes.end()) return whole->second;
  if (text.size() > kMaxText) return std::nullopt;
  return Evaluator(text, sizes, unbound).Run();
}

}  // namespace metadist
