// SPDX-License-Identifier: Apache-2.0
//
// Mutations that keep an ONNX file well-formed. Changed bytes mostly break a length and are
// rejected by the protobuf parser; here a file is read as a tree of fields, changed as a tree and
// written with new lengths: numbers become extreme ones, strings become other strings of the file
// (so that names clash or dangle), fields are duplicated, dropped, swapped or copied from a message
// of the same kind elsewhere. A quarter of the mutations still change bytes. The ONNX library is
// built without protobuf's reflection, so a table lists the few message kinds. Source: protobuf
// encoding; onnx.proto.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "importers/onnx/wire.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

enum Kind {
  kLeaf,
  kModel,
  kGraph,
  kFunction,
  kNode,
  kAttribute,
  kTensor,
  kValue,
  kType,
  kTensorType,
  kShape,
  kDim,
  kOpset,
  kEntry,
  kSparse
};

struct Step {
  Kind from;
  uint64_t field;
  Kind to;
};

constexpr std::array kSteps = {
    Step{kModel, 7, kGraph},      Step{kModel, 8, kOpset},       Step{kModel, 25, kFunction},
    Step{kFunction, 7, kNode},    Step{kFunction, 9, kOpset},    Step{kFunction, 11, kAttribute},
    Step{kGraph, 1, kNode},       Step{kGraph, 5, kTensor},      Step{kGraph, 11, kValue},
    Step{kGraph, 12, kValue},     Step{kGraph, 13, kValue},      Step{kGraph, 15, kSparse},
    Step{kNode, 5, kAttribute},   Step{kAttribute, 5, kTensor},  Step{kAttribute, 6, kGraph},
    Step{kAttribute, 11, kGraph}, Step{kAttribute, 22, kSparse}, Step{kTensor, 13, kEntry},
    Step{kSparse, 1, kTensor},    Step{kSparse, 2, kTensor},     Step{kValue, 2, kType},
    Step{kType, 1, kTensorType},  Step{kTensorType, 2, kShape},  Step{kShape, 1, kDim},
};

Kind KindOf(Kind from, uint64_t field) {
  for (const Step& step : kSteps)
    if (step.from == from && step.field == field) return step.to;
  return kLeaf;
}

// A field: a number, bytes, or a message with fields.
struct Field {
  uint64_t tag = 0;
  uint64_t number = 0;
  std::string bytes = {};
  Kind kind = kLeaf;
  std::vector<Field> fields = {};
};

constexpr uint64_t kBytesWire = 2;

bool Read(std::span<const std::byte> bytes, Kind kind, int depth, std::vector<Field>* fields) {
  constexpr int kDeepest = 60;
  size_t at = 0;
  while (at < bytes.size()) {
    const auto tag = metadist::ReadVarint(bytes, &at);
    if (!tag || depth > kDeepest) return false;
    Field field{*tag};
    const uint64_t wire = *tag & 7;
    uint64_t size = wire == 1 ? 8 : 4;
    if (wire == 0 || wire == kBytesWire) {
      const auto number = metadist::ReadVarint(bytes, &at);
      if (!number) return false;
      field.number = *number;
      size = wire == 0 ? 0 : *number;
    } else if (wire != 1 && wire != 5) {
      return false;
    }
    if (size > bytes.size() - at) return false;
    const auto payload = bytes.subspan(at, static_cast<size_t>(size));
    at += static_cast<size_t>(size);
    field.kind = wire == kBytesWire ? KindOf(kind, *tag >> 3) : kLeaf;
    if (field.kind != kLeaf && !Read(payload, field.kind, depth + 1, &field.fields)) return false;
    if (field.kind == kLeaf)
      field.bytes.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
    fields->push_back(std::move(field));
  }
  return true;
}

void WriteVarint(uint64_t value, std::string* out) {
  for (; value > 0x7f; value >>= 7) *out += static_cast<char>((value & 0x7f) | 0x80);
  *out += static_cast<char>(value);
}

