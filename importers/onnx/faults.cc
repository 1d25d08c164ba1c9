// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace metadist {
namespace {

constexpr size_t kMostProblems = 100;
constexpr size_t kLongestText = 400;

bool IsFile(const Error& error) { return error.code == ErrorCode::kBadInput; }

// Names come from the file: they may be megabytes long or contain terminal control characters.
std::string Printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (out.size() >= kLongestText) return out + "...";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

}  // namespace

bool Faults::bad_input() const { return std::any_of(problems.begin(), problems.end(), IsFile); }

Error Report(std::vector<Error> problems) {
  std::stable_partition(problems.begin(), problems.end(), IsFile);
  const size_t left_out = problems.size() - std::min(problems.size(), kMostProblems);
  problems.resize(problems.size() - left_out);
  for (Error& problem : problems) {
    problem.where = Printable(problem.where);
    problem.message = Printable(problem.message);
    problem.hint = Printable(problem.hint);
  }
  if (left_out > 0) problems.push_back(BadInput("", fmt::format("{} more problems", left_out)));
  return Join(std::move(problems));
}

std::string LibraryText(const std::exception& error) {
  const std::string_view whole = error.what();
  std::string_view text = whole.substr(0, whole.find('\n'));
  for (const std::string_view mark : {"` failed: ", "` failed", "] "}) {
    const size_t at = text.find(mark);
    if (at != text.npos && at + mark.size() < text.size()) text.remove_prefix(at + mark.size());
  }
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace metadist
