// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// The functions of the MPI plugin, a library opened at run time so that the program also starts on
// machines without MPI. Plain C, so that another compiler can build it.
#define METADIST_MPI_VERSION 1
#define METADIST_MPI_ENTRY "metadist_mpi_table"

struct MetadistMpiTable {
  int version;
  // Version of the loaded MPI library: "Open MPI v4.1.4, ...". Valid until the next call.
  const char* (*library)(void);
  // Joins the processes that were started with this one. Returns 0 or an MPI error code.
  int (*start)(int* rank, int* size);
  // Waits for all processes, then leaves.
  int (*finish)(void);
  // Ends all processes at once, with this exit status.
  void (*end_all)(int status);
  // Pending messages. The plugin owns the requests. nullptr: the message could not be started.
  void* (*send)(const void* data, int64_t bytes, int to, int tag);
  void* (*receive)(void* data, int64_t bytes, int from, int tag);
  // Whether a request is done; if so, it is freed. -1: it failed.
  int (*done)(void* request);
  // Whether a message with that tag has arrived; sets its sender and length. -1: failed.
  int (*waiting)(int tag, int* from, int64_t* bytes);
};
