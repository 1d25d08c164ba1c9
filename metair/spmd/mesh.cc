// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/mesh.h"

#include <fmt/format.h>

#include <algorithm>

#include "metair/ir/text_prefix.h"

namespace metadist {
namespace {

constexpr int64_t kMaxRanks = 1 << 20;

bool IsName(std::string_view text) {
  if (text.empty() || !(std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_'))
    return false;
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

Result<int64_t> ParseSize(std::string_view text, std::string_view whole) {
  std::string_view rest = text;
  const int64_t size = TakeNumber<int64_t>(rest).value_or(0);
  if (!rest.empty() || size < 1 || size > kMaxRanks)
    return Usage(
        fmt::format(
            "mesh '{}': a size must be a number from 1 to {}, got '{}'", whole, kMaxRanks, text),
        "write a mesh as `data=4,model=8` or `4x8`");
  return size;
}

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

int64_t Mesh::ranks() const {
  int64_t count = 1;
  for (const MeshAxis& axis : axes) count *= axis.size;
  return count;
}

int64_t Mesh::size(const std::vector<int>& ids) const {
  int64_t count = 1;
  for (int id : ids) count *= size(id);
  return count;
}

std::vector<int64_t> Mesh::CoordinateOf(int64_t rank) const {
  std::vector<int64_t> coordinate(axes.size());
  for (size_t i = axes.size(); i-- > 0;) {
    coordinate[i] = rank % axes[i].size;
    rank /= axes[i].size;
  }
  return coordinate;
}

int64_t Mesh::RankOf(const std::vector<int64_t>& coordinate) const {
  int64_t rank = 0;
  for (size_t i = 0; i < axes.size(); ++i) rank = rank * axes[i].size + coordinate[i];
  return rank;
}

int64_t Mesh::IndexAlong(const std::vector<int>& ids,
                         const std::vector<int64_t>& coordinate) const {
  int64_t index = 0;
  for (int id : ids) index = index * size(id) + coordinate[static_cast<size_t>(id)];
  return index;
}

std::vector<int64_t> Mesh::Group(const std::vector<int>& ids, int64_t rank) const {
  std::vector<int64_t> coordinate = CoordinateOf(rank);
  std::vector<int64_t> ranks;
  for (int64_t index = 0; index < size(ids); ++index) {
    int64_t rest = index;
    for (size_t i = ids.size(); i-- > 0;) {
      coordinate[static_cast<size_t>(ids[i])] = rest % size(ids[i]);
      rest /= size(ids[i]);
    }
    ranks.push_back(RankOf(coordinate));
  }
  return ranks;
}

int Mesh::Find(std::string_view name) const {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i].name == name) return static_cast<int>(i);
  return -1;
}

std::string MeshText(const Mesh& mesh) {
  std::string out;
  for (const MeshAxis& axis : mesh.axes)
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", axis.name, axis.size);
  return out.empty() ? "1" : out;
}

Result<Mesh> ParseMesh(std::string_view text) {
  Mesh mesh;
  const bool named = text.find('=') != std::string_view::npos;
  for (std::string_view part : SplitAt(text, named ? ',' : 'x')) {
    MeshAxis axis;
    if (named) {
      const size_t at = part.find('=');
      if (at == std::string_view::npos || !IsName(part.substr(0, at)))
        return Usage(fmt::format("mesh '{}': expected axis=size, got '{}'", text, part),
                     "write a mesh as `data=4,model=8` or `4x8`");
      axis.name = std::string(part.substr(0, at));
      part.remove_prefix(at + 1);
    } else {
      axis.name = std::string(1, static_cast<char>('a' + mesh.axes.size()));
    }
    axis.size = TRY(ParseSize(part, text));
    if (mesh.Find(axis.name) >= 0)
      return Usage(fmt::format("mesh '{}': axis '{}' occurs twice", text, axis.name));
    mesh.axes.push_back(axis);
    if (mesh.axes.size() > 8) return Usage(fmt::format("mesh '{}': at most 8 axes", text));
    if (mesh.ranks() > kMaxRanks)
      return Usage(fmt::format("mesh '{}': at most {} ranks", text, kMaxRanks));
  }
  return mesh;
}

}  // namespace metadist
