// SPDX-License-Identifier: Apache-2.0
#include "importers/arrays/gzip_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "metair/ir/check.h"
#include "metair/ir/text_file.h"

namespace metadist {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 17;
constexpr unsigned char kGzipMagic[2] = {0x1f, 0x8b};
constexpr int kGzipWindow = 15 + 16;  // for zlib: gzip only

}  // namespace

// zlib's own gzread accepts a file that is truncated or has trailing data as complete, so the
// stream is driven here. Several consecutive members form one text, as in gunzip.
struct GzipReader::State {
  std::string path;
  int fd = -1;
  std::vector<char> buffer = std::vector<char>(kBufferBytes);
  // Range of bytes that were read from the file but not used yet.
  size_t from = 0;
  size_t to = 0;
  bool ended = false;
  int64_t used = 0;  // bytes of the file before buffer[from]
  bool zipped = false;
  bool inside = false;  // within a member
  z_stream stream = {};

  ~State() {
    if (zipped) inflateEnd(&stream);
    if (fd >= 0) ::close(fd);
  }

  Error At(const std::string& message) const {
    return BadInput(path, fmt::format("{} (byte {})", message, used));
  }

  // Reads until at least `least` bytes are available or the file ends.
  Result<void> Fill(size_t least) {
    std::memmove(buffer.data(), buffer.data() + from, to - from);
    to -= from;
    from = 0;
    while (to < least && !ended) {
      const ssize_t count = ::read(fd, buffer.data() + to, buffer.size() - to);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Usage(fmt::format("cannot read: {}", std::strerror(errno))).in(path);
      ended = count == 0;
      to += static_cast<size_t>(count);
    }
    return {};
  }

  bool AtMagic() const {
    return to - from >= sizeof(kGzipMagic) &&
           std::memcmp(&buffer[from], kGzipMagic, sizeof(kGzipMagic)) == 0;
  }

  void Use(size_t count) {
    from += count;
    used += static_cast<int64_t>(count);
  }

  Result<size_t> Inflate(std::span<char> into) {
    stream.next_out = reinterpret_cast<Bytef*>(into.data());
    stream.avail_out = static_cast<uInt>(into.size());
    while (stream.avail_out == into.size()) {
      if (from == to) TRY(Fill(1));
      if (from == to) {
        if (inside) return At("expected more gzip data, got the end of the file");
        return size_t{0};
      }
      if (!inside) {
        TRY(Fill(sizeof(kGzipMagic)));
        if (!AtMagic()) return At("expected the end of the file after the gzip data");
        inflateReset(&stream);
        inside = true;
      }
      stream.next_in = reinterpret_cast<Bytef*>(buffer.data() + from);
      stream.avail_in = static_cast<uInt>(to - from);
      const int status = inflate(&stream, Z_NO_FLUSH);
      Use(to - from - stream.avail_in);
      if (status == Z_STREAM_END) {
        inside = false;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return At(fmt::format("damaged gzip data: {}",
                              stream.msg != nullptr ? stream.msg : zError(status)));
      }
    }
    return into.size() - stream.avail_out;
  }
};

GzipReader::GzipReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
GzipReader::GzipReader(GzipReader&&) noexcept = default;
GzipReader& GzipReader::operator=(GzipReader&&) noexcept = default;
GzipReader::~GzipReader() = default;

Result<GzipReader> GzipReader::Open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (state->fd < 0 || ::fstat(state->fd, &status) != 0) return CannotOpen(path);
  if (S_ISDIR(status.st_mode)) return BadInput(path, "expected a file, got a folder");
  TRY(state->Fill(sizeof(kGzipMagic)));
  if (state->AtMagic()) {
    CHECK(inflateInit2(&state->stream, kGzipWindow) == Z_OK, "zlib has no memory");
    state->zipped = true;
  }
  return GzipReader(std::move(state));
}

Result<size_t> GzipReader::Read(std::span<char> into) {
  State& state = *state_;
  if (state.zipped) return state.Inflate(into.first(std::min<size_t>(into.size(), 1U << 30)));
  if (state.from == state.to) TRY(state.Fill(1));
  const size_t count = std::min(into.size(), state.to - state.from);
  std::memcpy(into.data(), state.buffer.data() + state.from, count);
  state.Use(count);
  return count;
}

std::string Gzip(const std::string& text) {
  z_stream stream = {};
  CHECK(deflateInit2(&stream, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib has no memory");
  std::string out;
  std::vector<char> piece(kBufferBytes);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  size_t left = text.size();
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    const size_t given = std::min<size_t>(left, 1U << 30);
    stream.avail_in = static_cast<uInt>(given);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      status = deflate(&stream, given == left ? Z_FINISH : Z_NO_FLUSH);
      out.append(piece.data(), piece.size() - stream.avail_out);
    } while (stream.avail_out == 0);
    left -= given - stream.avail_in;
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace metadist
