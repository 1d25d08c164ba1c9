// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "metair/ir/result.h"
#include "metair/ir/sanitizers.h"

namespace metadist {

// Address sanitizers reserve terabytes of address space.
#ifdef METADIST_SANITIZED
inline constexpr bool kCanLimitMemory = false;
#else
inline constexpr bool kCanLimitMemory = true;
#endif

// Receives or sends all bytes over a socket. False: the other side is gone.
bool ReceiveAll(int socket, void* to, size_t bytes);
bool SendAll(int socket, const void* from, size_t bytes);

struct ChildLimits {
  double cpu_seconds = 2;                   // per question
  double seconds = 30;                      // wall-clock time, per question
  int64_t memory_bytes = int64_t{1} << 30;  // of address space, in addition to the program's own
};

// A process that answers questions and may crash while doing so; it is then restarted for the next
// one.
class ChildProcess {
 public:
  // Forks. answer: runs in the child, which keeps its memory from question to question until it
  // ends. The caller's process must have no other thread. Errors: kDevice.
  static Result<std::unique_ptr<ChildProcess>> Start(
      const ChildLimits& limits, const std::function<std::string(const std::string&)>& answer);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The child's answer. If the child was killed from outside, a new one is asked, at most twice.
  // Thread-safe: questions are serialised. Errors: kDevice if the child ended, with the reason:
  // `ended by signal 11 (Segmentation fault)`; kTimeLimit: `took more than 2 seconds`.
  Result<std::string> Ask(const std::string& question);

 private:
  explicit ChildProcess(const ChildLimits& limits) : limits_(limits) {}
  Result<std::string> Exchange(const std::string& question);
  Error Restart();
  void Abandon();

  const ChildLimits limits_;
  std::mutex mutex_;
  pid_t keeper_ = -1;
  int data_ = -1;
  int control_ = -1;
  bool killed_ = false;  // whether the last child was killed from outside
};

}  // namespace metadist
