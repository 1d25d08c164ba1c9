// SPDX-License-Identifier: Apache-2.0
#include "importers/arrays/npz.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace metadist {
namespace {

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string NpyText(const std::string& header, const std::string& data) {
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size());
  out += '\0';
  return out + header + data;
}

std::string ErrorOf(const std::string& npy) {
  const auto tensor = ParseNpy(Bytes(npy));
  return tensor.ok() ? "" : tensor.error().text();
}

std::string TempFile(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Npz, EveryElementTypeRoundTrips) {
  std::vector<std::pair<std::string, Tensor>> arrays;
  const Tensor bits = Tensor::Of<int64_t>({2, 3}, {0, 1, 0, 1, 1, 1});
#define ELEMENT_TYPE(enumerator, name, type, element_class) \
  arrays.emplace_back(name, bits.Cast(ElementType::enumerator));
#include "metair/ir/element_type.def"
#undef ELEMENT_TYPE
  arrays.emplace_back("scalar", Tensor::Scalar<float>(1.5F));
  arrays.emplace_back("empty", Tensor::Zeros({ElementType::kF32, {0, 4}}));
  const std::string path = TempFile("all.npz");
  Write(path, NpzBytes(arrays));
  const auto read = ReadArrays(path);
  ASSERT_TRUE(read.ok()) << read.error().text();
  ASSERT_EQ(read.value().size(), arrays.size());
  for (const auto& [name, tensor] : arrays)
    EXPECT_TRUE(Identical(FromBits(read.value().at(name), tensor.element()), tensor)) << name;
}

// What numpy.savez writes for no arrays: the 22 bytes that end a zip archive.
TEST(Npz, NoArrays) {
  const std::string path = TempFile("none.npz");
  Write(path, NpzBytes({}));
  EXPECT_EQ(Contents(path).size(), 22U);
  const auto read = ReadArrays(path);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_TRUE(read.value().empty());
}

TEST(Npz, SameArraysSameBytes) {
  const std::vector<std::pair<std::string, Tensor>> arrays = {{"a", Tensor::Scalar<float>(1)}};
  EXPECT_EQ(NpzBytes(arrays), NpzBytes(arrays));
}

TEST(Npy, FortranOrderIsTurned) {
  const std::string npy =
      NpyText("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "\1\2\3\4\5\6");
  const auto tensor = ParseNpy(Bytes(npy));
  ASSERT_TRUE(tensor.ok()) << tensor.error().text();
  EXPECT_EQ(tensor.value().ToInts(), (std::vector<int64_t>{1, 3, 5, 2, 4, 6}));
}

TEST(Npy, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf("no array"), "expected a NumPy array");
  EXPECT_EQ(ErrorOf(NpyText("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "\1")),
            "u8[2] takes 2 bytes, got 1");
  EXPECT_EQ(ErrorOf(NpyText("{'descr': '<c8', 'fortran_order': False, 'shape': (), }", "")),
            "elements of type '<c8' are not supported");
  EXPECT_EQ(ErrorOf(NpyText("{'descr': [('a', '<f4')], 'shape': (), }", "")),
            "arrays of records are not supported");
  EXPECT_EQ(ErrorOf(NpyText("{'descr': '|u1', }", "")),
            "expected keys 'descr' and 'shape' in the header of the array");
  EXPECT_NE(ErrorOf(NpyText("{'descr': '|u1', 'shape': (-1,), }", "")), "");
  EXPECT_NE(ErrorOf(NpyText("{'descr': '<f8', 'shape': (4611686018427387904, 4), }", "")), "");
  std::string cut = NpyText("{'descr': '|u1'", "");
  cut[8] = 'x';
  EXPECT_EQ(ErrorOf(cut), "the header of the array is truncated");
}

TEST(Npz, RefusesWhatIsNoArchive) {
  const std::string path = TempFile("bad.npz");
  EXPECT_EQ(ReadArrays(TempFile("missing.npz")).error().text(),
            TempFile("missing.npz") + ": no such file");
  std::ofstream(path, std::ios::binary) << "hello";
  EXPECT_EQ(ReadArrays(path).error().text(),
            path + ": expected NumPy arrays (.npz or .npy), got text");
  std::string bytes = NpzBytes({{"a", Tensor::Zeros({ElementType::kF32, {100}})}});
  std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  EXPECT_EQ(ReadArrays(path).error().text(), path + ": the archive is truncated or damaged");
  bytes[300] = '\1';
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(ReadArrays(path).error().text(), path + ": member 'a.npy': its checksum is wrong");
}

}  // namespace
}  // namespace metadist
