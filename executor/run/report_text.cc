// SPDX-License-Identifier: Apache-2.0
// Numbers and strings in sequence, in the machine's own representation: both ends are this program.
#include "executor/run/report_text.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace metadist {
namespace {

class Writer {
 public:
  template <typename T>
  void Add(const T& number) {
    static_assert(std::is_trivially_copyable_v<T>);
    text_.append(reinterpret_cast<const char*>(&number), sizeof(T));
  }
  void Add(const std::string& text) {
    Add(static_cast<int64_t>(text.size()));
    text_ += text;
  }
  template <typename T>
  void Add(const std::vector<T>& numbers) {
    Add(static_cast<int64_t>(numbers.size()));
    text_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(const std::string& text) : rest_(text) {}

  bool whole() const { return !failed_ && rest_.empty(); }
  bool failed() const { return failed_; }

  template <typename T>
  T Take() {
    T number{};
    Copy(reinterpret_cast<char*>(&number), sizeof(T));
    return number;
  }
  std::string TakeText() {
    std::string text(Count(1), ' ');
    Copy(text.data(), text.size());
    return text;
  }
  template <typename T>
  std::vector<T> TakeList() {
    std::vector<T> numbers(Count(sizeof(T)));
    Copy(reinterpret_cast<char*>(numbers.data()), numbers.size() * sizeof(T));
    return numbers;
  }
  // Reads a number of items of at least `bytes` each; fails and returns 0 if the text is too short
  // for them.
  size_t Count(size_t bytes) {
    const int64_t count = Take<int64_t>();
    failed_ = failed_ || count < 0 || static_cast<size_t>(count) > rest_.size() / bytes;
    return failed_ ? 0 : static_cast<size_t>(count);
  }

 private:
  void Copy(char* to, size_t bytes) {
    failed_ = failed_ || bytes > rest_.size();
    if (failed_ || bytes == 0) return;
    std::memcpy(to, rest_.data(), bytes);
    rest_.remove_prefix(bytes);
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

std::string ReportText(const RankReport& report) {
  Writer out;
  out.Add(report.site.machine);
  out.Add(report.site.cores);
  out.Add(static_cast<int64_t>(report.calls.size()));
  for (const CallName& call : report.calls) {
    out.Add(call.position);
    out.Add(call.stage);
    out.Add(call.micro_batch);
    out.Add(call.node);
    out.Add(call.others);
    out.Add(call.kernel);
    out.Add(call.collective);
    out.Add(call.beside);
  }
  out.Add(static_cast<int64_t>(report.steps.size()));
  for (const StepTimes& step : report.steps) {
    out.Add(step.start);
    out.Add(step.begins);
    out.Add(step.ends);
  }
  out.Add(report.memory);
  out.Add(static_cast<int64_t>(report.outputs.size()));
  for (const OutputParts& output : report.outputs) {
    out.Add(output.stage);
    out.Add(static_cast<int64_t>(output.position));
    out.Add(static_cast<int64_t>(output.parts.size()));
    for (const Tensor& part : output.parts)
      out.Add(std::string(reinterpret_cast<const char*>(part.bytes()),
                          static_cast<size_t>(part.type().bytes())));
  }
  out.Add(static_cast<int64_t>(report.scalars.size()));
  for (const ScalarSeries& series : report.scalars) {
    out.Add(series.stage);
    out.Add(series.position);
    out.Add(series.values);
  }
  return std::move(out).text();
}

Result<RankReport> ReportFromText(const std::string& text, const Program& program, int64_t rank) {
  Reader in(text);
  RankReport report;
  report.site.machine = in.TakeText();
  report.site.cores = in.TakeList<int>();
  report.calls.resize(in.Count(1));
  for (CallName& call : report.calls) {
    call.position = in.Take<int>();
    call.stage = in.Take<int>();
    call.micro_batch = in.Take<int>();
    call.node = in.Take<NodeId>();
    call.others = in.TakeList<NodeId>();
    call.kernel = in.TakeText();
    call.collective = in.Take<bool>();
    call.beside = in.Take<bool>();
  }
  report.steps.resize(in.Count(1));
  for (StepTimes& step : report.steps) {
    step.start = in.Take<double>();
    step.begins = in.TakeList<double>();
    step.ends = in.TakeList<double>();
  }
  report.memory = in.Take<RankMemory>();
  report.outputs.resize(in.Count(1));
  const Error wrong = Internal("a rank's report cannot be read");
  for (OutputParts& output : report.outputs) {
    output.stage = in.Take<int>();
    output.position = static_cast<size_t>(in.Take<int64_t>());
    if (in.failed() || output.stage < 0 || output.stage >= static_cast<int>(program.stages.size()))
      return wrong;
    const Stage& stage = program.stages[static_cast<size_t>(output.stage)];
    const auto place = std::find(stage.ranks.begin(), stage.ranks.end(), rank);
    if (place == stage.ranks.end() || output.position >= stage.graph.outputs.size()) return wrong;
    const ValueId id = stage.graph.outputs[output.position];
    TensorType type = stage.graph.value(id).type;
    type.shape =
        LocalShape(type.shape, stage.ShardingOf(id), stage.mesh, place - stage.ranks.begin());
    for (size_t left = in.Count(1); left > 0; --left) {
      const std::string bytes = in.TakeText();
      if (static_cast<int64_t>(bytes.size()) != type.bytes()) return wrong;
      Tensor part = Tensor::Unset(type);
      if (!bytes.empty()) std::memcpy(part.mutable_bytes(), bytes.data(), bytes.size());
      output.parts.push_back(std::move(part));
    }
  }
  report.scalars.resize(in.Count(1));
  for (ScalarSeries& series : report.scalars) {
    series.stage = in.Take<int>();
    series.position = in.Take<int64_t>();
    series.values = in.TakeList<double>();
  }
  if (!in.whole()) return wrong;
  return report;
}

}  // namespace metadist
