// SPDX-License-Identifier: Apache-2.0
#include "planner/space/call_text.h"

#include <gtest/gtest.h>

#include "metair/ops/op_table.h"

namespace metadist {
namespace {

TEST(CallText, ShowsWhatDecidesTheTime) {
  const OpDef* op = OpTable::BuiltIn().Find("", "Slice");
  ASSERT_NE(op, nullptr);
  Attributes attributes;
  attributes.set("mode", std::string("linear"));
  attributes.set("axes", std::vector<int64_t>{0, 1});
  const Tensor starts = Tensor::Of<int64_t>({2}, {0, 4});
  OpCall call;
  call.op = op;
  call.attributes = &attributes;
  call.inputs.push_back({true, {ElementType::kF32, {8, 16}}, nullptr});
  call.inputs.push_back({true, starts.type(), &starts});
  call.inputs.push_back({});
  EXPECT_EQ(CallText(call), "Slice {axes=[0,1], mode=linear} f32[8,16], i64[2]=[0,4], -");
  call.inputs[1].constant = nullptr;
  EXPECT_EQ(CallText(call), "Slice {axes=[0,1], mode=linear} f32[8,16], i64[2], -");
}

}  // namespace
}  // namespace metadist
