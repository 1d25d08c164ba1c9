// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// The functions of the MPI plugin, a library that is opened at run time so that the program starts
// where there is no MPI. Plain C, so that it need not be built with the same compiler.
#define METADIST_MPI_VERSION 1
#define METADIST_MPI_ENTRY "metadist_mpi_table"

struct MetadistMpiTable {
  int version;
  // Of the library that was opened: "Open MPI v4.1.4, ...". Until the next call.
  const char* (*library)(void);
  // Joins the processes that were started with this one. 0, or an MPI error code.
  int (*start)(int* rank, int* size);
  // Waits until all have come this far, then leaves.
  int (*finish)(void);
  // Ends all processes at once, with this exit status.
  void (*end_all)(int status);
  // Messages under way. Requests belong to the plugin; nullptr: it could not start.
  void* (*send)(const void* data, int64_t bytes, int to, int tag);
  void* (*receive)(void* data, int64_t bytes, int from, int tag);
  // Whether a request is done; then it is gone. -1: it failed.
  int (*done)(void* request);
  // Whether a message with that tag has come, from whom, and how long it is. -1: failed.
  int (*waiting)(int tag, int* from, int64_t* bytes);
};
