// SPDX-License-Identifier: Apache-2.0
// Questions and answers between this process and the one that runs a library's code. The answering
// side opens the library at the first question, so that opening it cannot harm this process either.
// Arrays are copied into fenced memory (FencedArrays), and inputs are compared afterwards. Answers
// come from a process whose memory foreign code may have corrupted, so they are validated.
#include "metair/ops/op_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <new>
#include <optional>

#include "metair/ops/fenced_arrays.h"
#include "metair/ops/op_library.h"
#include "metair/ops/wire.h"

namespace metadist {
namespace {

enum class Question : uint8_t { kOpen, kShapes, kKernel, kDomains, kWork };
enum class Answer : uint8_t { kDone, kRefused, kFault };

// ---- Serialisation of calls. Parts that the library does not see are omitted.

void PutCall(const OpCall& call, WireWriter& out) {
  out.Put<int32_t>(call.num_outputs);
  out.Put<uint64_t>(call.inputs.size());
  for (const OpCall::Input& input : call.inputs) {
    out.Put(input.present);
    out.PutType(input.type);
  }
  out.Put<uint64_t>(call.attributes->all().size());
  for (const auto& [name, value] : call.attributes->all()) {
    out.PutText(name);
    out.Put(static_cast<uint8_t>(value.index()));
    if (const auto* number = std::get_if<int64_t>(&value)) out.Put(*number);
    if (const auto* real = std::get_if<double>(&value)) out.Put(*real);
    if (const auto* text = std::get_if<std::string>(&value)) out.PutText(*text);
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      out.Put<uint64_t>(list->size());
      for (const int64_t number : *list) out.Put(number);
    }
    if (const auto* list = std::get_if<std::vector<double>>(&value)) {
      out.Put<uint64_t>(list->size());
      for (const double number : *list) out.Put(number);
    }
  }
}

template <typename T>
std::vector<T> TakeList(WireReader& in) {
  std::vector<T> list(in.TakeCount());
  for (T& value : list) value = in.Take<T>();
  return list;
}

OpCall TakeCall(WireReader& in, const OpDef& op, Attributes& attributes) {
  OpCall call;
  call.op = &op;
  call.attributes = &attributes;
  call.num_outputs = in.Take<int32_t>();
  call.inputs.resize(in.TakeCount());
  for (OpCall::Input& input : call.inputs) {
    input.present = in.TakeFlag();
    input.type = in.TakeType();
  }
  for (size_t count = in.TakeCount(); count > 0; --count) {
    const std::string name = in.TakeText();
    switch (in.Take<uint8_t>()) {
      case 0:
        attributes.set(name, in.Take<int64_t>());
        break;
      case 1:
        attributes.set(name, in.Take<double>());
        break;
      case 2:
        attributes.set(name, in.TakeText());
        break;
      case 3:
        attributes.set(name, TakeList<int64_t>(in));
        break;
      case 4:
        attributes.set(name, TakeList<double>(in));
        break;
      default:
        break;
    }
  }
  return call;
}

// ---- The answering side.

class Worker {
 public:
  explicit Worker(std::string path) : path_(std::move(path)) {}

  std::string AnswerTo(const std::string& question) {
    WireReader in(question);
    try {
      return AnswerOf(in);
    } catch (const std::bad_alloc&) {
      return Said(Answer::kFault, "ran out of memory");
    } catch (const std::exception& error) {
      return Said(Answer::kFault, fmt::format("threw an exception, {}", error.what()));
    } catch (...) {
      return Said(Answer::kFault, "threw an exception");
    }
  }

 private:
  static std::string Said(Answer answer, const std::string& text) {
    WireWriter out;
    out.Put(answer);
    out.PutText(text);
    return std::move(out).Finish();
  }

