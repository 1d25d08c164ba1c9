// SPDX-License-Identifier: Apache-2.0
// The only file that includes mpi.h. A message of up to 1 GiB is one MPI message; a longer one is
// split, because MPI counts are of type int.
#include <mpi.h>

#include <algorithm>
#include <new>
#include <vector>

#include "executor/comm/mpi/table.h"

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 30;

struct Request {
  std::vector<MPI_Request> parts;
};

char library_text[MPI_MAX_LIBRARY_VERSION_STRING];

const char* Library() {
  int length = 0;
  if (MPI_Get_library_version(library_text, &length) != MPI_SUCCESS) return "";
  return library_text;
}

int Start(int* rank, int* size) {
  int provided = 0;
  int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (error != MPI_SUCCESS) return error;
  if (provided < MPI_THREAD_MULTIPLE) return MPI_ERR_OTHER;
  error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (error == MPI_SUCCESS) error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
  if (error == MPI_SUCCESS) error = MPI_Comm_size(MPI_COMM_WORLD, size);
  return error;
}

int Finish() { return MPI_Finalize(); }

void EndAll(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

template <typename Enqueue>
void* InParts(int64_t bytes, Enqueue enqueue) {
  auto* request = new (std::nothrow) Request;
  if (request == nullptr) return nullptr;
  for (int64_t at = 0; at == 0 || at < bytes; at += kMostBytes) {
    MPI_Request part = MPI_REQUEST_NULL;
    const int size = static_cast<int>(std::min(kMostBytes, bytes - at));
    if (enqueue(at, size, &part) != MPI_SUCCESS) {
      delete request;
      return nullptr;
    }
    request->parts.push_back(part);
  }
  return request;
}

void* Send(const void* data, int64_t bytes, int to, int tag) {
  return InParts(bytes, [&](int64_t at, int size, MPI_Request* part) {
    return MPI_Isend(
        static_cast<const char*>(data) + at, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, part);
  });
}

void* Receive(void* data, int64_t bytes, int from, int tag) {
  return InParts(bytes, [&](int64_t at, int size, MPI_Request* part) {
    return MPI_Irecv(
        static_cast<char*>(data) + at, size, MPI_BYTE, from, tag, MPI_COMM_WORLD, part);
  });
}

int Done(void* opaque) {
  auto* request = static_cast<Request*>(opaque);
  int done = 0;
  if (MPI_Testall(static_cast<int>(request->parts.size()),
                  request->parts.data(),
                  &done,
                  MPI_STATUSES_IGNORE) != MPI_SUCCESS)
    return -1;
  if (done != 0) delete request;
  return done;
}

int Waiting(int tag, int* from, int64_t* bytes) {
  int here = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &here, &status) != MPI_SUCCESS) return -1;
  if (here == 0) return 0;
  int count = 0;
  if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS) return -1;
  *from = status.MPI_SOURCE;
  *bytes = count;
  return 1;
}

constexpr MetadistMpiTable kTable = {
    METADIST_MPI_VERSION, Library, Start, Finish, EndAll, Send, Receive, Done, Waiting};

}  // namespace

extern "C" __attribute__((visibility("default"))) const MetadistMpiTable* metadist_mpi_table() {
  return &kTable;
}
