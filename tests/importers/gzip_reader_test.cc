// SPDX-License-Identifier: Apache-2.0
#include "importers/arrays/gzip_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace metadist {
namespace {

std::string Written(const std::string& name, const std::string& bytes) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / name).string();
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return path;
}

// The file's text, or the text before an error followed by the error.
std::string Text(const std::string& path, size_t piece = 1000) {
  auto file = GzipReader::Open(path);
  if (!file.ok()) return "error: " + file.error().text();
  std::string out;
  std::string buffer(piece, '\0');
  while (true) {
    const auto count = file.value().Read(buffer);
    if (!count.ok()) return out + "error: " + count.error().text();
    if (count.value() == 0) return out;
    out.append(buffer, 0, count.value());
  }
}

std::string Long() {
  std::string text;
  for (int k = 0; k < 20'000; ++k) text += std::to_string(k * 7919) + ",";
  return text;
}

TEST(GzipReader, ReadsPlainAndCompressedFiles) {
  const std::string text = Long();
  EXPECT_EQ(Gzip(text), Gzip(text));
  EXPECT_LT(Gzip(text).size(), text.size() / 2);
  for (size_t piece : {1, 1000, 1 << 20}) {
    EXPECT_EQ(Text(Written("plain", text), piece), text);
    EXPECT_EQ(Text(Written("zipped", Gzip(text)), piece), text);
  }
  EXPECT_EQ(Text(Written("empty", "")), "");
  EXPECT_EQ(Text(Written("one", "\x1f")), "\x1f");
  EXPECT_EQ(Text(Written("zipped_empty", Gzip(""))), "");
}

TEST(GzipReader, ReadsMembersInARow) {
  EXPECT_EQ(Text(Written("members", Gzip("one ") + Gzip("") + Gzip("two"))), "one two");
}

TEST(GzipReader, RefusesWhatIsCutShort) {
  const std::string zipped = Gzip(Long());
  const std::string path = Written("short", zipped.substr(0, zipped.size() - 3));
  EXPECT_EQ(Text(path),
            Long() + "error: " + path +
                ": expected more gzip data, got the end of the file (byte " +
                std::to_string(zipped.size() - 3) + ")");
  EXPECT_EQ(Text(Written("short", zipped.substr(0, 2))).substr(0, 6), "error:");
}

TEST(GzipReader, RefusesWhatFollows) {
  const std::string path = Written("more", Gzip("text") + "more");
  EXPECT_EQ(Text(path),
            "texterror: " + path + ": expected the end of the file after the gzip data (byte " +
                std::to_string(Gzip("text").size()) + ")");
}

TEST(GzipReader, RefusesDamage) {
  std::string zipped = Gzip("some text that is long enough");
  zipped[zipped.size() - 6] = static_cast<char>(zipped[zipped.size() - 6] ^ 1);  // the checksum
  const std::string text = Text(Written("damaged", zipped));
  EXPECT_NE(text.find("damaged gzip data: incorrect data check (byte "), std::string::npos) << text;
}

TEST(GzipReader, SaysWhatItCannotOpen) {
  EXPECT_EQ(Text("no/such/file"), "error: no/such/file: no such file");
  EXPECT_EQ(Text(testing::TempDir()),
            "error: " + testing::TempDir() + ": expected a file, got a folder");
}

}  // namespace
}  // namespace metadist
