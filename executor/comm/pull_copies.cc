// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/pull_copies.h"

#include "metair/ir/check.h"

namespace metadist {
namespace {

// `count` runs of `size` elements, each `from_step` and `to_step` after the previous one.
struct EvenRuns {
  CopyRun first;
  int64_t count = 1;
  int64_t from_step = 0;
  int64_t to_step = 0;

  // Appends the run if it continues the sequence; returns whether it did.
  bool Takes(const CopyRun& run) {
    if (run.size != first.size) return false;
    const int64_t from_next = run.from - first.from - (count - 1) * from_step;
    const int64_t to_next = run.to - first.to - (count - 1) * to_step;
    if (count > 1 && (from_next != from_step || to_next != to_step)) return false;
    from_step = from_next;
    to_step = to_next;
    ++count;
    return true;
  }
};

std::vector<EvenRuns> Evenly(const std::vector<CopyRun>& runs) {
  std::vector<EvenRuns> even;
  for (const CopyRun& run : runs)
    if (even.empty() || !even.back().Takes(run)) even.push_back({.first = run});
  return even;
}

// The copy for one choice of evenly spaced runs in each dim.
std::optional<cpu::StridedCopy> CopyOf(const Pull& pull,
                                       const std::vector<const EvenRuns*>& chosen,
                                       int64_t item) {
  Shape shape;
  cpu::StridedCopy::Side from, to;
  const std::vector<int64_t> source = Strides(pull.source_shape);
  const std::vector<int64_t> target = Strides(pull.shape);
  for (size_t d = 0; d < chosen.size(); ++d) {
    const EvenRuns& runs = *chosen[d];
    shape.push_back(runs.count);
    from.strides.push_back(runs.from_step * source[d]);
    to.strides.push_back(runs.to_step * target[d]);
    shape.push_back(runs.first.size);
    from.strides.push_back(source[d]);
    to.strides.push_back(target[d]);
    from.begin += runs.first.from * source[d];
    to.begin += runs.first.to * target[d];
  }
  return cpu::StridedCopy::Make(shape, item, from, to);
}

}  // namespace

std::vector<cpu::StridedCopy> CopiesOf(const Pull& pull, ElementType element) {
  CHECK(pull.sources.size() == 1, "a reduction is no copy");
  if (ByteSize(element) > 8) return {};
  std::vector<std::vector<EvenRuns>> dims;
  size_t combinations = 1;
  for (const std::vector<CopyRun>& runs : pull.runs) {
    dims.push_back(Evenly(runs));
    combinations *= dims.back().size();
    if (combinations > kMostCopies) return {};
  }
  std::vector<cpu::StridedCopy> copies;
  for (size_t c = 0; c < combinations; ++c) {
    std::vector<const EvenRuns*> chosen(dims.size());
    size_t rest = c;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d].size())
      chosen[d] = &dims[d][rest % dims[d].size()];
    const auto copy = CopyOf(pull, chosen, ByteSize(element));
    if (!copy) return {};
    copies.push_back(*copy);
  }
  return copies;
}

}  // namespace metadist
