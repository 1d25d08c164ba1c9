// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/comm/transport_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "executor/host/operand_pattern.h"

namespace metadist::transports {
namespace {

constexpr std::byte kGuard{0x5a};
constexpr size_t kGuardBytes = 64;

const ElementType kTypes[] = {ElementType::kF64,
                              ElementType::kF32,
                              ElementType::kF16,
                              ElementType::kBF16,
                              ElementType::kI8,
                              ElementType::kU16,
                              ElementType::kI32,
                              ElementType::kI64};

struct StepCase {
  CollectiveKind kind;
  const char* from;
  const char* to;
  bool reduces;
};

// On a mesh of one axis, with arrays of two dims.
const StepCase kCases[] = {
    {CollectiveKind::kAllReduce, "[][] partial{sum: x}", "[][]", true},
    {CollectiveKind::kAllReduce, "[][] partial{max: x}", "[][]", true},
    {CollectiveKind::kReduceScatter, "[][] partial{sum: x}", "[x][]", true},
    {CollectiveKind::kReduceScatter, "[][] partial{min: x}", "[][x]", true},
    {CollectiveKind::kAllGather, "[x][]", "[][]", false},
    {CollectiveKind::kAllGather, "[][x]", "[][]", false},
    {CollectiveKind::kAllToAll, "[x][]", "[][x]", false},
    {CollectiveKind::kAllToAll, "[][x]", "[x][]", false},
    {CollectiveKind::kSlice, "[][]", "[x][]", false},
};

// An array of a rank, followed by guard bytes that must not be written.
class Guarded {
 public:
  explicit Guarded(const TensorType& type)
      : type_(type), bytes_(static_cast<size_t>(type.bytes()) + kGuardBytes, kGuard) {}
  std::byte* bytes() { return bytes_.data(); }

  Result<void> ExpectIs(const Tensor& wanted, const std::string& what) const {
    const size_t size = static_cast<size_t>(type_.bytes());
    if (size > 0 && std::memcmp(bytes_.data(), wanted.bytes(), size) != 0)
      return Internal("wrong elements: " + what);
    if (std::any_of(bytes_.begin() + static_cast<int64_t>(size), bytes_.end(), [](std::byte b) {
          return b != kGuard;
        }))
      return Internal("wrote beyond the end: " + what);
    return {};
  }

