// SPDX-License-Identifier: Apache-2.0
#include "profiles/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "metair/ir/check.h"
#include "metair/ir/suggest.h"
#include "profiles/builtin/embedded.h"
#include "profiles/factors.h"
#include "profiles/profile_io.h"

namespace metadist {
namespace {

constexpr int kMostDevices = 1 << 20;
constexpr char kCpuPrefix[] = "cpu:";

// A positive decimal number, the whole text; nothing else.
std::optional<int> ParseCount(std::string_view text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (count < 1 || count > kMostDevices) return {};
  return count;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts = {""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// "did you mean 8xh100?" for a near miss of the name, else what there is.
std::string ClusterHint(const std::string& size, const std::string& name) {
  const std::vector<std::string> known = BuiltinProfiles();
  const std::string nearest = Nearest(name, known);
  if (!nearest.empty()) return fmt::format("did you mean '{}{}'?", size, nearest);
  return fmt::format(
      "built-in: {}, as in 2x8x{}; or cpu:4; or a profile file", fmt::join(known, ", "), known[0]);
}

struct Size {
  int nodes = 1;
  int devices_per_node = 1;
};

// "8" or "2x8". `node`: devices of a full node; one number above it means full nodes, and a node
// cannot hold more.
Result<Size> ParseSize(const std::string& spec, const std::string& text, int node) {
  const std::vector<std::string> parts = Split(text, 'x');
  std::vector<int> counts;
  for (const std::string& part : parts) {
    const std::optional<int> count = ParseCount(part);
    if (!count) {
      return Usage(fmt::format("cluster '{}': expected a number of devices, got '{}'", spec, part),
                   "write devices or nodes x devices, as in 8xh100 or 2x8xh100");
    }
    counts.push_back(*count);
  }
  if (counts.size() > 2) {
    return Usage(
        fmt::format("cluster '{}': expected at most nodes x devices, got '{}'", spec, text));
  }
  if (counts.size() == 1) {
    if (counts[0] <= node) return Size{1, counts[0]};
    if (counts[0] % node == 0) return Size{counts[0] / node, node};
    return Usage(
        fmt::format("cluster '{}': {} devices do not fill nodes of {}", spec, counts[0], node),
        "write nodes x devices, as in 2x4");
  }
  if (counts[1] > node) {
    return Usage(
        fmt::format("cluster '{}': a node has at most {} devices, got {}", spec, node, counts[1]));
  }
  if (int64_t{counts[0]} * counts[1] > kMostDevices) {
    return Usage(fmt::format("cluster '{}': more than {} devices", spec, kMostDevices));
  }
  return Size{counts[0], counts[1]};
}

Result<Cluster> ResolveFile(const std::string& spec,
                            const std::string& path,
                            const std::string& size) {
  auto profile = std::make_shared<const Profile>(TRY(ReadProfile(path)));
  const ProfileHeader& header = profile->header;
  Size parsed{header.nodes, header.devices_per_node};
  if (!size.empty()) {
    const int most = header.kind == "cpu" ? kMostDevices : header.devices_per_node;
    parsed = TRY(ParseSize(spec, size, most));
  }
  return MakeCluster(spec, std::move(profile), parsed.nodes, parsed.devices_per_node);
}

bool IsFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool LooksLikeFile(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

}  // namespace

std::optional<int> CpuRanks(const std::string& spec) {
  if (!spec.starts_with(kCpuPrefix)) return {};
  return ParseCount(std::string_view(spec).substr(std::size(kCpuPrefix) - 1));
}

std::vector<std::string> BuiltinProfiles() {
  std::vector<std::string> names;
  for (const EmbeddedProfile& embedded : EmbeddedProfiles()) names.emplace_back(embedded.name);
  return names;
}

Result<std::shared_ptr<const Profile>> BuiltinProfile(const std::string& name) {
  for (const EmbeddedProfile& embedded : EmbeddedProfiles()) {
    if (embedded.name != name) continue;
    Result<Profile> profile = ParseProfile(std::string(embedded.text), "built-in " + name);
    CHECK(profile.ok(), profile.ok() ? "" : profile.error().text().c_str());
    return std::make_shared<const Profile>(std::move(profile).value());
  }
  return Usage(fmt::format("unknown profile '{}'", name), ClusterHint("", name));
}

Cluster MakeCluster(std::string name,
                    std::shared_ptr<const Profile> profile,
                    int nodes,
                    int devices_per_node) {
  CHECK(profile != nullptr && nodes > 0 && devices_per_node > 0, "a cluster needs devices");
  Cluster cluster;
  cluster.name = std::move(name);
  cluster.profile = std::move(profile);
  cluster.nodes = nodes;
  cluster.devices_per_node = devices_per_node;
  cluster.memory_bytes = cluster.profile->device.memory_bytes;
  if (cluster.is_cpu()) cluster.memory_bytes /= devices_per_node;
  const double share = cluster.profile->factor(kReserveShare, 0);
  const double reserve =
      cluster.profile->factor(kReserveBytes, 0) + share * static_cast<double>(cluster.memory_bytes);
  cluster.reserve_bytes =
      static_cast<int64_t>(std::min(reserve, static_cast<double>(cluster.memory_bytes)));
  return cluster;
}

Result<Cluster> ResolveCluster(const std::string& spec,
                               std::shared_ptr<const Profile> cpu_profile) {
  if (spec == "cpu" || spec.starts_with(kCpuPrefix)) {
    const std::optional<int> ranks = CpuRanks(spec);
    if (!ranks) {
      return Usage(fmt::format("cluster '{}': expected a number of ranks after cpu:", spec),
                   "as in cpu:4");
    }
    if (cpu_profile == nullptr) {
      return Usage(fmt::format("cluster '{}' needs a profile of this machine", spec),
                   "`metadist profile --device cpu -o FILE` measures one");
    }
    return MakeCluster(spec, std::move(cpu_profile), 1, *ranks);
  }
  if (IsFile(spec)) return ResolveFile(spec, spec, "");
  const size_t colon = spec.rfind(':');
  if (colon != std::string::npos && IsFile(spec.substr(0, colon))) {
    return ResolveFile(spec, spec.substr(0, colon), spec.substr(colon + 1));
  }
  const size_t last = spec.rfind('x');
  const std::string name = last == std::string::npos ? spec : spec.substr(last + 1);
  const std::vector<std::string> known = BuiltinProfiles();
  if (last == std::string::npos || std::find(known.begin(), known.end(), name) == known.end()) {
    if (LooksLikeFile(spec)) return BadInput(spec, "the profile cannot be read");
    const std::string size = last == std::string::npos ? "8x" : spec.substr(0, last + 1);
    return Usage(fmt::format("unknown cluster '{}'", spec), ClusterHint(size, name));
  }
  auto profile = TRY(BuiltinProfile(name));
  const Size size = TRY(ParseSize(spec, spec.substr(0, last), profile->header.devices_per_node));
  return MakeCluster(spec, std::move(profile), size.nodes, size.devices_per_node);
}

}  // namespace metadist
