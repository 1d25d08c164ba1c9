// SPDX-License-Identifier: Apache-2.0
#include "profiles/profile_io.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "metair/ir/element_type.h"
#include "metair/ir/fnv.h"
#include "metair/ir/text_file.h"
#include "metair/json/document.h"
#include "metair/json/names.h"
#include "metair/json/visitor.h"

namespace metadist {
namespace {

constexpr int64_t kMostRanks = 1 << 20;
constexpr Integers kRanks{1, kMostRanks};
constexpr Integers kSome{1};
constexpr Integers kAny{0};

// Hint for a file that is not a profile.
constexpr char kRemedy[] = "`metadist profile --device cpu -o FILE` writes a profile";

// A row of a table of series: one number of one series.
template <typename Key>
struct SeriesRow {
  Key key = {};
  int64_t at = 1;
  Sample sample = {};
};

// A MetaIR element type, or one that only devices support.
void VisitDtype(JsonVisitor& v, std::string& dtype) {
  v.Value(dtype, Texts::kNotEmpty);
  if (v.ok() && !ParseElementType(dtype) && dtype != "tf32" && dtype != "fp8")
    v.Wrong(fmt::format("must be an element type, got \"{}\"", dtype), "such as f32, bf16, f16");
}

void VisitHeader(JsonVisitor& v, ProfileHeader& header) {
  v.Field("name", header.name, Texts::kNotEmpty);
  v.Field("kind", header.kind, Words{{"cpu", "gpu"}});
  v.Field("device_model", header.device_model, Texts::kNotEmpty);
  v.Field("devices_per_node", header.devices_per_node, kRanks);
  v.Defaulted("nodes", header.nodes, 1, kRanks);
  v.Defaulted("link_domain", header.link_domain, 0, Integers{0, kMostRanks});
  v.Defaulted("nics_per_node", header.nics_per_node, 0, Integers{0, kMostRanks});
  if (header.kind == "cpu")
    v.Field("cores", header.cores, kSome);
  else
    v.Defaulted("cores", header.cores, 0, kAny);
  v.Defaulted("launch_mode", header.launch_mode, "");
  v.Defaulted("date", header.date, "");
  v.Defaulted("tool_version", header.tool_version, "");
  v.Defaulted("software", header.software, {});
  v.Defaulted("settings", header.settings, {});
}

void VisitCollective(JsonVisitor& v, CollectiveKey& key) {
  v.Field("op", key.op, AnyUpTo(Collective::kSendRecv));
  v.Field("dtype", key.dtype, VisitDtype);
  v.Field("ranks", key.ranks, Integers{2, kMostRanks});
  v.Field("nodes", key.nodes, kRanks);
  v.Field("ranks_per_node", key.ranks_per_node, kRanks);
  v.Optional("concurrent", key.concurrent, 1, kRanks);
  v.Optional("strided", key.strided, false);
  if (v.ok() && (key.nodes > key.ranks || key.ranks_per_node > key.ranks ||
                 int64_t{key.nodes} * key.ranks_per_node < key.ranks))
    v.Wrong(fmt::format("{} ranks do not fit on {} nodes with {} ranks each",
                        key.ranks,
                        key.nodes,
                        key.ranks_per_node));
}

// The tables of one file. Rows with the same key and number must not repeat.
class ProfileFields {
 public:
  explicit ProfileFields(Profile& profile) : profile_(profile) {}

  void Visit(JsonVisitor& v) {
    if (!v.Schema(kProfileSchema, kProfileSchemaVersion, kRemedy)) return;
    if (v.reading()) VisitOrigins(v);  // needed first, because all other tables refer to them
    v.Field("header", profile_.header, VisitHeader);
    v.Field("device", profile_.device, [this](JsonVisitor& at, DeviceSpec& device) {
      VisitDevice(at, device);
    });
    if (!v.reading()) VisitOrigins(v);
    VisitFactors(v);
    VisitEfficiency(v);
    VisitSeries(v, "contractions", profile_.contractions, "m", [](auto& row, ContractionSite& key) {
      row.Field("dtype", key.dtype, VisitDtype);
      row.Optional("batch", key.batch, 1, kSome);
      row.Field("n", key.n, kSome);
      row.Field("k", key.k, kSome);
    });
    VisitSeries(v, "kernels", profile_.kernels, "bytes", [](JsonVisitor& row, KernelKey& key) {
      row.Field("op", key.op, Texts::kNotEmpty);
      row.Field("dtype", key.dtype, VisitDtype);
    });
    if (v.reading() || !profile_.calls.empty())
      VisitSeries(v, "calls", profile_.calls, "ranks", [](JsonVisitor& row, std::string& call) {
        row.Field("call", call, Texts::kNotEmpty);
      });
    std::map<std::string, Series> stream{{"", profile_.stream}};
    VisitSeries(v, "stream", stream, "bytes", [](JsonVisitor&, std::string&) {});
    if (v.reading()) profile_.stream = std::move(stream[""]);
    VisitSeries(v, "collectives", profile_.collectives, "bytes", VisitCollective);
    VisitSeries(v, "p2p", profile_.p2p, "bytes", [](JsonVisitor& row, std::string& link) {
      row.Field("link", link, Texts::kNotEmpty);
    });
  }

