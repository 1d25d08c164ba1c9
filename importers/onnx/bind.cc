// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "importers/onnx/model.h"
#include "importers/onnx/symbolic_size.h"
#include "importers/onnx/types.h"
#include "metair/ir/suggest.h"
#include "metair/ops/onnx_types.h"

namespace metadist {
namespace {

using Sizes = std::map<std::string, int64_t>;
using Dim = onnx::TensorShapeProto::Dimension;

class Binder {
 public:
  Binder(const Sizes& binds, Faults* faults) : binds_(binds), sizes_(binds), faults_(faults) {}

  // Applies the sizes of the given shape and the values that it implies for named sizes.
  void Shape(onnx::ValueInfoProto* input, const metadist::Shape& shape) {
    auto* sizes = input->mutable_type()->mutable_tensor_type()->mutable_shape();
    const bool open = sizes->dim_size() == 0 && !shape.empty();
    for (size_t d = 0; open && d < shape.size(); ++d) sizes->add_dim();
    bool fits = sizes->dim_size() == static_cast<int>(shape.size());
    for (size_t d = 0; fits && d < shape.size(); ++d) {
      Dim* dim = sizes->mutable_dim(static_cast<int>(d));
      fits = !dim->has_dim_value() || dim->dim_value() == shape[d];
      if (dim->has_dim_param()) {
        const auto [named, fresh] = sizes_.emplace(dim->dim_param(), shape[d]);
        fits = fits && named->second == shape[d];
        used_.insert(dim->dim_param());
      }
      dim->set_dim_value(shape[d]);
    }
    if (!fits)
      faults_->Add(fmt::format("input '{}'", input->name()),
                   fmt::format("its shape cannot be {}", ShapeText(shape)));
  }

  const Sizes& sizes() const { return sizes_; }

  void BindInput(onnx::ValueInfoProto* input) {
    const size_t before = faults_->problems.size() + unbound_.size();
    BindType(fmt::format("input '{}'", input->name()), input);
    if (faults_->problems.size() + unbound_.size() > before) faults_->values.insert(input->name());
  }

  void Finish() {
    if (!unbound_.empty()) {
      const std::string names = fmt::format("'{}'", fmt::join(unbound_, "', '"));
      const std::string hint = fmt::format(" --bind {}=8", fmt::join(unbound_, "=8 --bind "));
      faults_->Add(
          unbound_.size() > 1
              ? Usage(fmt::format("the sizes of {} are not known", names), "give them:" + hint)
              : Usage(fmt::format("the size of {} is not known", names), "give it:" + hint));
    }
    for (const auto& [name, size] : binds_) CheckBind(name, size);
  }

 private:
  void BindType(const std::string& where, onnx::ValueInfoProto* input) {
    if (!input->type().has_tensor_type())
      return faults_->Add(where,
                          "only tensors are supported",
                          "sequences and optional values cannot be read from outside");
    auto* type = input->mutable_type()->mutable_tensor_type();
    const std::optional<ElementType> element = ElementTypeOfOnnx(type->elem_type());
    if (!element)
      faults_->Add(
          where,
          fmt::format("elements of type {} are not supported", OnnxTypeName(type->elem_type())),
          kElementTypesHint);
    if (!type->has_shape())
      return faults_->Add(
          where, "its shape is not stated", "state it in the model, with names for free sizes");
    metadist::Shape shape;
    for (int d = 0; d < type->shape().dim_size(); ++d) {
      Dim* dim = type->mutable_shape()->mutable_dim(d);
      if (dim->has_dim_value() && dim->dim_value() < -1)
        faults_->Add(where,
                     fmt::format("size {} must not be negative, got {}", d, dim->dim_value()));
      else if (!dim->has_dim_value() || dim->dim_value() == -1)
        BindDim(
            where,
            dim->dim_param().empty() ? fmt::format("{}.{}", input->name(), d) : dim->dim_param(),
            dim);
      if (dim->has_dim_value() && dim->dim_value() >= 0) shape.push_back(dim->dim_value());
    }
    auto count = CheckedElements(shape, element.value_or(ElementType::kI8));
    if (!count.ok()) faults_->Add(std::move(count).error().in(where));
  }

  void BindDim(const std::string& where, const std::string& text, Dim* dim) {
    std::set<std::string> missing;
    // The names in a text are found by evaluating it without any sizes.
    if (sizes_.count(text) > 0)
      used_.insert(text);
    else
      EvaluateSize(text, {}, &used_);
    const std::optional<int64_t> value = EvaluateSize(text, sizes_, &missing);
    unbound_.insert(missing.begin(), missing.end());
    if (value && *value >= 0) return dim->set_dim_value(*value);
    if (value)
      faults_->Add(where, fmt::format("size '{}' is {}", text, *value));
    else if (missing.empty())
      faults_->Add(where, fmt::format("size '{}' cannot be computed", text));
  }

  void CheckBind(const std::string& name, int64_t size) {
    const std::string where = fmt::format("--bind {}={}", name, size);
    if (size < 1) faults_->Add(Usage("a size must be at least 1").in(where));
    if (used_.count(name) > 0) return;
    const std::vector<std::string> known(used_.begin(), used_.end());
    Error error = Usage(fmt::format("the model has no size '{}'", name), DidYouMean(name, known));
    if (error.hint.empty() && !known.empty())
      error.hint = fmt::format("its sizes are: {}", fmt::join(known, " "));
    faults_->Add(std::move(error).in(where));
  }

  const Sizes& binds_;
  Sizes sizes_;  // including those implied by given shapes
  std::set<std::string> used_;
  std::set<std::string> unbound_;
  Faults* faults_;
};

// Names of sizes that no input has were invented by exporters.
void BindOther(onnx::ValueInfoProto* value, const Sizes& binds) {
  if (!value->type().has_tensor_type()) return;
  auto* type = value->mutable_type()->mutable_tensor_type();
  if (!type->has_shape()) return;
  for (Dim& dim : *type->mutable_shape()->mutable_dim()) {
    if (!dim.has_dim_param()) continue;
    std::set<std::string> missing;
    const std::optional<int64_t> size = EvaluateSize(dim.dim_param(), binds, &missing);
    if (size && *size >= 0)
      dim.set_dim_value(*size);
    else
      dim.clear_value();
  }
}

}  // namespace

void BindSizes(OnnxModel* model, const ImportOptions& options, Faults* faults) {
  Binder binder(options.binds, faults);
  onnx::GraphProto* graph = model->proto.mutable_graph();
  for (onnx::ValueInfoProto& input : *graph->mutable_input()) {
    const auto shape = options.shapes.find(input.name());
    if (shape != options.shapes.end() && input.type().has_tensor_type())
      binder.Shape(&input, shape->second);
  }
  for (onnx::ValueInfoProto& input : *graph->mutable_input())
    if (model->weight_index.count(input.name()) == 0) binder.BindInput(&input);
  binder.Finish();
  for (onnx::ValueInfoProto& value : *graph->mutable_value_info())
    BindOther(&value, binder.sizes());
  for (onnx::ValueInfoProto& output : *graph->mutable_output()) BindOther(&output, binder.sizes());
}

}  // namespace metadist
