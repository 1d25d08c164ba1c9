// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace metadist::cli {

// Holds a lock that programs of this machine share by the name of a file. It goes with the process,
// however that ends; the empty file stays.
class FileLock {
 public:
  // Waits until the lock is free or `interrupted` is raised; calls waiting() once if it has to
  // wait. Where there can be no such file nothing is held.
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
