// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/op_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "metair/ir/fnv.h"
#include "metair/ops/metadist_op.h"
#include "metair/ops/work.h"

namespace metadist {
namespace {

constexpr size_t kRefusalBytes = 512;

int32_t TypeOf(ElementType element) {
  switch (ClassOf(element)) {
    case ElementClass::kFloat:
      return METADIST_FLOAT;
    case ElementClass::kInt:
      return METADIST_INT;
    case ElementClass::kBool:
      return METADIST_BOOL;
  }
  return -1;
}

const metadist_operator& ForeignOf(const OpCall& call) {
  return *static_cast<const metadist_operator*>(call.op->context);
}

// A call in the form that the library sees, with everything it points to.
class ForeignCall {
 public:
  // arrays: of compute types, one per input; empty if elements are not known.
  ForeignCall(const OpCall& call, std::span<const Tensor> arrays) {
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      metadist_array array{METADIST_FLOAT, 0, nullptr, nullptr, call.has(i) ? 1 : 0};
      if (call.has(i)) {
        array.type = TypeOf(call.type(i).element);
        array.rank = static_cast<int32_t>(call.shape(i).size());
        array.shape = call.shape(i).data();
        if (i < arrays.size()) array.data = arrays[i].bytes();
      }
      inputs_.push_back(array);
    }
    AddAttributes(*call.attributes);
    call_ = {inputs_.size(),
             static_cast<size_t>(call.num_outputs),
             attributes_.size(),
             inputs_.data(),
             attributes_.data()};
  }
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

  const metadist_call* get() const { return &call_; }

 private:
  // Array attributes are not passed on.
  void AddAttributes(const Attributes& all) {
    for (const auto& [name, value] : all.all()) {
      metadist_attribute out{name.c_str(), METADIST_INT, 1, nullptr, nullptr, nullptr};
      if (const auto* number = std::get_if<int64_t>(&value)) {
        out.ints = number;
      } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
        out.ints = list->data();
        out.count = list->size();
      } else if (const auto* real = std::get_if<double>(&value)) {
        out.type = METADIST_FLOAT;
        out.floats = real;
      } else if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
        out.type = METADIST_FLOAT;
        out.floats = reals->data();
        out.count = reals->size();
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        out.type = -1;
        out.text = text->c_str();
      } else {
        continue;
      }
      attributes_.push_back(out);
    }
  }

  std::vector<metadist_array> inputs_;
  std::vector<metadist_attribute> attributes_;
  metadist_call call_{};
};

// Calls one of the library's functions; a refusal becomes an error.
template <typename Function>
Result<void> AskLibrary(Function function) {
  std::array<char, kRefusalBytes> text{};
  metadist_refusal why{text.data(), text.size()};
  if (function(&why) == 0) return {};
  text.back() = 0;
  std::string reason = text[0] == 0 ? "the operator refuses the call" : text.data();
  for (char& c : reason)
    if (c < ' ' || c > '~') c = '?';
  return BadInput("", std::move(reason));
}

Result<ElementType> ElementOfResult(const OpCall& call, const metadist_result& result) {
  if (result.like >= 0) {
    if (!call.has(static_cast<size_t>(result.like)))
      return BadInput("", fmt::format("a result is like input {}, which is absent", result.like));
    return call.type(static_cast<size_t>(result.like)).element;
  }
  switch (result.type) {
    case METADIST_FLOAT:
      return ElementType::kF32;
    case METADIST_INT:
      return ElementType::kI64;
    case METADIST_BOOL:
      return ElementType::kBool;
    default:
      return BadInput("", fmt::format("a result is of unknown type {}", result.type));
  }
}

Result<std::vector<TensorType>> InferOpLibrary(const OpCall& call) {
  const ForeignCall foreign(call, {});
  std::vector<metadist_result> results(static_cast<size_t>(call.num_outputs));
  for (metadist_result& result : results) result.like = -1;
  TRY(AskLibrary([&](metadist_refusal* why) {
    return ForeignOf(call).shapes(foreign.get(), results.data(), why);
  }));
  std::vector<TensorType> types;
  for (const metadist_result& result : results) {
    if (result.rank < 0 || result.rank > METADIST_MAX_RANK ||
        std::any_of(result.shape, result.shape + result.rank, [](int64_t s) { return s < 0; }))
      return BadInput("", "a result has no legal shape");
    types.push_back(
        {TRY(ElementOfResult(call, result)), Shape(result.shape, result.shape + result.rank)});
  }
  return types;
}

