// SPDX-License-Identifier: Apache-2.0
#include "cli/train_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "metair/ir/suggest.h"
#include "metair/ir/text_file.h"
#include "metair/training/loss_scale.h"
#include "metair/training/optimizers.h"
#include "metair/training/trainable_pattern.h"

namespace metadist::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Reads values of flags; keeps the problems.
class Values {
 public:
  // A number in [low, high], or [low, high) if `open`.
  void Number(const std::string& flag,
              const std::string& text,
              double low,
              double high,
              bool open,
              double& value) {
    if (text.empty()) return;
    double read = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, read);
    const bool in_range = read >= low && (open ? read < high : read <= high) && std::isfinite(read);
    if (error == std::errc() && stop == end && in_range)
      value = read;
    else
      problems_.push_back(
          Usage(fmt::format("{} '{}': expected {}", flag, text, Range(low, high, open))));
  }

  // An integer in [low, high].
  void Count(
      const std::string& flag, const std::string& text, int64_t low, int64_t high, int64_t& value) {
    if (text.empty()) return;
    const char* const end = text.data() + text.size();
    int64_t read = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, read);
    if (error == std::errc() && stop == end && read >= low && read <= high)
      value = read;
    else
      problems_.push_back(
          Usage(fmt::format("{} '{}': expected an integer in [{}, {}]", flag, text, low, high)));
  }

  void Betas(const std::string& text, TrainingOptions& options) {
    if (text.empty()) return;
    const size_t comma = text.find(',');
    if (comma == std::string::npos || comma == 0 || comma + 1 == text.size()) {
      problems_.push_back(
          Usage(fmt::format("--betas '{}': expected two numbers, as 0.9,0.999", text)));
      return;
    }
    Number("--betas", text.substr(0, comma), 0, 1, /*open=*/true, options.beta1);
    Number("--betas", text.substr(comma + 1), 0, 1, /*open=*/true, options.beta2);
  }

  void Report(Error error) { problems_.push_back(std::move(error)); }

  Result<void> Done() {
    if (!problems_.empty()) return Join(std::move(problems_));
    return {};
  }

 private:
  static std::string Range(double low, double high, bool open) {
    if (high == kInfinity) return fmt::format("a number of at least {}", low);
    return fmt::format("a number in [{}, {}{}", low, high, open ? ")" : "]");
  }

  std::vector<Error> problems_;
};

// The flags that say nothing without --train.
std::vector<std::string> Given(const TrainFlags& flags) {
  std::vector<std::string> given;
  const std::pair<const char*, bool> all[] = {{"--loss", !flags.loss.empty()},
                                              {"--trainable", !flags.trainable.empty()},
                                              {"--lr", !flags.learning_rate.empty()},
                                              {"--betas", !flags.betas.empty()},
                                              {"--eps", !flags.epsilon.empty()},
                                              {"--weight-decay", !flags.weight_decay.empty()},
                                              {"--momentum", !flags.momentum.empty()},
                                              {"--clip", !flags.clip.empty()},
                                              {"--recompute", !flags.recompute.empty()},
                                              {"--micro-batches", !flags.micro_batches.empty()},
                                              {"--precision", !flags.precision.empty()},
                                              {"--loss-scale", !flags.loss_scale.empty()},
                                              {"--no-masters", flags.no_masters}};
  for (const auto& [name, there] : all)
    if (there) given.emplace_back(name);
  return given;
}

// Names of a file, one a line.
Result<void> AddNames(const std::string& path, std::vector<std::string>& names) {
  const std::string text = TRY(ReadText(path));
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) names.push_back(std::move(line));
    begin = end + 1;
  }
  if (names.empty()) return Usage(fmt::format("--trainable: {} holds no names", path));
  return {};
}

}  // namespace

