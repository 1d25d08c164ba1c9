// SPDX-License-Identifier: Apache-2.0
// A waiting rank polls its messages. In between it checks whether another rank has sent its reason
// to stop, which is a message with a tag of its own. So no rank waits longer than the time limit,
// whatever happens to the others, and all ranks learn the reason. Rank 0 works alone for long
// periods (it plans, and computes the expected results of the others); a thread of it sends
// heartbeats until the process is stopped or ends.
#include "executor/comm/mpi/mpi_world.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "executor/comm/mpi/table.h"
#include "executor/comm/rendezvous.h"

namespace metadist {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kData = 1;  // tags
constexpr int kReason = 2;
constexpr int kAlive = 3;
constexpr char kPlugin[] = "metadist_mpi.so";
constexpr int kLooksBetween = 64;  // polls of a message between two checks for abort reasons and
                                   // the time limit
constexpr std::chrono::milliseconds kCourtesy(300);
constexpr std::chrono::milliseconds kRest(2);  // between polls of an idle rank

std::string PluginPath() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? kPlugin : (self.parent_path() / kPlugin).string();
}

Error MpiError(std::string message, std::string hint = "") {
  return {ErrorCode::kDevice, "mpi", std::move(message), std::move(hint)};
}

Result<const MetadistMpiTable*> OpenPlugin() {
  void* const library = dlopen(PluginPath().c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    return MpiError(fmt::format("the plugin cannot be opened: {}", dlerror()),
                    "install libopenmpi-dev and build again");
  using Entry = const MetadistMpiTable* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, METADIST_MPI_ENTRY));
  const MetadistMpiTable* const table = entry == nullptr ? nullptr : entry();
  if (table == nullptr || table->version != METADIST_MPI_VERSION)
    return MpiError(fmt::format("{} is of another version of metadist", PluginPath()),
                    "build program and plugin together");
  return table;
}

class MpiMessenger : public Messenger {
 public:
  MpiMessenger(const MetadistMpiTable& table, int rank, int size, const MpiOptions& options)
      : table_(table), rank_(rank), size_(size), options_(options) {
    if (rank_ == 0 && size_ > 1) alive_ = std::thread([this] { TellThatItLives(); });
  }

