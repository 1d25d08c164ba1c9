// SPDX-License-Identifier: Apache-2.0
// metadist: parses the command line, runs one command, and turns its error into the exit status.
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "cli/commands.h"
#include "cli/config.h"
#include "cli/iopddl.h"
#include "cli/launch.h"
#include "cli/output_file.h"
#include "cli/session.h"
#include "executor/cpu/kernel.h"
#include "metair/ir/suggest.h"

namespace metadist::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit status:\n"
    "  0 ok    1 internal error, or output that cannot be written\n"
    "  2 usage                    3 bad input      4 infeasible\n"
    "  5 results differ           6 device       7 regression     8 time limit, no plan yet\n"
    "  130 interrupted, the best plan so far is written\n";

// Printed before the messages of one of several processes; read by signal handlers.
std::string speaker;
bool first_of_all = true;  // of several processes

// Whether this process reports an interruption: only the first of several does, and not if the
// launcher ends it, which happens when another process has failed.
bool ReportsInterruption(int signal) {
  return first_of_all && (speaker.empty() || signal != SIGTERM);
}

void NameProcess() {
  speaker = Console().speaker;
  first_of_all = DetectLaunch().rank == 0;
}

// Safe inside a signal handler.
void Say(std::string_view text) {
  if (isatty(STDERR_FILENO) != 0) (void)!write(STDERR_FILENO, "\n", 1);
  (void)!write(STDERR_FILENO, speaker.data(), speaker.size());
  (void)!write(STDERR_FILENO, text.data(), text.size());
}

// If the command has results to finish, it stops early and prints a message if that takes over a
// second; a second signal ends the program at once.
void OnSignal(int signal) {
  if (Session::interrupted().exchange(true)) std::_Exit(128 + signal);
  if (Session::finishes().load()) {
    alarm(1);
    return;
  }
  if (ReportsInterruption(signal)) Say("metadist: error: interrupted\n");
  std::_Exit(static_cast<int>(ErrorCode::kInterrupted));
}

void OnAlarm(int) {
  if (first_of_all)
    Say("metadist: interrupted, finishing what was found so far; interrupt again to stop at "
        "once\n");
}

