// SPDX-License-Identifier: Apache-2.0
// Any text is rules or an error; rules of any call can be requested for any other call.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "planner/rules/book/rule_file.h"
#include "planner/rules/book/rule_json.h"
#include "planner/rules/instance/instance.h"
#include "tests/planner/rules/example_calls.h"

namespace metadist {
namespace {

// The examples of all operators, including those of the corpus.
const std::vector<std::unique_ptr<BlackBox>>& TheCalls() {
  static const auto* const calls = [] {
    static std::vector<std::unique_ptr<testing::ExampleCall>> examples;  // boxes point into them
    auto* all = new std::vector<std::unique_ptr<BlackBox>>;
    for (const OpDef* op : OpTable::BuiltIn().all())
      for (auto& example : testing::CallsOf(*op)) {
        all->push_back(std::make_unique<BlackBox>(example->call));
        examples.push_back(std::move(example));
      }
    return all;
  }();
  return *calls;
}

void AskFor(const SymbolicRule& found) {
  for (const std::unique_ptr<BlackBox>& box : TheCalls()) {
    bool fits = false;
    if (!SameForm(found, *box)) continue;
    const Rule rule = InstantiateAt(found, *box, fits);
    for (const Factor& factor : rule.factors) (void)factor.groups();
  }
}

}  // namespace
}  // namespace metadist

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = metadist::ReadRules(text, "f");
  if (!file.ok()) (void)file.error().text();
  // Bypasses the checksums.
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document.contains("records") || !document["records"].is_array())
    return 0;
  for (nlohmann::json record : document["records"]) {
    if (!record.is_object()) continue;
    for (const char* name : {"signature", "domain", "op", "opset", "kernel", "check"})
      record.erase(name);
    const auto found = metadist::SymbolicRuleFrom(record, "f");
    if (found.ok()) metadist::AskFor(found.value());
  }
  return 0;
}
