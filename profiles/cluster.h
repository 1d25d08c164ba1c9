// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "profiles/profile.h"

namespace metadist {

// The target of a plan: `nodes` x `devices_per_node` devices, all with the profile's prices. Ranks
// are numbered node by node: rank r is device r % devices_per_node of its node.
struct Cluster {
  std::string name;  // as the user wrote it
  std::shared_ptr<const Profile> profile;
  int nodes = 1;
  int devices_per_node = 1;
  int64_t memory_bytes = 0;   // of one device
  int64_t reserve_bytes = 0;  // part of memory_bytes, for context, libraries and allocator slack

  int devices() const { return nodes * devices_per_node; }
  int64_t usable_bytes() const { return memory_bytes - reserve_bytes; }
  bool is_cpu() const { return profile->header.kind == "cpu"; }
};

// The number of ranks of a `cpu:N` specification. Nothing for any other text, which needs no
// measured profile.
std::optional<int> CpuRanks(const std::string& spec);

// Parses the value of --cluster:
//   8xh100, 2x8xh100, 16xa100   [nodes x] devices per node x built-in profile; more devices than
//                               a node of that kind has are spread over full nodes. A node is a
//                               group of devices connected by links: a chassis, and for gb200 a
//                               rack of 72
//   dgx-h100-ndr                one full node by the machine's name; with a size like the profile's
//   cpu:4                       4 ranks on this machine, priced by `cpu_profile`
//   FILE, FILE:8, FILE:2x8      a profile file, its own or the given size
// Errors: kUsage (unknown name with a suggestion, a size that is not a positive number, cpu:N
// without `cpu_profile`, no such file), kBadInput (unreadable or wrong profile file).
Result<Cluster> ResolveCluster(const std::string& spec,
                               std::shared_ptr<const Profile> cpu_profile = nullptr);

// The cluster of `nodes` x `devices_per_node` devices of this profile.
Cluster MakeCluster(std::string name,
                    std::shared_ptr<const Profile> profile,
                    int nodes,
                    int devices_per_node);

// The names of the built-in profiles, sorted; and a built-in profile by its own name or a
// machine's. Errors: kUsage for an unknown name.
std::vector<std::string> BuiltinProfiles();
Result<std::shared_ptr<const Profile>> BuiltinProfile(const std::string& name);

// The machine name that is an alias of the built-in profile ("dgx-h200" for "h200"), or "".
std::string MachineOf(const std::string& profile);

}  // namespace metadist
