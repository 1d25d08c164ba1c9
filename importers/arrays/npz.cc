// SPDX-License-Identifier: Apache-2.0
#include "importers/arrays/npz.h"

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "importers/file_map.h"
#include "importers/sniff.h"
#include "metair/ir/check.h"

namespace metadist {
namespace {

// Deflate cannot compress more than this, so a member that claims a higher ratio is invalid.
constexpr uint64_t kLargestRatio = 1032;
constexpr size_t kLongestName = 4096;

struct CloseZip {
  void operator()(void* zip) const { unzClose(zip); }
};

// Inflates the current member. Its declared size is trusted only as far as the archive can contain
// it.
Result<std::vector<std::byte>> Inflate(void* zip, const unz_file_info64& info, uint64_t archive) {
  if (info.compressed_size > archive ||
      info.uncompressed_size > info.compressed_size * kLargestRatio + kLargestRatio)
    return BadInput(
        "", fmt::format("its declared size of {} bytes is impossible", info.uncompressed_size));
  if (unzOpenCurrentFile(zip) != UNZ_OK) return BadInput("", "it cannot be inflated");
  std::vector<std::byte> bytes(static_cast<size_t>(info.uncompressed_size));
  size_t filled = 0;
  int got = 1;
  while (filled < bytes.size() && got > 0) {
    const size_t want = std::min<size_t>(bytes.size() - filled, 1 << 30);
    got = unzReadCurrentFile(zip, bytes.data() + filled, static_cast<unsigned>(want));
    filled += got > 0 ? static_cast<size_t>(got) : 0;
  }
  const int closed = unzCloseCurrentFile(zip);
  if (filled != bytes.size()) return BadInput("", "it is truncated or damaged");
  if (closed == UNZ_CRCERROR) return BadInput("", "its checksum is wrong");
  return bytes;
}

Result<void> ReadMember(void* zip, uint64_t archive, NamedTensors* arrays) {
  unz_file_info64 info = {};
  std::string name(kLongestName, '\0');
  if (unzGetCurrentFileInfo64(zip, &info, name.data(), kLongestName, nullptr, 0, nullptr, 0) !=
          UNZ_OK ||
      info.size_filename >= kLongestName)
    return BadInput("", "the archive's directory is damaged");
  name.resize(info.size_filename);
  const std::string where = fmt::format("member '{}'", name);
  if (name.size() > 4 && name.substr(name.size() - 4) == ".npy") name.resize(name.size() - 4);
  auto bytes = Inflate(zip, info, archive);
  if (!bytes.ok()) return std::move(bytes).error().in(where);
  auto tensor = ParseNpy(bytes.value());
  if (!tensor.ok()) return std::move(tensor).error().in(where);
  if (!arrays->emplace(name, std::move(tensor).value()).second)
    return BadInput(where, "two members have this name");
  return {};
}

Result<NamedTensors> ReadArchive(const std::string& path, uint64_t size) {
  const std::unique_ptr<void, CloseZip> zip(unzOpen64(path.c_str()));
  if (zip == nullptr) return BadInput("", "the archive is truncated or damaged");
  NamedTensors arrays;
  int status = unzGoToFirstFile(zip.get());
  while (status == UNZ_OK) {
    TRY(ReadMember(zip.get(), size, &arrays));
    status = unzGoToNextFile(zip.get());
  }
  if (status != UNZ_END_OF_LIST_OF_FILE) return BadInput("", "the archive's directory is damaged");
  return arrays;
}

// An archive that is written to memory, for minizip. `at` may be moved back to mend a header.
struct Archive {
  std::string bytes;
  size_t at = 0;

  static Archive& Of(void* stream) { return *static_cast<Archive*>(stream); }

  static uLong Write(void* /*user*/, void* stream, const void* from, uLong count) {
    Archive& self = Of(stream);
    self.bytes.resize(std::max<size_t>(self.bytes.size(), self.at + count));
    std::copy_n(static_cast<const char*>(from), count, self.bytes.data() + self.at);
    self.at += count;
    return count;
  }

  static ZPOS64_T Tell(void* /*user*/, void* stream) { return Of(stream).at; }

  static long Seek(void* /*user*/, void* stream, ZPOS64_T offset, int origin) {
    Archive& self = Of(stream);
    const size_t from = origin == ZLIB_FILEFUNC_SEEK_CUR   ? self.at
                        : origin == ZLIB_FILEFUNC_SEEK_END ? self.bytes.size()
                                                           : 0;
    self.at = from + offset;
    return 0;
  }

  zlib_filefunc64_def Functions() {
    zlib_filefunc64_def out = {};
    out.zopen64_file = [](void* user, const void*, int) { return user; };
    out.zwrite_file = Write;
    out.ztell64_file = Tell;
    out.zseek64_file = Seek;
    out.zclose_file = [](void*, void*) { return 0; };
    out.zerror_file = [](void*, void*) { return 0; };
    out.opaque = this;
    return out;
  }
};

bool WriteMember(zipFile zip, const std::string& name, const std::string& bytes) {
  zip_fileinfo info = {};
  // 1980-01-01, the first day of the format: the same arrays give the same bytes.
  info.tmz_date.tm_mday = 1;
  info.tmz_date.tm_year = 1980;
  const bool large = bytes.size() >= 0xffffffffu;
  if (zipOpenNewFileInZip64(zip,
                            (name + ".npy").c_str(),
                            &info,
                            nullptr,
                            0,
                            nullptr,
                            0,
                            nullptr,
                            /*method=*/0,
                            /*level=*/0,
                            large ? 1 : 0) != ZIP_OK)
    return false;
  for (size_t at = 0; at < bytes.size();) {
    const size_t piece = std::min<size_t>(bytes.size() - at, 1 << 30);
    if (zipWriteInFileInZip(zip, bytes.data() + at, static_cast<unsigned>(piece)) != ZIP_OK)
      return false;
    at += piece;
  }
  return zipCloseFileInZip(zip) == ZIP_OK;
}

}  // namespace

Result<NamedTensors> ReadArrays(const std::string& path) {
  const FileMap file = TRY(FileMap::Open(path));
  const std::string kind = DescribeBytes(file.bytes());
  if (kind == "a NumPy array") {
    Tensor tensor = TRY(ParseNpy(file.bytes()).in(path));
    return NamedTensors{{std::filesystem::path(path).stem().string(), std::move(tensor)}};
  }
  if (kind == kEmptyArchive) return NamedTensors{};
  if (kind.rfind("a zip archive", 0) != 0)
    return BadInput(path, "expected NumPy arrays (.npz or .npy), got " + kind);
  return ReadArchive(path, file.bytes().size()).in(path);
}

std::string NpzBytes(const std::vector<std::pair<std::string, Tensor>>& arrays) {
  Archive archive;
  zlib_filefunc64_def functions = archive.Functions();
  zipFile zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  CHECK(zip != nullptr, "an archive in memory can be written");
  bool good = true;
  for (const auto& [name, tensor] : arrays) good = good && WriteMember(zip, name, NpyBytes(tensor));
  good = zipClose(zip, nullptr) == ZIP_OK && good;
  CHECK(good, "an archive in memory can be written");
  return std::move(archive.bytes);
}

}  // namespace metadist
