// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of arrays, .npz or .npy, give an error or arrays.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "importers/arrays/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("metadist_npz_fuzz_" + std::to_string(::getpid())))
          .string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto arrays = metadist::ReadArrays(path);
  std::filesystem::remove(path);
  if (!arrays.ok()) return arrays.error().text().empty() ? 1 : 0;
  for (const auto& [name, tensor] : arrays.value())
    if (static_cast<int64_t>(tensor.ToDoubles().size()) != tensor.size()) std::abort();
  return 0;
}
