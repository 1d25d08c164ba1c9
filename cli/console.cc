// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "cli/launch.h"
#include "cli/output_file.h"

namespace metadist::cli {
namespace {

constexpr size_t kShownProblems = 20;
constexpr char kErase[] = "\r\x1b[K";  // the line of the cursor

bool Terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

// Respects NO_COLOR and CLICOLOR_FORCE.
bool Color() {
  const char* off = std::getenv("NO_COLOR");
  if (off != nullptr && *off != '\0') return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && *force != '\0' && std::strcmp(force, "0") != 0) return true;
  return Terminal();
}

std::string Paint(const char* code, const std::string& text) {
  return Color() ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
}

// The text truncated to one terminal line: a longer one would wrap, and only its last line would be
// replaced.
std::string InOneLine(const std::string& text) {
  constexpr size_t kUsual = 80;
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  size_t end = (known ? size.ws_col : kUsual) - 1;
  if (text.size() <= end) return text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;  // keep UTF-8
            // characters
            // whole
  return text.substr(0, end);
}

}  // namespace

Console::Console() {
  const Launch launch = DetectLaunch();
  if (launch.size > 1) speaker = "[rank " + std::to_string(launch.rank) + "] ";
}

void Console::Print(const std::string& text) const { PrintStdout(text); }

void Console::Write(int level, const std::string& text) const {
  if (log_file != nullptr) std::fprintf(log_file, "%s\n", text.c_str());
  if (verbosity < level) return;
  if (step_open_) std::fputs(kErase, stderr);
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Console::Log(const std::string& text) const { Write(0, "metadist: " + text); }
void Console::Detail(const std::string& text) const { Write(1, "metadist: " + text); }
void Console::Debug(const std::string& text) const { Write(2, "metadist: " + text); }

void Console::Warn(const std::string& text) const {
  Write(0, "metadist: " + Paint("33", "warning:") + " " + text);
}

int Console::Fail(const Error& error) const {
  std::vector<const Error*> all = {&error};
  for (const Error& other : error.also) all.push_back(&other);
  const size_t shown = std::min(all.size(), kShownProblems);
  for (size_t i = 0; i < shown; ++i) {
    const Error& e = *all[i];
    const std::string place = e.where.empty() ? "" : e.where + ": ";
    Write(-1, speaker + "metadist: " + Paint("31", "error:") + " " + place + e.message);
    // One hint for consecutive errors that share it.
    const bool last = i + 1 == shown || all[i + 1]->hint != e.hint;
    if (last && !e.hint.empty()) Write(-1, speaker + "  hint: " + e.hint);
  }
  if (shown < all.size())
    Write(-1, speaker + "  and " + std::to_string(all.size() - shown) + " more problems");
  return static_cast<int>(error.code);
}

void Console::Step(const std::string& text) {
  if (verbosity < 0 || progress == Progress::kNone) return;
  if (progress == Progress::kPlain) return Write(0, "metadist: " + text);
  if (!Terminal()) return;
  std::fprintf(stderr, "%s%s", kErase, InOneLine("metadist: " + text).c_str());
  std::fflush(stderr);
  step_open_ = true;
}

void Console::EndSteps() {
  if (step_open_) std::fputs(kErase, stderr);
  step_open_ = false;
}

Result<void> Console::CloseLog() {
  if (log_file == nullptr) return {};
  const bool lost = std::ferror(log_file) != 0;
  const bool closed = std::fclose(std::exchange(log_file, nullptr)) == 0;
  if (closed && !lost) return {};
  return Internal("cannot write all logs to the file of --log-file");
}

}  // namespace metadist::cli
