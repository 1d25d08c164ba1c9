// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "metair/ir/result.h"

namespace metadist {

struct ChildLimits {
  double cpu_seconds = 2;                   // a question
  double seconds = 30;                      // of the clock, likewise
  int64_t memory_bytes = int64_t{1} << 30;  // of address space, beyond what the program has
};

// A process that answers questions and may die of it: it is started anew for the next one.
class ChildProcess {
 public:
  // Forks. answer: runs in the child, and keeps there what it leaves in memory, until the child
  // dies. The caller's process must have no other thread. Errors: kDevice.
  static Result<std::unique_ptr<ChildProcess>> Start(
      const ChildLimits& limits, const std::function<std::string(const std::string&)>& answer);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // What the child answers; where somebody killed it, what the next one does, asked twice more at
  // most. Thread-safe: one question at a time.
  // Errors: kDevice saying what became of the child, `ended by signal 11 (Segmentation fault)`, or
  // kTimeLimit, `took more than 2 seconds`.
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
  bool killed_ = false;  // by somebody: the worker that died last
};

}  // namespace metadist
