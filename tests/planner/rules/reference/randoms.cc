// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/rules/reference/reference_case.h"

namespace metadist::testing {

// Random numbers that depend on their position: all dims can be cut.
std::vector<ReferenceCase> RandomCases() {
  const OpExample::Input key = Integers({2});
  const OpExample::Input none{.present = false};
  const OpExample::Input ratio = Floats({});
  const OpExample::Input training{.type = {ElementType::kBool, {}}, .constant = {1}};
  const auto placed = [](size_t dims) {
    return Attributes{{"start", std::vector<int64_t>(dims, 0)}};
  };
  const auto shaped = [](const Shape& shape) {
    return Attributes{{"start", std::vector<int64_t>(shape.size(), 0)}, {"shape", shape}};
  };
  Attributes sampled = placed(2);
  sampled.set("sample_size", int64_t{9});
  return {
      {"M13",
       "dropout",
       Known("Dropout"),
       {.inputs = {Floats({6, 10, 7}), ratio, training, key}, .attributes = placed(3)},
       "([a,b,c],[],[_])->([a,b,c]) off={a:start.0+,b:start.1+,c:start.2+} linear={0} max={0} "
       "min={0}"},
      {"M13",
       "dropout_mask",
       Known("Dropout"),
       {.inputs = {Floats({6, 10}), ratio, training, key},
        .attributes = placed(2),
        .num_outputs = 2},
       "([a,b],[],[_])->([a,b],[a,b]) off={a:start.0+,b:start.1+}"},
      {"M13",
       "bernoulli",
       Known("Bernoulli"),
       {.inputs = {Floats({6, 10, 7}), none, none, key}, .attributes = placed(3)},
       "([a,b,c],[_])->([a,b,c]) off={a:start.0+,b:start.1+,c:start.2+} min={0}"},
      {"M13",
       "normal",
       Known("RandomNormal"),
       {.inputs = {none, none, none, key}, .attributes = shaped({6, 10})},
       "([_])->([a,b]) attr={a,b} off={a:start.0+,b:start.1+}"},
      {"M13",
       "uniform_like",
       Known("RandomUniformLike"),
       {.inputs = {Floats({6, 10}), none, none, key}, .attributes = placed(2)},
       "([a,b],[_])->([a,b]) off={a:start.0+,b:start.1+} max={0} min={0}"},
      {"M13",
       "multinomial",
       Known("Multinomial"),
       {.inputs = {Floats({6, 10}), none, none, key}, .attributes = sampled},
       "([a,_],[_])->([a,b]) attr={b} off={a:start.0+,b:start.1+}"},
  };
}

}  // namespace metadist::testing
