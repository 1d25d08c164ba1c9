// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/error.h"

#include <gtest/gtest.h>

#include <utility>

namespace metadist {
namespace {

TEST(Error, InPrefixesAllJoinedProblems) {
  Error error =
      Join({BadInput("a", "first"), BadInput("", "second", "do it"), BadInput("c", "third")});
  error = std::move(error).in("node").in("file");
  EXPECT_EQ(error.text(),
            "file: node: a: first\n"
            "file: node: second\n  hint: do it\n"
            "file: node: c: third");
}

}  // namespace
}  // namespace metadist
