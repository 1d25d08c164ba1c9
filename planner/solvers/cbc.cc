// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/cbc.h"

#include <coin/Cbc_C_Interface.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace metadist {

struct CbcRun {
  struct Delete {
    void operator()(Cbc_Model* model) const { Cbc_deleteModel(model); }
  };
  using Handle = std::unique_ptr<Cbc_Model, Delete>;

  // CBC wants the elements column by column.
  static Handle Load(const LinearModel& model) {
    std::vector<CoinBigIndex> start(model.columns() + 1, 0);
    for (const auto& element : model.elements_) ++start[element.column + 1];
    for (int c = 0; c < model.columns(); ++c) start[c + 1] += start[c];
    std::vector<int> index(model.elements_.size());
    std::vector<double> value(model.elements_.size());
    std::vector<CoinBigIndex> next(start.begin(), start.end() - 1);
    for (const auto& element : model.elements_) {
      const CoinBigIndex at = next[element.column]++;
      index[at] = element.row;
      value[at] = element.value;
    }
    const std::vector<double> lower(model.columns(), 0);
    Handle cbc(Cbc_newModel());
    Cbc_setLogLevel(cbc.get(), 0);
    Cbc_loadProblem(cbc.get(),
                    model.columns(),
                    model.rows(),
                    start.data(),
                    index.data(),
                    value.data(),
                    lower.data(),
                    model.upper_.data(),
                    model.objective_.data(),
                    model.row_lower_.data(),
                    model.row_upper_.data());
    for (int column : model.integers_) Cbc_setInteger(cbc.get(), column);
    return cbc;
  }

  static MipResult Solve(const LinearModel& model, const MipOptions& options) {
    Handle cbc = Load(model);
    auto set = [&](const char* name, const std::string& value) {
      Cbc_setParameter(cbc.get(), name, value.c_str());
    };
    set("log", "0");
    set("slog", "0");
    set("threads", "0");
    set("timeMode", "elapsed");
    set("sec", fmt::format("{:.3f}", std::max(0.01, options.seconds)));
    if (options.nodes > 0) set("maxNodes", fmt::format("{}", options.nodes));
    set("ratioGap", "0");
    set("allowableGap", fmt::format("{:.15g}", options.gap));
    if (options.cutoff < 1e299) set("cutoff", fmt::format("{:.15g}", options.cutoff));
    Cbc_solve(cbc.get());
    MipResult out;
    out.nodes = Cbc_getNodeCount(cbc.get());
    out.bound = Cbc_getBestPossibleObjValue(cbc.get());
    if (Cbc_isProvenInfeasible(cbc.get())) {
      out.status = MipResult::Status::kInfeasible;
      return out;
    }
    const double* solution = Cbc_bestSolution(cbc.get());
    if (solution == nullptr) return out;
    out.solution.assign(solution, solution + model.columns());
    out.objective = Cbc_getObjValue(cbc.get());
    if (Cbc_isProvenOptimal(cbc.get())) out.status = MipResult::Status::kOptimal;
    return out;
  }
};

int LinearModel::AddColumn(double objective, double upper, bool integer) {
  objective_.push_back(objective);
  upper_.push_back(upper);
  if (integer) integers_.push_back(columns() - 1);
  return columns() - 1;
}

int LinearModel::AddRow(double lower, double upper) {
  row_lower_.push_back(lower);
  row_upper_.push_back(upper);
  return rows() - 1;
}

void LinearModel::AddElement(int row, int column, double value) {
  elements_.push_back({row, column, value});
}

namespace {

constexpr int64_t kWorkPerRootEntry = 60'000;
constexpr int64_t kWorkPerNodeEntry = 3'000;

}  // namespace

int64_t MipWork(int64_t entries, int64_t nodes) {
  return entries * (kWorkPerRootEntry + kWorkPerNodeEntry * nodes);
}

int64_t AffordableNodes(int64_t entries, int64_t work) {
  const int64_t left = work - MipWork(entries, 0);
  return left < 0 ? 0 : 1 + left / (kWorkPerNodeEntry * std::max<int64_t>(1, entries));
}

MipResult SolveMip(const LinearModel& model, const MipOptions& options) {
  return CbcRun::Solve(model, options);
}

}  // namespace metadist
