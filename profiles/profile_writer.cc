// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "metair/ir/fnv.h"
#include "profiles/profile_io.h"

namespace metadist {
namespace {

using nlohmann::json;

// Text that is no UTF-8 (it may come from the environment) is written with replacement characters.
std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// A row with the fields of its sample; what is zero or unset is left out.
json Row(const Sample& sample) {
  json row = {{"time_us", sample.time_us}, {"origin", sample.origin}};
  if (sample.time_inplace_us > 0) row["time_inplace_us"] = sample.time_inplace_us;
  if (sample.mad_us > 0) row["mad_us"] = sample.mad_us;
  if (sample.p10_us > 0) row["p10_us"] = sample.p10_us;
  if (sample.p90_us > 0) row["p90_us"] = sample.p90_us;
  if (sample.samples > 0) row["samples"] = sample.samples;
  return row;
}

json HeaderJson(const ProfileHeader& header) {
  return {{"name", header.name},
          {"kind", header.kind},
          {"device_model", header.device_model},
          {"devices_per_node", header.devices_per_node},
          {"nodes", header.nodes},
          {"link_domain", header.link_domain},
          {"nics_per_node", header.nics_per_node},
          {"cores", header.cores},
          {"launch_mode", header.launch_mode},
          {"date", header.date},
          {"tool_version", header.tool_version},
          {"software", header.software},
          {"settings", header.settings}};
}

json DeviceJson(const DeviceSpec& device) {
  return {{"memory_bytes", device.memory_bytes},
          {"memory_bytes_per_second", device.memory_bytes_per_second},
          {"link_bytes_per_second", device.link_bytes_per_second},
          {"network_bytes_per_second", device.network_bytes_per_second},
          {"host_bytes_per_second", device.host_bytes_per_second},
          {"cache_bytes", device.cache_bytes},
          {"units", device.units},
          {"contraction_flops_per_second", device.contraction_flops_per_second},
          {"vector_flops_per_second", device.vector_flops_per_second},
          {"origin", device.origin}};
}

std::vector<json> OriginRows(const Profile& profile) {
  std::vector<json> rows;
  for (const auto& [id, origin] : profile.origins) {
    json row = {{"id", id},
                {"class", Name(origin.provenance)},
                {"source", origin.source},
                {"licence", origin.licence}};
    if (!origin.date.empty()) row["date"] = origin.date;
    if (origin.transferred) row["transferred"] = true;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<json> FactorRows(const Profile& profile) {
  std::vector<json> rows;
  for (const auto& [name, factor] : profile.factors) {
    rows.push_back({{"name", name}, {"value", factor.value}, {"origin", factor.origin}});
  }
  return rows;
}

std::vector<json> EfficiencyRows(const Profile& profile) {
  std::vector<json> rows;
  for (const auto& [dtype, curve] : profile.efficiency) {
    for (const auto& [log2_gflop, fraction] : curve.fraction_of_peak) {
      rows.push_back({{"dtype", dtype},
                      {"log2_gflop", log2_gflop},
                      {"fraction", fraction},
                      {"origin", curve.origin}});
    }
  }
  return rows;
}

std::vector<json> ContractionRows(const Profile& profile) {
  std::vector<json> rows;
  for (const auto& [site, series] : profile.contractions) {
    for (const auto& [m, sample] : series) {
      json row = Row(sample);
      row["dtype"] = site.dtype;
      if (site.batch != 1) row["batch"] = site.batch;
      row["m"] = m;
      row["n"] = site.n;
      row["k"] = site.k;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<json> KernelRows(const Profile& profile) {
  std::vector<json> rows;
  for (const auto& [key, series] : profile.kernels) {
    for (const auto& [bytes, sample] : series) {
      json row = Row(sample);
      row["op"] = key.op;
      row["dtype"] = key.dtype;
      row["bytes"] = bytes;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<json> CallRows(const Profile& profile) {
  std::vector<json> rows;
  for (const auto& [call, series] : profile.calls) {
    for (const auto& [ranks, sample] : series) {
      json row = Row(sample);
      row["call"] = call;
      row["ranks"] = ranks;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<json> StreamRows(const Profile& profile) {
  std::vector<json> rows;
  for (const auto& [bytes, sample] : profile.stream) {
    json row = Row(sample);
    row["bytes"] = bytes;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<json> CollectiveRows(const Profile& profile) {
  std::vector<json> rows;
  for (const auto& [key, series] : profile.collectives) {
    for (const auto& [bytes, sample] : series) {
      json row = Row(sample);
      row["op"] = Name(key.op);
      row["dtype"] = key.dtype;
      row["ranks"] = key.ranks;
      row["nodes"] = key.nodes;
      row["ranks_per_node"] = key.ranks_per_node;
      if (key.concurrent != 1) row["concurrent"] = key.concurrent;
      if (key.strided) row["strided"] = true;
      row["bytes"] = bytes;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<json> P2pRows(const Profile& profile) {
  std::vector<json> rows;
  for (const auto& [link, series] : profile.p2p) {
    for (const auto& [bytes, sample] : series) {
      json row = Row(sample);
      row["link"] = link;
      row["bytes"] = bytes;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string Table(const char* name, const std::vector<json>& rows) {
  std::string text = std::string(",\n\"") + name + "\": [";
  for (size_t i = 0; i < rows.size(); ++i) text += (i == 0 ? "\n" : ",\n") + Dump(rows[i]);
  return text + (rows.empty() ? "]" : "\n]");
}

}  // namespace

std::string FormatProfile(const Profile& profile) {
  std::string text = std::string("{\"schema\": \"") + kProfileSchema +
                     "\",\n\"schema_version\": " + std::to_string(kProfileSchemaVersion);
  text += ",\n\"header\": " + Dump(HeaderJson(profile.header));
  text += ",\n\"device\": " + Dump(DeviceJson(profile.device));
  text += Table("origins", OriginRows(profile));
  text += Table("factors", FactorRows(profile));
  text += Table("efficiency", EfficiencyRows(profile));
  text += Table("contractions", ContractionRows(profile));
  text += Table("kernels", KernelRows(profile));
  if (!profile.calls.empty()) text += Table("calls", CallRows(profile));
  text += Table("stream", StreamRows(profile));
  text += Table("collectives", CollectiveRows(profile));
  text += Table("p2p", P2pRows(profile));
  return text + "\n}\n";
}

std::string Fingerprint(const Profile& profile) {
  Fnv1a hash;
  hash.Add(FormatProfile(profile));
  return fmt::format("{:016x}", hash.value());
}

}  // namespace metadist
