// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/problem_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include "planner/solvers/problem/evaluate.h"

namespace metadist {

// The file is read in two steps, because its keys may come in any order: first every array is
// stored as it is (one pass over the text, json_scanner.h), then the arrays are checked against
// each other and assembled. Only the first step sees the text, and only the second needs sizes.
//
// Public instances repeat a few matrices many times, so a matrix is looked up by a hash of its
// entries as soon as it is read, and dropped if it is known. That costs one pass over entries that
// are in the cache, and keeps memory and the solvers' work per distinct matrix small.

namespace {

constexpr size_t kMostErrors = 100;
constexpr size_t kMostUnknownKeys = 20;

// Stores equal matrices once.
class MatrixPool {
 public:
  CostMatrix Shared(const std::vector<int64_t>& entries) {
    const uint64_t hash = HashOf(entries);
    const auto [from, to] = known_.equal_range(hash);
    for (auto it = from; it != to; ++it) {
      if (*it->second == entries) return it->second;
    }
    auto matrix = std::make_shared<const std::vector<int64_t>>(entries);
    known_.emplace(hash, matrix);
    return matrix;
  }

 private:
  std::unordered_multimap<uint64_t, CostMatrix> known_;
};

struct Ends {
  int64_t nodes[2] = {0, 0};
  int count = 0;
};

class ProblemReader {
 public:
  explicit ProblemReader(ByteSource source) : scanner_(std::move(source)) {}

  Result<ProblemFile> Run() {
    Object("", [&](const std::string& key) {
      if (key != "problem") return false;
      ReadBody();
      return true;
    });
    if (!broken_ && !scanner_.End()) Broken("");
    if (errors_.empty()) CheckPresence();
    if (errors_.empty()) MakeNodes();
    if (errors_.empty()) MakeEdges();
    if (!errors_.empty()) return Join(std::move(errors_));
    const Result<void> valid = Validate(out_.problem);
    if (!valid.ok()) return Error(valid.error()).in("problem");
    return std::move(out_);
  }

 private:
  using Kind = JsonScanner::Kind;

  void Fail(std::string path, std::string message) {
    if (errors_.size() >= kMostErrors) return;
    errors_.push_back(BadInput(std::move(path), std::move(message)));
  }

  // Reports that the scanner failed while reading `path`; nothing after it can be read.
  void Broken(const std::string& path) {
    if (broken_) return;
    broken_ = true;
    Error error = *scanner_.error();
    if (!scanner_.source_failed()) error.where = path;
    errors_.push_back(std::move(error));
  }

  // True if the next value is of this kind; otherwise the value is skipped and reported.
  bool Expect(Kind kind, const std::string& path) {
    const Kind next = scanner_.NextKind();
    if (next == kind) return true;
    if (!scanner_.Skip()) {
      Broken(path);
    } else {
      const char* article = kind == Kind::kObject || kind == Kind::kArray ? "an" : "a";
      Fail(path.empty() ? "root" : path,
           fmt::format("expected {} {}, got {}",
                       article,
                       JsonScanner::KindName(kind),
                       JsonScanner::KindName(next)));
    }
    return false;
  }

  // read(key) reads the value of a key, or returns false for an unknown key.
  template <typename Read>
  void Object(const std::string& path, Read read) {
    if (!Expect(Kind::kObject, path)) return;
    std::set<std::string> seen;
    std::string key;
    for (bool more = scanner_.Open('{'); more; more = scanner_.Another('}')) {
      if (!scanner_.Key(key)) break;
      std::string at = path;
      if (!at.empty()) at += '.';
      at += key;
      const bool again = !seen.insert(key).second;
      if (again) Fail(at, "expected once, got twice");
      if (!again && read(key)) {
        if (broken_) return;
        given_.insert(at);
        continue;
      }
      if (!again && out_.unknown_keys.size() < kMostUnknownKeys) out_.unknown_keys.push_back(at);
      if (!scanner_.Skip()) return Broken(at);
    }
    if (scanner_.error()) Broken(path);
  }

  // take(index) reads one element.
  template <typename Take>
  void Array(const std::string& path, Take take) {
    if (!Expect(Kind::kArray, path)) return;
    size_t index = 0;
    for (bool more = scanner_.Open('['); more; more = scanner_.Another(']'), ++index) {
      take(index);
      if (broken_) return;
    }
    if (scanner_.error()) Broken(path);
  }

