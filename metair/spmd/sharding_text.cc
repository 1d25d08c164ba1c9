// SPDX-License-Identifier: Apache-2.0
// dim      := "" | axes [halo] ["+"] | product ("+" product)* [halo]
// halo     := ["~" before "," behind] ["~mirror" | "~around"]
// product  := "(" sub (" " sub)* ")"
// sub      := size [":" axes]
// axes     := name ("," name)*
// sharding := ("[" dim "]")* | "scalar", then [" partial{" op ": " axes ("; " op ": " axes)* "}"]
#include <fmt/format.h>

#include "metair/ir/text_prefix.h"
#include "metair/spmd/sharding.h"

namespace metadist {
namespace {

constexpr std::string_view kInF32 = " in f32";
// Most elements of a dim or a halo, so that no sum or product of a few of them overflows 64 bits.
constexpr int64_t kMostElements = int64_t{1} << 60;

std::string AxesText(const std::vector<int>& axes, const Mesh& mesh) {
  std::string out;
  for (int axis : axes) {
    if (!out.empty()) out += ',';
    out += mesh.axes[static_cast<size_t>(axis)].name;
  }
  return out;
}

constexpr std::pair<std::string_view, Halo::Course> kCourses[] = {
    {"~mirror", Halo::Course::kMirrored}, {"~around", Halo::Course::kAround}};

std::string HaloText(const Halo& halo) {
  std::string out;
  if (halo.before != 0 || halo.behind != 0 ||
      (halo.of != 0 && halo.course == Halo::Course::kStraight))
    out = fmt::format("~{},{}", halo.before, halo.behind);
  for (const auto& [text, course] : kCourses)
    if (halo.course == course) out += text;
  return out;
}

std::string DimText(const DimSharding& dim, const Mesh& mesh) {
  if (dim.whole()) return "";
  const std::string halo = HaloText(dim.halo);
  const bool plain = dim.parts.size() == 1 && dim.parts[0].sub.size() == 1 &&
                     !dim.parts[0].sub[0].axes.empty() && dim.halo.of == 0;
  if (plain) return AxesText(dim.parts[0].sub[0].axes, mesh) + halo + (dim.spare ? "+" : "");
  std::string out;
  for (const DimPart& part : dim.parts) {
    if (!out.empty()) out += '+';
    out += '(';
    for (size_t i = 0; i < part.sub.size(); ++i) {
      if (i > 0) out += ' ';
      out += std::to_string(part.sub[i].size);
      if (!part.sub[i].axes.empty()) out += ":" + AxesText(part.sub[i].axes, mesh);
    }
    out += ')';
  }
  return out + halo;
}

class Parser {
 public:
  Parser(std::string_view text, const Shape& shape, const Mesh& mesh)
      : text_(text), rest_(text), shape_(shape), mesh_(mesh) {}

  Result<Sharding> Run() {
    Sharding out;
    if (!Skip("scalar")) {
      while (Skip("[")) {
        if (out.dims.size() == shape_.size())
          return Fail(fmt::format("shape {} has {} dims", ShapeText(shape_), shape_.size()));
        out.dims.push_back(TRY(Dim(shape_[out.dims.size()])));
        if (!Skip("]")) return Fail("expected ']'");
      }
    }
    if (out.dims.size() != shape_.size())
      return Fail(fmt::format("shape {} has {} dims", ShapeText(shape_), shape_.size()));
    if (Skip(" partial{")) {
      do {
        TRY(ReadPartial(out));
      } while (Skip("; "));
      if (!Skip("}")) return Fail("expected '}'");
    }
    if (!rest_.empty()) return Fail(fmt::format("unexpected '{}'", rest_));
    TRY(Validate(out, shape_, mesh_));
    return out;
  }

 private:
  bool Skip(std::string_view token) { return SkipPrefix(rest_, token); }

  Error Fail(const std::string& message) const {
    return Usage(fmt::format("sharding '{}': {}", text_, message),
                 "write one [axes] for each dim, as in `[data,model][]`");
  }

