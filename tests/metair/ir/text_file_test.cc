// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/text_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <thread>

namespace metadist {
namespace {

TEST(ReadText, FilesAndPipesAsTheyAre) {
  const std::string text = std::string("a\0b\r\n", 5) + std::string(100'000, 'x');
  const std::string file = testing::TempDir() + "text_file_test";
  std::ofstream(file, std::ios::binary) << text;
  EXPECT_EQ(text, ReadText(file).value());
  const std::string pipe = file + "_pipe";
  std::remove(pipe.c_str());
  ASSERT_EQ(0, mkfifo(pipe.c_str(), 0600));
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << text; });
  EXPECT_EQ(text, ReadText(pipe).value());
  writer.join();
  std::remove(pipe.c_str());
  std::remove(file.c_str());
}

TEST(ReadText, RefusesWhatHoldsNoText) {
  EXPECT_EQ("nowhere: no such file\n  hint: look elsewhere",
            ReadText("nowhere", "look elsewhere").error().text());
  EXPECT_EQ(".: expected a file, got a folder", ReadText(".").error().text());
  EXPECT_EQ("/dev/zero: expected a file, or at most 256 MiB", ReadText("/dev/zero").error().text());
}

}  // namespace
}  // namespace metadist
