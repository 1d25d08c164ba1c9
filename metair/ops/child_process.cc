// SPDX-License-Identifier: Apache-2.0
// Foreign code runs in a separate process. The problem is to restart that process after a crash,
// when this program already has threads: after fork() in a program with threads, the child may only
// call async-signal-safe functions, and opening a library is not one. Executing our own program
// again in a hidden mode is surprising for a command line tool; a separate helper program must be
// installed and found. So the essential fork is made early, before there are threads. Its child,
// the keeper, only forks workers, which is safe since it has a single thread, and reports their
// deaths.
//
//   program ──data──▶ worker        a question and its answer: length, bytes
//      ▲                │ forks, waits
//      └──control─── keeper         how a worker died; "go" starts the next
//
// All workers share the same end of the data socket. A worker that dies may leave part of a
// question or answer in it: after the report of a death the program drains its side, then sends
// "go"; the keeper drains the other side and confirms. A worker limits itself: alarms, an
// address-space limit, no core file. Keeper and worker end when the program's socket ends close,
// however the program ends. If a worker was killed from outside, that is no fault of the code: its
// question is sent to the next worker.
//
// Cost: two context switches per question, about 10 us. Source: the early fork is the zygote of
// Chromium and Android.
#include "metair/ops/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

namespace metadist {
namespace {

// Added to the worker's own limit, in case it disabled its alarm.
constexpr double kGraceSeconds = 20;
// How often a question is repeated if its worker was killed from outside.
constexpr int kAgain = 2;

// How a worker ended.
struct Death {
  int status = 0;  // from waitpid
  int64_t peak_bytes = 0;
};

Error Device(std::string message) {
  return Error{ErrorCode::kDevice, "", std::move(message), "", {}};
}

// Sends or receives all bytes. False: the other side is gone.
template <typename Call>
bool All(size_t bytes, Call call) {
  for (size_t at = 0; at < bytes;) {
    const ssize_t done = call(at, bytes - at);
    if (done == 0 || (done < 0 && errno != EINTR)) return false;
    if (done > 0) at += static_cast<size_t>(done);
  }
  return true;
}

void Empty(int socket) {
  char buffer[4096];
  while (recv(socket, buffer, sizeof buffer, MSG_DONTWAIT) > 0) continue;
}

std::string Framed(const std::string& text) {
  const uint64_t length = text.size();
  std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
  return frame += text;
}

void SetAlarm(__itimer_which clock, double seconds) {
  const double whole = std::floor(seconds);
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
  setitimer(clock, &timer, nullptr);
}

void SetAlarms(double cpu_seconds, double seconds) {
  SetAlarm(ITIMER_PROF, cpu_seconds);
  SetAlarm(ITIMER_REAL, seconds);
}

void LimitMemory(int64_t bytes) {
  if (!kCanLimitMemory) return;
  long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  const auto limit = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + bytes);
  const rlimit memory = {limit, limit};
  setrlimit(RLIMIT_AS, &memory);
}

[[noreturn]] void AnswerQuestions(int data,
                                  const ChildLimits& limits,
                                  const std::function<std::string(const std::string&)>& answer) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Fatal signals must end the worker even if the program handles them.
  for (const int fatal : {SIGALRM, SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    std::signal(fatal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit core = {0, 0};
  setrlimit(RLIMIT_CORE, &core);
  LimitMemory(limits.memory_bytes);
  try {
    for (uint64_t length = 0; ReceiveAll(data, &length, sizeof length);) {
      std::string question(length, '\0');
      if (!ReceiveAll(data, question.data(), length)) break;
      SetAlarms(limits.cpu_seconds, limits.seconds);
      const std::string frame = Framed(answer(question));
      SetAlarms(0, 0);
      if (!SendAll(data, frame.data(), frame.size())) break;
    }
  } catch (const std::exception&) {
    std::abort();
  }
  _exit(0);
}

// Ends when the program's ends are closed.
[[noreturn]] void Keep(int data,
                       int control,
                       const ChildLimits& limits,
                       const std::function<std::string(const std::string&)>& answer) {
  // Interrupts are handled by the program, which may still need answers.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  // Output of foreign code must not mix with the program's own.
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (nowhere >= 0) dup2(nowhere, standard);
  for (;;) {
    const pid_t worker = fork();
    if (worker < 0) _exit(1);
    if (worker == 0) {
      close(control);
      AnswerQuestions(data, limits, answer);
    }
    Death death;
    rusage usage = {};
    while (wait4(worker, &death.status, 0, &usage) < 0 && errno == EINTR) continue;
    death.peak_bytes = static_cast<int64_t>(usage.ru_maxrss) * 1024;
    char go = 0;
    if (!SendAll(control, &death, sizeof death) || !ReceiveAll(control, &go, sizeof go)) _exit(0);
    Empty(data);
    if (!SendAll(control, &go, sizeof go)) _exit(0);
  }
}

Error Late(double seconds, std::string_view of) {
  return Error{
      ErrorCode::kTimeLimit, "", fmt::format("took more than {:g} seconds{}", seconds, of), "", {}};
}

Error Told(const Death& death, const ChildLimits& limits) {
  const int signal = WIFSIGNALED(death.status) ? WTERMSIG(death.status) : 0;
  if (signal == SIGALRM) return Late(limits.seconds, "");
  if (signal == SIGPROF) return Late(limits.cpu_seconds, " of processor time");
  std::string text =
      signal == 0 ? fmt::format("ended its process with status {}", WEXITSTATUS(death.status))
                  : fmt::format("ended by signal {} ({})", signal, strsignal(signal));
  if (kCanLimitMemory && death.peak_bytes > limits.memory_bytes / 2)
    text += fmt::format(", near its limit of {} MiB", limits.memory_bytes >> 20);
  return Device(std::move(text));
}

}  // namespace

bool ReceiveAll(int socket, void* to, size_t bytes) {
  return All(bytes, [&](size_t at, size_t left) {
    return recv(socket, static_cast<char*>(to) + at, left, 0);
  });
}

bool SendAll(int socket, const void* from, size_t bytes) {
  return All(bytes, [&](size_t at, size_t left) {
    return send(socket, static_cast<const char*>(from) + at, left, MSG_NOSIGNAL);
  });
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::Start(
    const ChildLimits& limits, const std::function<std::string(const std::string&)>& answer) {
  int data[2], control[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, data) != 0)
    return Device(fmt::format("socketpair failed: {}", std::strerror(errno)));
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0) {
    const int error = errno;
    for (const int end : data) close(end);
    return Device(fmt::format("socketpair failed: {}", std::strerror(error)));
  }
  const pid_t keeper = fork();
  if (keeper == 0) {
    close(data[0]);
    close(control[0]);
    Keep(data[1], control[1], limits, answer);
  }
  const int error = errno;
  close(data[1]);
  close(control[1]);
  if (keeper < 0) {
    close(data[0]);
    close(control[0]);
    return Device(fmt::format("fork failed: {}", std::strerror(error)));
  }
  std::unique_ptr<ChildProcess> child(new ChildProcess(limits));
  child->keeper_ = keeper;
  child->data_ = data[0];
  child->control_ = control[0];
  return child;
}

ChildProcess::~ChildProcess() { Abandon(); }

// Ends the keeper and the worker permanently.
void ChildProcess::Abandon() {
  if (keeper_ < 0) return;
  close(data_);
  close(control_);
  kill(keeper_, SIGKILL);  // the worker ends with it
  while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) continue;
  keeper_ = -1;
}

