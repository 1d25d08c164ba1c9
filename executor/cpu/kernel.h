// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist::cpu {

// One call to be prepared: local types, constants known.
struct KernelSite {
  const OpCall* call = nullptr;
  std::span<const TensorType> outputs;
  int64_t free_bytes = 0;  // memory that lies idle while the call runs, to be used as scratch

  const Shape& shape(size_t input) const { return call->shape(input); }
  ElementType element(size_t input) const { return call->type(input).element; }
  const TensorType& out(size_t output = 0) const { return outputs[output]; }
  const Attributes& attributes() const { return *call->attributes; }
};

struct KernelArgs {
  std::span<const std::byte* const> inputs;  // nullptr = left out
  std::span<std::byte* const> outputs;       // nullptr = not wanted
  std::byte* scratch = nullptr;              // scratch_bytes of it, aligned to 64
};

// A kernel bound to one call: shapes are settled, running it allocates nothing.
using Runner = std::function<Result<void>(const KernelArgs&)>;

struct Prepared {
  Runner run;  // empty: declined
  int64_t scratch_bytes = 0;
  std::string kernel;  // name of the variant, for reports
  std::string why;     // why it declined

  bool ok() const { return static_cast<bool>(run); }
};
Prepared Decline(std::string why);
Prepared Accept(std::string kernel, Runner run, int64_t scratch_bytes = 0);

// The fastest kernel that takes the call; the reference kernel takes them all. Calls of f16 and
// bf16 run the f32 kernel between conversions. Every kernel accumulates in f32 or wider.
Prepared Prepare(const KernelSite& site);
// The reference kernel alone.
Prepared PrepareReference(const KernelSite& site);

// How an operator that has a kernel of its own prepares it.
using Maker = Prepared (*)(const KernelSite& site);
struct KernelRow {
  const char* op;
  Maker make;
  // Models call it with a small number on the right, for which it is faster: what profiles measure.
  bool by_number = false;
};
// The rows of kernels.def, by operator, fastest first.
std::span<const KernelRow> KernelTable();

// Every rank is one thread, also inside the kernel library: teams inside ranks collapse when there
// are more ranks than cores. To be called once in each rank's thread.
void UseOneThread();

}  // namespace metadist::cpu
