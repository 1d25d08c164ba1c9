// SPDX-License-Identifier: Apache-2.0
// Which back ends can run here, and why the others cannot. A back end beside `threads` is a plugin
// next to the program; it is opened for real, so the reason is the loader's own. And which clusters
// can be planned for without a profile file.
#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/format.h"
#include "profiles/cluster.h"

namespace metadist::cli {
namespace {

struct Backend {
  std::string name;
  bool usable;
  std::string reason;
};

Backend Plugin(const std::string& name, const std::string& build_switch) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto path = program.parent_path() / fmt::format("metadist_{}.so", name);
  if (!std::filesystem::exists(path, error))
    return {name,
            false,
            fmt::format(
                "plugin {} is absent: build with -D{}=ON", path.filename().string(), build_switch)};
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {name, false, dlerror()};
  dlclose(handle);
  return {name, true, "plugin opens"};
}

// The built-in clusters, and how many of their rows others have published; the rest is formula.
void AddClusters(nlohmann::ordered_json& document, Table& table) {
  document["clusters"] = nlohmann::ordered_json::array();
  for (const std::string& name : BuiltinProfiles()) {
    const auto profile = BuiltinProfile(name).value();
    const auto rows = profile->rows_by_class();
    const auto count = [&](Provenance of) {
      const auto found = rows.find(of);
      return found == rows.end() ? int64_t{0} : found->second;
    };
    const std::string node = std::to_string(profile->header.devices_per_node);
    document["clusters"].push_back({{"name", name},
                                    {"machine", MachineOf(name)},
                                    {"device", profile->header.device_model},
                                    {"devices_per_node", profile->header.devices_per_node},
                                    {"memory_bytes", profile->device.memory_bytes},
                                    {"rows",
                                     {{"measured", count(Provenance::kMeasured)},
                                      {"borrowed", count(Provenance::kBorrowed)},
                                      {"analytic", count(Provenance::kAnalytic)}}}});
    table.Add({name,
               MachineOf(name),
               profile->header.device_model,
               node,
               BytesText(profile->device.memory_bytes),
               std::to_string(count(Provenance::kBorrowed))});
  }
}

Result<void> Doctor(const Session& session) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::vector<Backend> backends = {
      {"threads", true, fmt::format("{} cores; more ranks than cores share them", cores)},
      Plugin("mpi", "METADIST_MPI"),
      Plugin("cuda", "METADIST_CUDA"),
  };
  nlohmann::ordered_json document = session.Document();
  document["cores"] = cores;
  document["backends"] = nlohmann::ordered_json::array();
  Table table({{"back end"}, {"usable"}, {"reason"}});
  for (const Backend& backend : backends) {
    document["backends"].push_back(
        {{"name", backend.name}, {"usable", backend.usable}, {"reason", backend.reason}});
    table.Add({backend.name, backend.usable ? "yes" : "no", backend.reason});
  }
  Table clusters({{"cluster"},
                  {"machine"},
                  {"device"},
                  {.name = "devices a node", .right = true},
                  {.name = "memory", .right = true},
                  {.name = "borrowed rows", .right = true}});
  AddClusters(document, clusters);
  return session.EmitResult(document, table.text(0) + "\n" + clusters.text(0));
}

}  // namespace

void AddDoctor(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "doctor", "which back ends, devices and libraries are usable here, and why not");
  command->footer("Example:\n  metadist doctor --json");
  session.action = [&session] { return Doctor(session); };
}

}  // namespace metadist::cli
