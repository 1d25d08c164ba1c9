// SPDX-License-Identifier: Apache-2.0
#include "importers/sha256.h"

#include <gtest/gtest.h>

namespace metadist {
namespace {

std::string Hash(const std::string& text) {
  Sha256 hash;
  hash.Add(text);
  return hash.Finish();
}

// Test vectors and examples of FIPS 180-4.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(Hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Hash(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesDoNotMatter) {
  const std::string text(300, 'x');
  Sha256 hash;
  for (char c : text) hash.Add(std::string(1, c));
  EXPECT_EQ(hash.Finish(), Hash(text));
}

}  // namespace
}  // namespace metadist
