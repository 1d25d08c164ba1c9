// SPDX-License-Identifier: Apache-2.0
//
// Initializers of every element type, as bytes and in the typed field that onnx.proto specifies for
// it.
#include "metair/ops/onnx_types.h"
#include "tests/importers/onnx_fixture.h"

namespace metadist {
namespace {

struct Payload {
  ElementType element;
  std::vector<double> values;
};

class Payloads : public OnnxTest, public testing::WithParamInterface<Payload> {
 protected:
  // The bits of element i, sign extended.
  static int64_t Bits(const Tensor& tensor, size_t i) {
    const int64_t size = ByteSize(tensor.element());
    uint64_t bits = 0;
    std::memcpy(&bits, tensor.bytes() + static_cast<int64_t>(i) * size, static_cast<size_t>(size));
    const bool is_signed = Name(tensor.element())[0] == 'i';
    const int unused = 64 - 8 * static_cast<int>(size);
    return is_signed ? static_cast<int64_t>(bits << unused) >> unused : static_cast<int64_t>(bits);
  }

  // As in files: elements of 4 and 2 bits share bytes, the first in the low bits.
  static std::string Stored(const Tensor& tensor) {
    const int bits = BitSize(tensor.element());
    if (bits >= 8)
      return {reinterpret_cast<const char*>(tensor.bytes()),
              static_cast<size_t>(tensor.type().bytes())};
    std::string bytes(static_cast<size_t>((tensor.size() * bits + 7) / 8), '\0');
    for (int64_t i = 0; i < tensor.size(); ++i)
      bytes[static_cast<size_t>(i * bits / 8)] |=
          static_cast<char>(static_cast<int>(tensor.bytes()[i]) << (i * bits % 8));
    return bytes;
  }

  static void AddTyped(const Tensor& tensor, size_t i, double value, onnx::TensorProto* proto) {
    switch (tensor.element()) {
      case ElementType::kF64:
        return proto->add_double_data(value);
      case ElementType::kF32:
        return proto->add_float_data(static_cast<float>(value));
      case ElementType::kI64:
        return proto->add_int64_data(Bits(tensor, i));
      case ElementType::kU32:
      case ElementType::kU64:
        return proto->add_uint64_data(static_cast<uint64_t>(Bits(tensor, i)));
      default:
        return proto->add_int32_data(static_cast<int32_t>(Bits(tensor, i)));
    }
  }
};

TEST_P(Payloads, TypedAndRawAreTheSame) {
  const auto& [element, values] = GetParam();
  const auto count = static_cast<int64_t>(values.size());
  const Tensor expected = Tensor::Of(Shape{count}, values).Cast(element);
  onnx::TensorProto* raw = Weight("raw", {count});
  onnx::TensorProto* typed = Weight("typed", {count});
  for (onnx::TensorProto* proto : {raw, typed})
    proto->set_data_type(static_cast<int>(OnnxNumberOf(element)));
  raw->set_raw_data(Stored(expected));
  if (BitSize(element) < 8)
    for (const char byte : Stored(expected)) typed->add_int32_data(static_cast<uint8_t>(byte));
  else
    for (size_t i = 0; i < values.size(); ++i) AddTyped(expected, i, values[i], typed);
  for (const char* name : {"raw", "typed"}) Output(name);
  graph()->clear_output();
  for (const char* name : {"raw", "typed"}) graph()->add_output()->set_name(name);
  const auto imported = Import();
  ASSERT_TRUE(imported.ok()) << imported.error().text();
  const Graph& g = imported.value().graph;
  ASSERT_EQ(g.outputs.size(), 2u);
  for (ValueId id : g.outputs)
    EXPECT_TRUE(Identical(g.value(id).data, expected)) << g.value(id).name;
}

INSTANTIATE_TEST_SUITE_P(All,
                         Payloads,
                         testing::Values(Payload{ElementType::kF64, {0.1, -2, 1e300}},
                                         Payload{ElementType::kF32, {0.5, -2, 1e30}},
                                         Payload{ElementType::kF16, {0.5, -2, 60000}},
                                         Payload{ElementType::kBF16, {0.5, -2, 1e30}},
                                         Payload{ElementType::kI8, {-128, 127}},
                                         Payload{ElementType::kI16, {-32768, 32767}},
                                         Payload{ElementType::kI32, {-2147483648.0, 2147483647}},
                                         Payload{ElementType::kI64, {-1e15, 1e15}},
                                         Payload{ElementType::kU8, {0, 255}},
                                         Payload{ElementType::kU16, {0, 65535}},
                                         Payload{ElementType::kU32, {0, 4294967295.0}},
                                         Payload{ElementType::kU64, {0, 1e18}},
                                         Payload{ElementType::kBool, {0, 1, 1}},
                                         Payload{ElementType::kF8E4M3FN, {0.5, -2, 448}},
                                         Payload{ElementType::kF8E4M3FNUZ, {0.5, -2, 240}},
                                         Payload{ElementType::kF8E5M2, {0.5, -2, 57344}},
                                         Payload{ElementType::kF8E5M2FNUZ, {0.5, -2, 57344}},
                                         Payload{ElementType::kF8E8M0, {0.5, 2, 0x1p127}},
                                         Payload{ElementType::kF4E2M1, {0.5, -2, 6}},
                                         Payload{ElementType::kI4, {-8, 7, -1, 0, 3}},
                                         Payload{ElementType::kU4, {0, 15, 9}},
                                         Payload{ElementType::kI2, {-2, 1, -1, 0, 1}},
                                         Payload{ElementType::kU2, {0, 3, 1, 2, 3, 1}}),
                         [](const auto& info) { return std::string(Name(info.param.element)); });

}  // namespace
}  // namespace metadist
