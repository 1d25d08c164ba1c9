// SPDX-License-Identifier: Apache-2.0
// Weights beside a model: the first line is `TYPE ELEMENTS OFFSET LENGTH`, the second the location,
// and the rest the contents of the file `data/w`. Whatever the request, only that file may be read,
// and only its bytes returned.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "importers/arrays/external_data.h"
#include "tests/fuzz/lines.h"

namespace metadist {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostElements = int64_t{1} << 40;

// The folder of a model, with a link to a file outside it.
fs::path MakeFolder() {
  const fs::path outside =
      fs::temp_directory_path() / ("metadist_external_fuzz_" + std::to_string(::getpid()));
  fs::remove_all(outside);
  fs::create_directories(outside / "model" / "data");
  std::ofstream(outside / "secret") << std::string(64, 's');
  fs::create_symlink(outside / "secret", outside / "model" / "link");
  return outside / "model";
}

void Check(std::string_view rest) {
  static const fs::path folder = MakeFolder();
  std::string_view line = TakeUntil('\n', rest);
  const auto element = ParseElementType(TakeUntil(' ', line));
  const int64_t elements = NumberOf(TakeUntil(' ', line));
  const int64_t offset = NumberOf(TakeUntil(' ', line));
  if (!element || elements < 0 || elements > kMostElements) return;
  const std::string location(TakeUntil('\n', rest));
  std::ofstream(folder / "data" / "w", std::ios::binary)
      .write(rest.data(), static_cast<std::streamsize>(rest.size()));
  ExternalData data(folder.string());
  const TensorType type{*element, {elements}};
  const auto read = data.Read(
      type, location, offset, line.empty() ? std::nullopt : std::optional(NumberOf(line)));
  if (!read.ok() || !read.value().has_data() || type.bytes() == 0) return;
  CHECK(fs::weakly_canonical(folder / location) == fs::weakly_canonical(folder / "data" / "w"),
        "another file was read");
  CHECK(*element == ElementType::kBool ||
            std::memcmp(
                read.value().bytes(), rest.data() + offset, static_cast<size_t>(type.bytes())) == 0,
        "other bytes than the file's");
}

}  // namespace
}  // namespace metadist

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  metadist::Check(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