 private:
  TensorType type_;
  std::vector<std::byte> bytes_;
};

Result<void> CheckStep(Transport& world, const StepCase& one, const TensorType& type) {
  const Mesh mesh{{{"x", world.size()}}};
  CollectiveStep step{one.kind,
                      {0},
                      TRY(ParseSharding(one.from, type.shape, mesh)),
                      TRY(ParseSharding(one.to, type.shape, mesh))};
  const std::vector<Transfer> transfers = TRY(PlanTransfers(step, type, mesh));
  const OperandPattern pattern(type, mesh, step.from.partial);
  const Tensor source = pattern.Local(step.from, world.rank());
  const Tensor wanted = pattern.Local(step.to, world.rank());
  Guarded target(wanted.type());
  const auto run =
      TRY(world.Prepare({{&transfers, const_cast<std::byte*>(source.bytes()), target.bytes()}}));
  const std::string what = fmt::format("{} of {} on {} ranks, {} to {}",
                                       Name(one.kind),
                                       TypeText(type),
                                       world.size(),
                                       one.from,
                                       one.to);
  for (int repetition = 0; repetition < 2; ++repetition) {
    TRY(run());
    TRY(target.ExpectIs(wanted, what));
    TRY(world.Barrier());
  }
  return {};
}

}  // namespace

Result<void> CheckSteps(Transport& world, int64_t count) {
  for (ElementType element : kTypes)
    for (const StepCase& one : kCases)
      for (const Shape& shape :
           {Shape{world.size() + count, world.size()}, Shape{world.size(), world.size() + count}})
        TRY(CheckStep(world, one, {element, shape}));
  return {};
}

Result<void> CheckBundles(Transport& world) {
  const Mesh mesh{{{"x", world.size()}}};
  const std::vector<TensorType> types = {{ElementType::kF32, {5000}}, {ElementType::kF16, {7}}};
  std::vector<std::vector<Transfer>> transfers;
  std::vector<Tensor> sources;
  std::vector<Tensor> wanted;
  std::vector<Guarded> targets;
  for (const TensorType& type : types) {
    const CollectiveStep step{CollectiveKind::kAllReduce,
                              {0},
                              TRY(ParseSharding("[] partial{sum: x}", type.shape, mesh)),
                              TRY(ParseSharding("[]", type.shape, mesh))};
    transfers.push_back(TRY(PlanTransfers(step, type, mesh)));
    const OperandPattern pattern(type, mesh, step.from.partial);
    sources.push_back(pattern.Local(step.from, world.rank()));
    wanted.push_back(pattern.Local(step.to, world.rank()));
    targets.emplace_back(type);
  }
  std::vector<TransferPart> parts;
  for (size_t i = 0; i < types.size(); ++i)
    parts.push_back(
        {&transfers[i], const_cast<std::byte*>(sources[i].bytes()), targets[i].bytes()});
  const auto run = TRY(world.Prepare(std::move(parts)));
  TRY(run());
  for (size_t i = 0; i < types.size(); ++i) TRY(targets[i].ExpectIs(wanted[i], "bundle"));
  return world.Barrier();
}

Result<void> CheckRing(Transport& world) {
  const int n = world.size();
  constexpr int64_t kElements = 1000;
  std::vector<Transfer> transfers;
  for (int rank = 0; rank < n; ++rank) {
    Transfer transfer;
    transfer.element = transfer.made = ElementType::kI64;
    transfer.elements = kElements;
    for (int other = 0; other < n; ++other) transfer.group.push_back(other);
    transfer.pulls.push_back(
        {{(rank + n - 1) % n}, {{{0, 0, kElements}}}, {kElements}, {kElements}, {}});
    transfers.push_back(std::move(transfer));
  }
  std::vector<int64_t> mine(kElements, world.rank());
  Guarded target({ElementType::kI64, {kElements}});
  const auto run =
      TRY(world.Prepare({{&transfers, reinterpret_cast<std::byte*>(mine.data()), target.bytes()}}));
  TRY(run());
  const std::vector<int64_t> wanted(kElements, (world.rank() + n - 1) % n);
  TRY(target.ExpectIs(Tensor::Of<int64_t>({kElements}, wanted), "ring"));
  return world.Barrier();
}

// From the first ranks to the last ones; some ranks may be both.
Result<void> CheckChannels(Transport& world) {
  const int n = world.size();
  const TensorType type{ElementType::kF32, {12, 11}};
  for (int senders = 1; senders <= n; ++senders)
    for (int receivers = 1; receivers <= n; ++receivers) {
      std::vector<int64_t> sending(static_cast<size_t>(senders));
      std::iota(sending.begin(), sending.end(), 0);
      std::vector<int64_t> receiving(static_cast<size_t>(receivers));
      std::iota(receiving.begin(), receiving.end(), n - receivers);
      const Mesh from{{{"x", senders}}};
      const Mesh to{{{"y", receivers}}};
      for (const auto& [before, after] :
           {std::pair("[x][]", "[][y]"), std::pair("[][]", "[y][]"), std::pair("[][x]", "[][]")}) {
        const Sharding held = TRY(ParseSharding(before, type.shape, from));
        const Sharding given = TRY(ParseSharding(after, type.shape, to));
        const std::vector<Transfer> transfers =
            PlanChannel(type, {&held, &from, &sending}, {&given, &to, &receiving}, n);
        const bool sends = world.rank() < senders;
        const int place = world.rank() - (n - receivers);
        const Tensor source =
            sends ? OperandPattern(type, from, {}).Local(held, world.rank()) : Tensor();
        const Tensor wanted =
            place >= 0 ? OperandPattern(type, to, {}).Local(given, place) : Tensor();
        Guarded target(place >= 0 ? wanted.type() : TensorType{ElementType::kF32, {0}});
        const auto run = TRY(world.Prepare({{&transfers,
                                             const_cast<std::byte*>(source.bytes()),
                                             place >= 0 ? target.bytes() : nullptr}}));
        if (sends || place >= 0) TRY(run());
        if (place >= 0)
          TRY(target.ExpectIs(wanted, fmt::format("channel {} {} to {}", before, senders, after)));
        TRY(world.Barrier());
      }
    }
  return {};
}

Result<void> CheckNumbers(Transport& world) {
  for (int round = 0; round < 50; ++round) {
    if (TRY(world.Decide(100 * world.rank() + round)) != round) return Internal("wrong decision");
    const std::vector<double> all = TRY(world.Collect(world.rank() + 0.5 * round));
    if (static_cast<int>(all.size()) != world.size()) return Internal("wrong count");
    for (int rank = 0; rank < world.size(); ++rank)
      if (all[static_cast<size_t>(rank)] != rank + 0.5 * round) return Internal("wrong number");
  }
  return {};
}

Result<void> CheckSplit(Transport& world) {
  const int parity = world.rank() % 2;
  const int members = (world.size() + 1 - parity) / 2;
  const auto part = TRY(world.Split(parity, -world.rank()));
  if (part->size() != members) return Internal("wrong size");
  if (part->rank() != members - 1 - world.rank() / 2) return Internal("wrong rank");
  TRY(CheckRing(*part));
  TRY(CheckNumbers(*part));
  const auto alone = TRY(part->Split(part->rank(), 0));
  if (alone->size() != 1 || alone->rank() != 0) return Internal("wrong group of one");
  return world.Barrier();
}

}  // namespace metadist::transports
