// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace metadist::cli {

// This process among those that a launcher started.
struct Launch {
  int rank = 0;
  int size = 1;
  std::string launcher;  // "mpirun", "srun", "torchrun"; "": started by itself
};

// As the launcher's variables say: those of torchrun, Open MPI, MPICH and Intel MPI, Slurm; the
// first that are there. Slurm's count in a step only, as a shell of `salloc` has them, too.
Launch DetectLaunch();

}  // namespace metadist::cli
