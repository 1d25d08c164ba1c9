// SPDX-License-Identifier: Apache-2.0
#include "importers/file_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metair/ir/text_file.h"

namespace metadist {
namespace {

struct FileDescriptor {
  int fd = -1;
  ~FileDescriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Result<FileMap> FileMap::Open(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return CannotOpen(path);
  struct stat status = {};
  if (::fstat(file.fd, &status) != 0) return CannotOpen(path);
  if (S_ISDIR(status.st_mode)) return BadInput(path, "expected a file, got a folder");
  if (!S_ISREG(status.st_mode)) return BadInput(path, "expected a regular file");

  FileMap map;
  map.path_ = path;
  const size_t size = static_cast<size_t>(status.st_size);
  if (size == 0) return map;
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (memory == MAP_FAILED) return CannotOpen(path);
  map.owner_ = std::shared_ptr<const void>(
      memory, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  map.bytes_ = {static_cast<const std::byte*>(memory), size};
  return map;
}

}  // namespace metadist
