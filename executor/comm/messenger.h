// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "executor/comm/transport.h"
#include "metair/ir/result.h"

namespace metadist {

// Messages between processes: the basis of a transport without shared memory. Messages from one
// rank to another arrive in the order in which they were sent. Not thread-safe, except Abort.
class Messenger {
 public:
  // A pending message.
  using Request = void*;

  virtual ~Messenger() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The bytes must not change until the request is done. Messages of zero bytes are sent, too.
  virtual Request Send(const std::byte* data, int64_t bytes, int to) = 0;
  virtual Request Receive(std::byte* data, int64_t bytes, int from) = 0;
  // Waits for all requests. Errors: kDevice after the time limit, and after any rank's Abort.
  virtual Result<void> Wait(std::span<const Request> requests) = 0;
  // The same, but every sign of life from rank 0 restarts the time limit: for ranks that are idle
  // while rank 0 works alone.
  virtual Result<void> WaitForLeader(std::span<const Request> requests) = 0;
  // See Transport::Abort.
  virtual bool Abort(const Error& reason) = 0;
};

// The transport of the first `ranks` ranks of a messenger, which must outlive it.
std::unique_ptr<Transport> MakeMessageTransport(Messenger& messenger, int ranks);

// Text whose length the receiver does not know.
Result<void> SendText(Messenger& messenger, const std::string& text, int to);
Result<std::string> ReceiveText(Messenger& messenger, int from);
// The next text from rank 0, however long rank 0 works alone before it sends it.
Result<std::string> ReceiveFromLeader(Messenger& messenger);

}  // namespace metadist
