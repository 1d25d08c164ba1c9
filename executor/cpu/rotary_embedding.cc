// SPDX-License-Identifier: Apache-2.0
// Rotates pairs of elements of each head by the angle of their position.
#include "executor/cpu/indices.h"
#include "executor/cpu/makers.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/heads.h"

namespace metadist::cpu {
namespace {

struct Rotation {
  Heads x;
  int64_t pairs = 0;
  int64_t rows = 0;  // of the table
  bool interleaved = false;
  bool wide = false;
};

METADIST_MULTIVERSION
void Turn(int64_t pairs, const float* x, const float* cos, const float* sin, float* y) {
  for (int64_t i = 0; i < pairs; ++i) {
    const float a = x[i];
    const float b = x[i + pairs];
    y[i] = a * cos[i] - b * sin[i];
    y[i + pairs] = a * sin[i] + b * cos[i];
  }
}

METADIST_MULTIVERSION
void TurnNeighbours(int64_t pairs, const float* x, const float* cos, const float* sin, float* y) {
  for (int64_t i = 0; i < pairs; ++i) {
    const float a = x[2 * i];
    const float b = x[2 * i + 1];
    y[2 * i] = a * cos[i] - b * sin[i];
    y[2 * i + 1] = a * sin[i] + b * cos[i];
  }
}

Result<void> Run(const Rotation& r, const KernelArgs& args) {
  auto* const y = args.out();
  const bool placed = args.in_or_null(3) != nullptr;
  for (int64_t place = 0; place < r.x.batch * r.x.sequence; ++place) {
    const int64_t given = placed ? Indices{args.inputs[3], r.wide}[place] : place;
    const int64_t row = given < 0 ? given + r.rows : given;
    if (row < 0 || row >= r.rows) return OutOfRange(given, r.rows);
    for (int64_t h = 0; h < r.x.heads; ++h) {
      const int64_t at = r.x.at(place / r.x.sequence, h, place % r.x.sequence, 0);
      const auto turn = r.interleaved ? TurnNeighbours : Turn;
      turn(
          r.pairs, args.in(0) + at, args.in(1) + row * r.pairs, args.in(2) + row * r.pairs, y + at);
      for (int64_t i = 2 * r.pairs; i < r.x.size; ++i) y[at + i] = args.in(0)[at + i];
    }
  }
  return {};
}

}  // namespace

Prepared RotaryEmbedding(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Attributes& attributes = site.attributes();
  const auto heads = HeadsOf(
      site.shape(0), site.shape(0).size() == 3 ? attributes.Int("num_heads", 0) : 0, "num_heads");
  if (!heads.ok()) return Decline(heads.error().message);
  if (site.call->has(3) && !IsIndex(site.element(3))) return Decline("no index type");
  Rotation rotation{heads.value()};
  rotation.pairs = site.shape(1).back();
  if (rotation.pairs == 0) return Decline("nothing to rotate");
  rotation.rows = NumElements(site.shape(1)) / rotation.pairs;
  rotation.interleaved = attributes.Int("interleaved", 0) != 0;
  rotation.wide = site.call->has(3) && site.element(3) == ElementType::kI64;
  return Accept("rows", [rotation](const KernelArgs& args) { return Run(rotation, args); });
}

}  // namespace metadist::cpu
