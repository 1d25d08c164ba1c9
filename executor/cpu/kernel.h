// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist::cpu {

// The layout of an array's elements in a buffer. Strides in elements, by dim.
struct StridedView {
  std::vector<int64_t> strides;
  int64_t begin = 0;  // bytes before the first element
};

// A call to prepare: local types, known constants.
struct KernelSite {
  const OpCall* call = nullptr;
  std::span<const TensorType> outputs;
  int64_t free_bytes = 0;  // memory that is unused while the call runs, available as scratch
  // By input: strides if it is not row-major; empty or beyond the end: row-major.
  std::vector<std::vector<int64_t>> strides = {};

  // Of output 0, if it must not be row-major.
  std::vector<int64_t> out_strides = {};
  // By input: its elements never change and nothing else reads them; beyond the end: false.
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
  // Attribute `axis` as one of input 0; `absent` without it.
  Result<int64_t> Axis(int64_t absent) const {
    return NormalizeAxis(attributes().Int("axis", absent), call->rank(0));
  }
};

struct KernelArgs {
  std::span<const std::byte* const> inputs;  // nullptr: omitted
  std::span<std::byte* const> outputs;       // nullptr: not requested
  std::byte* scratch = nullptr;              // scratch_bytes of it, aligned to 64

  // An operand of the call as an array; nullptr: as above.
  template <typename T = float>
  const T* in(size_t i) const {
    return reinterpret_cast<const T*>(inputs[i]);
  }
  template <typename T = float>
  T* out(size_t i = 0) const {
    return reinterpret_cast<T*>(outputs[i]);
  }
  // The same; nullptr also if the call has no operand of that number.
  template <typename T = float>
  const T* in_or_null(size_t i) const {
    return i < inputs.size() ? in<T>(i) : nullptr;
  }
  template <typename T = float>
  T* out_or_null(size_t i) const {
    return i < outputs.size() ? out<T>(i) : nullptr;
  }
};

// An operand that the kernel needs in a special order, made once: `pack` writes it to `to`.
struct Packing {
  size_t input = 0;
  int64_t bytes = 0;
  std::function<void(const std::byte* from, std::byte* to)> pack;
};

// The most inputs of a kernel that runs on ranges.
inline constexpr size_t kMaxRangeInputs = 3;

// A kernel with one result whose elements can be computed independently, in any range, so that
// calls can alternate while a part of an array is in the cache.
struct RangeKernel {
  // Computes elements [begin, end) of output 0, in storage order. The pointers of the output and of
  // `along` inputs refer to element `begin`; other inputs are whole.
  using Run = std::function<void(const KernelArgs&, int64_t begin, int64_t end)>;
  Run run;  // empty: the kernel runs on whole arrays only
  std::array<bool, kMaxRangeInputs>
      along{};        // element i of the input corresponds to element i of the output
  int64_t count = 0;  // elements of output 0
};

// A kernel bound to one call: shapes are fixed, running it allocates nothing.
using Runner = std::function<Result<void>(const KernelArgs&)>;

struct Prepared {
  Runner run;  // empty: declined
  int64_t scratch_bytes = 0;
  std::string kernel;  // name of the variant, for reports
  std::string why;     // why it declined
  // Set if the call only moves elements: output 0 is this view of input 0, for kernels that read
  // strides.
  std::optional<StridedView> view = {};
  std::vector<Packing> packings = {};
  RangeKernel range = {};  // computes the same call in ranges; needs no scratch

  bool ok() const { return static_cast<bool>(run); }
};
Prepared Decline(std::string why);
Prepared Accept(std::string kernel, Runner run, int64_t scratch_bytes = 0);
Prepared Accept(std::string kernel, RangeKernel range);
// With a run that cannot fail.
template <typename Run>
  requires std::is_void_v<std::invoke_result_t<const Run&, const KernelArgs&>>
Prepared Accept(std::string kernel, Run run, int64_t scratch_bytes = 0) {
  Runner runner = [run = std::move(run)](const KernelArgs& args) -> Result<void> {
    run(args);
    return {};
  };
  return Accept(std::move(kernel), std::move(runner), scratch_bytes);
}

// make(T()) with the storage type of `element` if that is one of Types; declines otherwise.
template <typename... Types, typename Make>
Prepared ForTypes(ElementType element, Make make) {
  return VisitElementType(element, [&](auto zero) -> Prepared {
    if constexpr ((std::is_same_v<decltype(zero), Types> || ...)) return make(zero);
    return Decline("no loop for this element type");
  });
}

// The fastest kernel that accepts the call. The reference kernel accepts every call with row-major
// operands; operands in other layouts that no kernel reads are first copied into scratch memory.
// Calls with f16 or bf16 run the f32 kernel between conversions. Every kernel accumulates in f32 or
// wider.
Prepared Prepare(const KernelSite& site);
// The same, but declines if operands would have to be copied because they are not row-major.
Prepared PrepareStrided(const KernelSite& site);
// The reference kernel alone.
Prepared PrepareReference(const KernelSite& site);

// Prepares a kernel of one operator.
using Maker = Prepared (*)(const KernelSite& site);
struct KernelTraits {
  // How profiles measure the operator, if not on arrays of two dims. by_number: models call it with
  // a scalar on the right, for which it is faster.
  bool by_number = false;
  bool on_images = false;       // it reduces or scales the channels of images
  bool reads_strides = false;   // supports KernelSite::strides; other kernels never see such a site
  bool writes_strides = false;  // supports KernelSite::out_strides too, in the layout of input 0
  bool starts_layout = false;   // is faster if its output is channels-last
  bool makes_f32 = false;       // can produce f32 from f16 and bf16 operands
};
struct KernelRow {
  const char* op;
  Maker make;
  KernelTraits traits = {};
};
// The rows of kernels.def; those of one operator ordered fastest first.
std::span<const KernelRow> KernelTable();
// The operator's first row in the table; nullptr if it has none.
const KernelRow* RowOf(const OpDef& op);

// Restricts every rank to one thread, also inside the kernel library: thread teams inside ranks are
// very slow when there are more ranks than cores. Call once in each rank's thread.
void UseOneThread();

// Whether this thread runs a part of the kernel library that does not check whether it got memory:
// without memory it writes to address 0. Safe inside a signal handler.
bool FaultsWithoutMemory();

}  // namespace metadist::cpu
