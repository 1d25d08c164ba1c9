// SPDX-License-Identifier: Apache-2.0
#include "cli/launch.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace metadist::cli {
namespace {

std::optional<int> Number(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view view = text;
  int number = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), number);
  if (error != std::errc() || end != view.data() + view.size() || number < 0) return std::nullopt;
  return number;
}

struct Variables {
  const char* launcher;
  const char* rank;
  const char* size;
  const char* only_with;  // nullptr: always
};

constexpr Variables kLaunchers[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "TORCHELASTIC_RUN_ID"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr},
    {"mpirun", "PMI_RANK", "PMI_SIZE", nullptr},
    {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID"},
};

}  // namespace

Launch DetectLaunch() {
  for (const Variables& variables : kLaunchers) {
    if (variables.only_with != nullptr && std::getenv(variables.only_with) == nullptr) continue;
    const auto rank = Number(variables.rank);
    const auto size = Number(variables.size);
    if (rank && size && *rank < *size) return {*rank, *size, variables.launcher};
  }
  return {};
}

}  // namespace metadist::cli
