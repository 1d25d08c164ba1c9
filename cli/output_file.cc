// SPDX-License-Identifier: Apache-2.0
// Writes files completely or not at all.
//
// The text is written to a new file in the target's folder, which is synchronised and renamed, so
// that neither an interrupt nor a full disk leaves a partial file or damages the old one. If the
// file system supports it, the new file has no name until it is complete (O_TMPFILE): a killed
// program leaves nothing behind. The name is random and created exclusively, so that two programs
// cannot write to one file, and nobody can plant a link there.
#include "cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

namespace metadist::cli {
namespace {

constexpr int kTries = 100;  // names that may be taken

int stdout_error = 0;  // of the first failed write

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void Open(int fd) { fd_ = fd; }
  // Returns 0 or the system's error: some file systems report only on close that a write failed.
  int Close() { return close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }

 private:
  int fd_;
};

// The target of a text.
struct Target {
  std::string path;                // after following links
  bool stream = false;             // a pipe or a character device
  std::optional<struct stat> old;  // the file to replace
};

Error Failed(int code) { return Internal(fmt::format("cannot write: {}", std::strerror(code))); }

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Result<Target> TargetOf(const std::string& path, bool force) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno != ENOENT) return Usage(fmt::format("cannot write: {}", std::strerror(errno)));
    const std::string folder = FolderOf(path);
    if (stat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))
      return Usage(fmt::format("there is no folder '{}'", folder), "create it first");
    if (path.back() == '/') return Usage("expected a file, got a folder", "add the file's name");
    return Target{path, false, std::nullopt};
  }
  const bool link = S_ISLNK(found.st_mode);
  if (link && stat(path.c_str(), &found) != 0)
    return Usage("a dangling symbolic link", "remove it, or give another file");
  if (S_ISDIR(found.st_mode))
    return Usage("a folder has this name", "add the name of a file in it");
  if (S_ISFIFO(found.st_mode) || S_ISCHR(found.st_mode)) return Target{path, true, std::nullopt};
  if (!S_ISREG(found.st_mode)) return Usage("neither a file nor a pipe", "give another file");
  if (!force) return Usage("file exists already", "pass `--force` to overwrite it");
  std::error_code error;
  const std::string real = link ? std::filesystem::canonical(path, error).string() : path;
  if (error) return Usage("cannot write: " + error.message());
  return Target{real, false, found};
}

// Below, every int returned is 0 or the system's error.

int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

// Flushes to disk; pipes and some file systems do not support that.
int Synchronize(int fd) {
  if (fsync(fd) == 0 || errno == EINVAL || errno == EROFS) return 0;
  return errno;
}

std::string BesideIt(const std::string& path) {
  static std::random_device device;
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string name = path + ".";
  for (int i = 0; i < 8; ++i) name += kLetters[device() % kLetters.size()];
  return name;
}

// Calls take(name), which returns a descriptor or a status, with new names beside `path` until one
// is free; `name` receives it.
template <typename Take>
int TakeName(const std::string& path, std::string& name, const Take& take) {
  for (int i = 0; i < kTries; ++i) {
    name = BesideIt(path);
    if (take(name) >= 0) return 0;
    if (errno != EEXIST) break;
  }
  const int error = errno;
  name.clear();
  return error;
}