  std::string AnswerOf(WireReader& in) {
    if (!library_) library_ = OpenOpLibrary(path_);
    const Question question = in.Take<Question>();
    if (question == Question::kOpen) return Listing();
    const OpDef& op = library_->value().at(in.Take<uint32_t>());
    Attributes attributes;
    const OpCall call = TakeCall(in, op, attributes);
    WireWriter out;
    out.Put(Answer::kDone);
    switch (question) {
      case Question::kShapes: {
        auto types = op.infer(call);
        if (!types.ok()) return Said(Answer::kRefused, types.error().message);
        out.Put<uint64_t>(types.value().size());
        for (const TensorType& type : types.value()) out.PutType(type);
        break;
      }
      case Question::kKernel:
        return RunInChild(call, in);
      case Question::kDomains: {
        const std::vector<InputDomain> domains = op.domain_of(call);
        out.Put<uint64_t>(domains.size());
        for (const InputDomain& domain : domains) {
          out.Put(domain.kind);
          out.Put(domain.bounds.empty() ? InputDomain::Bound{} : domain.bounds[0]);
        }
        break;
      }
      default: {
        std::vector<TensorType> outputs(in.TakeCount());
        for (TensorType& type : outputs) type = in.TakeType();
        const Work work = op.work(call, outputs);
        out.Put(work.flops);
        out.Put(work.bytes);
      }
    }
    return std::move(out).Finish();
  }

  std::string Listing() {
    WireWriter out;
    if (!library_->ok()) {
      out.Put(Answer::kRefused);
      const Error& first = library_->error();
      out.Put<uint64_t>(1 + first.also.size());
      const auto put = [&](const Error& error) {
        out.PutText(error.where);
        out.PutText(error.message);
        out.PutText(error.hint);
      };
      put(first);
      for (const Error& error : first.also) put(error);
      return std::move(out).Finish();
    }
    out.Put(Answer::kDone);
    out.Put<uint64_t>(library_->value().size());
    for (const OpDef& op : library_->value()) {
      out.PutText(op.domain);
      out.PutText(op.name);
      out.Put<int32_t>(op.since_version);
      out.Put(op.domain_of != nullptr);
      out.Put(op.work != nullptr);
    }
    return std::move(out).Finish();
  }

  std::string RunInChild(const OpCall& call, WireReader& in) {
    std::vector<Tensor> inputs(call.inputs.size());
    std::vector<std::string_view> given(call.inputs.size());
    size_t slot = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!in.TakeFlag()) continue;
      TensorType type = in.TakeType();
      given[i] = in.TakeBytes(static_cast<uint64_t>(type.bytes()));
      std::byte* array = arrays_.At(slot++, given[i].size());
      if (array == nullptr) throw std::bad_alloc();
      std::memcpy(array, given[i].data(), given[i].size());
      inputs[i] = Tensor::Mapped(std::move(type),
                                 std::shared_ptr<const void>(std::shared_ptr<const void>(), array),
                                 array);
    }
    std::vector<void*> results;
    std::vector<size_t> sizes(in.TakeCount());
    for (size_t& size : sizes) {
      size = static_cast<size_t>(in.Take<int64_t>());
      std::byte* array = arrays_.At(slot++, size);
      if (array == nullptr) throw std::bad_alloc();
      std::memset(array, 0, size);
      results.push_back(array);
    }
    const auto done = RunForeignKernel(call, inputs, results);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (!given[i].empty() &&
          std::memcmp(inputs[i].bytes(), given[i].data(), given[i].size()) != 0)
        return Said(Answer::kFault, fmt::format("wrote to input {}", i));
    if (!done.ok()) return Said(Answer::kRefused, done.error().message);
    WireWriter out;
    out.Put(Answer::kDone);
    for (size_t o = 0; o < results.size(); ++o)
      out.PutBytes({static_cast<const char*>(results[o]), sizes[o]});
    return std::move(out).Finish();
  }

  std::string path_;
  std::optional<Result<std::vector<OpDef>>> library_;
  FencedArrays arrays_;
};

// ---- The asking side.

struct GuardedOp {
  ChildProcess* process = nullptr;
  uint32_t index = 0;
  std::string fingerprint;  // of the library
  mutable std::mutex mutex = {};
  mutable std::string fault = {};  // as CodeFault
};