Result<void> RunOfLibrary(const OpCall& call,
                          std::span<const Tensor> inputs,
                          std::span<Tensor> outputs) {
  std::vector<void*> results;
  for (Tensor& output : outputs) results.push_back(output.mutable_bytes());
  return RunForeignKernel(call, inputs, results);
}

std::vector<InputDomain> DomainsOfLibrary(const OpCall& call) {
  const ForeignCall foreign(call, {});
  std::vector<metadist_domain> given(call.inputs.size());
  ForeignOf(call).domains(foreign.get(), given.data());
  std::vector<InputDomain> domains(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].kind == METADIST_POSITIVE) domains[i].kind = InputDomain::Kind::kPositive;
    const size_t of = static_cast<size_t>(given[i].of);
    if (given[i].kind != METADIST_INDEX || !call.has(of) || given[i].dim < 0 ||
        given[i].dim >= call.rank(of))
      continue;
    domains[i].kind = InputDomain::Kind::kIndex;
    domains[i].bounds = {{given[i].of, given[i].dim}};
  }
  return domains;
}

Work WorkOfLibrary(const OpCall& call, std::span<const TensorType> outputs) {
  const ForeignCall foreign(call, {});
  const double flops = ForeignOf(call).flops(foreign.get());
  return FlopsWork(call, outputs, static_cast<int64_t>(std::max(0.0, flops)));
}

bool Named(const char* text) { return text != nullptr && *text != 0; }

}  // namespace

std::string OpLibraryFingerprint(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Fnv1a hash;
  std::array<char, 1 << 16> block;
  while (in.read(block.data(), block.size()), in.gcount() > 0)
    hash.Add({block.data(), static_cast<size_t>(in.gcount())});
  return fmt::format("{:016x}", hash.value());
}

Result<void> RunForeignKernel(const OpCall& call,
                              std::span<const Tensor> inputs,
                              std::span<void* const> results) {
  const ForeignCall foreign(call, inputs);
  return AskLibrary([&](metadist_refusal* why) {
    return ForeignOf(call).kernel(foreign.get(), results.data(), why);
  });
}

Result<std::vector<OpDef>> OpenOpLibrary(const std::string& path) {
  // For a bare name, dlopen would search the system's folders.
  const std::string file = std::filesystem::absolute(path).string();
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return BadInput(path, fmt::format("cannot be opened: {}", dlerror()), "see `metadist_op.h`");
  const auto operators =
      reinterpret_cast<decltype(&metadist_operators)>(dlsym(library, "metadist_operators"));
  if (operators == nullptr)
    return BadInput(path, "has no function metadist_operators", "see `metadist_op.h`");
  size_t count = 0;
  const metadist_operator* all = operators(METADIST_OP_VERSION, &count);
  if (all == nullptr)
    return BadInput(
        path,
        fmt::format("does not work with version {} of metadist_op.h", METADIST_OP_VERSION),
        "build it again with the header of this metadist");
  std::vector<OpDef> ops;
  std::vector<Error> problems;
  for (size_t i = 0; i < count; ++i) {
    const metadist_operator& foreign = all[i];
    if (!Named(foreign.domain) || !Named(foreign.name) || foreign.shapes == nullptr ||
        foreign.kernel == nullptr) {
      problems.push_back(
          BadInput(path,
                   fmt::format("operator {} ({}) lacks a domain, a name, shapes or a kernel",
                               i,
                               Named(foreign.name) ? foreign.name : "no name")));
      continue;
    }
    OpDef op;
    op.domain = foreign.domain;
    op.name = foreign.name;
    op.since_version = foreign.opset;
    op.infer = InferOpLibrary;
    op.reference = RunOfLibrary;
    if (foreign.domains != nullptr) op.domain_of = DomainsOfLibrary;
    if (foreign.flops != nullptr) op.work = WorkOfLibrary;
    op.context = &foreign;
    ops.push_back(std::move(op));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return ops;
}

}  // namespace metadist
