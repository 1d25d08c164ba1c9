// SPDX-License-Identifier: Apache-2.0
#include "cli/block_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace metadist::cli {
namespace {

constexpr size_t kMostBlocks = 16;  // along a dim
constexpr int64_t kMostPicturedRanks = 1024;
constexpr size_t kCellWidth = 11;
constexpr size_t kPageWidth = 100;

using Intervals = std::vector<Interval>;

// Ascending ranks as "0-3,8".
std::string RanksText(const std::vector<int64_t>& ranks) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < ranks.size();) {
    size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - i > 2)
      parts.push_back(fmt::format("{}-{}", ranks[i], ranks[end - 1]));
    else
      for (size_t k = i; k < end; ++k) parts.push_back(std::to_string(ranks[k]));
    i = end;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

class Picture {
 public:
  Picture(const Shape& shape, const Shape& extent, const Sharding& sharding, const Mesh& mesh)
      : sharding_(sharding), mesh_(mesh) {
    for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
      held_.emplace_back();
      for (size_t d = 0; d < shape.size(); ++d)
        held_.back().push_back(
            LocalIntervals(sharding.dims[d], shape[d], mesh, mesh.CoordinateOf(rank)));
    }
    for (size_t d = 0; d < shape.size(); ++d) {
      std::set<int64_t> begins;
      for (const auto& rank : held_)
        for (const Interval& run : rank[d])
          for (int64_t bound : {run.begin, run.end})
            if (bound < extent[d]) begins.insert(bound);
      begins_.emplace_back(begins.begin(), begins.end());
    }
  }

  bool fits() const {
    return std::all_of(begins_.begin(), begins_.end(), [](const auto& dim) {
      return dim.size() >= 1 && dim.size() <= kMostBlocks;
    });
  }

  // Cells by row; the first row and column are labels.
  std::vector<std::vector<std::string>> Cells() const {
    const bool flat = begins_.size() == 1;
    const std::vector<int64_t> one = {0};
    const std::vector<int64_t>& rows = flat ? one : begins_[0];
    const std::vector<int64_t>& columns = begins_.back();
    std::vector<std::vector<std::string>> cells = {{""}};
    for (int64_t column : columns) cells[0].push_back(std::to_string(column));
    for (int64_t row : rows) {
      cells.push_back({flat ? "" : std::to_string(row)});
      for (int64_t column : columns)
        cells.back().push_back(
            Cell(flat ? std::vector<int64_t>{column} : std::vector<int64_t>{row, column}));
    }
    return cells;
  }

 private:
  // The ranks that hold the block beginning at `corner`.
  std::string Cell(const std::vector<int64_t>& corner) const {
    std::map<std::vector<int64_t>, std::vector<int64_t>> operands;  // by coordinate
    for (int64_t rank = 0; rank < mesh_.ranks(); ++rank) {
      bool holds = true;
      for (size_t d = 0; d < corner.size(); ++d)
        holds = holds && std::any_of(held_[static_cast<size_t>(rank)][d].begin(),
                                     held_[static_cast<size_t>(rank)][d].end(),
                                     [&](const Interval& run) {
                                       return run.begin <= corner[d] && corner[d] < run.end;
                                     });
      if (!holds) continue;
      const std::vector<int64_t> coordinate = mesh_.CoordinateOf(rank);
      std::vector<int64_t> operand;
      for (const Partial& partial : sharding_.partial)
        operand.push_back(coordinate[static_cast<size_t>(partial.axis)]);
      operands[operand].push_back(rank);
    }
    std::vector<std::string> texts;
    for (const auto& [operand, ranks] : operands) texts.push_back(RanksText(ranks));
    std::string text = fmt::format("{}", fmt::join(texts, "+"));
    if (text.size() <= kCellWidth) return text;
    const size_t cut = text.find_last_of(",+", kCellWidth - 2);
    return text.substr(0, cut == std::string::npos ? kCellWidth - 2 : cut + 1) + "..";
  }

  const Sharding& sharding_;
  const Mesh& mesh_;
  std::vector<std::vector<Intervals>> held_;  // by rank and dim
  std::vector<std::vector<int64_t>> begins_;  // of blocks, by dim
};

}  // namespace

std::vector<std::string> BlockPicture(const std::string& title,
                                      const Shape& shape,
                                      const Shape& extent,
                                      const Sharding& sharding,
                                      const Mesh& mesh) {
  if (shape.empty() || shape.size() > 2 || mesh.ranks() > kMostPicturedRanks) return {};
  const Picture picture(shape, extent, sharding, mesh);
  if (!picture.fits()) return {};
  const auto cells = picture.Cells();
  std::vector<size_t> widths(cells[0].size(), 0);
  for (const auto& row : cells)
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::vector<std::string> lines = {title};
  for (const auto& row : cells) {
    std::string line = fmt::format("{:>{}} ", row[0], widths[0]);
    for (size_t c = 1; c < row.size(); ++c) line += fmt::format(" {:>{}}", row[c], widths[c]);
    lines.push_back(line);
  }
  const size_t width = std::max(title.size(), lines.back().size());
  if (width > kPageWidth) return {};
  for (std::string& line : lines) line.resize(width, ' ');
  return lines;
}

std::string SideBySide(const std::vector<std::string>& left,
                       const std::vector<std::string>& right) {
  if (left.empty() || right.empty()) return "";
  const std::string gap(4, ' ');
  std::vector<std::string> lines;
  if (left[0].size() + gap.size() + right[0].size() > kPageWidth) {
    lines = left;
    lines.insert(lines.end(), right.begin(), right.end());
  } else {
    for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      lines.push_back(i < left.size() ? left[i] : std::string(left[0].size(), ' '));
      if (i < right.size()) lines.back() += gap + right[i];
    }
  }
  std::string out;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += "  " + line + "\n";
  }
  return out;
}

}  // namespace metadist::cli
