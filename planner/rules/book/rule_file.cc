// SPDX-License-Identifier: Apache-2.0
// A rule file is trusted in what it says of a kernel, so it must be known to be what discovery
// wrote of that kernel: the header carries a hash of the sources of kernels and discovery, a record
// that of the user's library, and a check sum over both and the record itself, which an edit or a
// bad merge breaks. It is no defence against intent: whoever may give a rule file may give a plan
// too, and `run` compares either with one device.
#include "planner/rules/book/rule_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "metair/ir/fnv.h"
#include "metair/ir/text_file.h"
#include "planner/json/json_cursor.h"
#include "planner/rules/book/rule_json.h"

namespace metadist {
namespace {

using Json = nlohmann::json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string CheckSum(const std::string& version, const Json& record) {
  Fnv1a hash;
  hash.Add(fmt::format("{} {} ", kRulesSchemaVersion, version));
  for (const auto& [key, value] : record.items())
    if (key != "check") hash.Add(fmt::format("{} {}\n", key, Dump(value)));
  return fmt::format("{:016x}", hash.value());
}

// A field a line, a factor a line.
std::string RecordText(const Json& record) {
  std::string text = "{";
  for (const auto& [key, value] : record.items()) {
    text += fmt::format("{}\"{}\": ", text.size() == 1 ? "" : ",\n ", key);
    if (key != "factors" || value.empty()) {
      text += Dump(value);
      continue;
    }
    for (const Json& factor : value)
      text += fmt::format("{}\n  {}", &factor == &value[0] ? "[" : ",", Dump(factor));
    text += "]";
  }
  return text + "}";
}

Result<void> ReadHeader(const JsonCursor& root, RuleFile& file) {
  const JsonCursor schema = TRY(root.At("schema"));
  const std::string name = TRY(schema.String());
  if (name != kRulesSchema)
    return schema.Wrong(fmt::format("expected '{}', got '{}'", kRulesSchema, name));
  const JsonCursor version = TRY(root.At("schema_version"));
  const int64_t found = TRY(version.Int());
  if (found != kRulesSchemaVersion) {
    Error wrong = version.Wrong(fmt::format("expected {}, got {}", kRulesSchemaVersion, found));
    wrong.hint = "write it again: `metadist rules MODEL -o FILE`";
    return wrong;
  }
  TRY(root.Fields(
      {"schema", "schema_version", "tool_version", "command", "seed", "kernels", "records"}));
  file.tool_version = TRY(TRY(root.At("tool_version")).String());
  TRY(TRY(root.At("command")).String());
  file.seed = TRY(TRY(root.At("seed")).Unsigned());
  file.version = TRY(TRY(root.At("kernels")).String());
  return {};
}

Result<RuleRecord> ReadRecord(const JsonCursor& at) {
  RuleRecord record;
  record.domain = TRY(TRY(at.At("domain")).String());
  record.op = TRY(TRY(at.At("op")).String());
  const JsonCursor opset = TRY(at.At("opset"));
  const int64_t number = TRY(opset.Int());
  if (number < 0 || number > INT32_MAX) return opset.Wrong("expected the number of an opset");
  record.opset = static_cast<int>(number);
  record.kernel = TRY(TRY(at.At("kernel")).String());
  record.found = TRY(SymbolicRuleFrom(at));
  return record;
}

}  // namespace

std::string WriteRules(const RuleFile& file) {
  std::string text = fmt::format(
      "{{\"schema\": \"{}\",\n\"schema_version\": {},\n\"tool_version\": {},\n\"command\": "
      "\"rules\",\n\"seed\": {},\n\"kernels\": {},\n\"records\": [",
      kRulesSchema,
      kRulesSchemaVersion,
      Dump(file.tool_version),
      file.seed,
      Dump(file.version));
  const char* between = "\n";
  for (const auto& [signature, record] : file.records) {
    Json json = ToJson(record.found);
    json["signature"] = signature;
    json["domain"] = record.domain;
    json["op"] = record.op;
    json["opset"] = record.opset;
    json["kernel"] = record.kernel;
    json["check"] = CheckSum(file.version, json);
    text += between + RecordText(json);
    between = ",\n";
  }
  return text + "\n]}\n";
}

Result<RuleFile> ReadRules(std::string_view text, const std::string& where) {
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded() || NestsDeeply(text))
    return BadInput(where,
                    "expected rules in JSON, got something else",
                    "`metadist rules MODEL -o FILE` writes them");
  const JsonCursor root(document, where);
  RuleFile file;
  TRY(ReadHeader(root, file));
  const std::vector<JsonCursor> records = TRY(TRY(root.At("records")).Elements());
  for (size_t i = 0; i < records.size(); ++i) {
    const JsonCursor& at = records[i];
    const JsonCursor check = TRY(at.At("check"));
    if (TRY(check.String()) != CheckSum(file.version, document["records"][i])) {
      Error wrong = check.Wrong("the record is not as it was written");
      wrong.hint = "write the file again: `metadist rules MODEL -o FILE`";
      return wrong;
    }
    RuleRecord record = TRY(ReadRecord(at));
    const JsonCursor signature = TRY(at.At("signature"));
    if (!file.records.emplace(TRY(signature.String()), std::move(record)).second)
      return signature.Wrong("the signature is there twice");
  }
  return file;
}

}  // namespace metadist
