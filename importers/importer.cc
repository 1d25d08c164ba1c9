// SPDX-License-Identifier: Apache-2.0
#include "importers/importer.h"

#include <fmt/format.h>

#include "importers/sniff.h"

namespace metadist {

#define IMPORTER(name) extern const ImporterDef kImporter_##name;
#include "importers/importers.def"
#undef IMPORTER

namespace {

constexpr const ImporterDef* kImporters[] = {
#define IMPORTER(name) &kImporter_##name,
#include "importers/importers.def"
#undef IMPORTER
};

}  // namespace

Result<Imported> ImportModel(const std::string& path, const ImportOptions& options) {
  const FileMap file = TRY(FileMap::Open(path));
  for (const ImporterDef* importer : kImporters) {
    if (importer->sniff(file)) return importer->import(file, options).in(path);
  }
  std::string known;
  for (const ImporterDef* importer : kImporters)
    known +=
        fmt::format("{}{} ({})", known.empty() ? "" : ", ", importer->name, importer->extensions);
  return BadInput(path,
                  "expected a model, got " + DescribeBytes(file.bytes()),
                  "formats that can be read: " + known);
}

}  // namespace metadist
