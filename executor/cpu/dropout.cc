// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "executor/cpu/makers.h"
#include "executor/cpu/random_lines.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

struct DropLine {
  const float* x;
  float* y;    // nullptr: not requested
  bool* mask;  // the same
  int64_t count;
  uint64_t least;  // an element is kept if its 53 random bits are at least this
  double scale;
};

// The arithmetic matches the reference kernel, in f64, so results are bit-identical.
METADIST_MULTIVERSION
void Drop(RandomLine line, const DropLine& drop) {
  uint64_t bits[kRandomChunk];
  for (int64_t done = 0; done < drop.count; done += kRandomChunk) {
    const int64_t some = std::min(kRandomChunk, drop.count - done);
    philox::FillLine(line, some, bits);
    for (int64_t i = 0; drop.y != nullptr && i < some; ++i) {
      const auto scaled = static_cast<float>(static_cast<double>(drop.x[done + i]) * drop.scale);
      drop.y[done + i] = bits[i] >> 11 >= drop.least ? scaled : 0;
    }
    if (drop.mask != nullptr)
      for (int64_t i = 0; i < some; ++i) drop.mask[done + i] = bits[i] >> 11 >= drop.least;
    line.first += some;
  }
}

bool Trains(const OpCall& call) { return call.has(2) && call.inputs[2].constant->ToInts()[0] != 0; }

}  // namespace

Prepared DropoutInInference(const KernelSite& site) {
  if (Trains(*site.call)) return Decline("drops at random");
  const int64_t count = NumElements(site.shape(0));
  const int64_t bytes = count * ByteSize(site.element(0));
  return Accept("copy", [count, bytes](const KernelArgs& args) {
    if (bytes > 0 && args.outputs[0] != nullptr)
      std::memcpy(args.outputs[0], args.inputs[0], static_cast<size_t>(bytes));
    if (args.out_or_null(1) != nullptr) std::fill_n(args.outputs[1], count, std::byte{1});
  });
}

Prepared DropoutInTraining(const KernelSite& site) {
  const OpCall& call = *site.call;
  if (!Trains(call)) return Decline("keeps everything");
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const bool given = call.has(1);
  const bool wide = given && site.element(1) == ElementType::kF64;
  if (given && !wide && site.element(1) != ElementType::kF32) return Decline("only an f32 ratio");
  const KeySource key(site);
  if (!key.ok()) return Decline("the key is not i64");
  const CounterRandom random(site.shape(0), site.attributes().Ints("start"));
  return Accept("lines", [=](const KernelArgs& args) {
    double ratio = 0.5;
    if (wide) std::memcpy(&ratio, args.inputs[1], sizeof(ratio));
    if (given && !wide) ratio = *args.in(1);
    // Above 1 or NaN: nothing is kept.
    const uint64_t least = !(ratio <= 1) ? uint64_t{1} << 53
                           : ratio <= 0  ? 0
                                         : static_cast<uint64_t>(std::ceil(ratio * 0x1p53));
    const auto* x = args.in(0);
    auto* y = args.out();
    auto* mask = args.out_or_null<bool>(1);
    ForEachLine(random, key.At(args), [&](const RandomLine& line, int64_t at) {
      Drop(line,
           {x + at,
            y == nullptr ? nullptr : y + at,
            mask == nullptr ? nullptr : mask + at,
            random.length(),
            least,
            1 / (1 - ratio)});
    });
  });
}

}  // namespace metadist::cpu
