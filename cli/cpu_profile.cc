// SPDX-License-Identifier: Apache-2.0
#include "cli/cpu_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>

#include "cli/file_lock.h"
#include "cli/output_file.h"
#include "executor/measure/measure.h"
#include "metair/ir/fnv.h"
#include "profiles/factors.h"
#include "profiles/profile_io.h"

namespace metadist::cli {
namespace {

namespace fs = std::filesystem;

// Share of the time that other programs may use while a machine is measured, without a warning.
constexpr double kMostBusy = 0.1;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "" if there is none.
fs::path CacheFolder() {
  if (std::string own = Variable("METADIST_CACHE_DIR"); !own.empty()) return own;
  if (const std::string all = Variable("XDG_CACHE_HOME"); !all.empty())
    return fs::path(all) / "metadist";
  const std::string home = Variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "metadist";
}

MeasureOptions OptionsFor(Session& session, int ranks) {
  MeasureOptions options;
  options.quick = true;
  options.ranks = {2, 3, 4};
  for (int size = 8; size < 2 * ranks; size *= 2) options.ranks.push_back(size);
  options.interrupted = &Session::interrupted();
  options.date = Today();
  options.tool_version = METADIST_VERSION;
  options.progress = [&session](const std::string& line) { session.console.Step(line); };
  return options;
}

// Identifies the machine and program version that a profile was measured with.
std::string MachineText(const ProfileHeader& header) {
  return fmt::format(
      "{}, {} cores, metadist {}", header.device_model, header.cores, header.tool_version);
}

bool HasRanks(const Profile& profile, int ranks) {
  if (ranks <= 1) return !profile.contractions.empty();
  for (int op = 0; op < kCollectives; ++op)
    if (std::none_of(profile.collectives.begin(), profile.collectives.end(), [&](const auto& row) {
          return row.first.op == static_cast<Collective>(op) && row.first.ranks >= ranks;
        }))
      return false;
  return true;
}

void WarnIfBusy(Session& session, const Profile& profile, const std::string& remedy) {
  const double busy = profile.factor(kBusyShare, 0);
  if (busy < kMostBusy) return;
  session.console.Warn(
      fmt::format("other programs used {:.0f} % of the CPU while this machine was measured: "
                  "predictions may be too slow; {}",
                  busy * 100,
                  remedy));
}

// The cached profile, if it is readable and was measured on this machine.
std::optional<Profile> Kept(Session& session, const fs::path& path, const std::string& machine) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  auto read = ReadProfile(path.string());
  if (!read.ok()) {
    session.console.Warn(fmt::format("{}: the saved profile cannot be read; measuring again: {}",
                                     path.string(),
                                     read.error().message));
    return std::nullopt;
  }
  if (MachineText(read.value().header) == machine) return std::move(read).value();
  session.console.Log(fmt::format("{}: the saved profile is of another machine or version ({})",
                                  path.string(),
                                  MachineText(read.value().header)));
  return std::nullopt;
}

Result<std::shared_ptr<const Profile>> GivenProfile(const std::string& path, int ranks) {
  Profile given = TRY(ReadProfile(path));
  if (!HasRanks(given, ranks))
    return BadInput(path,
                    fmt::format("METADIST_CPU_PROFILE: no collectives of {} ranks", ranks),
                    fmt::format("`metadist profile --ranks {} --resume -o {}`", ranks, path));
  return std::make_shared<const Profile>(std::move(given));
}

}  // namespace

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Result<std::shared_ptr<const Profile>> CpuProfile(Session& session, int ranks) {
  if (const std::string given = Variable("METADIST_CPU_PROFILE"); !given.empty())
    return GivenProfile(given, ranks);
  MeasureOptions options = OptionsFor(session, ranks);
  const std::string machine = MachineText(ThisMachine(options));
  Fnv1a hash;
  hash.Add(machine);
  const fs::path folder = CacheFolder();
  const fs::path path = folder / fmt::format("cpu-{:016x}.profile.json", hash.value());
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  const FileLock lock(folder.empty() ? "" : path.string() + ".lock", Session::interrupted(), [&] {
    session.console.Log("another metadist measures this machine; waiting for it");
  });
  std::optional<Profile> kept = folder.empty() ? std::nullopt : Kept(session, path, machine);
  const std::string remedy = fmt::format("remove {} to measure again", path.string());
  if (kept && HasRanks(*kept, ranks)) {
    WarnIfBusy(session, *kept, remedy);
    return std::make_shared<const Profile>(std::move(*kept));
  }
  session.console.Log(
      fmt::format("measuring this machine for cpu:{} (quick, once; {})",
                  ranks,
                  folder.empty() ? "not saved: there is no HOME" : "saved in " + path.string()));
  options.previous = kept ? &*kept : nullptr;
  auto measured = MeasureCpu(options);
  session.console.EndSteps();
  if (!measured.ok()) return std::move(measured).failure();
  if (!folder.empty()) {
    auto written = WriteFile(path.string(), FormatProfile(measured.value()), /*force=*/true);
    if (!written.ok())
      session.console.Warn(fmt::format("the profile is not saved: {}", written.error().message));
  }
  WarnIfBusy(session, measured.value(), remedy);
  return std::make_shared<const Profile>(std::move(measured).value());
}

Result<Cluster> FindCluster(Session& session, const std::string& spec) {
  const std::optional<int> ranks = CpuRanks(spec);
  if (ranks.has_value()) {
    if (*ranks > kMostMeasuredRanks)
      return Usage(
          fmt::format("--cluster {}: at most {} ranks of one machine", spec, kMostMeasuredRanks));
    return ResolveCluster(spec, TRY(CpuProfile(session, *ranks)));
  }
  Cluster cluster = TRY(ResolveCluster(spec));
  const std::string size = fmt::format("{}x{}", cluster.nodes, cluster.devices_per_node);
  if (cluster.nodes > 1 && spec.find(size) == std::string::npos)
    session.console.Log(fmt::format(
        "{} is {} full nodes ({}); nodes x devices states others", spec, cluster.nodes, size));
  if (cluster.is_cpu() && !HasRanks(*cluster.profile, cluster.devices()))
    session.console.Warn(
        fmt::format("{} has no collectives of {} ranks: communication is priced by what it has, or "
                    "not at all; `metadist profile --ranks {} --resume` measures them",
                    spec,
                    cluster.devices(),
                    cluster.devices()));
  return cluster;
}

}  // namespace metadist::cli