// Handles the death of a worker, or of the keeper.
Error ChildProcess::Restart() {
  Death death;
  if (!ReceiveAll(control_, &death, sizeof death)) {
    Abandon();
    return Device("was ended by something else");
  }
  Empty(data_);
  char go = 1;
  if (!SendAll(control_, &go, sizeof go) || !ReceiveAll(control_, &go, sizeof go)) Abandon();
  killed_ = WIFSIGNALED(death.status) && WTERMSIG(death.status) == SIGKILL;
  return Told(death, limits_);
}

Result<std::string> ChildProcess::Ask(const std::string& question) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (keeper_ < 0) return Device("cannot be started any more");
  // A worker that has died since the last answer.
  pollfd news = {control_, POLLIN, 0};
  if (poll(&news, 1, 0) > 0) {
    Error died = Restart();
    if (keeper_ < 0) return died;
  }
  for (int left = kAgain;; --left) {
    killed_ = false;
    auto answer = Exchange(question);
    if (answer.ok() || !killed_ || left == 0 || keeper_ < 0) return answer;
  }
}

Result<std::string> ChildProcess::Exchange(const std::string& question) {
  const std::string frame = Framed(question);
  std::string answer;
  uint64_t length = 0;
  for (size_t sent = 0; answer.size() < sizeof length || answer.size() < sizeof length + length;) {
    const short wanted = sent < frame.size() ? POLLIN | POLLOUT : POLLIN;
    pollfd polls[2] = {{data_, wanted, 0}, {control_, POLLIN, 0}};
    const int ready = poll(polls, 2, static_cast<int>((limits_.seconds + kGraceSeconds) * 1000));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      Abandon();
      return Late(limits_.seconds + kGraceSeconds, "");
    }
    if (polls[1].revents != 0) return Restart();
    if ((polls[0].revents & POLLOUT) != 0) {
      const ssize_t done =
          send(data_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (done > 0) sent += static_cast<size_t>(done);
    }
    if ((polls[0].revents & POLLIN) != 0) {
      char buffer[1 << 16];
      const ssize_t got = recv(data_, buffer, sizeof buffer, MSG_DONTWAIT);
      if (got > 0) answer.append(buffer, static_cast<size_t>(got));
      if (answer.size() >= sizeof length) std::memcpy(&length, answer.data(), sizeof length);
      if (length > uint64_t{1} << 40) length = 0;
    } else if ((polls[0].revents & (POLLHUP | POLLERR)) != 0) {
      Abandon();
      return Device("was ended by something else");
    }
  }
  return answer.substr(sizeof length, length);
}

}  // namespace metadist
