// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "planner/rules/probe/black_box.h"
#include "planner/rules/probe/random.h"

namespace metadist {

// Kinds of inputs; each shows differences that others hide.
enum class InputMode : uint8_t {
  kNormal,    // signed, magnitudes over several scales
  kIntegers,  // -3..3: sums and products are exact; bools fair
  kNegative,  // all negative, integers odd; bools nearly all false
  kSmall,     // about 1e-3: nothing saturates
  kUp,        // ascending; indices all at the end; bools all true
  kDown,      // descending; indices all 0; bools all false
  kTies,      // -1..1; bools nearly all true; indices all equal
  kOneShard,  // nonzero in the focused part only; a single true
  kOffset,    // the focused part much lower
  kOneTrue,   // bools: a single true; numbers as kIntegers
  kOneFalse,  // bools: a single false; numbers as kIntegers
  kEdges,     // extremes of the call's element types: zeros of both signs, infinities, NaN,
              // integers that wrap; ties
  kTiny,      // subnormals of the call's element types and zeros among larger numbers
  kNans,      // the focused part is NaN
  kMeet,      // as kNormal; indices all equal
  kSpread,    // the focused part so large, and the rest so small, that products of a few overflow
              // or underflow
};

inline constexpr int kNumInputModes = 16;

// The part of an input to which kOneShard, kOffset, kNans and kSpread apply.
struct Focus {
  int dim = 0;
  std::vector<int64_t> indices;
};

// Draws inputs that are legal for a call.
class Sampler {
 public:
  Sampler(BlackBox& box, uint64_t seed);

  // One array of compute type for each tensor input. False: the domain has no such values.
  bool Draw(std::span<const int64_t> values,
            InputMode mode,
            const std::map<int, Focus>& focus,
            std::vector<Tensor>& inputs);
  // One input, of any shape.
  bool DrawOne(size_t input, const Shape& shape, InputMode mode, const Focus* focus, Tensor& out);
  // New values for these indices along `dim` of an input; bools are flipped. Only the slab is drawn
  // if elements are independent of one another and of their positions.
  bool DrawSlab(size_t input,
                const Tensor& from,
                int dim,
                std::span<const int64_t> indices,
                InputMode mode,
                Tensor& out);
  // Arrays of indices in which every legal index occurs: how many it takes, and one of them, of
  // consecutive indices, in the shape of `out`. After a draw; the input's legal values are an index
  // or a range of integers.
  int64_t IndexTurns(size_t input) const;
  void DrawTurn(size_t input, int64_t turn, Tensor& out);
  // Whether all elements of an input must differ. If not, elements of different draws can be mixed.
  bool MustDiffer(size_t input) const { return domains_[input].distinct; }
  // Whether NaN is a legal value of an input.
  bool TakesNans(size_t input) const {
    return domains_[input].kind == InputDomain::Kind::kAny &&
           box_.element_class(input) == ElementClass::kFloat;
  }
  // Loads the legal values for these sizes; Draw does so itself.
  void SetDomains(std::span<const int64_t> values);

  // False: the mode draws the same inputs as another one, since the call has no bools, or no
  // indices (known after a draw).
  bool Tells(InputMode mode) const {
    if (mode == InputMode::kMeet) return has_indices_;
    return has_bools_ || !(mode == InputMode::kOneTrue || mode == InputMode::kOneFalse);
  }

  SplitMix& random() { return random_; }

 private:
  void Fill(InputMode mode, std::span<double> x);
  void DrawEdges(size_t input, InputMode mode, Tensor& out);
  bool DrawIndices(const InputDomain& domain, InputMode mode, Tensor& out);
  // Lowest and highest legal index, by column of an array of indices.
  std::vector<std::pair<int64_t, int64_t>> IndexRanges(const InputDomain& domain) const;
  void DrawBools(InputMode mode, Tensor& out);
  void DrawNumbers(const InputDomain& domain, InputMode mode, const Focus* focus, Tensor& out);

  BlackBox& box_;
  SplitMix random_;
  bool has_bools_ = false;
  bool has_indices_ = false;
  std::vector<InputDomain> domains_;
  std::vector<int64_t> special_;  // integers of the call that may be indices
  std::vector<Shape> shapes_;     // of the inputs, when domains_ was made
};

}  // namespace metadist
