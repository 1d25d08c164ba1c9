// SPDX-License-Identifier: Apache-2.0
// Reading ONNX files: parsing, shapes, folding, and the hash of the file.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "importers/importer.h"

namespace metadist {
namespace {

void Import(benchmark::State& state, const char* name) {
  const std::string path = std::string(METADIST_SOURCE_DIR "/models/") + name;
  int64_t nodes = 0;
  for ([[maybe_unused]] auto _ : state) nodes = ImportModel(path, {}).value().nodes;
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(std::filesystem::file_size(path)));
  state.counters["nodes"] = static_cast<double>(nodes);
}
BENCHMARK_CAPTURE(Import, gpt2, "gpt2.onnx")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Import, resnet, "resnet.onnx")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace metadist
