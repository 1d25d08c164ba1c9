# SPDX-License-Identifier: Apache-2.0
"""How tests start processes under MPI: on any machine, also as root and with more ranks than cores."""

import json
import shutil
import subprocess

# Of Open MPI; others do not look at them.
VARIABLES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def command(ranks, *words):
    return ["mpirun", "-n", str(ranks), *words]


def absence(binary):
    """Why this program cannot be started under MPI here, or ""."""
    if shutil.which("mpirun") is None:
        return "no mpirun"
    doctor = json.loads(subprocess.run([binary, "doctor", "--json"], capture_output=True, text=True, check=True).stdout)
    usable = any(backend["name"] == "mpi" and backend["usable"] for backend in doctor["backends"])
    return "" if usable else "the mpi plugin is not usable"
