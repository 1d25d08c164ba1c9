// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executor/comm/transport.h"
#include "metair/ir/result.h"

namespace metadist {

// Messages between processes: what a transport without shared memory is made of. Between two ranks
// messages arrive in the order in which they were sent. Used by one thread; Abort by any.
class Messenger {
 public:
  // A message under way.
  using Request = void*;

  virtual ~Messenger() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The bytes stay as they are until the request is done. Messages of no bytes are messages, too.
  virtual Request Send(const std::byte* data, int64_t bytes, int to) = 0;
  virtual Request Receive(std::byte* data, int64_t bytes, int from) = 0;
  // Until all are done. Errors: kDevice after the time limit, and after any rank's Abort.
  virtual Result<void> Wait(std::span<const Request> requests) = 0;
  // The same, but the time limit begins again for as long as rank 0 is seen to live: for ranks that
  // have nothing to do while it works alone.
  virtual Result<void> WaitForLeader(std::span<const Request> requests) = 0;
  // As Transport::Abort.
  virtual bool Abort(const Error& reason) = 0;
};

// The transport of all ranks of a messenger, which must outlive it.
std::unique_ptr<Transport> MakeMessageTransport(Messenger& messenger);

// Bytes whose number the other side does not know.
Result<void> SendText(Messenger& messenger, const std::string& text, int to);
Result<std::string> ReceiveText(Messenger& messenger, int from);
// The next text of rank 0, however long it works alone before.
Result<std::string> ReceiveFromLeader(Messenger& messenger);

}  // namespace metadist