void AddTrainFlags(CLI::App& command, TrainFlags& flags) {
  const auto add = OptionsOf(command);
  add("--train NAME", flags.optimizer, "train the model: " + OptimizerNames());
  add("--loss LOSS",
      flags.loss,
      "a scalar output, mse:OUTPUT[,TARGET] or cross_entropy:OUTPUT[,LABELS] (default: the scalar "
      "output)");
  add("--trainable PATTERN",
      flags.trainable,
      "parameters to train, as h.0.*; +PATTERN and -PATTERN change the default; @FILE lists names; "
      "repeatable (default: all that may be weights)")
      ->take_all();
  add("--lr X", flags.learning_rate, "learning rate (default 0.001)");
  add("--betas A,B", flags.betas, "of adam and adamw (default 0.9,0.999)");
  add("--eps X", flags.epsilon, "of adam and adamw (default 1e-8)");
  add("--weight-decay X", flags.weight_decay, "default 0.01 for adamw, else 0");
  add("--momentum X", flags.momentum, "of sgd (default 0)");
  add("--clip X", flags.clip, "limit of the global norm of the gradients (default: none)");
  add("--precision TYPE",
      flags.precision,
      "bf16 or f16: convert f32 parameters, and compute in this type, with masters in f32 "
      "(default: as the model has them)");
  command.add_flag("--no-masters",
                   flags.no_masters,
                   "update f16 and bf16 weights as they are, without a master copy in f32");
  add("--loss-scale X",
      flags.loss_scale,
      "multiply the loss by X, and undo it in the updates, so that f16 gradients do not vanish; "
      "dynamic: begin at 65536 and skip steps that overflow (default 1)");
  add("--micro-batches N",
      flags.micro_batches,
      "take N batches of the model's size in a step, one after the other, and average their "
      "gradients (default 1)");
  add("--recompute N",
      flags.recompute,
      "run N blocks (layers) again for the backward pass instead of keeping their activations: "
      "none, full, a number (from the first on), a pattern of node or parameter names, or auto, "
      "where the memory limit asks for it (default auto)");
}

Result<std::optional<TrainingOptions>> ParseTraining(const TrainFlags& flags) {
  const std::vector<std::string> given = Given(flags);
  if (flags.optimizer.empty()) {
    if (given.empty()) return std::optional<TrainingOptions>();
    return Usage(fmt::format("{}: only with --train", fmt::join(given, ", ")),
                 "for example --train adamw");
  }
  const OptimizerDef* optimizer = FindOptimizer(flags.optimizer);
  if (optimizer == nullptr) {
    std::vector<std::string> names;
    for (const OptimizerDef& def : Optimizers()) names.emplace_back(def.name);
    const std::string similar = DidYouMean(flags.optimizer, names);
    return Usage(
        fmt::format("--train: expected one of {}, got '{}'", OptimizerNames(), flags.optimizer),
        similar);
  }
  TrainingOptions options{.optimizer = flags.optimizer, .loss = flags.loss};
  options.weight_decay = optimizer->weight_decay;
  Values values;
  const bool adam = optimizer->counts_steps;
  if (!adam && (!flags.betas.empty() || !flags.epsilon.empty()))
    values.Report(Usage("--betas, --eps: only for adam and adamw"));
  if (adam && !flags.momentum.empty())
    values.Report(Usage(fmt::format("--momentum: only for sgd, got {}", flags.optimizer)));
  values.Number("--lr", flags.learning_rate, 0, kInfinity, /*open=*/false, options.learning_rate);
  values.Betas(flags.betas, options);
  values.Number("--eps", flags.epsilon, 0, kInfinity, /*open=*/false, options.epsilon);
  values.Number(
      "--weight-decay", flags.weight_decay, 0, kInfinity, /*open=*/false, options.weight_decay);
  values.Number("--momentum", flags.momentum, 0, 1, /*open=*/true, options.momentum);
  values.Number("--clip", flags.clip, 0, kInfinity, /*open=*/false, options.clip);
  options.masters = !flags.no_masters;
  options.precision = flags.precision == "f32" ? "" : flags.precision;
  if (!flags.precision.empty() && flags.precision != "f32" && flags.precision != "bf16" &&
      flags.precision != "f16")
    values.Report(
        Usage(fmt::format("--precision: expected f32, bf16 or f16, got '{}'", flags.precision)));
  options.loss_scale = flags.loss_scale;
  if (auto scale = LossScale::Parse(options.loss_scale); !scale.ok())
    values.Report(std::move(scale).error());
  if (!flags.recompute.empty()) options.recompute = flags.recompute;
  values.Count("--micro-batches", flags.micro_batches, 1, kMostMicroBatches, options.micro_batches);
  for (const std::string& pattern : flags.trainable) {
    if (TrainablePattern(pattern).glob.empty()) {
      values.Report(Usage("--trainable: expected a pattern, got none"));
    } else if (pattern[0] != '@') {
      options.trainable.push_back(pattern);
    } else if (auto added = AddNames(pattern.substr(1), options.trainable); !added.ok()) {
      values.Report(std::move(added).error());
    }
  }
  TRY(values.Done());
  return std::optional<TrainingOptions>(std::move(options));
}

}  // namespace metadist::cli
