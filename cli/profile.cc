// SPDX-License-Identifier: Apache-2.0
// Measures kernels, copies and collectives of this machine, or of the processes that MPI started.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/cpu_profile.h"
#include "cli/format.h"
#include "cli/launch.h"
#include "cli/model_flags.h"
#include "cli/model_profile.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/processes.h"
#include "cli/values.h"
#include "executor/comm/mpi/mpi_world.h"
#include "executor/measure/measure.h"
#include "executor/run/process_run.h"
#include "profiles/profile_io.h"

namespace metadist::cli {
namespace {

constexpr int kUsualRanks = 4;

struct ProfileFlags {
  ModelFlags model;
  std::string device = "cpu";
  int ranks = 0;  // 0: not given
  bool quick = false;
  bool resume = false;
  std::string budget;
  std::string timeout;
};

nlohmann::ordered_json Classes(const Profile& profile) {
  nlohmann::ordered_json out = {{"measured", 0}, {"borrowed", 0}, {"analytic", 0}};
  for (const auto& [provenance, rows] : profile.rows_by_class())
    out[std::string(Name(provenance))] = rows;
  return out;
}

// Rows measured between threads cannot be combined with rows measured between processes.
Result<void> CheckComparable(const Profile& previous, const Session& session) {
  const std::string ranks = session.processes != nullptr ? kOfProcesses : kOfThreads;
  const std::string& before = previous.header.launch_mode;
  if (before.empty() || before == ranks) return {};
  return Usage(
             fmt::format(
                 "its rows were measured between {}, new ones would be between {}", before, ranks),
             "write to another file, or pass `--force` to start over")
      .in(session.output);
}

// Writes the file while rows are measured, but not for every row: a row may take microseconds.
class Keeper {
 public:
  // path: "" and "-" are not files.  replaces: whether an existing file may be replaced.
  Keeper(std::string path, bool replaces) : path_(std::move(path)), replaces_(replaces) {}

  bool is_file() const { return !path_.empty() && path_ != "-"; }
  // Number of rows in the file.
  int64_t rows() const { return rows_; }

  Result<void> Keep(const Profile& profile) {
    TRY(WriteFile(path_, FormatProfile(profile), replaces_));
    replaces_ = true;  // it is this program's own file from here on
    rows_ = profile.rows();
    return {};
  }

  // A failure to write now is reported only at the end: the disk may have space by then.
  void KeepNowAndThen(const Profile& so_far) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_file() || IsStream() || now - last_ < std::chrono::seconds(1)) return;
    last_ = now;
    (void)Keep(so_far);
  }

 private:
  // Text written to a pipe or a device cannot be replaced later.
  bool IsStream() const {
    std::error_code error;
    return std::filesystem::exists(path_, error) && !std::filesystem::is_regular_file(path_, error);
  }

  std::string path_;
  bool replaces_;
  int64_t rows_ = 0;
  std::chrono::steady_clock::time_point last_ = {};
};

Result<Profile> Measure(Session& session,
                        const ProfileFlags& flags,
                        const Profile* previous,
                        Keeper& keeper) {
  const auto start = std::chrono::steady_clock::now();
  MeasureOptions options;
  options.quick = flags.quick;
  options.ranks.clear();
  for (int ranks = 2; ranks <= flags.ranks; ++ranks)
    if (ranks <= 4 || (ranks & (ranks - 1)) == 0 || ranks == flags.ranks)
      options.ranks.push_back(ranks);
  if (!flags.budget.empty())
    options.budget_seconds = TRY(ParseSeconds(flags.budget).in("--time-limit"));
  options.previous = previous;
  options.interrupted = &Session::interrupted();
  options.date = Today();
  options.tool_version = METADIST_VERSION;
  options.progress = [&](const std::string& line) { session.console.Step(line); };
  if (session.processes != nullptr) {
    options.processes = session.processes.get();
    options.library = TRY(MpiLibrary());
  }
  options.row_done = [&keeper](const Profile& so_far) { keeper.KeepNowAndThen(so_far); };
  LoadedModel model;
  if (!flags.model.path.empty()) model = TRY(LoadModel(session, flags.model));
  Profile profile = TRY(MeasureCpu(options));
  if (flags.model.path.empty()) return profile;
  std::vector<int> ranks = {1};
  ranks.insert(ranks.end(), options.ranks.begin(), options.ranks.end());
  const auto due = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return options.budget_seconds > 0 && spent.count() >= options.budget_seconds;
  };
  TRY(MeasureModel(session, model, ranks, profile, due, options.row_done));
  return profile;
}

std::string BetweenText(const Profile& profile, int ranks) {
  const int machines = profile.header.nodes;
  return fmt::format(
      " between {} processes on {} machine{}", ranks, machines, machines == 1 ? "" : "s");
}

