// SPDX-License-Identifier: Apache-2.0
// Reports which back ends can run here, why the others cannot, and which clusters can be planned
// for without a profile file. Each back end except `threads` is a plugin beside the program; it is
// actually opened, so the reason is the loader's own message.
#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/format.h"
#include "executor/comm/mpi/mpi_world.h"
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

Backend Mpi() {
  const auto library = MpiLibrary();
  if (!library.ok()) return {"mpi", false, library.error().message};
  return {"mpi", true, fmt::format("{}; start it with mpirun or srun", library.value())};
}

struct ClusterRow {
  std::string name;
  std::string machine;
  std::string device;
  int64_t devices_per_node = 0;
  int64_t memory_bytes = 0;
  std::map<Provenance, int64_t> rows;  // of its profile

  int64_t rows_of(Provenance of) const {
    const auto found = rows.find(of);
    return found == rows.end() ? 0 : found->second;
  }
};

// The contents of `doctor`'s report. Both output forms print these fields and compute nothing.
struct DoctorReport {
  unsigned cores = 1;
  std::vector<Backend> backends;
  std::vector<ClusterRow> clusters;  // built-in
};

DoctorReport Examine() {
  DoctorReport out;
  out.cores = std::max(1u, std::thread::hardware_concurrency());
  out.backends = {
      {"threads", true, fmt::format("{} cores; more ranks than cores share them", out.cores)},
      Mpi(),
      Plugin("cuda", "METADIST_CUDA"),
  };
  for (const std::string& name : BuiltinProfiles()) {
    const auto profile = BuiltinProfile(name).value();
    out.clusters.push_back({name,
                            MachineOf(name),
                            profile->header.device_model,
                            profile->header.devices_per_node,
                            profile->device.memory_bytes,
                            profile->rows_by_class()});
  }
  return out;
}

nlohmann::ordered_json DoctorJson(const Session& session, const DoctorReport& report) {
  nlohmann::ordered_json document = session.Document();
  document["cores"] = report.cores;
  document["backends"] = nlohmann::ordered_json::array();
  for (const Backend& backend : report.backends)
    document["backends"].push_back(
        {{"name", backend.name}, {"usable", backend.usable}, {"reason", backend.reason}});
  document["clusters"] = nlohmann::ordered_json::array();
  for (const ClusterRow& cluster : report.clusters)
    document["clusters"].push_back({{"name", cluster.name},
                                    {"machine", cluster.machine},
                                    {"device", cluster.device},
                                    {"devices_per_node", cluster.devices_per_node},
                                    {"memory_bytes", cluster.memory_bytes},
                                    {"rows",
                                     {{"measured", cluster.rows_of(Provenance::kMeasured)},
                                      {"borrowed", cluster.rows_of(Provenance::kBorrowed)},
                                      {"analytic", cluster.rows_of(Provenance::kAnalytic)}}}});
  return document;
}

std::string DoctorText(const DoctorReport& report) {
  Table backends({{"back end"}, {"usable"}, {"reason"}});
  for (const Backend& backend : report.backends)
    backends.Add({backend.name, backend.usable ? "yes" : "no", backend.reason});
  Table clusters({{"cluster"},
                  {"machine"},
                  {"device"},
                  {.name = "devices per node", .right = true},
                  {.name = "memory", .right = true},
                  {.name = "borrowed rows", .right = true}});
  for (const ClusterRow& cluster : report.clusters)
    clusters.Add({cluster.name,
                  cluster.machine,
                  cluster.device,
                  std::to_string(cluster.devices_per_node),
                  BytesText(cluster.memory_bytes),
                  std::to_string(cluster.rows_of(Provenance::kBorrowed))});
  return backends.text(0) + "\n" + clusters.text(0);
}

Result<void> Doctor(const Session& session) {
  const DoctorReport report = Examine();
  return session.EmitResult(DoctorJson(session, report), DoctorText(report));
}

}  // namespace

void AddDoctor(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "doctor", "which back ends, devices and libraries are usable here, and why not");
  command->footer("Example:\n  metadist doctor --json");
  session.action = [&session] { return Doctor(session); };
}

}  // namespace metadist::cli
