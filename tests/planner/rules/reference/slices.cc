// SPDX-License-Identifier: Apache-2.0
// Dims of which a part is removed, that are extended, or that are resized to a given size.
#include <limits>

#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {

std::vector<ReferenceCase> SliceCases() {
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const std::string moves = " linear={0} max={0} min={0}";
  return {
      {"M8",
       "slice_of_both_ends",
       Known("Slice"),
       {.inputs = {Floats({12, 40}), Literal({1}), Literal({-1}), Literal({1})}},
       "([a,b])->([a,b]) halo={b:0/2}" + moves},
      {"M8",
       "slice_without_the_first",
       Known("Slice"),
       {.inputs = {Floats({12, 41}), Literal({1}), Literal({kEnd}), Literal({1})}},
       "([a,b])->([a,b]) within={b:1} halo={b:-1/1}" + moves},
      {"M8",
       "pad_and_crop",
       Known("Pad"),
       {.inputs = {Floats({12, 40}), Literal({0, 1, 0, -2})}},
       "([a,b])->([a,b]) halo={b:1/1}" + moves},
      {"M8",
       "pad_with_a_mirror",
       Known("Pad"),
       {.inputs = {Floats({12, 40}), Literal({0, 2, 0, 1})},
        .attributes = {{"mode", std::string("reflect")}}},
       "([a,b])->([a,b]) halo={b:2/-2} least={b:5}" + moves},
      {"M8",
       "resize_to_sizes",
       Known("Resize"),
       {.inputs =
            {Floats({4, 6, 7, 7}), {.present = false}, {.present = false}, Literal({4, 6, 11, 9})},
        .attributes = {{"mode", std::string("linear")}}},
       "([a,b,_,_])->([a,b,_,_]) attr={a,b} linear={0}"},
      {"M7",
       "resize_to_multiples",
       Known("Resize"),
       {.inputs =
            {Floats({4, 6, 7, 7}), {.present = false}, {.present = false}, Literal({4, 6, 14, 21})},
        .attributes = {{"mode", std::string("linear")}}},
       "([a,b,c,d])->([a,b,(c 2),(d 3)]) attr={a,b,c,d} halo={c:1/1,d:1/1} crop={c:2/2,d:3/3} "
       "linear={0}"},
      {"M8",
       "slice_to_a_stated_end",
       Known("Slice"),
       {.inputs = {Floats({12, 40}), Literal({2}), Literal({39}), Literal({1})}},
       "([a,b])->([a,b]) within={b:2,b:1} halo={b:-2/2}" + moves},
      {"M8",
       "center_crop",
       Known("CenterCropPad"),
       {.inputs = {Floats({12, 40}), Literal({12, 38})}},
       "([a,b])->([a,b]) attr={a,b} halo={b:0/2}" + moves},
      {"M8",
       "center_pad",
       Known("CenterCropPad"),
       {.inputs = {Floats({12, 40}), Literal({12, 43})}},
       "([a,b])->([a,b]) attr={a,b} halo={b:1/0} crop={b:1/3}" + moves},
  };
}

}  // namespace metadist::testing
