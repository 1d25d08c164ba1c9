// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "metair/ir/element_type.h"
#include "metair/ir/text_file.h"
#include "profiles/fields.h"
#include "profiles/profile_io.h"

namespace metadist {
namespace {

using nlohmann::json;

constexpr int kMostRanks = 1 << 20;

// Reads the tables of one file into `profile`.
class Reader {
 public:
  Reader(Profile& profile, Problems& problems) : profile_(profile), problems_(problems) {}

  void Read(const json& root);

 private:
  void ReadHeader(const json& value);
  void ReadDevice(const json& value);
  void ReadOrigin(Fields& row);
  void ReadFactor(Fields& row);
  void ReadEfficiency(Fields& row);
  void ReadContraction(Fields& row);
  void ReadKernel(Fields& row);
  void ReadCall(Fields& row);
  void ReadStream(Fields& row);
  void ReadCollective(Fields& row);
  void ReadP2p(Fields& row);

  // Calls `read` for every row of the table, which may be absent.
  void Table(const json& root, const char* name, const std::function<void(Fields&)>& read);
  // The row's origin, which must be among the origins read before.
  std::string OriginOf(Fields& row);
  // The dtype field: a MetaIR element type, or one that only devices know (tf32, fp8).
  std::string DtypeOf(Fields& row);
  // The row's times, put at `at` of `series` where the row is sound; a second one is a problem.
  void Insert(Series& series, int64_t at, Fields& row);
  int Count(Fields& row, const char* name, int least, std::optional<int> absent = std::nullopt);

