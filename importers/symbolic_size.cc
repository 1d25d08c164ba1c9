// SPDX-License-Identifier: Apache-2.0
#include "importers/symbolic_size.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace metadist {
namespace {

constexpr int kMaxNesting = 64;

// Recursive descent: sum, product, atom. A problem sets failed_; parsing goes on as far as it can
// so that all unbound names are found.
class Evaluator {
 public:
  Evaluator(std::string_view text,
            const std::map<std::string, int64_t>& sizes,
            std::set<std::string>* unbound)
      : text_(text), sizes_(sizes), unbound_(unbound) {}

  std::optional<int64_t> Run() {
    const int64_t value = Sum();
    Skip();
    if (failed_ || at_ != text_.size()) return std::nullopt;
    return value;
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
  int64_t Fail() {
    failed_ = true;
    return 1;
  }

  int64_t Sum() {
    int64_t value = Product();
    while (true) {
      int64_t other = 0;
      if (Take("+")) {
        other = Product();
        if (__builtin_add_overflow(value, other, &value)) return Fail();
      } else if (Take("-")) {
        other = Product();
        if (__builtin_sub_overflow(value, other, &value)) return Fail();
      } else {
        return value;
      }
    }
  }

  int64_t Product() {
    int64_t value = Atom();
    while (true) {
      if (Take("*")) {
        if (__builtin_mul_overflow(value, Atom(), &value)) return Fail();
      } else if (Take("//") || Take("/")) {
        value = Divide(value, Atom());
      } else if (Take("%")) {
        const int64_t by = Atom();
        value = value - Divide(value, by) * by;
      } else {
        return value;
      }
    }
  }

  // Rounds down. By -1 it could overflow: sizes are never divided by less than 1.
  int64_t Divide(int64_t value, int64_t by) {
    if (by <= 0) return Fail();
    return value / by - (value % by < 0 ? 1 : 0);
  }

  int64_t Atom() {
    Skip();
    if (++depth_ > kMaxNesting || at_ == text_.size()) {
      at_ = text_.size();
      return Fail();
    }
    const char c = text_[at_];
    int64_t value = 1;
    if (Take("(")) {
      value = Sum();
      if (!Take(")")) Fail();
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      const auto [end, status] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (status != std::errc()) Fail();
      at_ = static_cast<size_t>(end - text_.data());
    } else {
      value = NameOrCall();
    }
    --depth_;
    return value;
  }

  int64_t NameOrCall() {
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
    if (found != sizes_.end()) return found->second;
    unbound_->insert(name);
    return Fail();
  }

  int64_t Call(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    int64_t value = Sum();
    while (Take(",")) {
      const int64_t other = Sum();
      if (name == "floor") Fail();
      value = name == "min" ? std::min(value, other) : std::max(value, other);
    }
    if (!Take(")") || (name != "floor" && name != "min" && name != "max")) Fail();
    return value;
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
  // A name may be any string: one that is bound as a whole is no expression.
  const auto whole = sizes.find(std::string(text));
  if (whole != sizes.end()) return whole->second;
  return Evaluator(text, sizes, unbound).Run();
}

}  // namespace metadist
