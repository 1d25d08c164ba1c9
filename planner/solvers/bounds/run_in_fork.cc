// SPDX-License-Identifier: Apache-2.0
// A library that crashes must not take the program down with it. Its work is done in a fork, which
// has all of the input already and needs no program of its own. The answer is passed through shared
// memory, and a semaphore there wakes the waiting process, which also checks every few milliseconds
// whether the fork has died or an interrupt was requested.
//
// Executing the program anew would give a cleaner process, but the executable would have to be
// found and given the input. An early fork (metair/ops/child_process.cc) is for foreign code that
// opens libraries.
#include "planner/solvers/bounds/run_in_fork.h"

#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <new>

#include "metair/ir/sanitizers.h"

namespace metadist {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long kGlanceNanoseconds = 20'000'000;
// Time allowed beyond the given seconds, and after the interrupt, before the process is killed.
constexpr std::chrono::milliseconds kLate{2'000};
constexpr std::chrono::milliseconds kSlowToStop{500};

// In shared memory, initially zero.
struct ForkState {
  sem_t ended;
  std::atomic<bool> stop;
  std::atomic<bool> done;
  std::atomic<bool> out_of_memory;
};

[[noreturn]] void Work(pid_t parent,
                       const std::function<void(const std::atomic<bool>& stop)>& work,
                       ForkState& state) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  // Interrupts are handled by the parent, which sets `stop`; the other signals kill the process as
  // usual.
  for (const int interrupt : {SIGINT, SIGTERM}) std::signal(interrupt, SIG_IGN);
  for (const int fatal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(fatal, SIG_DFL);
  const rlimit core = {0, 0};
  setrlimit(RLIMIT_CORE, &core);
#ifndef METADIST_SANITIZED
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO})
    if (nowhere >= 0) dup2(nowhere, standard);
#endif
  try {
    work(state.stop);
    state.done = true;
  } catch (const std::bad_alloc&) {
    state.out_of_memory = true;
  } catch (...) {
  }
  sem_post(&state.ended);
  _exit(0);
}

// Waits for the end of the work, at most some milliseconds. True if it has ended.
bool Glance(ForkState& state) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += kGlanceNanoseconds;
  if (until.tv_nsec >= 1'000'000'000) {
    until.tv_nsec -= 1'000'000'000;
    ++until.tv_sec;
  }
  return sem_clockwait(&state.ended, CLOCK_MONOTONIC, &until) == 0;
}

// True if the process has ended; reaps it, so that no zombie is left. An unknown process has ended,
// too: if the program ignores SIGCHLD, the system discards its status.
bool HasEnded(pid_t process) {
  const pid_t changed = waitpid(process, nullptr, WNOHANG);
  return changed == process || (changed < 0 && errno != EINTR);
}

enum class Waited { kForWork, kForDeath, kTooLong };

// Waits until the work reports its end, its process dies without a report, or it is late.
Waited WaitFor(pid_t process,
               double seconds,
               const std::atomic<bool>* interrupted,
               ForkState& state) {
  auto latest =
      Clock::now() + std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6)) + kLate;
  while (!Glance(state)) {
    if (HasEnded(process)) return Waited::kForDeath;
    if (interrupted != nullptr && *interrupted && !state.stop) {
      state.stop = true;
      latest = std::min(latest, Clock::now() + kSlowToStop);
    }
    if (Clock::now() > latest) return Waited::kTooLong;
  }
  return Waited::kForWork;
}

}  // namespace

void Unmap::operator()(std::byte* data) const { munmap(data, bytes); }

SharedMemory MakeSharedMemory(size_t bytes) {
  void* const made =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, /*fd=*/-1, 0);
  if (made == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(made), Unmap{bytes}};
}

ForkEnd RunInFork(const std::function<void(const std::atomic<bool>& stop)>& work,
                  double seconds,
                  const std::atomic<bool>* interrupted) {
  const SharedMemory shared = MakeSharedMemory(sizeof(ForkState));
  if (shared == nullptr) return ForkEnd::kNotBegun;
  ForkState& state = *new (shared.get()) ForkState{};
  if (sem_init(&state.ended, /*pshared=*/1, 0) != 0) return ForkEnd::kNotBegun;
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process == 0) Work(parent, work, state);
  ForkEnd end = ForkEnd::kNotBegun;
  if (process > 0) {
    const Waited waited = WaitFor(process, seconds, interrupted, state);
    if (waited != Waited::kForDeath) {
      kill(process, SIGKILL);  // everything it reports is in shared memory by now
      while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;
    }
    end = state.done                   ? ForkEnd::kDone
          : state.out_of_memory        ? ForkEnd::kOutOfMemory
          : waited == Waited::kTooLong ? ForkEnd::kStopped
                                       : ForkEnd::kDied;
  }
  sem_destroy(&state.ended);
  return end;
}

}  // namespace metadist
