// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Human-readable numbers and tables.
namespace metadist::cli {

// "640 B", "1.50 KiB", "79.2 GiB".
std::string BytesText(int64_t bytes);
// "1.23 us", "4.56 ms", "7.89 s".
std::string SecondsText(double seconds);
// "137 k", "1.32 G": powers of 1000.
std::string CountText(double count);
// "12.3 %".
std::string PercentText(double share);

// Rows under a header, columns padded to the widest cell; `right` columns are aligned right.
class Table {
 public:
  struct Column {
    std::string name;
    bool right = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Lines end with a newline; `indent` spaces before each.
  std::string text(int indent = 2) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace metadist::cli
