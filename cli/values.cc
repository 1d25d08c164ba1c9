// SPDX-License-Identifier: Apache-2.0
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace metadist::cli {
namespace {

// A decimal number and its suffix, scaled by the suffix.
Result<double> Scaled(const std::string& text,
                      const std::map<std::string, double>& suffixes,
                      const std::string& expected) {
  const Error wrong = Usage(fmt::format("expected {}, got '{}'", expected, text));
  const size_t digits = text.find_first_not_of("0123456789.");
  const std::string number = text.substr(0, digits);
  const std::string suffix = digits == std::string::npos ? "" : text.substr(digits);
  const bool digit = number.find_first_not_of('.') != std::string::npos;
  if (!digit || number.find('.') != number.rfind('.')) return wrong;
  const auto found = suffixes.find(suffix);
  if (found == suffixes.end()) return wrong;
  const double value = std::strtod(number.c_str(), nullptr) * found->second;
  if (!std::isfinite(value) || value >= 0x1p62) return wrong;
  return value;
}

}  // namespace

Result<int64_t> ParseBytes(const std::string& text) {
  std::map<std::string, double> suffixes = {{"", 1}, {"b", 1}};
  double decimal = 1;
  double binary = 1;
  for (const char* prefix : {"k", "m", "g", "t", "p"}) {
    decimal *= 1000;
    binary *= 1024;
    const std::string p = prefix;
    suffixes[p] = suffixes[p + "b"] = decimal;
    suffixes[p + "ib"] = suffixes[p + "i"] = binary;
  }
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  auto bytes = Scaled(lower, suffixes, "");
  if (!bytes.ok())
    return Usage(fmt::format("expected a number of bytes such as 80GiB or 512MB, got '{}'", text));
  return static_cast<int64_t>(bytes.value());
}

Result<int64_t> ParseCount(const std::string& text) {
  const double value = TRY(Scaled(
      text, {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}}, "a count such as 64 or 1k"));
  if (value != std::floor(value))
    return Usage(fmt::format("expected a whole number, got '{}'", text));
  return static_cast<int64_t>(value);
}

Result<double> ParseSeconds(const std::string& text) {
  const double seconds = TRY(
      Scaled(text,
             {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60}, {"min", 60}, {"h", 3600}},
             "a time such as 30s or 2m"));
  if (seconds <= 0) return Usage(fmt::format("expected a time above 0, got '{}'", text));
  return seconds;
}

Result<double> ParseShare(const std::string& text) {
  return Scaled(text, {{"", 1}, {"%", 0.01}}, "a share such as 5% or 0.05");
}

Result<double> ParsePercent(const std::string& text) {
  return Scaled(text, {{"", 0.01}, {"%", 0.01}}, "percent such as 5% or 5");
}

Result<double> ParseGap(const std::string& text) {
  const double share = TRY(ParseShare(text));
  if (share > 1)
    return Usage(fmt::format("expected a share of at most 100%, got '{}'", text),
                 text.back() == '%' ? "" : fmt::format("for percent give `{}%`", text));
  return share;
}

Result<Shape> ParseShape(const std::string& text) {
  Shape shape;
  if (text == "scalar") return shape;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('x', at), text.size());
    const std::string number = text.substr(at, end - at);
    const bool digits = !number.empty() && number.size() <= 15 &&
                        number.find_first_not_of("0123456789") == std::string::npos;
    const int64_t size = digits ? std::stoll(number) : 0;
    if (size < 1)
      return Usage(
          fmt::format("shape '{}': a size must be a number from 1, got '{}'", text, number),
          "write a shape as `16x16` or `scalar`");
    shape.push_back(size);
    at = end + 1;
  }
  if (!CheckedElements(shape, ElementType::kF64).ok())
    return Usage(fmt::format("shape '{}' has too many elements", text));
  return shape;
}

}  // namespace metadist::cli
