// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/tensor.h"

namespace metadist {

// One .npy file held in memory: versions 1 to 3, little endian (or one-byte) elements, C or Fortran
// order. Element types: those of metadist; bf16 is stored as two raw bytes ('V2'), as ml_dtypes
// does. Errors: kBadInput.
Result<Tensor> ParseNpy(std::span<const std::byte> bytes);

// Reads an .npz archive (stored or deflated), with names without ".npy", or one .npy file (name:
// the file's stem). Inflation is limited to the size that each array's own header declares;
// duplicate names are refused. Errors: kUsage if the file cannot be opened, kBadInput otherwise;
// the error's place is the path.
Result<NamedTensors> ReadArrays(const std::string& path);

// The bytes of an .npz archive, members stored in the given order; the same arrays give the same
// bytes.
std::string NpzBytes(const std::vector<std::pair<std::string, Tensor>>& arrays);

// The bytes of one .npy file (version 1, C order).
std::string NpyBytes(const Tensor& tensor);

}  // namespace metadist
