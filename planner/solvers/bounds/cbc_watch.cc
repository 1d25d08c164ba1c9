// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/cbc_watch.h"

#include <algorithm>
#include <cmath>
#include <coin/CbcModel.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/OsiCuts.hpp>

#include "planner/solvers/bounds/crossed_bounds.h"

// Stopping CBC. CBC checks its own limits only between nodes and between the passes of some
// heuristics; one node, one pass or the cuts of the root can take half a minute. All of these spend
// their time in linear programs, so those are stopped too: once the watch is stopped, the handler
// of Clp returns "stop" after each iteration, and every live CbcModel gets a time limit in the
// past, which the loops around the linear programs check. Some callers take a linear program
// stopped in this way for an infeasible one. The bound is therefore the last one before the stop,
// and proofs after the stop are ignored. The incumbent is kept: when the search ends, linear
// programs run again to undo the presolve.

namespace metadist {

namespace {

// Work units (solve.h) of a simplex iteration including its share of all other work, measured on
// programs of 340 to 72,000 columns: 35 microseconds plus 3.7 nanoseconds per column or row (below
// 2,000 columns, the measured time was 0.4 to 2 times that).
constexpr int64_t kWorkPerEvent = 7'000;
constexpr int64_t kWorkPer4ColumnsAndRows = 3;

}  // namespace

class CbcWatch::Cbc : public CbcEventHandler {
 public:
  explicit Cbc(CbcWatch& watch) : watch_(watch) { watch_.handlers_.insert(this); }
  // The model of the original may no longer exist; CBC sets the new one before the first event.
  Cbc(const Cbc& other) : CbcEventHandler(other), watch_(other.watch_) {
    model_ = nullptr;
    watch_.handlers_.insert(this);
  }
  Cbc& operator=(const Cbc&) = delete;
  ~Cbc() override { watch_.handlers_.erase(this); }
  CbcEventHandler* clone() const override { return new Cbc(*this); }

  CbcAction event(CbcEvent event) override {
    if (model_ == nullptr) return noAction;
    watch_.AddEvent(model_->getNumCols() + model_->getNumRows());
    if (event == generatedCuts) {
      ReplaceCrossedBounds(*model_, *static_cast<OsiCuts*>(model_->getApplicationData()));
    }
    const bool whole = model_->parentModel() == nullptr;
    if (whole && event == endSearch) watch_.ended_ = true;
    if (whole) model_->setPrintFrequency(1);
    if (!watch_.stopped_ && whole) watch_.Remember(*model_);
    if (!watch_.Stop()) return noAction;
    EndModel();
    return event == node || event == treeStatus || event == solution ||
                   event == heuristicSolution || event == afterHeuristic
               ? stop
               : noAction;
  }
  CbcAction event(CbcEvent which, void*) override { return event(which); }

  void EndModel() {
    if (model_ != nullptr) model_->setMaximumSeconds(-1);
  }

 private:
  CbcWatch& watch_;
};

class CbcWatch::Clp : public ClpEventHandler {
 public:
  explicit Clp(CbcWatch& watch) : watch_(watch) {}
  ClpEventHandler* clone() const override { return new Clp(*this); }

  int event(Event event) override {
    constexpr int kContinue = -1;
    constexpr int kEnd = 0;
    if (event != endOfIteration && event != endOfFactorization) return kContinue;
    watch_.AddEvent(model_ == nullptr ? 0 : model_->numberRows() + model_->numberColumns());
    return watch_.Stop() && !watch_.ended_ ? kEnd : kContinue;
  }

 private:
  CbcWatch& watch_;
};

CbcWatch::CbcWatch(const MipOptions& options)
    : options_(options),
      deadline_(std::chrono::steady_clock::now() +
                std::chrono::microseconds(static_cast<int64_t>(options.seconds * 1e6))) {}

std::unique_ptr<CbcEventHandler> CbcWatch::CbcHandler() { return std::make_unique<Cbc>(*this); }

std::unique_ptr<ClpEventHandler> CbcWatch::ClpHandler() { return std::make_unique<Clp>(*this); }

void CbcWatch::AddEvent(int64_t columns_and_rows) {
  work_ += kWorkPerEvent + kWorkPer4ColumnsAndRows * columns_and_rows / 4;
}

bool CbcWatch::Stop() {
  if (stopped_ || ended_) return stopped_;
  stopped_ = (options_.interrupted != nullptr && options_.interrupted->load()) ||
             (options_.work > 0 && work_ >= options_.work) ||
             std::chrono::steady_clock::now() >= deadline_;
  if (stopped_) {
    for (Cbc* handler : handlers_) handler->EndModel();
  }
  return stopped_;
}

// The optimum may also be a known solution that is better than the bound of the remaining tree.
void CbcWatch::Remember(const CbcModel& model) {
  const double bound = std::min(model.getBestPossibleObjValue(), model.getObjValue());
  if (std::abs(bound) < kCbcUnknown) bound_ = std::max(bound_, bound);
}

}  // namespace metadist
