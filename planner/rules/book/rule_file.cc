// SPDX-License-Identifier: Apache-2.0
// A rule file is trusted to describe kernels, so it must be exactly what discovery wrote for these
// kernels: the header has a hash of the sources of kernels and discovery, a record that of the
// user's library, and a checksum over both and the record itself, which an edit or a bad merge
// breaks. It is no protection against intent: whoever supplies a rule file can supply a plan too,
// and `run` compares either with one device.
#include "planner/rules/book/rule_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "metair/ir/fnv.h"
#include "metair/ir/text_file.h"
#include "metair/json/document.h"
#include "metair/json/visitor.h"
#include "planner/rules/book/rule_json.h"

namespace metadist {
namespace {

using Json = nlohmann::json;

constexpr char kRulesHint[] = "`metadist rules MODEL -o FILE` writes them";

std::string CheckSum(const std::string& version, const Json& record) {
  Fnv1a hash;
  hash.Add(fmt::format("{} {} ", kRulesSchemaVersion, version));
  for (const auto& [key, value] : record.items())
    if (key != "check") hash.Add(fmt::format("{} {}\n", key, JsonLine(value)));
  return fmt::format("{:016x}", hash.value());
}

// One field per line, one factor per line.
std::string RecordText(const Json& record) {
  std::string text = "{";
  for (const auto& [key, value] : record.items()) {
    text += fmt::format("{}\"{}\": ", text.size() == 1 ? "" : ",\n ", key);
    if (key != "factors" || value.empty()) {
      text += JsonLine(value);
      continue;
    }
    for (const Json& factor : value)
      text += fmt::format("{}\n  {}", &factor == &value[0] ? "[" : ",", JsonLine(factor));
    text += "]";
  }
  return text + "}";
}

// All of the file except the records. False after a problem.
bool VisitHeader(JsonVisitor& v, RuleFile& file) {
  if (!v.Schema(kRulesSchema, kRulesSchemaVersion, kRulesHint)) return false;
  std::string command = "rules";
  v.Field("tool_version", file.tool_version);
  v.Field("command", command);
  v.Field("seed", file.seed);
  v.Field("kernels", file.version);
  if (!v.ok()) v.LeaveRest();
  return v.ok();
}

// A record with its signature, without the checksum.
struct SignedRecord {
  std::string signature;
  RuleRecord record;
};

void VisitRecord(JsonVisitor& v, SignedRecord& one) {
  v.Field("signature", one.signature);
  v.Field("domain", one.record.domain);
  v.Field("op", one.record.op);
  v.Field("opset", one.record.opset, Integers{0, INT32_MAX});
  v.Field("kernel", one.record.kernel);
  VisitSymbolicRule(v, one.record.found);
}

// Reads records up to a modified one: after that, none can be trusted.
void ReadRecords(JsonVisitor& list, RuleFile& file) {
  bool sound = true;
  const size_t count = list.Items(0);
  for (size_t i = 0; i < count && sound; ++i) {
    SignedRecord one;
    list.Item(i, one, [&](JsonVisitor& v, SignedRecord& record) {
      std::string check;
      v.Field("check", check);
      sound = v.ok() && check == CheckSum(file.version, v.in());
      if (!sound && v.ok())
        v.WrongAt("check",
                  "the record was changed after it was written",
                  "write the file again: `metadist rules MODEL -o FILE`");
      if (!sound) return v.LeaveRest();
      VisitRecord(v, record);
      if (!file.records.emplace(record.signature, std::move(record.record)).second)
        v.WrongAt("signature", "the signature occurs twice");
    });
  }
}

}  // namespace

std::string WriteRules(const RuleFile& file) {
  nlohmann::ordered_json header;
  WriteJson(file, VisitHeader, header);
  std::string text = "{";
  for (const auto& [key, value] : header.items())
    text += fmt::format("\"{}\": {},\n", key, JsonLine(value));
  text += "\"records\": [";
  const char* between = "\n";
  for (const auto& [signature, record] : file.records) {
    nlohmann::ordered_json written;
    WriteJson(SignedRecord{signature, record}, VisitRecord, written);
    Json json = written;
    json["check"] = CheckSum(file.version, json);
    text += between + RecordText(json);
    between = ",\n";
  }
  return text + "\n]}\n";
}

Result<RuleFile> ReadRules(std::string_view text, const std::string& where) {
  const Json document = TRY(ParseJson(text, where, "rules", kRulesHint));
  RuleFile file;
  TRY(ReadJson(document, where, [&](JsonVisitor& v) {
    if (!VisitHeader(v, file)) return;
    v.Field("records", file.records, [&](JsonVisitor& list, auto&) { ReadRecords(list, file); });
  }));
  return file;
}

}  // namespace metadist
