// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/book/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metadist {
namespace {

std::string BytesText(const Tensor& tensor) {
  std::string text = TypeText(tensor.type()) + ":";
  const int64_t count = tensor.has_data() ? tensor.type().bytes() : 0;
  for (int64_t i = 0; i < count; ++i)
    text += fmt::format("{:02x}", static_cast<unsigned>(tensor.bytes()[i]));
  return text;
}

std::string AttributeText(const Attribute& attribute) {
  if (const double* number = std::get_if<double>(&attribute)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&attribute))
    return fmt::format("{}:{}", text->size(), *text);
  if (const auto* list = std::get_if<std::vector<double>>(&attribute))
    return fmt::format("{}", fmt::join(*list, ","));
  if (const auto* list = std::get_if<std::vector<std::string>>(&attribute)) {
    std::string all;
    for (const std::string& text : *list) all += fmt::format("{}:{},", text.size(), text);
    return all;
  }
  if (const Tensor* tensor = std::get_if<Tensor>(&attribute)) return BytesText(*tensor);
  return "#";  // integers are slots
}

// In printable ASCII: names and strings of a model may hold any bytes.
std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c < ' ' || c > '~' || c == '\\')
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string SignatureText(const BlackBox& box) {
  std::string text = fmt::format(
      "{}|{}|{}|{}", box.op().domain, box.op().name, box.op().since_version, box.num_outputs());
  for (size_t i = 0; i < box.num_inputs(); ++i) {
    if (box.role(i) == BlackBox::Role::kAbsent) {
      text += "|-";
      continue;
    }
    // Pass-throughs, and conversions in decompositions, depend on the element type.
    text +=
        fmt::format("|{}{}r{}", static_cast<int>(box.role(i)), Name(box.element(i)), box.rank(i));
    if (box.role(i) == BlackBox::Role::kFixed) text += BytesText(box.constant(i));
    // The shape of a literal is not among the slots.
    if (box.role(i) == BlackBox::Role::kLiteral) text += ShapeText(box.constant(i).shape());
  }
  for (const auto& [name, value] : box.attributes().all())
    text += fmt::format("|{}={}", name, AttributeText(value));
  for (const BlackBox::Following& pair : box.following())
    text += fmt::format("|{}>{}*{}", pair.literal, pair.dim, pair.times);
  return fmt::format("{}|{}", Printable(text), fmt::join(box.values(), ","));
}

}  // namespace metadist