  // Reads the integers of element `index` of the array at `path` into row_.
  bool ReadRow(const char* path, size_t index) {
    row_.clear();
    misfits_.clear();
    const auto at = [&] { return fmt::format("{}[{}]", path, index); };
    if (scanner_.NextKind() != Kind::kArray) {
      Expect(Kind::kArray, at());
      return false;
    }
    if (!scanner_.Integers(row_, misfits_)) {
      Broken(at());
      return false;
    }
    for (const JsonScanner::Misfit& misfit : misfits_) {
      Fail(fmt::format("{}[{}][{}]", path, index, misfit.index),
           fmt::format("expected an integer of 64 bits, got {}", misfit.text));
    }
    return true;
  }

  // A copy without spare capacity, as millions of them are kept.
  static std::vector<int64_t> Copy(const std::vector<int64_t>& row) {
    return std::vector<int64_t>(row.begin(), row.end());
  }

  void ReadRows(const char* path, std::vector<std::vector<int64_t>>& rows) {
    Array(path, [&](size_t index) {
      ReadRow(path, index);
      rows.push_back(Copy(row_));
    });
  }

  void ReadBody() {
    Object("problem", [&](const std::string& key) {
      if (key == "name") {
        ReadName();
      } else if (key == "nodes") {
        ReadNodes();
      } else if (key == "edges") {
        ReadEdges();
      } else if (key == "usage_limit") {
        ReadLimit();
      } else {
        return false;
      }
      return true;
    });
  }

  void ReadName() {
    if (!Expect(Kind::kString, "problem.name")) return;
    if (!scanner_.String(out_.problem.name)) Broken("problem.name");
  }

  void ReadLimit() {
    const std::string path = "problem.usage_limit";
    int64_t limit = 0;
    std::string misfit;
    if (!scanner_.Integer(limit, misfit)) return Broken(path);
    if (!misfit.empty()) Fail(path, fmt::format("expected an integer of 64 bits, got {}", misfit));
    out_.problem.usage_limit = limit;
  }

  void ReadNodes() {
    Object("problem.nodes", [&](const std::string& key) {
      if (key == "intervals") {
        ReadIntervals("problem.nodes.intervals");
      } else if (key == "costs") {
        ReadRows("problem.nodes.costs", costs_);
      } else if (key == "usages") {
        ReadUsages("problem.nodes.usages");
      } else {
        return false;
      }
      return true;
    });
  }

  void ReadIntervals(const char* path) {
    Array(path, [&](size_t index) {
      if (ReadRow(path, index) && row_.size() != 2) {
        Fail(fmt::format("{}[{}]", path, index),
             fmt::format("expected two times, got {}", row_.size()));
      }
      row_.resize(2);
      intervals_.emplace_back(row_[0], row_[1]);
    });
  }

  void ReadUsages(const char* path) {
    Array(path, [&](size_t index) {
      ReadRow(path, index);
      for (size_t p = 0; p < row_.size(); ++p) {
        if (row_[p] >= 0) continue;
        Fail(fmt::format("{}[{}][{}]", path, index, p),
             fmt::format("expected a usage of at least 0, got {}", row_[p]));
      }
      usages_.push_back(Copy(row_));
    });
  }

  void ReadEdges() {
    Object("problem.edges", [&](const std::string& key) {
      if (key == "nodes") {
        ReadEnds("problem.edges.nodes");
      } else if (key == "costs") {
        Array("problem.edges.costs", [&](size_t index) {
          ReadRow("problem.edges.costs", index);
          matrices_.push_back(pool_.Shared(row_));
        });
      } else {
        return false;
      }
      return true;
    });
  }

  void ReadEnds(const char* path) {
    Array(path, [&](size_t index) {
      Ends& ends = ends_.emplace_back();
      if (!ReadRow(path, index)) return;
      if (row_.empty() || row_.size() > 2) {
        Fail(fmt::format("{}[{}]", path, index),
             fmt::format("expected one or two nodes, got {}", row_.size()));
        return;
      }
      ends.count = static_cast<int>(row_.size());
      std::copy(row_.begin(), row_.end(), ends.nodes);
    });
  }

  void CheckPresence() {
    for (const std::string path : {"problem",
                                   "problem.nodes",
                                   "problem.edges",
                                   "problem.nodes.intervals",
                                   "problem.nodes.costs",
                                   "problem.nodes.usages",
                                   "problem.edges.nodes",
                                   "problem.edges.costs"}) {
      const size_t dot = path.rfind('.');
      const bool due = dot == std::string::npos || given_.contains(path.substr(0, dot));
      if (due && !given_.contains(path)) Fail(path, "expected a value, got none");
    }
    if (!errors_.empty()) return;
    CheckCount("problem.nodes.intervals", intervals_.size(), costs_.size(), "costs");
    CheckCount("problem.nodes.usages", usages_.size(), costs_.size(), "costs");
    CheckCount("problem.edges.costs", matrices_.size(), ends_.size(), "nodes");
    constexpr size_t kMostNodes = std::numeric_limits<int>::max();
    if (costs_.size() > kMostNodes || ends_.size() > kMostNodes) {
      Fail("problem", fmt::format("expected at most {} nodes and edges", kMostNodes));
    }
  }