Result<void> MeasureHere(Session& session, const ProfileFlags& flags) {
  if (flags.device == "cuda")
    return Error{
        ErrorCode::kDevice, "", "this build has no cuda back end", "see `metadist doctor`"};
  Keeper keeper(session.output, session.force || flags.resume);
  const bool file = keeper.is_file();
  std::error_code error;
  const bool exists = file && std::filesystem::is_regular_file(session.output, error);
  if (exists && !session.force && !flags.resume) {
    return Usage("file exists already",
                 "pass `--resume` to measure what is missing, `--force` to start over")
        .in(session.output);
  }
  TRY(CheckWritable(session.output, session.force || flags.resume));
  Profile previous;
  if (exists && flags.resume) {
    auto read = ReadProfile(session.output);
    if (!read.ok()) {
      Error error = std::move(read).error();
      error.hint = "pass `--force` to measure everything again";
      return error;
    }
    previous = std::move(read).value();
    TRY(CheckComparable(previous, session));
  }
  const auto start = std::chrono::steady_clock::now();
  Session::finishes() = file;
  auto measured = Measure(session, flags, exists && flags.resume ? &previous : nullptr, keeper);
  session.console.EndSteps();
  if (!measured.ok()) {
    Error stopped = std::move(measured).error();
    if (stopped.code == ErrorCode::kInterrupted && keeper.rows() > 0)
      stopped.hint = fmt::format(
          "'{}' has {} rows so far; `--resume` measures the rest", session.output, keeper.rows());
    return stopped;
  }
  const Profile profile = std::move(measured).value();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Result<void> written;
  if (file) written = keeper.Keep(profile);
  if (session.output == "-") session.console.Print(FormatProfile(profile));

  nlohmann::ordered_json document = session.Document();
  document["device"] = flags.device;
  document["backend"] = session.processes != nullptr ? "mpi" : "threads";
  document["ranks"] = flags.ranks;
  document["machines"] = profile.header.nodes;
  document["rows"] = profile.rows();
  document["seconds"] = seconds;
  document["classes"] = Classes(profile);
  document["file"] = nullptr;
  if (file && written.ok()) document["file"] = session.output;
  session.Report(
      document,
      fmt::format("{} rows measured in {}{}{}\n",
                  profile.rows(),
                  SecondsText(seconds),
                  session.processes != nullptr ? BetweenText(profile, flags.ranks) : "",
                  file && written.ok() ? ", written to " + session.output : std::string()));
  return written;
}

// Rank 0 of several processes does all that one process does; the others measure with it.
Result<void> MeasureAmong(Session& session,
                          ProfileFlags flags,
                          const Launch& launch,
                          double timeout) {
  TRY(CheckStartedByMpi(launch));
  Roles roles;
  roles.lead = [&](Messenger& processes) -> Result<void> {
    if (flags.ranks != 0 && flags.ranks != processes.size())
      return Usage(fmt::format("--ranks is {}, but {} started {} processes",
                               flags.ranks,
                               launch.launcher,
                               processes.size()),
                   "leave --ranks out, or start as many");
    flags.ranks = processes.size();
    return MeasureHere(session, flags);
  };
  roles.serve = [&](Messenger& processes) -> Result<void> {
    Session::finishes() = true;  // when rank 0 has finished
    const auto ops = TRY(OperatorsToRun(flags.model.op_libraries));
    return ServeRuns(processes, *ops);
  };
  return RunTogether(session, timeout, roles);
}

Result<void> MeasureCommand(Session& session, ProfileFlags flags) {
  const double timeout = TRY(TimeoutSeconds(flags.timeout));
  const Launch launch = DetectLaunch();
  if (launch.size > 1 && flags.device == "cpu")
    return MeasureAmong(session, flags, launch, timeout);
  if (flags.ranks == 0) flags.ranks = kUsualRanks;
  return MeasureHere(session, flags);
}

}  // namespace

void AddProfile(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("profile", "measure kernels, copies and collectives of this machine");
  auto flags = std::make_shared<ProfileFlags>();
  const auto add = OptionsOf(*command);
  AddModelFlags(*command, session, flags->model, /*optional=*/true);
  add("--device DEVICE", flags->device, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  add("--ranks N",
      flags->ranks,
      "largest group of ranks (default 4, or the processes that mpirun started)")
      ->check(CLI::Range(1, 256));
  command->add_flag("--quick", flags->quick, "a coarse grid, under 20 seconds");
  command->add_flag("--resume", flags->resume, "keep the rows that the file already has");
  add("--time-limit T", flags->budget, "measure no new row after this time");
  add("--timeout T", flags->timeout, "longest that a process waits for another (default 60s)");
  command->footer(
      "With a MODEL, its own calls are measured, too, as planned for 1, 2, ... ranks.\n"
      "In processes that mpirun or srun started, collectives are measured between these.\n\n"
      "Example:\n  metadist profile --device cpu --quick -o mybox.profile.json\n"
      "  metadist profile gpt2.onnx --resume -o mybox.profile.json\n"
      "  mpirun -n 4 metadist profile -o cluster.profile.json");
  session.checks_output = false;  // --resume needs an existing file
  session.action = [&session, flags] { return MeasureCommand(session, *flags); };
}

}  // namespace metadist::cli