// A closed standard stream's descriptor would be reused by the next opened file, which would then
// receive the program's output. A descriptor that cannot be written to takes its place.
void HoldStandardStreams() {
  for (int fd = 0; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", O_RDONLY);
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> FlagNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// A flag of a command that stands before it.
Error Misplaced(const std::string& flag, const CLI::App& command) {
  return Usage(fmt::format("{} must follow the command", flag),
               fmt::format("write `metadist {} ... {}`", command.get_name(), flag));
}

// Reports unknown flags and extra arguments, then missing ones.
Result<void> CheckArguments(const CLI::App& app, const CLI::App& command, const Session& session) {
  std::vector<Error> problems;
  std::vector<std::string> extras = command.remaining();
  for (const std::string& extra : app.remaining()) {
    const std::string flag = extra.substr(0, extra.find('='));
    if (flag.starts_with('-') && command.get_option_no_throw(flag) != nullptr)
      problems.push_back(Misplaced(flag, command));
    else
      extras.push_back(extra);
  }
  if (app.get_option("--json")->count() > 0) problems.push_back(Misplaced("--json", command));
  for (const std::string& extra : extras) {
    const std::string flag = extra.substr(0, extra.find('='));
    if (flag.size() > 1 && flag[0] == '-')
      problems.push_back(
          Usage(fmt::format("unknown flag '{}' for `metadist {}`", flag, command.get_name()),
                DidYouMean(flag, FlagNames(command))));
    else if (problems.empty())
      problems.push_back(Usage(fmt::format("unexpected argument '{}'", extra),
                               fmt::format("see `metadist {} --help`", command.get_name())));
  }
  if (problems.empty()) {
    for (const CLI::Option* option : session.required)
      if (option->count() == 0)
        problems.push_back(Usage(fmt::format("{} is required", option->get_name()),
                                 fmt::format("see `metadist {} --help`", command.get_name())));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

int ExitStatus(const Result<void>& done) {
  return done.ok() ? 0 : static_cast<int>(done.error().code);
}

struct Invocation {
  CLI::App app{
      "How should this model be split over these devices, how fast will it be, and is that true?",
      "metadist"};
  Session sessions[16];
  std::string config;
  bool print_config = false;
  bool version = false;
  bool version_json = false;
};

void Declare(Invocation& call) {
  call.app.footer(kExitCodes);
  call.app.add_flag("--version", call.version, "print the version");
  call.app.add_flag("--json", call.version_json, "with --version: as JSON");
  call.app.require_subcommand(0, 1);
  call.app.allow_extras();
  size_t next = 0;
#define COMMAND(name) Add##name(call.app, call.sessions[next++]);
#include "cli/commands.def"
#undef COMMAND
  next = 0;
  for (CLI::App* command : call.app.get_subcommands(nullptr)) {
    Session& session = call.sessions[next++];
    session.command = command->get_name();
    command->allow_extras();
    AddCommonOptions(*command, session);
    command->add_option("--config", call.config, "read flags from a TOML file")
        ->type_name("FILE")
        ->envname("METADIST_CONFIG");
    command->add_flag(
        "--print-config", call.print_config, "print the effective flags and where each came from");
  }
}

Result<void> RunCommand(Invocation& call, Session& session, CLI::App& command) {
  TRY(CheckArguments(call.app, command, Session{}));
  const Sources sources = TRY(ApplyConfig(command, call.config));
  if (call.print_config) {
    session.console.Print(EffectiveConfig(command, sources));
    return {};
  }
  TRY(CheckArguments(call.app, command, session));
  if (session.checks_output) TRY(CheckWritable(session.output, session.force));
  return session.action();
}

int Main(int argc, char** argv) {
  Invocation call;
  Declare(call);
  Console console;
  try {
    call.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    CLI::App* chosen = &call.app;
    for (CLI::App* command : call.app.get_subcommands()) chosen = command;
    console.Print(chosen == &call.app ? chosen->help() : chosen->help("metadist"));
    return 0;
  } catch (const CLI::ParseError& error) {
    return console.Fail(Usage(error.what(), "see `metadist --help`"));
  }
  if (call.version) {
    const nlohmann::ordered_json document = {
        {"schema", "metadist.version"}, {"schema_version", 1}, {"tool_version", METADIST_VERSION}};
    console.Print(call.version_json ? document.dump(2) + "\n" : "metadist " METADIST_VERSION "\n");
    return 0;
  }
  if (call.app.get_subcommands().empty()) {
    const std::vector<std::string> extras = call.app.remaining();
    if (extras.empty()) {
      console.Print(call.app.help());
      return static_cast<int>(ErrorCode::kUsage);
    }
    const std::string near = DidYouMean(extras.front(), CommandNames(call.app));
    return console.Fail(Usage(fmt::format("unknown command '{}'", extras.front()),
                              near.empty() ? "see `metadist --help`" : near));
  }
  CLI::App* command = call.app.get_subcommands().front();
  size_t index = 0;
  while (call.sessions[index].command != command->get_name()) ++index;
  Session& session = call.sessions[index];
  const Result<void> done = RunCommand(call, session, *command);
  session.console.EndSteps();
  if (!done.ok()) session.console.Fail(done.error());
  const Result<void> logged = session.console.CloseLog();
  if (!logged.ok()) console.Fail(logged.error());
  session.processes.reset();
  return ExitStatus(done.ok() ? logged : done);
}

constexpr std::string_view kMemoryHint = "free some, or raise the limit (`ulimit -v`)";

// Safe inside a signal handler, and before libraries are initialized.
[[noreturn]] void EndWithoutMemory() {
  for (const std::string_view text : {std::string_view("metadist: error: out of memory\n  hint: "),
                                      kMemoryHint,
                                      std::string_view("\n")})
    (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(static_cast<int>(ErrorCode::kDevice));
}

// Libraries initialize themselves before main, and crash if memory runs out meanwhile. They take
// about 0.3 MiB; before the first of them, this checks that there is more than that.
void RequireMemoryToStart() {
  constexpr size_t kBytes = size_t{1} << 20;
  void* const room =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) EndWithoutMemory();
  munmap(room, kBytes);
}

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const kBeforeLibraries)() = RequireMemoryToStart;

// glibc loads the unwinder when an exception first passes through its own code, such as a
// pthread_once in oneDNN, and aborts if memory has run out by then.
void LoadUnwinder() {
  void* frame = nullptr;
  backtrace(&frame, 1);
}

std::atomic<void*> kept_back = nullptr;

// Reserves memory that is released for unwinding when there is none left: destructors may need some
// (those of JSON values do), and one that fails to get it ends the program.
void KeepMemoryBack() {
  constexpr size_t kBytes = size_t{1} << 20;
  kept_back = std::malloc(kBytes);
  std::set_new_handler([] {
    std::free(kept_back.exchange(nullptr));
    throw std::bad_alloc();
  });
}

// The kernel library writes to address 0 if it gets no memory for code. Any other fault ends the
// program as if there were no handler: the instruction is executed again, and a signal that another
// process sent is raised again.
void OnFault(int signal, siginfo_t* fault, void*) {
  constexpr uintptr_t kFirstPage = 4096;
  const bool own = fault->si_code > 0;
  if (own && cpu::FaultsWithoutMemory() &&
      reinterpret_cast<uintptr_t>(fault->si_addr) < kFirstPage) {
    Say("");
    EndWithoutMemory();
  }
  std::signal(signal, SIG_DFL);
  if (!own) std::raise(signal);
}

// Sanitizers have a handler of their own, which stays.
void HandleFaults() {
  struct sigaction action = {};
  if (sigaction(SIGSEGV, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

std::atomic<bool> finished = false;

// A library has ended the program, as OpenMP does if it gets no memory.
void OnExit() {
  if (finished) return;
  Say("metadist: error: a library ended the program, usually because memory ran out\n");
  std::_Exit(static_cast<int>(ErrorCode::kDevice));
}

// Flushes stdout and returns the exit status.
int Finish(int status) {
  finished = true;
  const Result<void> arrived = FlushStdout();
  if (arrived.ok()) return status;
  Console().Fail(arrived.error());
  return status == 0 ? ExitStatus(arrived) : status;
}

// Reports what ends the program.
int FailAtLast(const Error& error) {
  finished = true;
  return Console().Fail(error);
}

}  // namespace
}  // namespace metadist::cli

int main(int argc, char** argv) {
  using namespace metadist::cli;
  HoldStandardStreams();
  std::atexit(OnExit);
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
  std::signal(SIGALRM, OnAlarm);
  std::signal(SIGPIPE, SIG_IGN);
  HandleFaults();
  try {
    NameProcess();
    LoadUnwinder();
    KeepMemoryBack();
    return Finish(CalledAsIopddl(argv[0]) ? RunIopddl(argc, argv) : Main(argc, argv));
  } catch (const std::bad_alloc&) {
    metadist::Error error = metadist::OutOfMemory();
    error.hint = kMemoryHint;
    return FailAtLast(error);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again)
      return FailAtLast(metadist::Internal(error.what()));
    return FailAtLast({metadist::ErrorCode::kDevice,
                       "",
                       "no more threads can be had",
                       "end some, or raise the limit (`ulimit -u`)",
                       {}});
  } catch (const std::exception& error) {
    return FailAtLast(metadist::Internal(error.what()));
  }
}
