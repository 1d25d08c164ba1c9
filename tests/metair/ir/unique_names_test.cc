// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/unique_names.h"

#include <gtest/gtest.h>

namespace metadist {
namespace {

TEST(UniqueNames, NumbersThoseThatAreTaken) {
  UniqueNames names;
  names.Take("a_2");
  EXPECT_EQ(names.Fresh("a"), "a");
  EXPECT_EQ(names.Fresh("a"), "a_3");
  EXPECT_EQ(names.Fresh("a"), "a_4");
  EXPECT_EQ(names.Fresh("a_2"), "a_2_2");
  UniqueNames others("#");
  others.Fresh("b");
  EXPECT_EQ(others.Fresh("b"), "b#2");
}

TEST(UniqueNames, AreThoseOfValuesAndNodes) {
  Graph graph;
  const ValueId x = graph.AddValue({"x", {}, ValueKind::kInput, {}, kNone});
  const ValueId y = graph.AddValue({"y", {}, ValueKind::kResult, {}, kNone});
  graph.AddNode({"n", "", "Neg", {}, {x}, {y}, {}});
  UniqueNames names(graph);
  EXPECT_EQ(names.Fresh("y"), "y_2");
  EXPECT_EQ(names.Fresh("n"), "n_2");
}

}  // namespace
}  // namespace metadist
