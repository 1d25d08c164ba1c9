// SPDX-License-Identifier: Apache-2.0
#include "importers/sniff.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace metadist {
namespace {

struct Magic {
  std::string_view start;
  std::string_view meaning;
};

using namespace std::string_view_literals;

constexpr std::array kMagics = {
    Magic{"PK\x05\x06"sv, kEmptyArchive},
    Magic{"\x93NUMPY"sv, "a NumPy array"sv},
    Magic{"\x1f\x8b"sv, "a gzip file"sv},
    Magic{"\x7f"
          "ELF"sv,
          "a program or library"sv},
    Magic{"\x89HDF"sv, "an HDF5 file (Keras?)"sv},
    Magic{"\x89PNG"sv, "a picture"sv},
    Magic{"GGUF"sv, "a GGUF file"sv},
    Magic{"\x80\x02"sv, "a pickle (an old PyTorch checkpoint?)"sv},
    Magic{"\x80\x03"sv, "a pickle"sv},
    Magic{"\x80\x04"sv, "a pickle"sv},
    Magic{"\x80\x05"sv, "a pickle"sv},
    Magic{"version https://git-lfs"sv, "a Git LFS pointer: the file itself was not fetched"sv},
};

// The names of a zip archive's members are in its central directory, uncompressed.
std::string DescribeZip(std::string_view text) {
  const auto has = [&](std::string_view name) { return text.find(name) != text.npos; };
  if (has("archive_format") && has("models/")) return "a zip archive (torch.export, .pt2)";
  if (has("constants.pkl")) return "a zip archive (TorchScript)";
  if (has("data.pkl")) return "a zip archive (a PyTorch checkpoint: weights without a program)";
  if (has(".npy")) return "a zip archive (NumPy arrays)";
  return "a zip archive";
}

bool IsText(std::string_view text) {
  const std::string_view start = text.substr(0, 4096);
  return std::all_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : c == '\n' || c == '\r' || c == '\t';
  });
}

}  // namespace

std::string DescribeBytes(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) return "an empty file";
  if (text.substr(0, 4) == "PK\x03\x04"sv) return DescribeZip(text);
  for (const Magic& magic : kMagics)
    if (text.substr(0, magic.start.size()) == magic.start) return std::string(magic.meaning);
  // safetensors: a length of eight bytes, then a JSON object.
  if (text.size() > 9 && text.substr(8, 2) == "{\""sv) return "a safetensors file (weights only)";
  if (!IsText(text)) return "unknown bytes";
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return "JSON text";
  return "text";
}

}  // namespace metadist
