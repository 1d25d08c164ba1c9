// SPDX-License-Identifier: Apache-2.0
#include "cli/rules_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/format.h"
#include "cli/uncut_dims.h"

namespace metadist::cli {
namespace {

nlohmann::ordered_json AttributesJson(const Attributes& attributes) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, value] : attributes.all()) {
    std::visit(
        [&, &name = name](const auto& v) {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Tensor>)
            out[name] = TypeText(v.type());
          else
            out[name] = v;
        },
        value);
  }
  return out;
}

nlohmann::ordered_json TypeJson(const TensorType& type) {
  return {{"dtype", std::string(Name(type.element))}, {"shape", type.shape}};
}

nlohmann::ordered_json SignatureJson(const SignatureReport& signature) {
  nlohmann::ordered_json out = {{"op", signature.op},
                                {"domain", signature.domain},
                                {"opset", signature.opset},
                                {"attributes", AttributesJson(signature.attributes)}};
  out["inputs"] = nlohmann::ordered_json::array();
  for (const SignatureReport::Input& input : signature.inputs) {
    nlohmann::ordered_json one = nullptr;
    if (input.present) one = TypeJson(input.type);
    if (input.present && !input.values.empty()) one["value"] = input.values;
    out["inputs"].push_back(one);
  }
  out["outputs"] = nlohmann::ordered_json::array();
  for (const TensorType& type : signature.outputs) out["outputs"].push_back(TypeJson(type));
  out["nodes"] = signature.nodes.size();
  out["names"] = signature.nodes;
  out["rule"] = signature.rule;
  out["factors"] = signature.factors;
  out["executions"] = signature.executions;
  out["kernel_runs"] = signature.kernel_runs;
  out["seconds"] = signature.seconds;
  out["reason"] = signature.reason;
  out["uncut"] = UncutJson(signature);
  return out;
}

std::string InputsText(const SignatureReport& signature) {
  std::string out;
  for (const SignatureReport::Input& input : signature.inputs) {
    if (!out.empty()) out += ' ';
    out += !input.present         ? "_"
           : input.values.empty() ? TypeText(input.type)
                                  : fmt::format("{{{}}}", fmt::join(input.values, ","));
  }
  return out;
}

}  // namespace

RulesReport RulesReportOf(std::vector<SignatureReport> signatures) {
  RulesReport out;
  out.signatures = std::move(signatures);
  for (const SignatureReport& signature : out.signatures) out.executions += signature.executions;
  return out;
}

nlohmann::ordered_json RulesJson(const Session& session, const RulesReport& report) {
  nlohmann::ordered_json document = session.Document();
  document["signatures"] = nlohmann::ordered_json::array();
  for (const SignatureReport& signature : report.signatures)
    document["signatures"].push_back(SignatureJson(signature));
  document["executions"] = report.executions;
  document["seconds"] = report.seconds;
  return document;
}

std::string RulesText(const RulesReport& report) {
  Table table({{"operator"}, {"nodes", true}, {"rule"}, {"first call"}});
  for (const SignatureReport& signature : report.signatures)
    table.Add({signature.op,
               std::to_string(signature.nodes.size()),
               signature.reason.empty() ? signature.rule
                                        : fmt::format("{}: {}", signature.rule, signature.reason),
               InputsText(signature)});
  return table.text(0) +
         fmt::format("{} signatures, {} executions\n", report.signatures.size(), report.executions);
}

}  // namespace metadist::cli