// What operators refer to; lives until the process ends.
struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<ChildProcess>> processes;
  std::deque<GuardedOp> ops;
};

Registry& TheRegistry() {
  static Registry registry;
  return registry;
}

const GuardedOp& GuardOf(const OpCall& call) {
  return *static_cast<const GuardedOp*>(call.op->context);
}

WireWriter AskChild(Question question, const OpCall& call) {
  WireWriter out;
  out.Put(question);
  out.Put(GuardOf(call).index);
  PutCall(call, out);
  return out;
}

constexpr std::string_view kKernelName = "kernel";

Error Fault(std::string_view function,
            const OpCall& call,
            const std::string& what,
            ErrorCode code = ErrorCode::kDevice) {
  std::string types;
  for (size_t i = 0; i < call.inputs.size(); ++i)
    types += (i == 0 ? "" : " ") + (call.has(i) ? TypeText(call.type(i)) : std::string("_"));
  Error error{code, "", fmt::format("the {} {} at {}", function, what, types), "", {}};
  if (function == kKernelName) return error;  // discovery tells of it
  const GuardedOp& op = GuardOf(call);
  const std::lock_guard<std::mutex> lock(op.mutex);
  if (op.fault.empty() || error.message < op.fault) op.fault = error.message;
  return error;
}

// The content of the answer if it starts with kDone.
Result<std::string> AnswerTo(WireWriter question, std::string_view function, const OpCall& call) {
  auto answer = GuardOf(call).process->Ask(std::move(question).Finish());
  if (!answer.ok()) return Fault(function, call, answer.error().message, answer.error().code);
  WireReader in(answer.value());
  const Answer kind = in.Take<Answer>();
  if (in.ok() && kind == Answer::kDone) return answer.value().substr(1);
  const std::string text = in.TakeText();
  if (in.ok() && kind == Answer::kRefused) return BadInput("", text);
  return Fault(function, call, in.ok() && kind == Answer::kFault ? text : "spoilt its process");
}

bool IsLegal(const TensorType& type) {
  return static_cast<int>(type.element) < kNumElementTypes &&
         CheckedElements(type.shape, type.element).ok();
}

Result<std::vector<TensorType>> InferOpGuard(const OpCall& call) {
  const std::string answer =
      TRY(AnswerTo(AskChild(Question::kShapes, call), "shape function", call));
  WireReader in(answer);
  std::vector<TensorType> types(in.TakeCount());
  for (TensorType& type : types) type = in.TakeType();
  if (!in.ok()) return Fault("shape function", call, "spoilt its process");
  if (!std::all_of(types.begin(), types.end(), IsLegal))
    return BadInput("", "a result has no legal shape");
  return types;
}

Result<void> RunInChild(const OpCall& call,
                        std::span<const Tensor> inputs,
                        std::span<Tensor> outputs) {
  WireWriter out = AskChild(Question::kKernel, call);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const bool given = call.has(i) && i < inputs.size() && inputs[i].has_data();
    out.Put(given);
    if (!given) continue;
    out.PutType(inputs[i].type());
    out.PutBytes({reinterpret_cast<const char*>(inputs[i].bytes()),
                  static_cast<size_t>(inputs[i].type().bytes())});
  }
  out.Put<uint64_t>(outputs.size());
  for (const Tensor& output : outputs) out.Put<int64_t>(output.type().bytes());
  const std::string answer = TRY(AnswerTo(std::move(out), kKernelName, call));
  WireReader in(answer);
  for (Tensor& output : outputs) {
    const std::string_view bytes = in.TakeBytes(static_cast<uint64_t>(output.type().bytes()));
    if (!in.ok()) return Fault(kKernelName, call, "spoilt its process");
    std::memcpy(output.mutable_bytes(), bytes.data(), bytes.size());
  }
  return {};
}