  void CheckCount(const char* path, size_t actual, size_t expected, const char* as) {
    if (actual == expected) return;
    Fail(path, fmt::format("expected {} entries as {}, got {}", expected, as, actual));
  }

  void MakeNodes() {
    std::vector<ProblemNode>& nodes = out_.problem.nodes;
    nodes.reserve(costs_.size());
    for (size_t i = 0; i < costs_.size(); ++i) {
      if (costs_[i].empty()) {
        Fail(fmt::format("problem.nodes.costs[{}]", i), "expected a strategy, got none");
      }
      if (usages_[i].size() != costs_[i].size()) {
        Fail(fmt::format("problem.nodes.usages[{}]", i),
             fmt::format(
                 "expected {} entries as costs, got {}", costs_[i].size(), usages_[i].size()));
      }
      ProblemNode& node = nodes.emplace_back();
      node.costs = std::move(costs_[i]);
      node.rows.push_back({intervals_[i].first, intervals_[i].second, std::move(usages_[i])});
    }
  }

  void MakeEdges() {
    out_.problem.edges.reserve(ends_.size());
    for (size_t e = 0; e < ends_.size(); ++e) MakeEdge(ends_[e], matrices_[e], e);
  }

  void MakeEdge(const Ends& ends, const CostMatrix& costs, size_t index) {
    std::vector<ProblemNode>& nodes = out_.problem.nodes;
    const auto at = [&](const char* key) {
      return fmt::format("problem.edges.{}[{}]", key, index);
    };
    size_t expected = 1;
    for (int k = 0; k < ends.count; ++k) {
      const int64_t end = ends.nodes[k];
      if (end < 0 || static_cast<size_t>(end) >= nodes.size()) {
        return Fail(at("nodes"), fmt::format("expected nodes below {}, got {}", nodes.size(), end));
      }
      expected *= nodes[end].costs.size();
    }
    if (ends.count == 2 && ends.nodes[0] == ends.nodes[1]) {
      return Fail(at("nodes"),
                  fmt::format("expected two different nodes, got {} twice", ends.nodes[0]));
    }
    if (costs->size() != expected) {
      return Fail(at("costs"), fmt::format("expected {} entries, got {}", expected, costs->size()));
    }
    if (ends.count == 1) return AddToNode(nodes[ends.nodes[0]].costs, *costs, at("costs"));
    out_.problem.edges.push_back(
        {static_cast<int>(ends.nodes[0]), static_cast<int>(ends.nodes[1]), costs});
  }

  void AddToNode(std::vector<int64_t>& node,
                 const std::vector<int64_t>& costs,
                 const std::string& path) {
    for (size_t p = 0; p < node.size(); ++p) {
      if (node[p] >= kForbiddenFrom || costs[p] >= kForbiddenFrom) {
        node[p] = kForbidden;
        continue;
      }
      const WideCost sum = static_cast<WideCost>(node[p]) + costs[p];
      if (sum >= kForbiddenFrom || sum < -kForbidden) {
        return Fail(path,
                    fmt::format("expected a sum with the node's costs below {}, got {}",
                                kForbiddenFrom,
                                WideText(sum)));
      }
      node[p] = static_cast<int64_t>(sum);
    }
  }

  JsonScanner scanner_;
  ProblemFile out_;
  MatrixPool pool_;
  // Paths of the known keys read.
  std::set<std::string> given_;
  std::vector<Error> errors_;
  bool broken_ = false;

  // As read from the file.
  std::vector<std::pair<int64_t, int64_t>> intervals_;
  std::vector<std::vector<int64_t>> costs_;
  std::vector<std::vector<int64_t>> usages_;
  std::vector<Ends> ends_;
  std::vector<CostMatrix> matrices_;

  // The array that is being read.
  std::vector<int64_t> row_;
  std::vector<JsonScanner::Misfit> misfits_;
};

}  // namespace

Result<ProblemFile> ReadProblem(ByteSource source) {
  return ProblemReader(std::move(source)).Run();
}

}  // namespace metadist
