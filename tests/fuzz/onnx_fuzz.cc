// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ONNX file give an error or a graph that passes the verifier, never a crash.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "importers/importer.h"
#include "metair/ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = (std::filesystem::temp_directory_path() /
                                   ("metadist_onnx_fuzz_" + std::to_string(::getpid())))
                                      .string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto imported = metadist::ImportModel(path, {.binds = {{"batch", 2}}});
  if (imported.ok() && !metadist::Verify(imported.value().graph).ok()) std::abort();
  return 0;
}