 private:
  // The id of an origin defined in the file.
  void VisitOriginOf(JsonVisitor& v, std::string& id) {
    v.Field("origin", id, [this](JsonVisitor& at, std::string& text) {
      at.Value(text, Texts::kNotEmpty);
      if (at.ok() && profile_.origins.count(text) == 0)
        at.Wrong(fmt::format("must be in the table of origins, got \"{}\"", text));
    });
  }

  void VisitDevice(JsonVisitor& v, DeviceSpec& device) {
    v.Field("memory_bytes", device.memory_bytes, kSome);
    v.Field("memory_bytes_per_second", device.memory_bytes_per_second, Reals::kPositive);
    v.Defaulted("link_bytes_per_second", device.link_bytes_per_second, 0, Reals::kNotNegative);
    v.Defaulted(
        "network_bytes_per_second", device.network_bytes_per_second, 0, Reals::kNotNegative);
    v.Defaulted("host_bytes_per_second", device.host_bytes_per_second, 0, Reals::kNotNegative);
    v.Defaulted("cache_bytes", device.cache_bytes, 0, kAny);
    v.Defaulted("units", device.units, 0, kAny);
    v.Defaulted(
        "contraction_flops_per_second", device.contraction_flops_per_second, {}, Reals::kPositive);
    v.Defaulted("vector_flops_per_second", device.vector_flops_per_second, {}, Reals::kPositive);
    VisitOriginOf(v, device.origin);
  }

  // A table of rows. `add` stores each valid row in the profile and returns false if it is already
  // there.
  template <typename Row, typename Fields, typename Add>
  static void VisitRows(JsonVisitor& v,
                        std::string_view name,
                        std::vector<Row> rows,
                        const Fields& visit,
                        const Add& add) {
    v.Defaulted(name, rows, {}, [&](JsonVisitor& at, Row& row) {
      visit(at, row);
      if (at.reading() && at.ok() && !add(row)) at.Wrong("the row stands twice");
    });
  }

  void VisitOrigins(JsonVisitor& v) {
    using Row = std::pair<std::string, Origin>;
    const auto fields = [](JsonVisitor& at, Row& row) {
      auto& [id, origin] = row;
      at.Field("id", id, Texts::kNotEmpty);
      at.Field("class", origin.provenance, AnyUpTo(Provenance::kAnalytic));
      at.Field("source", origin.source, Texts::kNotEmpty);
      at.Field("licence", origin.licence, Texts::kNotEmpty);
      at.Optional("date", origin.date, "");
      at.Optional("transferred", origin.transferred, false);
    };
    VisitRows(v,
              "origins",
              std::vector<Row>(profile_.origins.begin(), profile_.origins.end()),
              fields,
              [&](const Row& row) { return profile_.origins.insert(row).second; });
  }

  void VisitFactors(JsonVisitor& v) {
    using Row = std::pair<std::string, CostFactor>;
    const auto fields = [this](JsonVisitor& at, Row& row) {
      at.Field("name", row.first, Texts::kNotEmpty);
      at.Field("value", row.second.value, Reals::kNotNegative);
      VisitOriginOf(at, row.second.origin);
    };
    VisitRows(v,
              "factors",
              std::vector<Row>(profile_.factors.begin(), profile_.factors.end()),
              fields,
              [&](const Row& row) { return profile_.factors.insert(row).second; });
  }

