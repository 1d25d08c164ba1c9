// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/onednn.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <array>
#include <new>
#include <string_view>

namespace metadist::cpu {
namespace {

constexpr size_t kMaxArguments = 6;

// For the first matrix product, oneDNN generates more than 16 MiB of code.
constexpr size_t kRoom = size_t{32} << 20;

std::mutex generating;
thread_local bool generates_code = false;

// A stream serves one thread at a time.
dnnl_stream_t StreamOfThread() {
  thread_local const dnnl::stream stream(Engine());
  return stream.get();
}

struct Bound {
  dnnl::primitive primitive;
  std::vector<OneDnnArgument> arguments;
  std::vector<dnnl::memory> memories;
  bool ran = false;

  Result<void> Run(const KernelArgs& args) {
    if (ran) return Execute(args);
    const GeneratesCode turn;
    ran = true;
    return Execute(args);
  }

  Result<void> Execute(const KernelArgs& args) {
    std::array<dnnl_exec_arg_t, kMaxArguments> list;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const OneDnnArgument& argument = arguments[i];
      const void* bytes = args.scratch + argument.begin;
      if (argument.input >= 0) bytes = args.inputs[static_cast<size_t>(argument.input)];
      if (argument.output >= 0) bytes = args.outputs[static_cast<size_t>(argument.output)];
      const dnnl_status_t set =
          dnnl_memory_set_data_handle(memories[i].get(), const_cast<void*>(bytes));
      if (set != dnnl_success) return Internal("oneDNN refuses a buffer");
      list[i] = {argument.id, memories[i].get()};
    }
    const dnnl_status_t done = dnnl_primitive_execute(
        primitive.get(), StreamOfThread(), static_cast<int>(arguments.size()), list.data());
    if (done != dnnl_success) return Internal("a oneDNN primitive failed");
    return {};
  }
};

}  // namespace

GeneratesCode::GeneratesCode() : turn_(generating) {
  void* room = mmap(
      nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  munmap(room, kRoom);
  generates_code = true;
}

GeneratesCode::~GeneratesCode() { generates_code = false; }

bool FaultsWithoutMemory() { return generates_code; }

const dnnl::engine& Engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

bool IsSlow(const dnnl::primitive_desc_base& desc) {
  return std::string_view(desc.impl_info_str()).starts_with("ref");
}

dnnl::memory::desc AnyOrder(const dnnl::memory::desc& desc) {
  return {desc.dims(), desc.data_type(), dnnl::memory::format_tag::any};
}

Packing PackOneDnn(size_t input, const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
  return {
      input, static_cast<int64_t>(to.get_size()), [from, to](const std::byte* in, std::byte* out) {
        const GeneratesCode turn;
        dnnl::memory source(from, Engine(), const_cast<std::byte*>(in));
        dnnl::memory target(to, Engine(), out);
        dnnl::stream stream(Engine());
        dnnl::reorder(source, target).execute(stream, source, target);
        stream.wait();
      }};
}

dnnl::primitive_attr UserScratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Prepared BindOneDnn(const dnnl::primitive& primitive,
                    const dnnl::memory::desc& scratchpad,
                    std::vector<OneDnnArgument> arguments,
                    int64_t scratch_begin) {
  const int64_t scratch = scratch_begin + static_cast<int64_t>(scratchpad.get_size());
  arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad, -1, -1, scratch_begin});
  if (arguments.size() > kMaxArguments) return Decline("too many arguments");
  auto bound = std::make_shared<Bound>(Bound{primitive, std::move(arguments), {}});
  for (const OneDnnArgument& argument : bound->arguments)
    bound->memories.push_back(dnnl::memory(argument.desc, Engine(), DNNL_MEMORY_NONE));
  return Accept("onednn", [bound](const KernelArgs& args) { return bound->Run(args); }, scratch);
}

void UseOneThread() {
  // oneDNN loads its own OpenMP run-time; looking up the function needs no OpenMP here.
  using SetThreads = void (*)(int);
  static const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) set(1);
}

}  // namespace metadist::cpu