  ~MpiMessenger() override {
    leaving_ = true;
    if (alive_.joinable()) alive_.join();
    // A rank that failed has the time to say so before others end it.
    if (told_) std::this_thread::sleep_for(kCourtesy);
    if (stopped_.is_set() ||
        std::uncaught_exceptions() > 0)  // an error that nobody has told the others
      table_.end_all(static_cast<int>(ErrorCode::kDevice));
    else
      table_.finish();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Request Send(const std::byte* data, int64_t bytes, int to) override {
    return table_.send(data, bytes, to, kData);
  }
  Request Receive(std::byte* data, int64_t bytes, int from) override {
    return table_.receive(data, bytes, from, kData);
  }
  Result<void> Wait(std::span<const Request> requests) override {
    return WaitUntil(requests, /*leader=*/false);
  }
  Result<void> WaitForLeader(std::span<const Request> requests) override {
    return WaitUntil(requests, /*leader=*/true);
  }
  bool Abort(const Error& reason) override;

 private:
  Result<void> WaitUntil(std::span<const Request> requests, bool leader);
  Result<void> LookAround(Clock::time_point& since, bool leader);
  void TakeReasons();
  bool LeaderLives();
  void TellThatItLives();

  const MetadistMpiTable& table_;
  const int rank_;
  const int size_;
  const MpiOptions options_;
  AbortState stopped_;
  bool told_ = false;        // by another rank to stop
  std::string told_others_;  // the reason; sends of it may be pending until the end
  std::atomic<bool> leaving_ = false;
  std::thread alive_;
};

Result<void> MpiMessenger::WaitUntil(std::span<const Request> requests, bool leader) {
  if (stopped_.is_set()) return stopped_.reason();
  Clock::time_point since = Clock::now();
  for (const Request request : requests) {
    if (request == nullptr) return MpiError("a message failed");
    for (int looks = 1;; ++looks) {
      const int done = table_.done(request);
      if (done == 1) break;
      if (done < 0) return MpiError("a message failed");
      if (looks % kLooksBetween != 0) continue;
      TRY(LookAround(since, leader));
      sched_yield();
    }
  }
  return {};
}

Result<void> MpiMessenger::LookAround(Clock::time_point& since, bool leader) {
  TakeReasons();
  if (stopped_.is_set()) return stopped_.reason();
  if (LeaderLives() && leader) since = Clock::now();
  // While rank 0 works alone it has the cores for itself.
  if (leader) std::this_thread::sleep_for(kRest);
  const std::chrono::duration<double> waited = Clock::now() - since;
  if (waited.count() < options_.timeout_seconds) return {};
  Error late{ErrorCode::kDevice,
             "",
             fmt::format("a rank did not answer within {:g} s", options_.timeout_seconds),
             "a process may have ended or been stopped; --timeout sets the limit",
             {}};
  Abort(late);
  return late;
}

void MpiMessenger::TakeReasons() {
  int from = 0;
  int64_t bytes = 0;
  if (table_.waiting(kReason, &from, &bytes) != 1) return;
  std::string text(static_cast<size_t>(bytes), ' ');
  void* const request = table_.receive(text.data(), bytes, from, kReason);
  while (request != nullptr && table_.done(request) == 0) {
  }
  told_ |= stopped_.Set({ErrorCode::kDevice, fmt::format("rank {}", from), std::move(text)});
}

// Whether rank 0 has sent a heartbeat since the last call.
bool MpiMessenger::LeaderLives() {
  bool lives = false;
  int from = 0;
  int64_t bytes = 0;
  while (rank_ != 0 && table_.waiting(kAlive, &from, &bytes) == 1) {
    char nothing = 0;
    void* const request = table_.receive(&nothing, bytes, from, kAlive);
    while (request != nullptr && table_.done(request) == 0) {
    }
    lives = true;
  }
  return lives;
}

void MpiMessenger::TellThatItLives() {
  const auto between = std::chrono::duration<double>(options_.timeout_seconds / 8);
  Clock::time_point last = Clock::now() - std::chrono::hours(1);
  while (!leaving_) {
    if (Clock::now() - last > between && !stopped_.is_set()) {
      for (int rank = 1; rank < size_; ++rank) {
        void* const request = table_.send("", 0, rank, kAlive);
        while (request != nullptr && table_.done(request) == 0 && !leaving_) {
        }
      }
      last = Clock::now();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// The others find the reason's text while they wait.
bool MpiMessenger::Abort(const Error& reason) {
  if (!stopped_.Set(reason)) return false;
  told_others_ =
      fmt::format("{}{}{}", reason.where, reason.where.empty() ? "" : ": ", reason.message);
  const auto bytes = static_cast<int64_t>(told_others_.size());
  for (int rank = 0; rank < size_; ++rank)
    if (rank != rank_) table_.send(told_others_.data(), bytes, rank, kReason);
  return true;
}

}  // namespace

Result<std::string> MpiLibrary() {
  std::string text = TRY(OpenPlugin())->library();
  return text.substr(0, text.find_first_of(",\n"));
}

Result<std::unique_ptr<Messenger>> JoinMpi(const MpiOptions& options) {
  const MetadistMpiTable* const table = TRY(OpenPlugin());
  int rank = 0;
  int size = 1;
  const int status = table->start(&rank, &size);
  if (status != 0) return MpiError(fmt::format("MPI does not start: {}", status));
  try {
    return std::unique_ptr<Messenger>(std::make_unique<MpiMessenger>(*table, rank, size, options));
  } catch (const std::system_error& error) {
    return MpiError(fmt::format("no thread: {}", error.what()));
  }
}

}  // namespace metadist
