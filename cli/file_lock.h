// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace metadist::cli {

// A lock shared by the programs of this machine, identified by a file name. It is released when the
// process ends, in whatever way; the empty file stays.
class FileLock {
 public:
  // Waits until the lock is free or `interrupted` is set; calls waiting() once if it has to wait.
  // If the file cannot be created, no lock is held.
  FileLock(const std::string& path,
           const std::atomic<bool>& interrupted,
           const std::function<void()>& waiting);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_;
};

}  // namespace metadist::cli
