// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "importers/file_map.h"
#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

namespace metadist {

struct ImportOptions {
  std::map<std::string, int64_t> binds = {};  // sizes of symbolic dims: --bind batch=8
  // Shapes of inputs that the file leaves open; also binds the symbolic sizes in them.
  std::map<std::string, Shape> shapes = {};
  // Inputs with known elements, which become constants: required for inputs that shapes depend on.
  NamedTensors constants = {};
  bool strict = false;  // unknown operators are errors
  // Of a model to train: patterns of trained parameters. Small initializers that may hold weights
  // are parameters then, not constants (SmallWeights).
  std::optional<std::vector<std::string>> trainable = {};
  const OpTable* ops = nullptr;  // nullptr: the built-in table
};

struct Imported {
  Graph graph;           // every symbolic size bound, every value typed, constants folded
  std::string format;    // "onnx"
  std::string version;   // "opset 20, IR 10"
  std::string producer;  // "pytorch 2.13.0"; may be empty
  std::string hash;      // "sha256:..." of the model file and the sizes of its external data
  std::vector<std::string> warnings;
  std::map<std::string, int> opaque;  // uses of operators that are not in the table
  int64_t nodes = 0;                  // in the file, with model functions inlined
  int64_t absent_bytes = 0;           // of parameters whose data files do not exist
};

// Reads a model of any known format; the format is determined from the content. Errors, all
// problems joined, with the path as place:
//  kUsage    no such file; a size without --bind; an unused --bind
//  kBadInput not a model (the message says what the file looks like), damaged, unsupported
Result<Imported> ImportModel(const std::string& path, const ImportOptions& options);

// One format, defined in a file importers/<name>.cc and one line of importers.def.
struct ImporterDef {
  const char* name;
  const char* extensions;  // for help texts: ".onnx"
  // True if the bytes are of this format, even if truncated.
  bool (*sniff)(const FileMap& file);
  // Errors need not contain the file's name.
  Result<Imported> (*import)(const FileMap& file, const ImportOptions& options);
};

}  // namespace metadist