std::string Write(const std::vector<Field>& fields) {
  std::string out;
  for (const Field& field : fields) {
    WriteVarint(field.tag, &out);
    const std::string payload = field.kind == kLeaf ? field.bytes : Write(field.fields);
    if ((field.tag & 7) == 0) WriteVarint(field.number, &out);
    if ((field.tag & 7) == kBytesWire) WriteVarint(payload.size(), &out);
    out += payload;
  }
  return out;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void Mutate(Field* model) {
    const size_t count = 1 + Below(3);
    for (size_t i = 0; i < count; ++i) {
      messages_.clear();
      strings_.clear();
      Collect(model);
      Change(messages_[Below(messages_.size())]);
    }
  }

 private:
  size_t Below(size_t limit) { return static_cast<size_t>(random_() % limit); }

  void Collect(Field* message) {
    messages_.push_back(message);
    for (Field& field : message->fields) {
      if (field.kind != kLeaf) Collect(&field);
      if (field.kind == kLeaf && (field.tag & 7) == kBytesWire) strings_.push_back(&field.bytes);
    }
  }

  uint64_t Number() {
    constexpr uint64_t kHigh = uint64_t{1} << 63;
    constexpr uint64_t kNumbers[] = {0,
                                     1,
                                     ~uint64_t{0},
                                     2,
                                     ~uint64_t{1},
                                     3,
                                     7,
                                     16,
                                     26,
                                     1000000,
                                     uint64_t{1} << 31,
                                     uint64_t{1} << 40,
                                     uint64_t{1} << 62,
                                     kHigh - 1,
                                     kHigh};
    return Below(4) == 0 ? Below(30) : kNumbers[Below(std::size(kNumbers))];
  }

  void Change(Field* message) {
    std::vector<Field>& fields = message->fields;
    if (fields.empty()) return Copy(message);
    const size_t at = Below(fields.size());
    Field& field = fields[at];
    switch (Below(6)) {
      case 0:
        fields.erase(fields.begin() + static_cast<int64_t>(at));
        return;
      case 1:
        return std::swap(field, fields[Below(fields.size())]);
      case 2: {
        Field twin = field;
        fields.insert(fields.begin() + static_cast<int64_t>(Below(fields.size() + 1)),
                      std::move(twin));
        return;
      }
      case 3:
        return Copy(message);
      default:
        return ChangeLeaf(&field);
    }
  }

  void ChangeLeaf(Field* field) {
    if (field->kind != kLeaf) return Copy(field);
    if ((field->tag & 7) == 0)
      field->number = Number();
    else if ((field->tag & 7) != kBytesWire)
      std::generate(field->bytes.begin(), field->bytes.end(), [&] {
        return static_cast<char>(Below(4) == 0 ? 0xff : Below(256));
      });
    else if (!strings_.empty() && Below(8) > 0)
      field->bytes = std::string(*strings_[Below(strings_.size())]);
    else
      field->bytes.clear();
  }

  // Copies one field, or all, of a message of the same kind.
  void Copy(Field* to) {
    const Field* from = messages_[Below(messages_.size())];
    constexpr size_t kMostFields = 64;
    if (from->kind != to->kind || from->fields.empty() || from->fields.size() > kMostFields) return;
    std::vector<Field> copy = from->fields;
    if (Below(3) == 0)
      to->fields = std::move(copy);
    else
      to->fields.push_back(std::move(copy[Below(copy.size())]));
  }

  std::minstd_rand random_;
  std::vector<Field*> messages_;
  std::vector<std::string*> strings_;
};

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data,
                                          size_t size,
                                          size_t max_size,
                                          unsigned seed) {
  Field model{.kind = kModel};
  const bool bytewise = seed % 4 == 0;
  if (bytewise || !Read(std::as_bytes(std::span(data, size)), kModel, 0, &model.fields))
    return LLVMFuzzerMutate(data, size, max_size);
  Mutator(seed).Mutate(&model);
  const std::string bytes = Write(model.fields);
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