  Profile& profile_;
  Problems& problems_;
};

void Reader::Table(const json& root, const char* name, const std::function<void(Fields&)>& read) {
  if (!root.contains(name)) return;
  const json& table = root.at(name);
  if (!table.is_array()) {
    problems_.Add(name, "must be a list of rows");
    return;
  }
  for (size_t i = 0; i < table.size(); ++i) {
    Fields row(table[i], fmt::format("{} row {}", name, i), problems_);
    if (!table[i].is_object()) continue;
    read(row);
    row.RefuseUnknown();
  }
}

std::string Reader::OriginOf(Fields& row) {
  const bool given = row.has("origin");
  std::string id = row.Text("origin");
  if (given && !id.empty() && profile_.origins.count(id) == 0) {
    row.Add(fmt::format("origin '{}' is not in the table of origins", id));
  }
  return id;
}

std::string Reader::DtypeOf(Fields& row) {
  std::string dtype = row.Text("dtype");
  const bool known = dtype.empty() || ParseElementType(dtype) || dtype == "tf32" || dtype == "fp8";
  if (!known) row.Add(fmt::format("unknown element type '{}'", dtype), "such as f32, bf16, f16");
  return dtype;
}

void Reader::Insert(Series& series, int64_t at, Fields& row) {
  Sample sample;
  sample.time_us = row.Positive("time_us");
  sample.time_inplace_us = row.NonNegative("time_inplace_us");
  sample.mad_us = row.NonNegative("mad_us");
  sample.p10_us = row.NonNegative("p10_us");
  sample.p90_us = row.NonNegative("p90_us");
  sample.samples = row.Integer("samples", 0, 0);
  sample.origin = OriginOf(row);
  if (row.ok() && !series.emplace(at, std::move(sample)).second) row.Add("the row stands twice");
}

int Reader::Count(Fields& row, const char* name, int least, std::optional<int> absent) {
  const int64_t count = absent ? row.Integer(name, least, *absent) : row.Integer(name, least);
  if (count <= kMostRanks) return static_cast<int>(count);
  row.Add(fmt::format("'{}' must be at most {}, got {}", name, kMostRanks, count));
  return least;
}

void Reader::ReadHeader(const json& value) {
  Fields fields(value, "header", problems_);
  ProfileHeader& header = profile_.header;
  header.name = fields.Text("name");
  header.kind = fields.Text("kind");
  if (!header.kind.empty() && header.kind != "cpu" && header.kind != "gpu") {
    fields.Add(fmt::format("'kind' must be cpu or gpu, got '{}'", header.kind));
  }
  header.device_model = fields.Text("device_model");
  header.devices_per_node = Count(fields, "devices_per_node", 1);
  header.nodes = Count(fields, "nodes", 1, 1);
  header.link_domain = Count(fields, "link_domain", 0, 0);
  header.nics_per_node = Count(fields, "nics_per_node", 0, 0);
  header.cores = fields.Integer("cores", header.kind == "cpu" ? 1 : 0, 0);
  if (header.kind == "cpu" && !fields.has("cores")) fields.Add("field 'cores' is missing");
  header.launch_mode = fields.Text("launch_mode", "");
  header.date = fields.Text("date", "");
  header.tool_version = fields.Text("tool_version", "");
  header.software = fields.Texts("software");
  header.settings = fields.Texts("settings");
  fields.RefuseUnknown();
}

void Reader::ReadDevice(const json& value) {
  Fields fields(value, "device", problems_);
  DeviceSpec& device = profile_.device;
  device.memory_bytes = fields.Integer("memory_bytes", 1);
  device.memory_bytes_per_second = fields.Positive("memory_bytes_per_second");
  device.link_bytes_per_second = fields.NonNegative("link_bytes_per_second");
  device.network_bytes_per_second = fields.NonNegative("network_bytes_per_second");
  device.host_bytes_per_second = fields.NonNegative("host_bytes_per_second");
  device.cache_bytes = fields.Integer("cache_bytes", 0, 0);
  device.units = fields.Integer("units", 0, 0);
  device.contraction_flops_per_second = fields.Rates("contraction_flops_per_second");
  device.vector_flops_per_second = fields.Rates("vector_flops_per_second");
  device.origin = OriginOf(fields);
  fields.RefuseUnknown();
}

void Reader::ReadOrigin(Fields& row) {
  Origin origin;
  const std::string id = row.Text("id");
  const std::string name = row.Text("class");
  bool known = name.empty();
  for (int i = 0; i < kProvenances; ++i) {
    const auto provenance = static_cast<Provenance>(i);
    if (name != Name(provenance)) continue;
    origin.provenance = provenance;
    known = true;
  }
  if (!known) {
    row.Add(fmt::format("'class' must be measured, borrowed or analytic, got '{}'", name));
  }
  origin.source = row.Text("source");
  origin.licence = row.Text("licence");
  origin.date = row.Text("date", "");
  origin.transferred = row.Flag("transferred");
  if (!profile_.origins.emplace(id, std::move(origin)).second) row.Add("the row stands twice");
}

void Reader::ReadFactor(Fields& row) {
  const std::string name = row.Text("name");
  CostFactor factor{row.Finite("value"), ""};
  if (factor.value < 0) row.Add(fmt::format("'value' must not be negative, got {}", factor.value));
  factor.origin = OriginOf(row);
  if (!profile_.factors.emplace(name, std::move(factor)).second) row.Add("the row stands twice");
}

void Reader::ReadEfficiency(Fields& row) {
  Efficiency& curve = profile_.efficiency[DtypeOf(row)];
  const double fraction = row.Positive("fraction");
  if (fraction > 1) row.Add(fmt::format("'fraction' must be at most 1, got {}", fraction));
  const std::string origin = OriginOf(row);
  if (!curve.origin.empty() && curve.origin != origin) {
    row.Add(fmt::format("one curve needs one origin, got '{}' and '{}'", curve.origin, origin));
  }
  curve.origin = origin;
  if (!curve.fraction_of_peak.emplace(row.Finite("log2_gflop"), fraction).second) {
    row.Add("the row stands twice");
  }
}

void Reader::ReadContraction(Fields& row) {
  ContractionSite site;
  site.dtype = DtypeOf(row);
  site.batch = row.Integer("batch", 1, 1);
  site.n = row.Integer("n", 1);
  site.k = row.Integer("k", 1);
  const int64_t m = row.Integer("m", 1);
  Insert(profile_.contractions[site], m, row);
}

void Reader::ReadKernel(Fields& row) {
  KernelKey key{row.Text("op"), DtypeOf(row)};
  const int64_t bytes = row.Integer("bytes", 1);
  Insert(profile_.kernels[key], bytes, row);
}

void Reader::ReadCall(Fields& row) {
  const std::string call = row.Text("call");
  const int64_t ranks = row.Integer("ranks", 1);
  Insert(profile_.calls[call], ranks, row);
}

void Reader::ReadStream(Fields& row) {
  const int64_t bytes = row.Integer("bytes", 1);
  Insert(profile_.stream, bytes, row);
}

void Reader::ReadCollective(Fields& row) {
  CollectiveKey key;
  const std::string name = row.Text("op");
  bool known = name.empty();
  for (int i = 0; i < kCollectives; ++i) {
    const auto op = static_cast<Collective>(i);
    if (name != Name(op)) continue;
    key.op = op;
    known = true;
  }
  if (!known) row.Add(fmt::format("unknown collective '{}'", name));
  key.dtype = DtypeOf(row);
  key.ranks = Count(row, "ranks", 2);
  key.nodes = Count(row, "nodes", 1);
  key.ranks_per_node = Count(row, "ranks_per_node", 1);
  key.concurrent = Count(row, "concurrent", 1, 1);
  key.strided = row.Flag("strided");
  if (key.nodes > key.ranks || key.ranks_per_node > key.ranks ||
      int64_t{key.nodes} * key.ranks_per_node < key.ranks) {
    row.Add(fmt::format("{} ranks do not fit on {} nodes with {} ranks each",
                        key.ranks,
                        key.nodes,
                        key.ranks_per_node));
  }
  const int64_t bytes = row.Integer("bytes", 1);
  Insert(profile_.collectives[key], bytes, row);
}

void Reader::ReadP2p(Fields& row) {
  const std::string link = row.Text("link");
  const int64_t bytes = row.Integer("bytes", 1);
  Insert(profile_.p2p[link], bytes, row);
}

void Reader::Read(const json& root) {
  Table(root, "origins", [this](Fields& row) { ReadOrigin(row); });
  for (const char* name : {"header", "device"}) {
    if (!root.contains(name)) problems_.Add("", fmt::format("field '{}' is missing", name));
  }
  if (root.contains("header")) ReadHeader(root.at("header"));
  if (root.contains("device")) ReadDevice(root.at("device"));
  Table(root, "factors", [this](Fields& row) { ReadFactor(row); });
  Table(root, "efficiency", [this](Fields& row) { ReadEfficiency(row); });
  Table(root, "contractions", [this](Fields& row) { ReadContraction(row); });
  Table(root, "kernels", [this](Fields& row) { ReadKernel(row); });
  Table(root, "calls", [this](Fields& row) { ReadCall(row); });
  Table(root, "stream", [this](Fields& row) { ReadStream(row); });
  Table(root, "collectives", [this](Fields& row) { ReadCollective(row); });
  Table(root, "p2p", [this](Fields& row) { ReadP2p(row); });
  static const char* const kKnown[] = {"schema",
                                       "schema_version",
                                       "header",
                                       "device",
                                       "origins",
                                       "factors",
                                       "efficiency",
                                       "contractions",
                                       "kernels",
                                       "calls",
                                       "stream",
                                       "collectives",
                                       "p2p"};
  for (const auto& item : root.items()) {
    bool known = false;
    for (const char* name : kKnown) known = known || item.key() == name;
    if (!known) problems_.Add("", fmt::format("unknown table '{}'", item.key()));
  }
}

// What to do about a file that is no profile.
const char* const kRemedy = "`metadist profile --device cpu -o FILE` writes a profile";

// Refuses what is no profile, or one of another version, before its tables are looked at.
Result<void> CheckSchema(const json& root, const std::string& where) {
  if (!root.is_object() || !root.contains("schema") || root["schema"] != kProfileSchema) {
    return BadInput(
        where, fmt::format("not a profile: no field schema: \"{}\"", kProfileSchema), kRemedy);
  }
  if (!root.contains("schema_version") || root["schema_version"] != kProfileSchemaVersion) {
    return BadInput(where,
                    fmt::format("expected schema_version {}, got {}",
                                kProfileSchemaVersion,
                                root.value("schema_version", json()).dump()),
                    kRemedy);
  }
  return {};
}

}  // namespace

Result<Profile> ParseProfile(const std::string& text, const std::string& where) {
  json root;
  try {
    root = json::parse(text);
  } catch (const json::exception& error) {
    return BadInput(where, fmt::format("not a profile: {}", error.what()), kRemedy);
  }
  if (NestsDeeply(text))
    return BadInput(where, "not a profile: values lie in others too deeply", kRemedy);
  TRY(CheckSchema(root, where));
  Profile profile;
  Problems problems(where);
  Reader(profile, problems).Read(root);
  if (!problems.empty()) return problems.Take();
  return profile;
}

Result<Profile> ReadProfile(const std::string& path) {
  auto text = ReadText(path);
  if (text.ok()) return ParseProfile(text.value(), path);
  Error error = std::move(text).error();
  error.hint = kRemedy;
  return error;
}

}  // namespace metadist
