// SPDX-License-Identifier: Apache-2.0
#include "importers/importer.h"

#include <fmt/format.h>

#include <utility>

#include "importers/sniff.h"

namespace metadist {

#define IMPORTER(name) extern const ImporterDef kImporter_##name;
#include "importers/importers.def"
#undef IMPORTER

const std::vector<const ImporterDef*>& Importers() {
  static const std::vector<const ImporterDef*> all = {
#define IMPORTER(name) &kImporter_##name,
#include "importers/importers.def"
#undef IMPORTER
  };
  return all;
}

Result<Imported> ImportModel(const std::string& path, const ImportOptions& options) {
  const FileMap file = TRY(FileMap::Open(path));
  for (const ImporterDef* importer : Importers()) {
    if (importer->sniff(file)) return importer->import(file, options).in(path);
  }
  std::string known;
  for (const ImporterDef* importer : Importers())
    known +=
        fmt::format("{}{} ({})", known.empty() ? "" : ", ", importer->name, importer->extensions);
  return BadInput(path,
                  "expected a model, got " + DescribeBytes(file.bytes()),
                  "formats that can be read: " + known);
}

}  // namespace metadist
