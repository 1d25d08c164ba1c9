// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/prime_mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace metadist {
namespace {

// An axis or sub-axis as written.
struct SubAxis {
  std::string_view axis;
  int64_t before = 1;
  int64_t size = 0;  // 0: the whole axis

  std::string text() const { return fmt::format("{}@{}.{}", axis, before, size); }
};

constexpr std::string_view kNameChars =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// Reads "name@2.4" at the start of `text` and removes it.
Result<SubAxis> ReadSubAxis(std::string_view& text) {
  SubAxis sub;
  sub.axis = text.substr(0, text.find_first_not_of(kNameChars));
  text.remove_prefix(sub.axis.size());
  if (text.substr(0, 1) != "@") return sub;
  const std::string_view whole = text;
  text.remove_prefix(1);
  const auto number = [&](int64_t& value) {
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<size_t>(at - text.data()));
    return error == std::errc() && value >= 1;
  };
  const bool first = number(sub.before) && text.substr(0, 1) == ".";
  if (first) text.remove_prefix(1);
  if (!first || !number(sub.size) || sub.size < 2)
    return Usage(fmt::format("sub-axis '{}{}' is not written as axis@BEFORE.SIZE",
                             sub.axis,
                             whole.substr(0, whole.find_first_of(",] );}"))),
                 "as in `x@2.4`: of x, after more major parts of product 2, size 4");
  return sub;
}

// Walks a sharding's text: visit(name or sub-axis) for each axis, keep(character) for everything
// else. Words after " partial{" that name a reduction are not axes, nor are those after "~".
template <typename Visit, typename Keep>
Result<void> Walk(std::string_view text, Visit&& visit, Keep&& keep) {
  const bool scalar = text.substr(0, 6) == "scalar";
  size_t plain = scalar ? 6 : 0;
  while (!text.empty()) {
    const std::string_view partial = " partial{";
    if (text.substr(0, partial.size()) == partial) plain = partial.size();
    for (const std::string_view course : {"~mirror", "~around"})
      if (text.substr(0, course.size()) == course) plain = course.size();
    const bool number = std::isdigit(static_cast<unsigned char>(text[0])) != 0;
    if (plain == 0 && number) plain = text.find_first_not_of("0123456789");
    if (plain > 0) {
      for (char c : text.substr(0, plain)) keep(c);
      text.remove_prefix(std::min(plain, text.size()));
      plain = 0;
      continue;
    }
    const size_t end = text.find_first_not_of(kNameChars);
    if (end == 0) {
      keep(text[0]);
      text.remove_prefix(1);
      continue;
    }
    if (end != std::string_view::npos && text.substr(end, 2) == ": ") {  // a reduction
      plain = end;
      continue;
    }
    const SubAxis sub = TRY(ReadSubAxis(text));
    TRY(visit(sub));
  }
  return {};
}

std::vector<int64_t> Primes(int64_t size) {
  std::vector<int64_t> primes;
  for (int64_t p = 2; p * p <= size; ++p)
    for (; size % p == 0; size /= p) primes.push_back(p);
  if (size > 1) primes.push_back(size);
  return primes;
}

Error UnknownAxis(std::string_view text, std::string_view name, const Mesh& mesh) {
  return Usage(fmt::format("sharding '{}': no axis '{}' in mesh {}", text, name, MeshText(mesh)),
               "write one [axes] for each dim, as in `[data,model][]`");
}

// The fine axes of a sub-axis; nullopt unless it is a run of factors.
std::optional<std::vector<int>> RunOf(const SubAxis& sub, const PrimeMesh& mesh) {
  const int axis = mesh.whole.Find(sub.axis);
  const std::vector<int>& factors = mesh.factors[static_cast<size_t>(axis)];
  if (sub.size == 0) return factors;
  std::vector<int> run;
  int64_t before = 1;
  int64_t size = 1;
  for (int factor : factors) {
    if (before == sub.before && size < sub.size) {
      run.push_back(factor);
      size *= mesh.fine.size(factor);
    } else if (run.empty()) {
      before *= mesh.fine.size(factor);
    }
  }
  if (before != sub.before || size != sub.size) return std::nullopt;
  return run;
}

// Text of a run of factors of one axis.
std::string RunText(const std::vector<int>& run, const PrimeMesh& mesh) {
  const int axis = mesh.AxisOf(run[0]);
  const std::vector<int>& factors = mesh.factors[static_cast<size_t>(axis)];
  const std::string& name = mesh.whole.axes[static_cast<size_t>(axis)].name;
  if (run.size() == factors.size()) return name;
  int64_t before = 1;
  for (int factor : factors) {
    if (factor == run[0]) break;
    before *= mesh.fine.size(factor);
  }
  return SubAxis{name, before, mesh.fine.size(run)}.text();
}

// The axes with neighbouring factors of one axis joined, each as a text.
std::vector<std::string> RunTexts(const std::vector<int>& fine_axes, const PrimeMesh& mesh) {
  std::vector<std::string> texts;
  std::vector<int> run;
  for (int axis : fine_axes) {
    if (!run.empty() && (axis != run.back() + 1 || mesh.AxisOf(axis) != mesh.AxisOf(run[0]))) {
      texts.push_back(RunText(run, mesh));
      run.clear();
    }
    run.push_back(axis);
  }
  if (!run.empty()) texts.push_back(RunText(run, mesh));
  return texts;
}

void Reverse(Sharding& sharding) {
  for (DimSharding& dim : sharding.dims)
    for (DimPart& part : dim.parts)
      for (SubDim& sub : part.sub) std::reverse(sub.axes.begin(), sub.axes.end());
}

}  // namespace