  Result<std::vector<int>> Axes() {
    std::vector<int> axes;
    do {
      const size_t end = rest_.find_first_of(",]) }+;~");
      const std::string_view name = rest_.substr(0, end);
      const int axis = mesh_.Find(name);
      if (axis < 0) return Fail(fmt::format("no axis '{}' in mesh {}", name, MeshText(mesh_)));
      axes.push_back(axis);
      rest_.remove_prefix(name.size());
    } while (Skip(","));
    return axes;
  }

  Error TooMany() const { return Fail(fmt::format("more than {} elements", kMostElements)); }

  Result<int64_t> Width() {
    const auto width = TakeNumber<int64_t>(rest_);
    if (!width) return Fail("expected the width of a halo");
    if (*width < -kMostElements || *width > kMostElements) return TooMany();
    return *width;
  }

  Result<DimSharding> Dim(int64_t size) {
    if (rest_.substr(0, 1) == "]") return DimSharding{};
    DimSharding dim;
    if (rest_.substr(0, 1) != "(") {
      dim = DimSharding::Cut(size, TRY(Axes()));
      TRY(ReadHalo(size, dim));
      dim.spare = Skip("+");
      return dim;
    }
    int64_t total = 0;
    do {
      if (!Skip("(")) return Fail("expected '('");
      DimPart part;
      int64_t elements = 1;
      do {
        SubDim sub{TakeNumber<int64_t>(rest_).value_or(0), {}};
        if (sub.size < 1) return Fail("expected a size");
        if (sub.size > kMostElements / elements) return TooMany();
        elements *= sub.size;
        if (Skip(":")) sub.axes = TRY(Axes());
        part.sub.push_back(std::move(sub));
      } while (Skip(" "));
      if (!Skip(")")) return Fail("expected ')'");
      dim.parts.push_back(std::move(part));
      total += elements;
      if (total > kMostElements) return TooMany();
    } while (Skip("+"));
    TRY(ReadHalo(size, dim));
    return dim;
  }

  Result<void> ReadHalo(int64_t size, DimSharding& dim) {
    ReadCourse(dim.halo);
    if (dim.halo.empty()) {
      if (!Skip("~")) return {};
      dim.halo.before = TRY(Width());
      if (!Skip(",")) return Fail("expected ',' in a halo");
      dim.halo.behind = TRY(Width());
      ReadCourse(dim.halo);
    }
    if (dim.size() != size) dim.halo.of = size;
    return {};
  }

  void ReadCourse(Halo& halo) {
    for (const auto& [text, course] : kCourses)
      if (Skip(text)) halo.course = course;
  }

  Result<void> ReadPartial(Sharding& out) {
    for (ReduceOp op : kReduceOps) {
      const std::string_view before = rest_;
      if (!Skip(Name(op))) continue;
      const bool in_f32 = Skip(kInF32);
      if (!Skip(": ")) {
        rest_ = before;
        continue;
      }
      for (int axis : TRY(Axes())) out.partial.push_back({axis, op, in_f32});
      return {};
    }
    return Fail("expected sum, prod, max, min, and, or");
  }

  std::string_view text_, rest_;
  const Shape& shape_;
  const Mesh& mesh_;
};

}  // namespace

std::string ShardingText(const Sharding& sharding, const Mesh& mesh) {
  std::string out = sharding.dims.empty() ? "scalar" : "";
  for (const DimSharding& dim : sharding.dims) out += "[" + DimText(dim, mesh) + "]";
  if (sharding.partial.empty()) return out;
  std::string list;
  for (size_t i = 0; i < sharding.partial.size(); ++i) {
    const Partial& partial = sharding.partial[i];
    const bool same = i > 0 && sharding.partial[i - 1].op == partial.op &&
                      sharding.partial[i - 1].in_f32 == partial.in_f32;
    list +=
        same ? ","
             : fmt::format(
                   "{}{}{}: ", i > 0 ? "; " : "", Name(partial.op), partial.in_f32 ? kInF32 : "");
    list += mesh.axes[static_cast<size_t>(partial.axis)].name;
  }
  return out + " partial{" + list + "}";
}

Result<Sharding> ParseSharding(std::string_view text, const Shape& shape, const Mesh& mesh) {
  return Parser(text, shape, mesh).Run();
}

}  // namespace metadist
