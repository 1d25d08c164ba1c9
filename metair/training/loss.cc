// SPDX-License-Identifier: Apache-2.0
#include "metair/training/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "metair/ir/suggest.h"
#include "metair/ops/range.h"
#include "metair/ops/term.h"

namespace metadist {
namespace {

constexpr const char* kForms =
    "give --loss NAME of a scalar output, --loss mse:OUTPUT or --loss cross_entropy:OUTPUT";

bool IsFloat(const TensorType& type) { return ClassOf(type.element) == ElementClass::kFloat; }

// An output by name.
Result<ValueId> OutputOf(const GraphBuilder& b, const std::string& name) {
  std::vector<std::string> names;
  for (const ValueId id : b.graph().outputs) {
    names.push_back(b.graph().value(id).name);
    if (names.back() == name) return id;
  }
  return Usage(fmt::format("--loss: the model has no output '{}'", name), DidYouMean(name, names));
}

Result<ValueId> CheckScalar(const GraphBuilder& b, ValueId id) {
  if (IsOneFloat(b.type(id))) return id;
  return Usage(fmt::format("--loss: a loss must be one float, got {} for '{}'",
                           TypeText(b.type(id)),
                           b.graph().value(id).name),
               kForms);
}

Result<ValueId> OnlyScalar(const GraphBuilder& b) {
  std::vector<ValueId> found;
  for (const ValueId id : b.graph().outputs)
    if (IsOneFloat(b.type(id))) found.push_back(id);
  if (found.size() == 1) return found[0];
  return Usage(fmt::format("--loss: {} of the model's {} outputs are scalars, a loss must be named",
                           found.size(),
                           b.graph().outputs.size()),
               kForms);
}

// An input of the model, or a new one of this type.
Result<ValueId> TargetOf(GraphBuilder& b, const std::string& name, const TensorType& type) {
  for (const ValueId id : b.graph().inputs)
    if (b.graph().value(id).name == name) return id;
  if (b.graph().FindValue(name) != kNone)
    return Usage(fmt::format("--loss: '{}' is a value of the model, but no input", name));
  return b.Input(name, type);
}

Result<ValueId> MeanSquares(GraphBuilder& b, ValueId output, const std::string& name) {
  const ValueId target = TRY(TargetOf(b, name, b.type(output)));
  if (b.type(target) != b.type(output))
    return Usage(fmt::format("--loss: '{}' must be {}, got {}",
                             name,
                             TypeText(b.type(output)),
                             TypeText(b.type(target))));
  const Term made = Term(b, output).Wide();
  const Term off = made - Term(b, target).Wide();
  const auto count = static_cast<double>(NumElements(b.shape(output)));
  return ((off * off).SumAllBut({}, /*keep=*/false) / count).value();
}

Result<ValueId> CrossEntropy(GraphBuilder& b, ValueId output, const std::string& name) {
  constexpr double kIgnored = -100;
  const Shape scores = b.shape(output);
  if (scores.size() < 2)
    return Usage(fmt::format("--loss: scores need a dim of classes, got {}", ShapeText(scores)));
  Shape without_last(scores.begin(), scores.end() - 1);
  Shape without_second = scores;
  without_second.erase(without_second.begin() + 1);
  const ValueId labels = TRY(TargetOf(b, name, {ElementType::kI64, without_last}));
  const bool last = b.shape(labels) == without_last;
  if (ClassOf(b.type(labels).element) != ElementClass::kInt ||
      (!last && b.shape(labels) != without_second))
    return Usage(fmt::format("--loss: labels '{}' must be integers {} or {}, got {}",
                             name,
                             ShapeText(without_last),
                             ShapeText(without_second),
                             TypeText(b.type(labels))));
  const int64_t axis = last ? static_cast<int64_t>(scores.size()) - 1 : 1;
  std::vector<int64_t> later;  // dims after the classes
  for (int64_t d = axis + 1; d < static_cast<int64_t>(scores.size()); ++d)
    later.push_back(d - axis);
  const int64_t classes = scores[static_cast<size_t>(axis)];
  const Term log_prob = Term(b, output).Wide().Apply("LogSoftmax", {{"axis", axis}});
  const Term label = Term(b, labels).As(ElementType::kI64);
  const Term positions = Term(b, ComposePositions(b, 0, classes)).Unsqueezed(later);
  const Term hit = label.Unsqueezed({axis}) == positions;
  const Term sum = Choose(hit, log_prob, 0).SumAllBut({}, /*keep=*/false);
  const Term counts = (label == kIgnored).Apply("Not").As(log_prob.element());
  const Term count = counts.SumAllBut({}, /*keep=*/false);
  return (-(sum / count)).value();
}

}  // namespace

Result<ValueId> AddLoss(GraphBuilder& b, const std::string& loss) {
  if (loss.empty()) return OnlyScalar(b);
  const size_t colon = loss.find(':');
  const std::string kind = loss.substr(0, colon);
  const bool squares = kind == "mse";
  if (colon == std::string::npos || (!squares && kind != "cross_entropy"))
    return CheckScalar(b, TRY(OutputOf(b, loss)));
  const std::string rest = loss.substr(colon + 1);
  const size_t comma = rest.find(',');
  const ValueId output = TRY(OutputOf(b, rest.substr(0, comma)));
  if (!IsKnown(b.shape(output)))
    return Usage(fmt::format("--loss: the size of '{}' is known only at run time",
                             b.graph().value(output).name));
  if (!IsFloat(b.type(output)))
    return Usage(fmt::format("--loss: {} needs floats, got {}", kind, TypeText(b.type(output))));
  std::string target = squares ? "target" : "labels";
  if (comma != std::string::npos) target = rest.substr(comma + 1);
  if (target.empty())
    return Usage(fmt::format("--loss '{}': expected a name after the comma", loss));
  return squares ? MeanSquares(b, output, target) : CrossEntropy(b, output, target);
}

}  // namespace metadist