int PrimeMesh::AxisOf(int fine_axis) const {
  for (size_t a = 0; a < factors.size(); ++a)
    if (std::ranges::find(factors[a], fine_axis) != factors[a].end()) return static_cast<int>(a);
  return -1;
}

Result<PrimeMesh> SplitMesh(const Mesh& mesh, const std::vector<std::string>& texts) {
  // By axis: products of major parts after which it is split.
  std::vector<std::set<int64_t>> bounds(mesh.axes.size());
  std::vector<Error> problems;
  for (const std::string& text : texts) {
    const auto visit = [&](const SubAxis& sub) -> Result<void> {
      const int axis = mesh.Find(sub.axis);
      if (axis < 0) {
        problems.push_back(UnknownAxis(text, sub.axis, mesh));
        return {};
      }
      if (sub.size == 0) return {};
      if (mesh.size(axis) % sub.before != 0 || mesh.size(axis) / sub.before % sub.size != 0)
        problems.push_back(Usage(fmt::format("sharding '{}': axis '{}' of {} has no part {}",
                                             text,
                                             sub.axis,
                                             mesh.size(axis),
                                             sub.text())));
      else
        for (int64_t bound : {sub.before, sub.before * sub.size})
          bounds[static_cast<size_t>(axis)].insert(bound);
      return {};
    };
    TRY(Walk(text, visit, [](char) {}));
  }
  PrimeMesh out;
  out.whole = mesh;
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    bounds[a].insert(1);
    bounds[a].insert(mesh.axes[a].size);
    std::vector<int64_t> sizes;
    int64_t last = 1;
    for (int64_t bound : bounds[a]) {
      if (bound % last != 0) {
        problems.push_back(Usage(fmt::format(
            "axis '{}' is divided after {} and after {}, of which neither divides the other",
            mesh.axes[a].name,
            last,
            bound)));
        break;
      }
      for (int64_t prime : Primes(bound / last)) sizes.push_back(prime);
      last = bound;
    }
    out.factors.emplace_back();
    int64_t before = 1;
    for (int64_t size : sizes) {
      const std::string& whole = mesh.axes[a].name;
      const std::string name = sizes.size() == 1 ? whole : SubAxis{whole, before, size}.text();
      out.factors[a].push_back(static_cast<int>(out.fine.axes.size()));
      out.fine.axes.push_back({name, size});
      before *= size;
    }
  }
  if (!problems.empty()) return Join(std::move(problems));
  return out;
}

Result<Sharding> ParseOn(std::string_view text,
                         const Shape& shape,
                         const PrimeMesh& mesh,
                         AxisOrder order) {
  std::string fine;
  const auto visit = [&](const SubAxis& sub) -> Result<void> {
    if (mesh.whole.Find(sub.axis) < 0) return UnknownAxis(text, sub.axis, mesh.whole);
    auto run = RunOf(sub, mesh);
    if (!run)
      return Usage(fmt::format(
          "sharding '{}': {} does not line up with the factors of the mesh", text, sub.text()));
    if (order == AxisOrder::kMinorFirst) std::reverse(run->begin(), run->end());
    for (size_t i = 0; i < run->size(); ++i)
      fine += (i > 0 ? "," : "") + mesh.fine.axes[static_cast<size_t>((*run)[i])].name;
    // An axis of size 1 cuts nothing.
    if (run->empty() && !fine.empty() && fine.back() == ',') fine.pop_back();
    return {};
  };
  TRY(Walk(text, visit, [&](char c) {
    if (c == ',' && !fine.empty() && fine.back() == '[') return;
    fine += c;
  }));
  if (fine.find("[~") != std::string::npos)
    return Usage(fmt::format("sharding '{}': a halo of a dim that no axis cuts", text),
                 "an axis of size 1 cuts nothing; leave both out");
  Sharding out = TRY(ParseSharding(fine, shape, mesh.fine));
  if (order == AxisOrder::kMinorFirst) Reverse(out);
  std::sort(out.partial.begin(), out.partial.end());
  return out;
}

std::string AxesTextOn(const std::vector<int>& fine_axes, const PrimeMesh& mesh) {
  return fmt::format("{}", fmt::join(RunTexts(fine_axes, mesh), ","));
}

std::string TextOn(const Sharding& sharding, const PrimeMesh& mesh, AxisOrder order) {
  // Axes are renamed to runs on a temporary mesh with one axis for every run that occurs.
  Mesh names;
  Sharding renamed = sharding;
  const auto rename = [&](std::vector<int>& axes) {
    std::vector<int> ids;
    for (std::string& text : RunTexts(axes, mesh)) {
      ids.push_back(static_cast<int>(names.axes.size()));
      names.axes.push_back({std::move(text), 1});
    }
    axes = std::move(ids);
  };
  for (DimSharding& dim : renamed.dims)
    for (DimPart& part : dim.parts)
      for (SubDim& sub : part.sub) rename(sub.axes);
  renamed.partial.clear();
  std::map<std::pair<ReduceOp, bool>, std::vector<int>> by_kind;
  for (const Partial& partial : sharding.partial)
    by_kind[{partial.op, partial.in_f32}].push_back(partial.axis);
  for (auto& [kind, axes] : by_kind) {
    rename(axes);
    for (int axis : axes) renamed.partial.push_back({axis, kind.first, kind.second});
  }
  if (order == AxisOrder::kMinorFirst) Reverse(renamed);
  return ShardingText(renamed, names);
}

}  // namespace metadist
