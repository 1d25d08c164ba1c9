// SPDX-License-Identifier: Apache-2.0
#include "cli/isolate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include "metair/ops/child_process.h"

namespace metadist::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;
// Exit statuses of a child.
constexpr int kThrew = 1;
constexpr int kOutOfMemory = 2;

// A child process and its socket. A request is the number of a piece; the answer is the length of
// the text, then the text.
struct Child {
  pid_t process = 0;
  int socket = -1;
  bool busy = false;
  size_t piece = 0;
  Clock::time_point deadline = {};
  std::string answer = {};  // as far as received
  bool late = false;
};

[[noreturn]] void RunChild(int socket,
                           const IsolateLimits& limits,
                           const std::function<std::string(size_t)>& work) {
  if (kCanLimitMemory && limits.memory_bytes > 0) {
    const auto bytes = static_cast<rlim_t>(limits.memory_bytes);
    const rlimit memory = {bytes, bytes};
    setrlimit(RLIMIT_AS, &memory);
  }
  const rlimit core = {0, 0};
  setrlimit(RLIMIT_CORE, &core);
  // The message of a failing CHECK is suppressed, because the parent reports the crash.
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  try {
    for (size_t piece = 0; ReceiveAll(socket, &piece, sizeof piece);) {
      const std::string text = work(piece);
      const size_t length = text.size();
      if (!SendAll(socket, &length, sizeof length) || !SendAll(socket, text.data(), length))
        _exit(kThrew);
    }
  } catch (const std::bad_alloc&) {
    _exit(kOutOfMemory);
  } catch (const std::exception&) {
    _exit(kThrew);
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
    while (finished_ < count_) {
      if (limits_.interrupted != nullptr && *limits_.interrupted) {
        KillAll();
        return Error{.code = ErrorCode::kInterrupted, .message = "interrupted"};
      }
      TRY(HandOut());
      Wait();
    }
    KillAll();
    return {};
  }

 private:
  // Gives every idle child a piece, and starts children while pieces remain and the number of
  // processes allows.
  Result<void> HandOut() {
    for (Child& child : children_)
      if (!child.busy && next_ < count_) Request(child);
    while (next_ < count_ && static_cast<int>(children_.size()) < limits_.processes) {
      TRY(Start());
      Request(children_.back());
    }
    return {};
  }

  Result<void> Start() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return Failed("socketpair");
    const pid_t process = fork();
    if (process < 0) {
      close(ends[0]);
      close(ends[1]);
      return Failed("fork");
    }
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // whichever way the parent ends
      close(ends[0]);
      for (const Child& other : children_) close(other.socket);
      RunChild(ends[1], limits_, work_);
    }
    close(ends[1]);
    children_.push_back({.process = process, .socket = ends[0]});
    return {};
  }

  // If the child has already died, Wait detects it.
  void Request(Child& child) {
    const auto limit = std::chrono::duration<double>(limits_.seconds);
    child.piece = next_++;
    child.busy = true;
    child.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    child.answer.clear();
    SendAll(child.socket, &child.piece, sizeof child.piece);
  }

  Error Failed(const char* call) {
    const std::string reason = std::strerror(errno);
    KillAll();
    return {.code = ErrorCode::kDevice, .message = fmt::format("{} failed: {}", call, reason)};
  }

  // Reads available answers, delivers complete ones, and handles children that have died.
  void Wait() {
    std::vector<pollfd> polls;
    for (const Child& child : children_) polls.push_back({child.socket, POLLIN, 0});
    poll(polls.data(), polls.size(), kPollMilliseconds);
    for (size_t i = polls.size(); i-- > 0;) {
      Child& child = children_[i];
      if (child.busy && !child.late && Clock::now() > child.deadline) {
        child.late = true;
        kill(child.process, SIGKILL);
      }
      if (polls[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = read(child.socket, buffer, sizeof buffer);
      if (got > 0) {
        child.answer.append(buffer, static_cast<size_t>(got));
        Take(child);
      } else if (got == 0 || errno != EINTR) {
        Bury(i);
      }
    }
  }

  void Take(Child& child) {
    size_t length = 0;
    if (child.late || child.answer.size() < sizeof length) return;
    std::memcpy(&length, child.answer.data(), sizeof length);
    if (child.answer.size() < sizeof length + length) return;
    child.busy = false;
    ++finished_;
    done_(child.piece, child.answer.substr(sizeof length));
  }

  void Bury(size_t i) {
    const Child child = std::move(children_[i]);
    children_.erase(children_.begin() + static_cast<ptrdiff_t>(i));
    close(child.socket);
    int status = 0;
    while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) continue;
    if (!child.busy) return;
    ++finished_;
    if (child.late)
      done_(child.piece, Internal(fmt::format("it took more than {} seconds", limits_.seconds)));
    else if (WIFSIGNALED(status))
      done_(child.piece, Internal(fmt::format("it crashed ({})", strsignal(WTERMSIG(status)))));
    else if (WEXITSTATUS(status) == kOutOfMemory)
      done_(child.piece, Internal("it ran out of memory"));
    else
      done_(child.piece,
            Internal(fmt::format("its process ended with status {}", WEXITSTATUS(status))));
  }

  void KillAll() {
    for (const Child& child : children_) {
      kill(child.process, SIGKILL);
      close(child.socket);
      waitpid(child.process, nullptr, 0);
    }
    children_.clear();
  }

  const size_t count_;
  const IsolateLimits& limits_;
  const std::function<std::string(size_t)>& work_;
  const std::function<void(size_t, Result<std::string>)>& done_;
  size_t next_ = 0;      // number of pieces assigned so far
  size_t finished_ = 0;  // number of pieces with a result
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
