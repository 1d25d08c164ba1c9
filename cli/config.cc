// SPDX-License-Identifier: Apache-2.0
#include "cli/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "metair/ir/suggest.h"
#include "metair/ir/text_file.h"

namespace metadist::cli {
namespace {

// Flags that are neither read from a configuration nor shown in it.
bool Meta(const std::string& name) {
  return name == "config" || name == "print-config" || name == "help" || name == "version";
}

std::vector<std::string> Names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames())
      if (!Meta(name)) names.push_back(name);
  return names;
}

bool InEnvironment(const CLI::Option& option) {
  return !option.get_envname().empty() && std::getenv(option.get_envname().c_str()) != nullptr;
}

Result<void> Apply(CLI::Option& option, const CLI::ConfigItem& item) {
  try {
    for (const std::string& input : item.inputs) {
      if (option.get_items_expected_max() != 0)
        option.add_result(input);
      else if (input == "true")
        option.add_result("true");
      else if (input != "false")
        return Usage(fmt::format("'{}' is true or false, got '{}'", item.name, input));
    }
    if (option.count() > 0) option.run_callback();
  } catch (const CLI::Error& error) {
    return Usage(error.what());
  }
  return {};
}

// " (default 0)" as in the help text; "" if it states no default.
std::string DefaultIn(const std::string& description) {
  const size_t begin = description.rfind("(default");
  const size_t end = description.find(')', std::min(begin, description.size()));
  return end == std::string::npos ? "" : " " + description.substr(begin, end + 1 - begin);
}

}  // namespace

Result<Sources> ApplyConfig(CLI::App& command, const std::string& path) {
  Sources sources;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames())
      sources[name] = option->count() == 0     ? "default"
                      : InEnvironment(*option) ? "environment"
                                               : "flag";
  if (path.empty()) return sources;

  std::istringstream file(TRY(ReadText(path)));
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(file);
  } catch (const CLI::Error& error) {
    return BadInput(path, error.what());
  }
  std::vector<Error> problems;
  for (const CLI::ConfigItem& item : items) {
    if (item.name == "++" || item.name == "--") continue;  // table begins and ends
    if (!item.parents.empty() && item.parents.front() != command.get_name()) continue;
    CLI::Option* option = Meta(item.name) ? nullptr : command.get_option_no_throw("--" + item.name);
    if (option == nullptr) {
      problems.push_back(Usage(
          fmt::format("{}: unknown key '{}' for command '{}'", path, item.name, command.get_name()),
          DidYouMean(item.name, Names(command))));
      continue;
    }
    if (option->count() > 0) continue;
    auto applied = Apply(*option, item);
    if (!applied.ok()) problems.push_back(std::move(applied).error().in(path));
    sources[item.name] = "config";
  }
  if (!problems.empty()) return Join(std::move(problems));
  return sources;
}

std::string EffectiveConfig(const CLI::App& command, const Sources& sources) {
  std::string out = fmt::format("[{}]\n", command.get_name());
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty() || Meta(option->get_lnames().front())) continue;
    const std::string& name = option->get_lnames().front();
    const bool flag = option->get_items_expected_max() == 0;
    std::string value;
    for (const std::string& result : option->results())
      value += fmt::format("{}\"{}\"", value.empty() ? "" : ", ", result);
    if (option->results().size() != 1) value = fmt::format("[{}]", value);
    if (flag) value = option->count() > 0 ? "true" : "false";
    const std::string& source = sources.at(name);
    if (option->count() == 0 && !flag)
      out += fmt::format("# {} is not set{}\n", name, DefaultIn(option->get_description()));
    else
      out += fmt::format("{} = {}  # {}\n", name, value, source);
  }
  return out;
}

}  // namespace metadist::cli
