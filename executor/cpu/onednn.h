// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// The one engine; its primitive cache is shared by all ranks.
const dnnl::engine& Engine();

// Held where oneDNN may generate code: where a primitive is made, and when it first runs. The
// library does not look whether it got memory for that, so one rank at a time does it, and only
// with room to spare. Throws std::bad_alloc where there is none.
class GeneratesCode {
 public:
  GeneratesCode();

 private:
  std::lock_guard<std::mutex> turn_;
};

// One argument of a primitive: which (DNNL_ARG_*), and where its bytes come from at run time.
struct OneDnnArgument {
  int id = 0;
  dnnl::memory::desc desc;
  int input = -1;     // index among the call's inputs, or
  int output = -1;    // index among its outputs, or neither: the scratch memory
  int64_t begin = 0;  // bytes of the scratch memory before it
};

// A runner of the primitive. It allocates nothing; the scratchpad is the caller's scratch, behind
// the first `scratch_begin` bytes.
Prepared BindOneDnn(const dnnl::primitive& primitive,
                    const dnnl::memory::desc& scratchpad,
                    std::vector<OneDnnArgument> arguments,
                    int64_t scratch_begin = 0);

// Whether the library would use the loops that it keeps for what nothing else takes.
bool IsSlow(const dnnl::primitive_desc_base& desc);

// The same array in whatever order a primitive likes best.
dnnl::memory::desc AnyOrder(const dnnl::memory::desc& desc);
// What brings an operand from one order into another.
Packing PackOneDnn(size_t input, const dnnl::memory::desc& from, const dnnl::memory::desc& to);

// Attributes with the scratchpad given by the caller.
dnnl::primitive_attr UserScratchpad();

// Runs `prepare`; what the library throws becomes a Decline.
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
