// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace metadist::cli {

// This process's position among those started by a launcher.
struct Launch {
  int rank = 0;
  int size = 1;
  std::string launcher;  // "mpirun", "srun", "torchrun"; "": started without a launcher
};

// Reads the variables of the first launcher found: torchrun, Open MPI, MPICH and Intel MPI, Slurm.
// Slurm's count only inside a step, because a shell of `salloc` has them too.
Launch DetectLaunch();

}  // namespace metadist::cli