// A file being written that is not yet at its final path. Removed unless Publish() succeeds.
class Draft {
 public:
  // Creates a file without a name if the file system supports it.
  explicit Draft(const std::string& path)
      : file_(open(FolderOf(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)) {
    if (file_.get() >= 0) return;
    error_ = TakeName(path, name_, [this](const std::string& name) {
      file_.Open(open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
      return file_.get();
    });
  }
  ~Draft() {
    if (!name_.empty()) unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  int Write(std::string_view text, const std::optional<struct stat>& old) {
    if (error_ != 0) return error_;
    if (const int error = WriteAll(file_.get(), text); error != 0) return error;
    if (old) {
      (void)!fchown(file_.get(), old->st_uid, old->st_gid);  // as far as permitted
      if (fchmod(file_.get(), old->st_mode & 07777) != 0) return errno;
    }
    return Synchronize(file_.get());
  }

  int Publish(const Target& target) {
    if (const int error = Name(target.path); error != 0) return error;
    if (const int error = file_.Close(); error != 0) return error;
    // A file created since CheckWritable is not replaced.
    const unsigned flags = target.old ? 0 : RENAME_NOREPLACE;
    int status = renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, target.path.c_str(), flags);
    if (status != 0 && (errno == EINVAL || errno == ENOSYS))
      status = rename(name_.c_str(), target.path.c_str());
    if (status != 0) return errno;
    name_.clear();
    const Descriptor folder(
        open(FolderOf(target.path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return folder.get() < 0 ? 0 : Synchronize(folder.get());
  }

 private:
  int Name(const std::string& path) {
    if (!name_.empty()) return 0;
    const std::string open_file = fmt::format("/proc/self/fd/{}", file_.get());
    return TakeName(path, name_, [&](const std::string& name) {
      return linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
    });
  }

  Descriptor file_;
  std::string name_;  // "": none yet
  int error_ = 0;     // the reason if it could not be created
};

Result<void> WriteStream(const std::string& path, std::string_view text) {
  Descriptor stream(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (stream.get() < 0) return Failed(errno);
  int error = WriteAll(stream.get(), text);
  if (error == 0) error = stream.Close();
  if (error != 0) return Failed(error);
  return {};
}

Result<void> WriteTarget(const Target& target, std::string_view text) {
  if (target.stream) return WriteStream(target.path, text);
  Draft draft(target.path);
  int error = draft.Write(text, target.old);
  if (error == 0) error = draft.Publish(target);
  if (error == 0) return {};
  if (error == EEXIST) return Usage("file exists already", "pass `--force` to overwrite it");
  return Failed(error);
}

// Saves a text that could not be written to its target, because it may have taken long to compute.
std::string KeepElsewhere(const std::string& path, std::string_view text) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return "";
  const std::string name = std::filesystem::path(path).filename().string();
  const Target target{BesideIt((folder / name).string()), false, std::nullopt};
  return WriteTarget(target, text).ok() ? target.path : "";
}

}  // namespace

Result<void> CheckWritable(const std::string& path, bool force) {
  if (path.empty() || path == "-") return {};
  TRY(TargetOf(path, force).in(path));
  return {};
}

Result<void> CheckDistinct(const std::vector<NamedFile>& files) {
  namespace fs = std::filesystem;
  std::map<fs::path, std::string> flags;  // by the file they name
  std::vector<Error> problems;
  for (const auto& [flag, path] : files) {
    if (path.empty() || path == "-") continue;
    std::error_code unknown;
    const fs::file_status status = fs::status(path, unknown);
    if (fs::exists(status) && !fs::is_regular_file(status)) continue;
    const fs::path where = fs::weakly_canonical(fs::absolute(path, unknown), unknown);
    const auto [other, added] = flags.try_emplace(unknown ? fs::path(path) : where, flag);
    if (!added)
      problems.push_back(
          Usage(fmt::format("{} and {} name the same file '{}'", other->second, flag, path)));
  }
  if (problems.empty()) return {};
  return Join(std::move(problems));
}

Result<void> WriteFile(const std::string& path, std::string_view text, bool force) {
  if (path == "-") {
    PrintStdout(text);
    return {};
  }
  const auto target = TargetOf(path, force);
  Result<void> written = target.ok() ? WriteTarget(target.value(), text) : target.error();
  if (written.ok()) return {};
  Error error = std::move(written).error().in(path);
  const bool stream = target.ok() && target.value().stream;
  if (const std::string kept = stream ? "" : KeepElsewhere(path, text); !kept.empty())
    error.hint += fmt::format("{}it was written to '{}'", error.hint.empty() ? "" : "; ", kept);
  return error;
}

Result<void> JoinAll(std::vector<Result<void>> results) {
  std::vector<Error> problems;
  for (Result<void>& result : results)
    if (!result.ok()) problems.push_back(std::move(result).error());
  if (problems.empty()) return {};
  return Join(std::move(problems));
}

void PrintStdout(std::string_view text) {
  if (stdout_error != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) stdout_error = errno;
}

Result<void> FlushStdout() {
  if (stdout_error == 0 && std::fflush(stdout) != 0) stdout_error = errno;
  if (stdout_error == 0) return {};
  if (stdout_error == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  return Failed(stdout_error).in("stdout");
}

}  // namespace metadist::cli
