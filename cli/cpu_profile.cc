// SPDX-License-Identifier: Apache-2.0
#include "cli/cpu_profile.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "executor/measure.h"
#include "profiles/profile_io.h"

namespace metadist::cli {
namespace {

std::filesystem::path CacheFolder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  if (!variable("METADIST_CACHE_DIR").empty()) return variable("METADIST_CACHE_DIR");
  if (!variable("XDG_CACHE_HOME").empty()) return variable("XDG_CACHE_HOME") / "metadist";
  return variable("HOME") / ".cache" / "metadist";
}

bool HasRanks(const Profile& profile, int ranks) {
  if (ranks <= 1) return !profile.contractions.empty();
  for (const auto& [key, series] : profile.collectives)
    if (key.ranks >= ranks) return true;
  return false;
}

}  // namespace

std::string CpuProfilePath() { return (CacheFolder() / "cpu.profile.json").string(); }

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Result<std::shared_ptr<const Profile>> CpuProfile(Session& session, int ranks) {
  const std::string path = CpuProfilePath();
  std::error_code error;
  Profile kept;
  const bool exists = std::filesystem::exists(path, error);
  if (exists) {
    kept = TRY(ReadProfile(path));
    if (HasRanks(kept, ranks)) return std::make_shared<const Profile>(std::move(kept));
  }
  session.console.Log(
      fmt::format("measuring this machine for cpu:{} (quick, once; kept in {})", ranks, path));
  MeasureOptions options;
  options.quick = true;
  options.ranks = {2, 3, 4};
  for (int size = 8; size < 2 * ranks; size *= 2) options.ranks.push_back(size);
  options.previous = exists ? &kept : nullptr;
  options.interrupted = &Session::interrupted();
  options.date = Today();
  options.tool_version = METADIST_VERSION;
  options.progress = [&](const std::string& line) { session.console.Step(line); };
  auto measured = MeasureCpu(options);
  session.console.EndSteps();
  if (!measured.ok()) return std::move(measured).error();
  std::filesystem::create_directories(CacheFolder(), error);
  auto written = WriteProfile(measured.value(), path);
  if (!written.ok())
    session.console.Warn(fmt::format("the profile is not kept: {}", written.error().message));
  return std::make_shared<const Profile>(std::move(measured).value());
}

Result<Cluster> FindCluster(Session& session, const std::string& spec) {
  const std::optional<int> ranks = CpuRanks(spec);
  if (!ranks.has_value()) return ResolveCluster(spec);
  return ResolveCluster(spec, TRY(CpuProfile(session, *ranks)));
}

}  // namespace metadist::cli
