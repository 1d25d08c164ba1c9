// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512F (executor/layer.cmake): no template or inline function from elsewhere may
// be instantiated here, because the linker could use that copy for the whole program.
#include "executor/cpu/turned_lines.h"

#include "executor/cpu/turn_square.h"

namespace metadist::cpu {

template <typename T>
void LineSquare<T>::Turn(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step) {
  TurnSquare<T, 64>::Turn(from, from_step, to, to_step);
}

template struct LineSquare<uint32_t>;
template struct LineSquare<uint64_t>;

}  // namespace metadist::cpu
