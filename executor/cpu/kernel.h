// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist::cpu {

// How the elements of an array lie in a buffer. Strides in elements, by dim.
struct StridedView {
  std::vector<int64_t> strides;
  int64_t begin = 0;  // bytes before the first element
};

// One call to be prepared: local types, constants known.
struct KernelSite {
  const OpCall* call = nullptr;
  std::span<const TensorType> outputs;
  int64_t free_bytes = 0;  // memory that lies idle while the call runs, to be used as scratch
  // By input: its strides where it does not lie row by row; shorter or empty: it does.
  std::vector<std::vector<int64_t>> strides = {};

  // Of output 0, where it shall not lie row by row.
  std::vector<int64_t> out_strides = {};
  // By input: its elements never change and nothing else reads them; shorter: not so.
  std::vector<bool> owned = {};

  bool packable(size_t input) const {
    return input < owned.size() && owned[input] && !strided(input);
  }
  bool strided(size_t input) const { return input < strides.size() && !strides[input].empty(); }
  bool strided() const;  // any input
  std::vector<int64_t> StridesOf(size_t input) const;
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

// An operand that the kernel wants in an order of its own, made once: `pack` writes it to `to`.
struct Packing {
  size_t input = 0;
  int64_t bytes = 0;
  std::function<void(const std::byte* from, std::byte* to)> pack;
};

// How many inputs a kernel that runs on ranges may have.
inline constexpr size_t kMaxRangeInputs = 3;

// A kernel of one result whose elements depend on nothing but the operands: it computes any range
// of them, so that calls can take turns while a part of an array is in the cache.
struct RangeKernel {
  // Elements [begin, end) of output 0 in the order in which they lie. The output, and inputs that
  // go `along`, start with element `begin`; other inputs are whole.
  using Run = std::function<void(const KernelArgs&, int64_t begin, int64_t end)>;
  Run run;  // empty: the kernel runs on whole arrays only
  std::array<bool, kMaxRangeInputs>
      along{};        // element i of the input belongs to element i of the output
  int64_t count = 0;  // elements of output 0
};

// A kernel bound to one call: shapes are settled, running it allocates nothing.
using Runner = std::function<Result<void>(const KernelArgs&)>;

struct Prepared {
  Runner run;  // empty: declined
  int64_t scratch_bytes = 0;
  std::string kernel;  // name of the variant, for reports
  std::string why;     // why it declined
  // The call only moves elements: output 0 is this view of input 0, for whoever reads strides.
  std::optional<StridedView> view = {};
  std::vector<Packing> packings = {};
  RangeKernel range = {};  // the same call in parts; needs no scratch

  bool ok() const { return static_cast<bool>(run); }
};
Prepared Decline(std::string why);
Prepared Accept(std::string kernel, Runner run, int64_t scratch_bytes = 0);
Prepared Accept(std::string kernel, RangeKernel range);

// The fastest kernel that takes the call; the reference kernel takes all whose operands lie row by
// row, and other operands that no kernel reads are copied into scratch memory first. Calls of f16
// and bf16 run the f32 kernel between conversions. Every kernel accumulates in f32 or wider.
Prepared Prepare(const KernelSite& site);
// The same, or nothing where operands that do not lie row by row would have to be copied.
Prepared PrepareStrided(const KernelSite& site);
// The reference kernel alone.
Prepared PrepareReference(const KernelSite& site);

// How an operator that has a kernel of its own prepares it.
using Maker = Prepared (*)(const KernelSite& site);
struct KernelTraits {
  // What profiles measure, where that is not arrays of two dims. Models call it with a small number
  // on the right, for which it is faster.
  bool by_number = false;
  bool on_images = false;       // it folds or scales the channels of images
  bool reads_strides = false;   // looks at KernelSite::strides; others never see such a site
  bool writes_strides = false;  // looks at KernelSite::out_strides too: in the layout of input 0
  bool starts_layout = false;   // is faster where the channels of its output lie last
  bool makes_f32 = false;       // of f16 and bf16 operands, where asked to
};
struct KernelRow {
  const char* op;
  Maker make;
  KernelTraits traits = {};
};
// The rows of kernels.def, by operator, fastest first.
std::span<const KernelRow> KernelTable();
// The first row of the table that the operator has; nullptr: none.
const KernelRow* RowOf(const OpDef& op);

// Every rank is one thread, also inside the kernel library: teams inside ranks collapse when there
// are more ranks than cores. To be called once in each rank's thread.
void UseOneThread();

}  // namespace metadist::cpu
