// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace metadist::cli {
namespace {

bool Terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && kind != nullptr && std::strcmp(kind, "dumb") != 0;
}

// NO_COLOR and CLICOLOR_FORCE as users know them.
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

}  // namespace

void Console::Print(const std::string& text) const {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void Console::Write(int level, const std::string& text) const {
  if (log_file != nullptr) std::fprintf(log_file, "%s\n", text.c_str());
  if (verbosity < level) return;
  if (step_open_) std::fputc('\n', stderr);
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Console::Log(const std::string& text) const { Write(0, "metadist: " + text); }
void Console::Detail(const std::string& text) const { Write(1, "metadist: " + text); }
void Console::Debug(const std::string& text) const { Write(2, "metadist: " + text); }

void Console::Warn(const std::string& text) const {
  Write(0, "metadist: " + Paint("33", "warning:") + " " + text);
}

void Console::Fail(const Error& error) const {
  const auto one = [&](const Error& e) {
    Write(-1,
          "metadist: " + Paint("31", "error:") + " " + (e.where.empty() ? "" : e.where + ": ") +
              e.message);
    if (!e.hint.empty()) Write(-1, "  hint: " + e.hint);
  };
  one(error);
  for (const Error& other : error.also) one(other);
}

void Console::Step(const std::string& text) {
  if (verbosity < 0 || progress == Progress::kNone) return;
  if (progress == Progress::kPlain) return Write(0, "metadist: " + text);
  if (!Terminal()) return;
  std::fprintf(stderr, "\r\x1b[Kmetadist: %s", text.c_str());
  std::fflush(stderr);
  step_open_ = true;
}

void Console::EndSteps() {
  if (step_open_) std::fputs("\r\x1b[K", stderr);
  step_open_ = false;
}

}  // namespace metadist::cli
