// SPDX-License-Identifier: Apache-2.0
#include "cli/isolate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

namespace metadist::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;
// Exit statuses of a child.
constexpr int kThrew = 1;
constexpr int kOutOfMemory = 2;

struct Child {
  size_t piece = 0;
  pid_t process = 0;
  int pipe = -1;
  Clock::time_point deadline;
  std::string text;
  bool late = false;
};

// Address sanitizers reserve terabytes of addresses.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCanLimitMemory = false;
#else
constexpr bool kCanLimitMemory = true;
#endif

[[noreturn]] void RunChild(int pipe,
                           size_t piece,
                           const IsolateLimits& limits,
                           const std::function<std::string(size_t)>& work) {
  if (kCanLimitMemory && limits.memory_bytes > 0) {
    const auto bytes = static_cast<rlim_t>(limits.memory_bytes);
    const rlimit memory = {bytes, bytes};
    setrlimit(RLIMIT_AS, &memory);
  }
  const rlimit core = {0, 0};
  setrlimit(RLIMIT_CORE, &core);
  // What a failing CHECK says would only disturb: the parent tells of the crash.
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  std::string text;
  try {
    text = work(piece);
  } catch (const std::bad_alloc&) {
    _exit(kOutOfMemory);
  } catch (const std::exception&) {
    _exit(kThrew);
  }
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = write(pipe, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) _exit(kThrew);
    if (written > 0) at += static_cast<size_t>(written);
  }
  _exit(0);
}

class Pool {
 public:
  Pool(size_t count,
       const IsolateLimits& limits,
       const std::function<std::string(size_t)>& work,
       const std::function<void(size_t, Result<std::string>)>& done)
      : count_(count), limits_(limits), work_(work), done_(done) {}

  Result<void> Run() {
    for (size_t next = 0; next < count_ || !children_.empty();) {
      if (limits_.interrupted != nullptr && *limits_.interrupted) {
        KillAll();
        return Error{ErrorCode::kInterrupted, "", "interrupted", "", {}};
      }
      while (next < count_ && static_cast<int>(children_.size()) < limits_.processes)
        TRY(Start(next++));
      Wait();
    }
    return {};
  }

 private:
  Result<void> Start(size_t piece) {
    int ends[2];
    if (pipe(ends) != 0) return Failed("pipe");
    const pid_t process = fork();
    if (process < 0) {
      close(ends[0]);
      close(ends[1]);
      return Failed("fork");
    }
    if (process == 0) {
      close(ends[0]);
      for (const Child& other : children_) close(other.pipe);
      RunChild(ends[1], piece, limits_, work_);
    }
    close(ends[1]);
    const auto limit = std::chrono::duration<double>(limits_.seconds);
    children_.push_back({piece,
                         process,
                         ends[0],
                         Clock::now() + std::chrono::duration_cast<Clock::duration>(limit),
                         {},
                         false});
    return {};
  }

  Error Failed(const char* call) {
    const std::string reason = std::strerror(errno);
    KillAll();
    return Error{ErrorCode::kDevice, "", fmt::format("{} failed: {}", call, reason), "", {}};
  }

  // Reads what there is; hands over those that have closed their pipe.
  void Wait() {
    std::vector<pollfd> polls;
    for (const Child& child : children_) polls.push_back({child.pipe, POLLIN, 0});
    poll(polls.data(), polls.size(), kPollMilliseconds);
    for (size_t i = polls.size(); i-- > 0;) {
      Child& child = children_[i];
      if (!child.late && Clock::now() > child.deadline) {
        child.late = true;
        kill(child.process, SIGKILL);
      }
      if (polls[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = read(child.pipe, buffer, sizeof buffer);
      if (got > 0) child.text.append(buffer, static_cast<size_t>(got));
      if (got == 0) Finish(i);
    }
  }

  void Finish(size_t i) {
    Child child = std::move(children_[i]);
    children_.erase(children_.begin() + static_cast<ptrdiff_t>(i));
    close(child.pipe);
    int status = 0;
    while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) continue;
    if (child.late)
      done_(child.piece, Internal(fmt::format("it took more than {} seconds", limits_.seconds)));
    else if (WIFSIGNALED(status))
      done_(child.piece, Internal(fmt::format("it crashed ({})", strsignal(WTERMSIG(status)))));
    else if (WEXITSTATUS(status) == kOutOfMemory)
      done_(child.piece, Internal("it ran out of memory"));
    else if (WEXITSTATUS(status) != 0)
      done_(child.piece,
            Internal(fmt::format("its process ended with status {}", WEXITSTATUS(status))));
    else
      done_(child.piece, std::move(child.text));
  }

  void KillAll() {
    for (const Child& child : children_) {
      kill(child.process, SIGKILL);
      close(child.pipe);
      waitpid(child.process, nullptr, 0);
    }
    children_.clear();
  }

  const size_t count_;
  const IsolateLimits& limits_;
  const std::function<std::string(size_t)>& work_;
  const std::function<void(size_t, Result<std::string>)>& done_;
  std::vector<Child> children_;
};

}  // namespace

Result<void> RunIsolated(size_t count,
                         const IsolateLimits& limits,
                         const std::function<std::string(size_t)>& work,
                         const std::function<void(size_t, Result<std::string>)>& done) {
  return Pool(count, limits, work, done).Run();
}

}  // namespace metadist::cli