std::vector<InputDomain> DomainsFromChild(const OpCall& call) {
  std::vector<InputDomain> domains(call.inputs.size());
  const auto answer = AnswerTo(AskChild(Question::kDomains, call), "domain function", call);
  if (!answer.ok()) return domains;
  WireReader in(answer.value());
  if (in.TakeCount() != domains.size()) return domains;
  for (InputDomain& domain : domains) {
    const auto kind = in.Take<InputDomain::Kind>();
    const auto bound = in.Take<InputDomain::Bound>();
    if (kind == InputDomain::Kind::kPositive) domain.kind = kind;
    if (!in.ok() || kind != InputDomain::Kind::kIndex || bound.input < 0 ||
        !call.has(static_cast<size_t>(bound.input)) || bound.dim < 0 ||
        bound.dim >= call.rank(static_cast<size_t>(bound.input)))
      continue;
    domain.kind = kind;
    domain.bounds = {bound};
  }
  return domains;
}

Work WorkFromChild(const OpCall& call, std::span<const TensorType> outputs) {
  WireWriter out = AskChild(Question::kWork, call);
  out.Put<uint64_t>(outputs.size());
  for (const TensorType& type : outputs) out.PutType(type);
  const auto answer = AnswerTo(std::move(out), "flops function", call);
  if (!answer.ok()) {
    OpDef plain;
    OpCall without = call;
    without.op = &plain;
    return WorkOf(without, outputs);
  }
  WireReader in(answer.value());
  Work work;
  work.flops = std::max<int64_t>(0, in.Take<int64_t>());
  work.bytes = std::max<int64_t>(0, in.Take<int64_t>());
  return work;
}

// The problems of a library, as reported by the answering side.
Error TakeProblems(WireReader& in) {
  std::vector<Error> problems(std::max<size_t>(1, in.TakeCount()));
  for (Error& problem : problems) {
    problem.code = ErrorCode::kBadInput;
    problem.where = in.TakeText();
    problem.message = in.TakeText();
    problem.hint = in.TakeText();
  }
  return Join(std::move(problems));
}

}  // namespace

std::string CodeFingerprint(const OpDef& op) {
  return op.infer == InferOpGuard ? static_cast<const GuardedOp*>(op.context)->fingerprint : "";
}

std::string CodeFault(const OpDef& op) {
  if (op.infer != InferOpGuard) return "";
  const auto& guarded = *static_cast<const GuardedOp*>(op.context);
  const std::lock_guard<std::mutex> lock(guarded.mutex);
  return guarded.fault;
}

Result<std::vector<OpDef>> GuardOpLibrary(const std::string& path, const ChildLimits& limits) {
  auto started = ChildProcess::Start(
      limits, [worker = std::make_shared<Worker>(path)](const std::string& question) {
        return worker->AnswerTo(question);
      });
  if (!started.ok()) return std::move(started).error().in(path);
  WireWriter open;
  open.Put(Question::kOpen);
  auto answer = started.value()->Ask(std::move(open).Finish());
  if (!answer.ok())
    return BadInput(path, fmt::format("cannot be opened: its code {}", answer.error().message));
  WireReader in(answer.value());
  const Answer kind = in.Take<Answer>();
  if (kind == Answer::kRefused) return TakeProblems(in);
  if (kind != Answer::kDone)
    return BadInput(path, fmt::format("cannot be opened: its code {}", in.TakeText()));
  const std::string fingerprint = OpLibraryFingerprint(path);
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  std::vector<OpDef> ops(in.TakeCount());
  for (OpDef& op : ops) {
    op.domain = in.TakeText();
    op.name = in.TakeText();
    op.since_version = in.Take<int32_t>();
    op.infer = InferOpGuard;
    op.reference = RunInChild;
    if (in.TakeFlag()) op.domain_of = DomainsFromChild;
    if (in.TakeFlag()) op.work = WorkFromChild;
    GuardedOp& guarded = registry.ops.emplace_back();
    guarded.process = started.value().get();
    guarded.index = static_cast<uint32_t>(&op - ops.data());
    guarded.fingerprint = fingerprint;
    op.context = &registry.ops.back();
  }
  registry.processes.push_back(std::move(started).value());
  return ops;
}

}  // namespace metadist
