// SPDX-License-Identifier: Apache-2.0
//
// Files that are not models, or are damaged or malicious: the exact text of every message.
#include "tests/importers/onnx_fixture.h"

namespace metadist {
namespace {

class BadInput : public OnnxTest {
 protected:
  // Hints are covered by the goldens of tests/cli/inspect.
  std::string ErrorOfImport() const {
    std::string text = OnnxTest::ErrorOfImport();
    for (size_t at = text.find("\n  hint: "); at != text.npos; at = text.find("\n  hint: "))
      text.erase(at, text.find('\n', at + 1) - at);
    return text;
  }
  std::string ErrorOfBytes(const std::string& bytes) {
    Write("m.onnx", bytes);
    const auto imported = ImportModel(Path("m.onnx"), {});
    EXPECT_FALSE(imported.ok());
    EXPECT_TRUE(imported.ok() || imported.error().code == ErrorCode::kBadInput);
    std::string text = ErrorOf(imported);
    return text.substr(0, text.find('\n'));
  }
};

TEST_F(BadInput, NotAModel) {
  using namespace std::string_literals;
  EXPECT_EQ(ErrorOfBytes(""), "m.onnx: expected a model, got an empty file");
  EXPECT_EQ(ErrorOfBytes("hello world"), "m.onnx: expected a model, got text");
  EXPECT_EQ(ErrorOfBytes("random words"), "m.onnx: expected a model, got text");
  EXPECT_EQ(ErrorOfBytes("{\"a\": 1}"), "m.onnx: expected a model, got JSON text");
  EXPECT_EQ(ErrorOfBytes("PK\x03\x04 .. m/constants.pkl"),
            "m.onnx: expected a model, got a zip archive (TorchScript)");
  EXPECT_EQ(ErrorOfBytes("PK\x03\x04 .. archive_format .. models/model.json"),
            "m.onnx: expected a model, got a zip archive (torch.export, .pt2)");
  EXPECT_EQ(ErrorOfBytes("\x80\x02.."),
            "m.onnx: expected a model, got a pickle (an old PyTorch checkpoint?)");
  EXPECT_EQ(ErrorOfBytes("\x93NUMPY.."), "m.onnx: expected a model, got a NumPy array");
  EXPECT_EQ(ErrorOfBytes("\xff\xfe\x01\x00"s), "m.onnx: expected a model, got unknown bytes");
}

TEST_F(BadInput, MissingFileAndFolder) {
  EXPECT_EQ(ErrorOf(ImportModel(Path("none.onnx"), {})), "none.onnx: no such file");
  EXPECT_EQ(ImportModel(Path("none.onnx"), {}).error().code, ErrorCode::kUsage);
  std::filesystem::create_directory(Path("sub"));
  EXPECT_EQ(ErrorOf(ImportModel(Path("sub"), {})), "sub: expected a file, got a folder");
}

TEST_F(BadInput, Truncated) {
  Input("x", {"4"});
  Node("Neg", {"x"}, "y");
  Output("y");
  const std::string bytes = model_.SerializeAsString();
  EXPECT_EQ(ErrorOfBytes(bytes.substr(0, bytes.size() - 20)),
            "m.onnx: the file is truncated: expected at least 48 bytes, got 32");
}

TEST_F(BadInput, Damaged) {
  Input("x", {"4"});
  Node("Neg", {"x"}, "y");
  Output("y");
  std::string bytes = model_.SerializeAsString();
  bytes[4] = '\x7f';
  EXPECT_EQ(ErrorOfBytes(bytes), "m.onnx: the file is damaged: it is not valid protobuf");
}

TEST_F(BadInput, FutureVersions) {
  model_.set_ir_version(99);
  model_.mutable_opset_import(0)->set_version(77);
  Input("x", {"4"});
  Node("Neg", {"x"}, "y");
  Output("y");
  EXPECT_EQ(ErrorOfImport(),
            "m.onnx: the IR version must be in [1, 13], got 99\n"
            "m.onnx: the opset version must be in [1, 27], got 77");
}

// Without an opset nothing is known of what the nodes mean.
TEST_F(BadInput, NodesOfNoOpsetAreNotRead) {
  model_.mutable_opset_import(0)->set_version(0);
  Input("x", {"4"});
  Node("SequenceEmpty", {}, "s");
  Node("SequenceInsert", {"s"}, "t");
  Node("ConcatFromSequence", {"t"}, "y");
  Output("y");
  const std::string text = ErrorOfImport();
  EXPECT_EQ(text.rfind("m.onnx: the opset version must be in [1, 27], got 0\n", 0), 0) << text;
}

// One operand or result too few, in an opset older than the operator.
TEST_F(BadInput, OperatorsYoungerThanTheOpsetAreChecked) {
  for (const int64_t opset : {1, 5, 8, 10}) {
    model_.mutable_opset_import(0)->set_version(opset);
    graph()->Clear();
    Input("x", {"4"});
    Node("SequenceAt", {}, "a");
    Node("SequenceEmpty", {}, "")->clear_output();
    Node("SplitToSequence", {"x"}, "")->clear_output();
    Node("SequenceInsert", {"a"}, "b");
    Node("Scan", {"x"}, "")->clear_output();
    Node("Loop", {}, "c");
    Output("b");
    const std::string text = ErrorOfImport();
    for (const char* problem : {"node 0 (SequenceAt): expected 2 inputs, got 0",
                                "node 1 (SequenceEmpty): expected 1 output, got 0",
                                "node 2 (SplitToSequence): expected 1 output, got 0",
                                "node 3 (SequenceInsert): expected 2 to 3 inputs, got 1",
                                "node 4 (Scan): expected at least 1 output, got 0",
                                "node 5 (Loop): expected at least 3 inputs, got 0"})
      EXPECT_NE(text.find(problem), text.npos) << opset << ": " << text;
  }
}

TEST_F(BadInput, CyclesAreNamed) {
  Input("x", {"4"});
  Node("Add", {"x", "b"}, "a")->set_name("first");
  Node("Neg", {"a"}, "b");
  Output("b");
  EXPECT_EQ(ErrorOfImport(),
            "m.onnx: 2 nodes depend on each other in a cycle: node 'first' (Add), node 1 (Neg)");
}

TEST_F(BadInput, UndefinedAndDoubleValues) {
  Input("x", {"4"});
  Node("Neg", {"z"}, "a")->set_name("n");
  Node("Neg", {"x"}, "a")->set_name("m");
  Output("y");
  EXPECT_EQ(ErrorOfImport(),
            "m.onnx: node 'm' (Neg): value 'a' is made twice\n"
            "m.onnx: node 'n' (Neg): value 'z' is undefined\n"
            "m.onnx: output 'y': the value is undefined");
}

TEST_F(BadInput, InitializersAreChecked) {
  Weight("short", {2, 2})->add_float_data(1);
  Weight("raw", {2})->set_raw_data("12345");
  Weight("negative", {-1});
  Weight("huge", {int64_t{1} << 40, int64_t{1} << 40});
  Weight("odd", {1})->set_data_type(onnx::TensorProto::COMPLEX64);
  Weight("text", {1})->set_data_type(onnx::TensorProto::STRING);
  const std::string text = ErrorOfImport();
  EXPECT_NE(text.find("initializer 'short': f32[2,2] has 4 elements, got 1"), text.npos) << text;
  EXPECT_NE(text.find("initializer 'raw': f32[2] takes 8 bytes, got 5"), text.npos) << text;
  EXPECT_NE(text.find("initializer 'negative': "), text.npos) << text;
  EXPECT_NE(text.find("initializer 'huge': "), text.npos) << text;
  EXPECT_NE(text.find("initializer 'odd': elements of type COMPLEX64 are not supported"), text.npos)
      << text;
  EXPECT_NE(text.find("initializer 'text': elements of type STRING are not supported"), text.npos)
      << text;
}

TEST_F(BadInput, SparseInitializers) {
  graph()->add_sparse_initializer()->mutable_values()->set_name("s");
  Input("x", {"4"});
  Output("x");
  EXPECT_EQ(ErrorOfImport(), "m.onnx: initializer 's': sparse tensors are not supported");
}

TEST_F(BadInput, WrongShapesNameTheNode) {
  Input("x", {"4"});
  Input("z", {"3"});
  Node("Add", {"x", "z"}, "y")->set_name("sum");
  Output("y");
  EXPECT_EQ(ErrorOfImport().substr(0, 23), "m.onnx: node 'sum': Add");
}

TEST_F(BadInput, ExternalLengths) {
  Write("w.bin", std::string(20, 'x'));
  External("w.bin", "8", "16");
  EXPECT_EQ(ErrorOfImport(),
            "m.onnx: initializer 'w': external data 'w.bin': bytes 8 to 24 are beyond the end of "
            "the file, which has 20");
}

struct Location {
  const char* location;
  const char* offset;
  const char* length;
  const char* message;
};

class HostileLocation : public BadInput, public testing::WithParamInterface<Location> {};

TEST_P(HostileLocation, IsRefused) {
  Write("w.bin", std::string(64, 'x'));
  std::filesystem::create_symlink(Path("w.bin"), Path("link.bin"));
  External(GetParam().location, GetParam().offset, GetParam().length);
  EXPECT_EQ(ErrorOfImport(), std::string("m.onnx: initializer 'w': ") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    HostileLocation,
    testing::Values(
        Location{
            "/etc/passwd", "", "", "external data '/etc/passwd': the location must be relative"},
        Location{"a/../../w.bin",
                 "",
                 "",
                 "external data 'a/../../w.bin': the location must not leave the model's folder"},
        Location{"link.bin",
                 "",
                 "",
                 "external data 'link.bin': the location must not be a symbolic link"},
        Location{"", "", "", "external data '': the location is not a file name"},
        Location{".", "", "", "external data '.': expected a file, got a folder"},
        Location{"w.bin", "-4", "", "the offset of external data must not be negative, got -4"},
        Location{"w.bin", "x", "", "the offset of external data must be a number, got 'x'"},
        Location{"w.bin",
                 "9223372036854775807",
                 "",
                 "external data 'w.bin': bytes 9223372036854775807 to 9223372036854775823 are "
                 "beyond the end of the file, which has 64"},
        Location{"w.bin",
                 "",
                 "12",
                 "external data 'w.bin': f32[4] takes 16 bytes, got a length of 12"}));

}  // namespace
}  // namespace metadist
