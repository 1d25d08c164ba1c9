// SPDX-License-Identifier: Apache-2.0
#include "executor/measure/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "executor/cpu/kernel.h"
#include "executor/measure/measurer.h"
#include "executor/measure/stopwatch.h"
#include "metair/ir/parallel.h"
#include "profiles/factors.h"

namespace metadist {
namespace {

constexpr char kSummons[] = "measure ";
constexpr double kLeastJudged = 0.1;  // seconds; of shorter spans it cannot be told who had them

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

int64_t SystemValue(int name) { return std::max<int64_t>(sysconf(name), 0); }

// Machine-wide rates, which the formulas use as a fallback, derived from the rows.
void AddRates(Profile& profile) {
  double flops = 0;
  for (const auto& [site, series] : profile.contractions)
    for (const auto& [m, sample] : series)
      flops = std::max(
          flops,
          2.0 * static_cast<double>(site.batch * m * site.n * site.k) / (sample.time_us * 1e-6));
  if (flops > 0) profile.device.contraction_flops_per_second["f32"] = flops;
  if (!profile.stream.empty()) {
    const auto& [bytes, sample] = *profile.stream.rbegin();
    profile.device.memory_bytes_per_second = static_cast<double>(bytes) / (sample.time_us * 1e-6);
  }
}

// Tells the other processes what will be measured. Returns where each of them runs, by rank.
Result<std::vector<Site>> Summon(const MeasureOptions& options) {
  Messenger& processes = *options.processes;
  const std::string text =
      fmt::format("{}{:d} {}", kSummons, options.quick, fmt::join(options.ranks, " "));
  for (int rank = 1; rank < processes.size(); ++rank) TRY(SendText(processes, text, rank));
  std::vector<Site> sites = {ThisSite()};
  for (int rank = 1; rank < processes.size(); ++rank)
    sites.push_back(SiteFromText(TRY(ReceiveText(processes, rank))));
  return sites;
}

// Records in the profile that its ranks are these processes.
void DescribeProcesses(const MeasureOptions& options,
                       const std::vector<Site>& sites,
                       Profile& profile) {
  const Spread spread = SpreadOf(sites);
  ProfileHeader& header = profile.header;
  header.launch_mode = kOfProcesses;
  header.nodes = spread.machines;
  header.cores = spread.cores;
  header.devices_per_node = spread.ranks;
  header.software["mpi"] = options.library;
  header.settings["processes"] = std::to_string(sites.size());
  profile.origins[kMeasuredHere].source =
      fmt::format("metadist profile: {} processes on {} machine{}, {}",
                  sites.size(),
                  spread.machines,
                  spread.machines == 1 ? "" : "s",
                  options.library);
}

// All processes make these calls.
Result<void> MeasureTogether(Measurer& measurer) {
  TRY(MeasureSlowdown(measurer));
  return MeasureCollectives(measurer);
}

// Records the share of the time since `start` that this thread, which never waits, did not run. The
// maximum is kept, since rows of a resumed profile may have been measured on a busier machine.
void AddBusyShare(Measurer& measurer,
                  std::chrono::steady_clock::time_point start,
                  double own_seconds) {
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
  const double lost = all.count() < kLeastJudged ? 0 : 1 - own_seconds / all.count();
  const double before = measurer.profile().factor(kBusyShare, -1);
  if (lost > before) measurer.AddFactor(kBusyShare, std::max(lost, 0.0));
}

}  // namespace

ProfileHeader ThisMachine(const MeasureOptions& options) {
  ProfileHeader header;
  header.name = "cpu";
  header.kind = "cpu";
  header.device_model = CpuModel();
  header.cores = std::max(1u, std::thread::hardware_concurrency());
  header.devices_per_node = static_cast<int>(header.cores);
  header.launch_mode = kOfThreads;
  header.date = options.date;
  header.tool_version = options.tool_version;
  header.settings["mode"] = options.quick ? "quick" : "full";
  return header;
}

Measurer::Measurer(const MeasureOptions& options, Team& team)
    : options_(options),
      team_(team),
      rule_(StopRule::For(options.quick)),
      start_(std::chrono::steady_clock::now()) {
  if (options.previous != nullptr) profile_ = *options.previous;
  profile_.header = ThisMachine(options);
  profile_.origins[kMeasuredHere] = {
      Provenance::kMeasured, "metadist profile", "own measurement", options.date, false};
  profile_.device.origin = kMeasuredHere;
  profile_.device.memory_bytes = SystemValue(_SC_PHYS_PAGES) * SystemValue(_SC_PAGESIZE);
  profile_.device.cache_bytes = SystemValue(_SC_LEVEL3_CACHE_SIZE);
}

bool Measurer::stopped() const {
  if (!team_.leads()) return true;
  if (options_.interrupted != nullptr && *options_.interrupted) return true;
  if (options_.budget_seconds <= 0) return false;
  const auto spent = std::chrono::steady_clock::now() - start_;
  return std::chrono::duration<double>(spent).count() >= options_.budget_seconds;
}

bool Measurer::Wants(const Series& series, int64_t key) const {
  return series.find(key) == series.end() && !stopped();
}

bool Measurer::WantsFactor(const std::string& name) const {
  return profile_.factors.find(name) == profile_.factors.end() && !stopped();
}

void Measurer::Add(Series& series, int64_t key, Sample sample) {
  series[key] = std::move(sample);
  Report();
}

void Measurer::Report() {
  if (!options_.row_done) return;
  AddRates(profile_);
  // Before the first copy is measured there is no memory rate, and a profile without one cannot be
  // read.
  if (profile_.device.memory_bytes_per_second > 0) options_.row_done(profile_);
}

void Measurer::AddFactor(const std::string& name, double value) {
  profile_.factors[name] = {value, kMeasuredHere};
  Report();
}

void Measurer::Say(const std::string& what) const {
  if (options_.progress) options_.progress(what);
}

Result<Profile> MeasureCpu(const MeasureOptions& options) {
  const int most = options.processes != nullptr ? options.processes->size() : kMostMeasuredRanks;
  for (int ranks : options.ranks)
    if (ranks < 1 || ranks > most)
      return Usage(fmt::format("ranks must be in [1, {}], got {}", most, ranks));
  const std::vector<Site> sites =
      options.processes != nullptr ? TRY(Summon(options)) : std::vector<Site>();
  const auto team =
      options.processes != nullptr ? MakeProcessTeam(*options.processes, sites) : MakeThreadTeam();
  Measurer measurer(options, *team);
  if (options.processes != nullptr) DescribeProcesses(options, sites, measurer.profile());
  Result<void> status;
  // A separate thread, so that the caller's settings of the kernel library are unaffected.
  const Result<void> ended = RunAtOnce(1, [&](size_t) {
    cpu::UseOneThread();
    const auto start = std::chrono::steady_clock::now();
    const double had = ThreadSeconds();
    MeasureStream(measurer);
    MeasureContractions(measurer);
    MeasureKernels(measurer);
    AddBusyShare(measurer, start, ThreadSeconds() - had);
    status = MeasureTogether(measurer);
  });
  if (!ended.ok()) status = ended;
  if (!status.ok() && options.processes != nullptr) options.processes->Abort(status.error());
  TRY(std::move(status));
  if (options.interrupted != nullptr && *options.interrupted)
    return Error{.code = ErrorCode::kInterrupted, .message = "interrupted while measuring"};
  Profile profile = std::move(measurer.profile());
  // A table whose measurement was started but ran out of time is left empty.
  const auto empty = [](const auto& entry) { return entry.second.empty(); };
  std::erase_if(profile.contractions, empty);
  std::erase_if(profile.kernels, empty);
  std::erase_if(profile.collectives, empty);
  AddRates(profile);
  return profile;
}

bool IsMeasurement(const std::string& text) { return text.starts_with(kSummons); }

Result<void> ServeMeasurement(Messenger& processes, const std::string& text) {
  TRY(SendText(processes, SiteText(ThisSite()), 0));
  std::istringstream in(text.substr(sizeof(kSummons) - 1));
  MeasureOptions options;
  options.ranks.clear();
  in >> options.quick;
  for (int ranks = 0; in >> ranks;) options.ranks.push_back(ranks);
  const auto team = MakeProcessTeam(processes, {});
  Measurer measurer(options, *team);
  return MeasureTogether(measurer);
}

}  // namespace metadist
