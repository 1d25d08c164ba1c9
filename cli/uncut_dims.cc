// SPDX-License-Identifier: Apache-2.0
#include "cli/uncut_dims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "metair/ops/op_guard.h"

namespace metadist::cli {
namespace {

std::string NodesText(const SignatureReport& signature) {
  const size_t more = signature.nodes.size() - 1;
  return fmt::format("node '{}'{} ({})",
                     signature.nodes.front(),
                     more == 0 ? "" : fmt::format(" and {} more", more),
                     signature.op);
}

}  // namespace

nlohmann::ordered_json UncutJson(const SignatureReport& signature) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const UncutDim& uncut : signature.uncut)
    all.push_back({{uncut.is_input ? "input" : "output", uncut.tensor},
                   {"dim", uncut.dim},
                   {"reason", uncut.reason},
                   {"known", uncut.known}});
  return all;
}

void WarnOfUncut(const Session& session, const std::vector<SignatureReport>& report) {
  for (const SignatureReport& signature : report) {
    if (signature.faulty)
      session.console.Warn(
          fmt::format("{}: replicated, because its code failed when it was run: {}",
                      NodesText(signature),
                      signature.reason));
    std::map<std::string, std::vector<std::string>> dims;  // by reason
    for (const UncutDim& uncut : signature.uncut)
      if (uncut.known)
        dims[uncut.reason].push_back(fmt::format(
            "dim {} of {} {}", uncut.dim, uncut.is_input ? "input" : "output", uncut.tensor));
    for (const auto& [reason, places] : dims)
      session.console.Warn(fmt::format(
          "{}: {} cannot be cut: {}", NodesText(signature), fmt::join(places, ", "), reason));
  }
}

void WarnOfUnanswered(const Session& session,
                      const OpTable& ops,
                      const std::vector<SignatureReport>& report) {
  std::set<const OpDef*> told;
  for (const SignatureReport& signature : report)
    if (signature.faulty) told.insert(ops.Find(signature.domain, signature.op));
  for (const SignatureReport& signature : report) {
    const OpDef* op = ops.Find(signature.domain, signature.op);
    if (op == nullptr || !told.insert(op).second || CodeFault(*op).empty()) continue;
    session.console.Warn(fmt::format(
        "{}: its code failed, so some ways to divide it, or its FLOPs, are left out: {}",
        NodesText(signature),
        CodeFault(*op)));
  }
}

}  // namespace metadist::cli
