// SPDX-License-Identifier: Apache-2.0
#include "profiles/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// The positive decimal number that is the whole text, otherwise nothing.
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

// Machine names for built-in profiles. A name without a size means one full node.
struct Alias {
  std::string_view machine;
  std::string_view profile;
};
constexpr std::array<Alias, 7> kAliases = {{{"dgx-a100-hdr", "a100"},
                                            {"dgx-h100-ndr", "h100"},
                                            {"dgx-h200", "h200"},
                                            {"gb200-nvl72", "gb200"},
                                            {"hgx-b200-ndr", "b200"},
                                            {"l40s-pcie", "l40s"},
                                            {"rtx4090-pcie", "rtx4090"}}};

// The profile for a machine's name; the name of a profile is returned unchanged.
std::string ProfileOf(const std::string& name) {
  for (const Alias& alias : kAliases)
    if (alias.machine == name) return std::string(alias.profile);
  return name;
}

// "did you mean 8xh100?" if the name is close to a known one, else the list of known names.
std::string ClusterHint(const std::string& size, const std::string& name) {
  const std::vector<std::string> known = BuiltinProfiles();
  std::vector<std::string> names = known;
  for (const Alias& alias : kAliases) names.emplace_back(alias.machine);
  const std::string nearest = Nearest(name, names);
  if (!nearest.empty()) return fmt::format("did you mean '{}{}'?", size, nearest);
  return fmt::format(
      "built-in: {}, as in 2x8x{}; or cpu:4; or a profile file", fmt::join(known, ", "), known[0]);
}

struct Size {
  int nodes = 1;
  int devices_per_node = 1;
};

// "8" or "2x8". `node`: devices of a full node. A single number above it means several full nodes;
// the second of two numbers must not exceed it.
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

// size: the profile's own if there is none.
Result<Cluster> ResolveFile(const std::string& spec,
                            const std::string& path,
                            const std::optional<std::string>& size) {
  auto profile = std::make_shared<const Profile>(TRY(ReadProfile(path)));
  const ProfileHeader& header = profile->header;
  Size parsed{header.nodes, header.devices_per_node};
  if (size) {
    const int most = header.kind == "cpu" ? kMostDevices : header.devices_per_node;
    parsed = TRY(ParseSize(spec, *size, most));
  }
  return MakeCluster(spec, std::move(profile), parsed.nodes, parsed.devices_per_node);
}

// Splits "2x8xh100" into "2x8x" and "h100". Some device names contain an x themselves, so the name
// is the longest known one at the end; if there is none, everything that looks like a size is the
// size.
struct Spec {
  std::string size;  // with its x; empty if the name has no size
  std::string name;
  bool known = false;
};

Spec SplitSpec(const std::string& spec) {
  Spec best;
  auto offer = [&](std::string_view name) {
    if (!spec.ends_with(name) || name.size() <= best.name.size()) return;
    const std::string size = spec.substr(0, spec.size() - name.size());
    if (size.empty() || size.back() == 'x') best = {size, std::string(name), true};
  };
  for (const std::string& name : BuiltinProfiles()) offer(name);
  for (const Alias& alias : kAliases) offer(alias.machine);
  if (best.known) return best;
  const size_t other = std::min(spec.find_first_not_of("0123456789x"), spec.size());
  const size_t last = other == 0 ? std::string::npos : spec.rfind('x', other - 1);
  const size_t begin = last == std::string::npos ? 0 : last + 1;
  return {spec.substr(0, begin), spec.substr(begin), false};
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
    if (embedded.name != ProfileOf(name)) continue;
    Result<Profile> profile = ParseProfile(std::string(embedded.text), "built-in " + name);
    CHECK(profile.ok(), profile.ok() ? "" : profile.error().text().c_str());
    return std::make_shared<const Profile>(std::move(profile).value());
  }
  return Usage(fmt::format("unknown profile '{}'", name), ClusterHint("", name));
}

std::string MachineOf(const std::string& profile) {
  for (const Alias& alias : kAliases)
    if (alias.profile == profile) return std::string(alias.machine);
  return "";
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
  if (IsFile(spec)) return ResolveFile(spec, spec, std::nullopt);
  const size_t colon = spec.rfind(':');
  if (colon != std::string::npos && IsFile(spec.substr(0, colon))) {
    return ResolveFile(spec, spec.substr(0, colon), spec.substr(colon + 1));
  }
  const Spec parts = SplitSpec(spec);
  const bool machine = parts.known && ProfileOf(parts.name) != parts.name;
  if (!parts.known) {
    if (LooksLikeFile(spec)) return Usage("no such file").in(spec);
    return Usage(fmt::format("unknown cluster '{}'", spec),
                 ClusterHint(parts.size.empty() ? "8x" : parts.size, parts.name));
  }
  auto profile = TRY(BuiltinProfile(parts.name));
  const int node = profile->header.devices_per_node;
  if (parts.size.empty()) return MakeCluster(spec, std::move(profile), 1, machine ? node : 1);
  const Size size = TRY(ParseSize(spec, parts.size.substr(0, parts.size.size() - 1), node));
  return MakeCluster(spec, std::move(profile), size.nodes, size.devices_per_node);
}

}  // namespace metadist
