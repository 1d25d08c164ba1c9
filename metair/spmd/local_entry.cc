// SPDX-License-Identifier: Apache-2.0
// entry := "[" dim "]" | "{" how " of " size "[" dim "]}"
// how   := "start*" integer ",end*" integer | "first" | "last" | "index" | "bound"
#include "metair/spmd/local_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "metair/ir/check.h"
#include "metair/ir/text_prefix.h"
#include "metair/ops/index.h"

namespace metadist {
namespace {

using Kind = LocalEntry::Kind;

// How the text of an entry of some other kind than kSize and kShifted begins.
constexpr std::pair<std::string_view, Kind> kHows[] = {{"{first", Kind::kFirstOnly},
                                                       {"{last", Kind::kLastOnly},
                                                       {"{index", Kind::kIndex},
                                                       {"{bound", Kind::kBound}};

class Reader {
 public:
  Reader(std::string_view& text, const Mesh& mesh) : rest_(text), mesh_(mesh), text_(text) {}

  Result<LocalEntry> Run(int64_t value) {
    LocalEntry entry;
    if (rest_.substr(0, 1) == "[") {
      entry.view = TRY(View(value));
    } else {
      TRY(How(entry));
      entry.view = TRY(View(TRY(Number())));
      if (entry.view.whole()) return Fail("the dim is cut by no axis");
      if (!Skip("}")) return Fail("expected '}'");
    }
    TRY(Validate(entry, value, mesh_));
    return entry;
  }

 private:
  bool Skip(std::string_view word) { return SkipPrefix(rest_, word); }

  Error Fail(const std::string& message) const {
    return Usage(fmt::format("local integer '{}': {}", text_, message));
  }

  Result<int64_t> Number() {
    const auto number = TakeNumber<int64_t>(rest_);
    if (!number) return Fail("expected a number");
    return *number;
  }

  Result<void> How(LocalEntry& entry) {
    if (Skip("{start*")) {
      entry.kind = Kind::kShifted;
      entry.by_start = TRY(Number());
      if (!Skip(",end*")) return Fail("expected ',end*'");
      entry.by_end = TRY(Number());
    } else {
      const auto* how = std::begin(kHows);
      while (how != std::end(kHows) && !Skip(how->first)) ++how;
      if (how == std::end(kHows))
        return Fail("expected '[', '{start*', '{first', '{last', '{index' or '{bound'");
      entry.kind = how->second;
    }
    if (!Skip(" of ")) return Fail("expected ' of '");
    return {};
  }

  Result<DimSharding> View(int64_t size) {
    const size_t end = rest_.find(']');
    if (rest_.substr(0, 1) != "[" || end == std::string_view::npos) return Fail("expected '[...]'");
    Sharding one = TRY(ParseSharding(rest_.substr(0, end + 1), {size}, mesh_));
    rest_.remove_prefix(end + 1);
    return std::move(one.dims[0]);
  }

  std::string_view& rest_;
  const Mesh& mesh_;
  const std::string text_;
};

}  // namespace

std::vector<LocalEntry> SizesOf(std::span<const DimSharding> dims) {
  std::vector<LocalEntry> entries;
  for (const DimSharding& dim : dims) entries.push_back({dim});
  return entries;
}

int64_t LocalValue(const LocalEntry& entry,
                   int64_t value,
                   const Mesh& mesh,
                   const std::vector<int64_t>& coordinate) {
  if (entry.view.whole()) return value;
  if (entry.kind == Kind::kSize) return LocalSize(entry.view, value, mesh, coordinate);
  const int64_t size = entry.view.size();
  const std::vector<Interval> runs = LocalIntervals(entry.view, size, mesh, coordinate);
  CHECK(runs.size() == 1, "a dim that an integer follows is cut contiguously");
  const Interval& piece = runs[0];
  switch (entry.kind) {
    case Kind::kFirstOnly:
      return piece.begin == 0 ? value : 0;
    case Kind::kLastOnly:
      return piece.end == size ? value : 0;
    case Kind::kIndex:
      return CountedFrom(value, piece.begin, piece.size(), size);
    case Kind::kBound:
      return std::clamp<int64_t>(value - piece.begin, 0, piece.size());
    default:
      return value + entry.by_start * piece.begin + entry.by_end * (piece.end - size);
  }
}

std::vector<int64_t> LocalValues(std::vector<int64_t> values,
                                 std::span<const LocalEntry> entries,
                                 const Mesh& mesh,
                                 const std::vector<int64_t>& coordinate) {
  for (size_t i = 0; i < values.size() && i < entries.size(); ++i)
    values[i] = LocalValue(entries[i], values[i], mesh, coordinate);
  return values;
}

Result<void> Validate(const LocalEntry& entry, int64_t value, const Mesh& mesh) {
  if (entry.view.whole()) return {};
  const bool size = entry.kind == Kind::kSize;
  if (!size && !entry.view.contiguous())
    return Usage("an integer can follow only the pieces of a dim that is cut contiguously");
  const Halo& halo = entry.view.halo;
  if (!size && !halo.empty() &&
      ((entry.kind != Kind::kShifted && entry.kind != Kind::kBound) ||
       halo.course == Halo::Course::kAround))
    return Usage(
        "only an integer that is shifted or a bound can follow pieces with a halo, of one run "
        "each");
  return Validate(Sharding{{entry.view}, {}}, {size ? value : entry.view.size()}, mesh);
}

std::string LocalEntryText(const LocalEntry& entry, const Mesh& mesh) {
  std::string view = ShardingText({{entry.view}, {}}, mesh);
  if (entry.view.whole() || entry.kind == Kind::kSize) return view;
  std::string how = fmt::format("{{start*{},end*{}", entry.by_start, entry.by_end);
  for (const auto& [text, kind] : kHows)
    if (entry.kind == kind) how = text;
  return fmt::format("{} of {}{}}}", how, entry.view.size(), view);
}

Result<LocalEntry> TakeLocalEntry(std::string_view& text, int64_t value, const Mesh& mesh) {
  return Reader(text, mesh).Run(value);
}

}  // namespace metadist
