// SPDX-License-Identifier: Apache-2.0
#include "cli/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace metadist::cli {

FileLock::FileLock(const std::string& path,
                   const std::atomic<bool>& interrupted,
                   const std::function<void()>& waiting)
    : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (fd_ < 0) return;
  bool told = false;
  while (flock(fd_, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
    if (interrupted.load()) return;
    if (!told) waiting();
    told = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace metadist::cli
