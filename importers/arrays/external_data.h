// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "importers/file_map.h"
#include "metair/ir/tensor.h"

namespace metadist {

// Weights in files beside the model. A location is untrusted: only regular files below the model's
// folder are opened, reached without `..` and without symbolic links.
class ExternalData {
 public:
  // folder: of the model file; "" = the current one.
  explicit ExternalData(std::string folder) : folder_(std::move(folder)) {}

  // The tensor at `offset` of the file `location`, mapped rather than copied (copied if the offset
  // is not aligned to the element). A file that does not exist gives an absent tensor. length: as
  // stated by the model; nothing = as many bytes as the type has. Errors: kBadInput for a location
  // that is refused, a length that differs from the type's, or a range beyond the end of the file.
  Result<Tensor> Read(const TensorType& type,
                      const std::string& location,
                      int64_t offset,
                      std::optional<int64_t> length);

  // Sizes of the files read so far, by location; -1 = absent.
  std::map<std::string, int64_t> sizes() const;

 private:
  // Nothing if the file does not exist.
  Result<std::optional<FileMap>> Open(const std::string& location);

  std::string folder_;
  std::map<std::string, std::optional<FileMap>> files_;
};

// Bools other than 0 and 1 are undefined behaviour in C++: returns a copy with 1 in their place if
// there are any, else the tensor itself.
Tensor WithCleanBools(Tensor tensor);

}  // namespace metadist
