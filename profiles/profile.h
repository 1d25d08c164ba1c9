// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "profiles/provenance.h"

namespace metadist {

// The origin of rows. Rows refer to it by id, so that its text is stored once per file.
struct Origin {
  Provenance provenance = Provenance::kMeasured;
  std::string source;        // "metadist profile", "github:owner/name@commit path", ...
  std::string licence;       // "own measurement", "Apache-2.0", "figures only", ...
  std::string date;          // ISO 8601, may be empty
  bool transferred = false;  // the rows were measured on another machine than that of the profile
  bool operator==(const Origin&) const = default;
};

// The values of one row. Times are microseconds as in nccl-tests; zero means "not recorded", except
// for time_us, which is always positive.
struct Sample {
  double time_us = 0;  // median; for collectives out of place
  double time_inplace_us = 0;
  double mad_us = 0;  // median absolute deviation
  double p10_us = 0;
  double p90_us = 0;
  int64_t samples = 0;
  std::string origin;  // key of Profile::origins
  bool operator==(const Sample&) const = default;
};

// Rows that differ in one number, sorted by it. Each table below states which number.
using Series = std::map<int64_t, Sample>;

// A contraction C[batch, m, n] = A[batch, m, k] B[batch, k, n] without m.
// dtype: element type of A and B by its MetaIR name ("f32", "bf16"), here and below.
struct ContractionSite {
  std::string dtype;
  int64_t batch = 1;
  int64_t n = 0;
  int64_t k = 0;
  auto operator<=>(const ContractionSite&) const = default;
};

// Any other kernel, by operator name. Optional: kernels without rows are priced by the stream
// table.
struct KernelKey {
  std::string op;
  std::string dtype;
  auto operator<=>(const KernelKey&) const = default;
};

enum class Collective { kAllReduce, kAllGather, kReduceScatter, kAllToAll, kSendRecv };
inline constexpr int kCollectives = 5;
// "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv".
std::string_view Name(Collective op);

// One communicator shape.
struct CollectiveKey {
  Collective op = Collective::kAllReduce;
  std::string dtype;
  int ranks = 0;           // in the group
  int nodes = 1;           // spanned by the group
  int ranks_per_node = 0;  // of the group, on its fullest node
  int concurrent = 1;      // groups of this shape that ran at the same time
  bool strided = false;    // neighbours in the group are not neighbours in the node
  auto operator<=>(const CollectiveKey&) const = default;
};

// A scalar of the cost formulas; profiles/factors.h lists those that are used.
struct CostFactor {
  double value = 0;
  std::string origin;
  bool operator==(const CostFactor&) const = default;
};

// Share of the peak rate that contractions reach, by log2 of their GFLOP (2 m n k / 1e9).
struct Efficiency {
  std::map<double, double> fraction_of_peak;
  std::string origin;
  bool operator==(const Efficiency&) const = default;
};

struct ProfileHeader {
  std::string name;          // "h100", "cpu"
  std::string kind;          // "cpu" (ranks share cores and memory) or "gpu"
  std::string device_model;  // "H100 SXM5 80GB"
  int devices_per_node = 0;  // as measured or sold
  int nodes = 1;
  int link_domain = 0;      // number of devices connected without the network
  int nics_per_node = 0;    // 0: no network
  int64_t cores = 0;        // shared by the ranks of one machine; cpu only
  std::string launch_mode;  // "process per device", "threads", ...
  std::string date;
  std::string tool_version;
  std::map<std::string, std::string> software;  // driver, cuda, nccl, compiler, kernel library
  std::map<std::string, std::string> settings;  // clocks, power limit, environment as seen
  bool operator==(const ProfileHeader&) const = default;
};

// Data sheet of one device (for cpu: of the machine shared by its ranks).
struct DeviceSpec {
  int64_t memory_bytes = 0;
  double memory_bytes_per_second = 0;   // peak
  double link_bytes_per_second = 0;     // to the other devices of its link domain, in one direction
  double network_bytes_per_second = 0;  // its share of the network cards, in one direction
  double host_bytes_per_second = 0;     // to host memory, in one direction
  int64_t cache_bytes = 0;              // last level
  int64_t units = 0;                    // SMs
  std::map<std::string, double> contraction_flops_per_second;  // by dtype: peak of the matrix units
  std::map<std::string, double> vector_flops_per_second;       // by dtype: everything else
  std::string origin;
  bool operator==(const DeviceSpec&) const = default;
};

// Measured seconds of one kind of machine, with provenance per row. A plain value: add rows by
// assignment (assigning again replaces a row), and compute prices only through profiles/cost.h.
struct Profile {
  ProfileHeader header;
  DeviceSpec device;
  std::map<std::string, Origin> origins;           // by id
  std::map<ContractionSite, Series> contractions;  // by m
  std::map<std::string, Efficiency> efficiency;    // by dtype
  std::map<KernelKey, Series> kernels;             // by bytes read plus written
  // One operator call, by its text (planner/space/call_text.h), measured in a model's program: by
  // number of active ranks of the machine. With more ranks than cores, times are as if each rank
  // had a core.
  std::map<std::string, Series> calls;
  Series stream;                                // a copy, by bytes read plus written
  std::map<CollectiveKey, Series> collectives;  // by nccl-tests size, see CollectiveSeconds
  std::map<std::string, Series> p2p;            // link class ("link", "network") -> by bytes
  std::map<std::string, CostFactor> factors;
  bool operator==(const Profile&) const = default;

  // The factor's value, or `absent`.
  double factor(std::string_view factor_name, double absent) const;
  // Number of rows in all tables, and number of rows of each class.
  int64_t rows() const;
  std::map<Provenance, int64_t> rows_by_class() const;
};

}  // namespace metadist
