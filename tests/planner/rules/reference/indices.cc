// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {

std::vector<ReferenceCase> IndexCases() {
  const std::string moves = " linear={0} max={0} min={0}";
  const Attributes add{{"reduction", std::string("add")}};
  Attributes add_along_1 = add;
  add_along_1.set("axis", int64_t{1});
  return {
      {"M11",
       "embedding",
       Known("Gather"),
       {.inputs = {Floats({40, 6}), Integers({4, 10})}},
       "([a,b],[c,d])->([c,d,b]) reduction={a} off={a:1-}" + moves},
      {"M11",
       "index_select",
       Known("Gather"),
       {.inputs = {Floats({6, 40}), Integers({10})}, .attributes = {{"axis", int64_t{1}}}},
       "([a,b],[c])->([a,c]) reduction={b} off={b:1-}" + moves},
      {"M11",
       "index",
       Known("GatherND"),
       {.inputs = {Floats({8, 12, 6}), Integers({10, 2})}},
       "([a,b,c],[d,_])->([d,c]) reduction={a,b} off={a:1.0-,b:1.1-}" + moves},
      {"M12",
       "lower_triangle",
       Known("Trilu"),
       {.inputs = {Floats({4, 16, 16}), Literal({0})}, .attributes = {{"upper", int64_t{0}}}},
       "([a,b,c])->([a,b,c]) off={b:1+,c:1-}" + moves},
      {"M12",
       "lower_triangle_without_diagonals",
       Known("Trilu"),
       {.inputs = {Floats({16, 20}), Literal({-3})}, .attributes = {{"upper", int64_t{0}}}},
       "([a,b])->([a,b]) off={a:1+,b:1-}" + moves},
      {"M14",
       "scatter_add",
       Known("ScatterElements"),
       {.inputs = {Floats({6, 40}), Integers({6, 10}), Floats({6, 10})}, .attributes = add_along_1},
       "([a,b],[a,c],[a,c])->([a,b]) reduction={c} partial={0:c} off={b:1-} linear={0+2} max={0} "
       "min={0}"},
      {"M14",
       "index_put_accumulate",
       Known("ScatterND"),
       {.inputs = {Floats({40, 6}), Integers({10, 1}), Floats({10, 6})}, .attributes = add},
       "([a,b],[c,_],[c,b])->([a,b]) reduction={c} partial={0:c} off={a:1-} linear={0+2} max={0} "
       "min={0}"},
  };
}

}  // namespace metadist::testing
