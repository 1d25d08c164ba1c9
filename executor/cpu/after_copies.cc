// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/after_copies.h"

#include "executor/cpu/strided_copy.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kAlignment = 64;

// An operand that is copied to offset `at` of the scratch memory.
struct Copied {
  size_t input;
  StridedCopy copy;
  int64_t at;
};

}  // namespace

Prepared AfterCopies(const KernelSite& site) {
  std::vector<Copied> copies;
  int64_t bytes = 0;
  for (size_t i = 0; i < site.call->inputs.size(); ++i) {
    if (!site.strided(i)) continue;
    const TensorType& type = site.call->type(i);
    const auto copy = StridedCopy::Make(
        type.shape, ByteSize(type.element), {site.strides[i]}, {Strides(type.shape)});
    if (!copy) return Decline("too many dims");
    copies.push_back({i, *copy, bytes});
    bytes += (type.bytes() + kAlignment - 1) / kAlignment * kAlignment;
  }
  KernelSite dense = site;
  dense.strides.clear();
  dense.free_bytes = std::max<int64_t>(site.free_bytes - bytes, 0);
  Prepared prepared = Prepare(dense);
  prepared.scratch_bytes += bytes;
  // The runner may own the operand list, because it runs in one thread at a time.
  prepared.run = [copies,
                  bytes,
                  run = std::move(prepared.run),
                  inputs = std::vector<const std::byte*>()](const KernelArgs& args) mutable {
    inputs.assign(args.inputs.begin(), args.inputs.end());
    for (const Copied& copied : copies) {
      std::byte* const to = args.scratch + copied.at;
      copied.copy.Run(args.inputs[copied.input], to);
      inputs[copied.input] = to;
    }
    return run({inputs, args.outputs, args.scratch + bytes});
  };
  return prepared;
}

}  // namespace metadist::cpu
