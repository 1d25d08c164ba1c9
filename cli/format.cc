// SPDX-License-Identifier: Apache-2.0
#include "cli/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "metair/ir/check.h"

namespace metadist::cli {
namespace {

std::string Scaled(double value, double base, const std::vector<const char*>& units) {
  size_t unit = 0;
  while (std::abs(value) >= base * 0.9995 && unit + 1 < units.size()) {
    value /= base;
    ++unit;
  }
  if (unit == 0 && value == std::floor(value)) return fmt::format("{:.0f} {}", value, units[0]);
  const int digits = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, digits, units[unit]);
}

}  // namespace

std::string BytesText(int64_t bytes) {
  return Scaled(static_cast<double>(bytes), 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string SecondsText(double seconds) {
  if (seconds >= 1) return Scaled(seconds, 1e300, {"s"});
  return Scaled(seconds * 1e9, 1000, {"ns", "us", "ms", "s"});
}

std::string CountText(double count) {
  std::string text = Scaled(count, 1000, {"", "k", "M", "G", "T", "P", "E"});
  if (text.back() == ' ') text.pop_back();
  return text;
}

std::string PercentText(double share) { return fmt::format("{:.1f} %", share * 100); }

void Table::Add(std::vector<std::string> cells) {
  CHECK(cells.size() == columns_.size(), "a row needs a cell per column");
  rows_.push_back(std::move(cells));
}

std::string Table::text(int indent) const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(columns_[c].name.size());
    for (const auto& row : rows_) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string out;
  const auto line = [&](const auto& cell) {
    std::string text(static_cast<size_t>(indent), ' ');
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) text += "  ";
      text += columns_[c].right ? fmt::format("{:>{}}", cell(c), widths[c])
                                : fmt::format("{:<{}}", cell(c), widths[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](size_t c) { return columns_[c].name; });
  for (const auto& row : rows_) line([&](size_t c) { return row[c]; });
  return out;
}

}  // namespace metadist::cli
