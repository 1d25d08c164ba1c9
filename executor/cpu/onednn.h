// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// The only engine; its primitive cache is shared by all ranks.
const dnnl::engine& Engine();

// Held while oneDNN may generate code: when a primitive is made, and when it first runs. The
// library does not check whether it got memory for code, so only one rank does this at a time, and
// only if there is room to spare. Throws std::bad_alloc otherwise. Another thread may still take
// the room meanwhile: see FaultsWithoutMemory.
class GeneratesCode {
 public:
  GeneratesCode();
  ~GeneratesCode();
  GeneratesCode(const GeneratesCode&) = delete;
  GeneratesCode& operator=(const GeneratesCode&) = delete;

 private:
  std::lock_guard<std::mutex> turn_;
};

// One argument of a primitive: its id (DNNL_ARG_*), and the source of its bytes at run time.
struct OneDnnArgument {
  int id = 0;
  dnnl::memory::desc desc;
  int input = -1;     // index among the call's inputs, or
  int output = -1;    // index among its outputs; if neither, the scratch memory
  int64_t begin = 0;  // its offset in the scratch memory
};

// A runner of the primitive. It allocates nothing; the primitive's scratchpad is the caller's
// scratch, after its first `scratch_begin` bytes.
Prepared BindOneDnn(const dnnl::primitive& primitive,
                    const dnnl::memory::desc& scratchpad,
                    std::vector<OneDnnArgument> arguments,
                    int64_t scratch_begin = 0);

// Whether the library would use its reference loops, which it has for calls that no fast code
// supports.
bool IsSlow(const dnnl::primitive_desc_base& desc);

// The same array in the order that a primitive prefers.
dnnl::memory::desc AnyOrder(const dnnl::memory::desc& desc);
// A packing that reorders an operand.
Packing PackOneDnn(size_t input, const dnnl::memory::desc& from, const dnnl::memory::desc& to);

// Attributes with a scratchpad supplied by the caller.
dnnl::primitive_attr UserScratchpad();

// Runs `prepare`; exceptions of the library become a Decline.
template <typename Function>
Prepared CatchOneDnn(Function&& prepare) {
  try {
    const GeneratesCode turn;
    return prepare();
  } catch (const dnnl::error& error) {
    return Decline(error.what());
  }
}

}  // namespace metadist::cpu