  struct EfficiencyRow {
    std::string dtype;
    double log2_gflop = 0;
    double fraction = 1;
    std::string origin;
  };
  void VisitEfficiency(JsonVisitor& v) {
    std::vector<EfficiencyRow> rows;
    for (const auto& [dtype, curve] : profile_.efficiency)
      for (const auto& [log2_gflop, fraction] : curve.fraction_of_peak)
        rows.push_back({dtype, log2_gflop, fraction, curve.origin});
    const auto fields = [this](JsonVisitor& at, EfficiencyRow& row) {
      at.Field("dtype", row.dtype, VisitDtype);
      at.Field("log2_gflop", row.log2_gflop);
      at.Field("fraction", row.fraction, Reals::kPositive);
      VisitOriginOf(at, row.origin);
      if (!at.reading() || !at.ok()) return;
      if (row.fraction > 1)
        at.WrongAt("fraction", fmt::format("must be at most 1, got {}", row.fraction));
      std::string& origin = profile_.efficiency[row.dtype].origin;
      if (origin.empty()) origin = row.origin;
      if (origin != row.origin)
        at.Wrong(fmt::format("one curve needs one origin, got '{}' and '{}'", origin, row.origin));
    };
    VisitRows(v, "efficiency", std::move(rows), fields, [&](const EfficiencyRow& row) {
      return profile_.efficiency[row.dtype]
          .fraction_of_peak.emplace(row.log2_gflop, row.fraction)
          .second;
    });
  }

  // number: name of the number in which the rows of a series differ.  key: visits the fields of the
  // series.
  template <typename Key, typename VisitKey>
  void VisitSeries(JsonVisitor& v,
                   std::string_view name,
                   std::map<Key, Series>& table,
                   std::string_view number,
                   const VisitKey& visit_key) {
    std::vector<SeriesRow<Key>> rows;
    for (const auto& [key, series] : table)
      for (const auto& [at, sample] : series) rows.push_back({key, at, sample});
    const auto fields = [&](JsonVisitor& at, SeriesRow<Key>& row) {
      visit_key(at, row.key);
      at.Field(number, row.at, kSome);
      VisitSample(at, row.sample);
    };
    VisitRows(v, name, std::move(rows), fields, [&](const SeriesRow<Key>& row) {
      return table[row.key].emplace(row.at, row.sample).second;
    });
  }

  // Zeros are omitted.
  void VisitSample(JsonVisitor& v, Sample& sample) {
    v.Field("time_us", sample.time_us, Reals::kPositive);
    v.Optional("time_inplace_us", sample.time_inplace_us, 0, Reals::kNotNegative);
    v.Optional("mad_us", sample.mad_us, 0, Reals::kNotNegative);
    v.Optional("p10_us", sample.p10_us, 0, Reals::kNotNegative);
    v.Optional("p90_us", sample.p90_us, 0, Reals::kNotNegative);
    v.Optional("samples", sample.samples, 0, kAny);
    VisitOriginOf(v, sample.origin);
  }

  Profile& profile_;
};

void VisitProfile(JsonVisitor& v, Profile& profile) { ProfileFields(profile).Visit(v); }

}  // namespace

std::string FormatProfile(const Profile& profile) {
  nlohmann::ordered_json out;
  WriteJson(profile, VisitProfile, out);
  std::string text;
  for (const auto& [name, value] : out.items()) {
    text += fmt::format("{}\"{}\": ", text.empty() ? "{" : ",\n", name);
    if (!value.is_array()) {
      text += SortedJsonLine(value);
      continue;
    }
    const char* between = "[\n";
    for (const auto& row : value) {
      text += between + SortedJsonLine(row);
      between = ",\n";
    }
    text += value.empty() ? "[]" : "\n]";
  }
  return text + "\n}\n";
}

Result<Profile> ParseProfile(const std::string& text, const std::string& where) {
  const nlohmann::json document = TRY(ParseJson(text, where, "a profile", kRemedy));
  Profile profile;
  TRY(ReadJson(
      document, where, [&](JsonVisitor& v) { VisitProfile(v, profile); }, {.whole_reals = true}));
  return profile;
}

Result<Profile> ReadProfile(const std::string& path) {
  return ParseProfile(TRY(ReadText(path, kRemedy)), path);
}

std::string Fingerprint(const Profile& profile) {
  Fnv1a hash;
  hash.Add(FormatProfile(profile));
  return fmt::format("{:016x}", hash.value());
}

}  // namespace metadist
