// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "planner/rules/factor/rule.h"
#include "tests/planner/rules/owned_call.h"
#include "tests/planner/rules/rule_pieces.h"

// An independent checker of rules: it divides a call according to a Rule, runs the pieces, merges
// them and compares the result with the whole. It uses the Rule and the operator and shares no code
// with discovery.
namespace metadist::testing {

// One mesh axis: a factor over `ranks` ranks.
struct Axis {
  const Factor* factor;
  int64_t ranks;
};

class RuleChecker {
 public:
  // Empty if the axes divide the call correctly on these inputs; else a description of the error.
  static std::string Check(const OwnedCall& call,
                           const std::vector<Axis>& axes,
                           const std::vector<Tensor>& inputs,
                           const std::vector<Tensor>& whole) {
    // Ranks in row-major order of the axes.
    std::vector<std::vector<int64_t>> ranks{{}};
    for (const Axis& axis : axes) {
      std::vector<std::vector<int64_t>> next;
      for (const auto& head : ranks)
        for (int64_t r = 0; r < axis.ranks; ++r) {
          next.push_back(head);
          next.back().push_back(r);
        }
      ranks = std::move(next);
    }
    std::vector<std::vector<Tensor>> local;
    for (const auto& rank : ranks) {
      std::vector<Tensor> mine = inputs;
      for (size_t t = 0; t < mine.size(); ++t)
        if (call.present[t] && !call.constants[t])
          mine[t] = Localize(inputs[t], axes, rank, static_cast<int>(t));
      for (size_t a = 0; a < axes.size(); ++a)
        for (const CountedIndex& index : axes[a].factor->indices) {
          Tensor& x = mine[static_cast<size_t>(index.input)];
          x = CountedWithin(x, index, axes[a].ranks, rank[a]);
        }
      auto outputs = WithLiterals(call, axes, rank).Run(mine);
      if (!outputs) return "a rank's call is rejected";
      for (size_t o = 0; o < outputs->size(); ++o)
        for (const Axis& axis : axes)
          for (const Cut& cut : axis.factor->outputs)
            if (cut.spare && cut.tensor == static_cast<int>(o))
              (*outputs)[o] = Resized((*outputs)[o], cut.dim, -1);
      local.push_back(std::move(*outputs));
    }
    for (size_t o = 0; o < whole.size(); ++o) {
      const std::string wrong = Compare(whole[o], axes, ranks, local, static_cast<int>(o));
      if (!wrong.empty()) return "output " + std::to_string(o) + ": " + wrong;
    }
    return "";
  }

 private:
  // The indices of each dim of a tensor that a rank holds.
  static std::vector<std::vector<int64_t>> Held(const Shape& shape,
                                                const std::vector<Axis>& axes,
                                                const std::vector<int64_t>& rank,
                                                int tensor,
                                                bool input,
                                                bool halo = true) {
    std::vector<std::vector<int64_t>> held(shape.size());
    for (size_t d = 0; d < shape.size(); ++d) {
      std::vector<bool> mine(static_cast<size_t>(shape[d]), true);
      int64_t first = 0;
      for (size_t a = 0; a < axes.size(); ++a)
        for (const Cut& cut : input ? axes[a].factor->inputs : axes[a].factor->outputs) {
          if (cut.tensor != tensor || cut.dim != static_cast<int>(d)) continue;
          const auto own = (halo ? Widely : Owned)(cut, shape[d], axes[a].ranks, rank[a]);
          for (size_t i = 0; i < mine.size(); ++i) mine[i] = mine[i] && own[i];
          if (halo) first = FirstOf(cut, shape[d], axes[a].ranks, rank[a]);
        }
      for (int64_t i = first; i < first + shape[d]; ++i)
        if (mine[static_cast<size_t>(i % shape[d])]) held[d].push_back(i % shape[d]);
    }
    return held;
  }

  // Calls visit(local element, global element) for all elements of a rank.
  template <typename Visit>
  static void ForHeld(const Shape& shape,
                      const std::vector<std::vector<int64_t>>& held,
                      Visit visit) {
    std::vector<size_t> at(shape.size(), 0);
    for (const auto& h : held)
      if (h.empty()) return;
    for (int64_t element = 0;; ++element) {
      int64_t global = 0;
      for (size_t d = 0; d < shape.size(); ++d) global = global * shape[d] + held[d][at[d]];
      visit(element, global);
      size_t d = shape.size();
      while (d > 0 && ++at[d - 1] == held[d - 1].size()) at[--d] = 0;
      if (d == 0) return;
    }
  }

  static Tensor Localize(const Tensor& whole,
                         const std::vector<Axis>& axes,
                         const std::vector<int64_t>& rank,
                         int tensor) {
    const auto held = Held(whole.shape(), axes, rank, tensor, /*input=*/true);
    Shape shape;
    for (const auto& h : held) shape.push_back(static_cast<int64_t>(h.size()));
    Tensor mine = Tensor::Zeros({whole.element(), shape});
    const int64_t bytes = ByteSize(whole.element());
    bool zero = false;  // a partial input of which all is on one rank
    for (size_t a = 0; a < axes.size(); ++a) {
      const auto& partial = axes[a].factor->partial_inputs;
      if (std::find(partial.begin(), partial.end(), tensor) != partial.end())
        zero = zero || rank[a] != axes[a].ranks - 1;
    }
    if (!zero)
      ForHeld(whole.shape(), held, [&](int64_t to, int64_t from) {
        std::copy_n(whole.bytes() + from * bytes, bytes, mine.mutable_bytes() + to * bytes);
      });
    for (const Axis& axis : axes)
      for (const Cut& cut : axis.factor->inputs)
        if (cut.spare && cut.tensor == tensor) mine = Resized(mine, cut.dim, 1);
    return mine;
  }

  static OwnedCall WithLiterals(const OwnedCall& call,
                                const std::vector<Axis>& axes,
                                const std::vector<int64_t>& rank) {
    OwnedCall local = call;
    for (size_t a = 0; a < axes.size(); ++a)
      for (const LiteralCut& cut : axes[a].factor->literals) {
        int64_t global = cut.view.halo.of;
        for (const Cut::Part& part : cut.view.parts)
          global += cut.view.halo.of == 0 ? part.size * part.unit : 0;
        const std::vector<bool> owned = Widely(cut.view, global, axes[a].ranks, rank[a]);
        const int64_t first = std::find(owned.begin(), owned.end(), true) - owned.begin();
        const int64_t mine = std::count(owned.begin(), owned.begin() + global, true);
        const auto scale = [&](int64_t v) {
          if (cut.kind == LocalEntry::Kind::kSize) return v * mine / global;
          if (cut.kind == LocalEntry::Kind::kFirstOnly) return first == 0 ? v : 0;
          if (cut.kind == LocalEntry::Kind::kLastOnly) return owned.back() ? v : 0;
          if (cut.kind == LocalEntry::Kind::kIndex) {
            const int64_t target = v < 0 ? v + global : v;
            return owned[static_cast<size_t>(target)] ? target - first : mine;
          }
          if (cut.kind == LocalEntry::Kind::kBound) return std::clamp<int64_t>(v - first, 0, mine);
          return v + cut.by_start * first + cut.by_end * (first + mine - global);
        };
        if (cut.input < 0) {
          Attribute& attribute = local.attributes.all()[cut.attribute];
          if (int64_t* single = std::get_if<int64_t>(&attribute))
            *single = scale(*single);
          else {
            auto& list = std::get<std::vector<int64_t>>(attribute);
            list[static_cast<size_t>(cut.entry)] = scale(list[static_cast<size_t>(cut.entry)]);
          }
        } else {
          std::optional<Tensor>& constant = local.constants[static_cast<size_t>(cut.input)];
          std::vector<int64_t> values = constant->ToInts();
          int64_t& value = values[static_cast<size_t>(cut.entry)];
          value = scale(value);
          constant = Tensor::Of<int64_t>(constant->shape(), values).Cast(constant->element());
        }
      }
    return local;
  }

  static std::string Compare(const Tensor& whole,
                             const std::vector<Axis>& axes,
                             const std::vector<std::vector<int64_t>>& ranks,
                             const std::vector<std::vector<Tensor>>& local,
                             int output) {
    // The axes that reduce this output; along the others, pieces differ or are equal.
    std::optional<ReduceOp> op;
    std::vector<bool> folds(axes.size(), false);
    std::vector<bool> cuts(axes.size(), false);
    for (size_t a = 0; a < axes.size(); ++a) {
      const auto found = axes[a].factor->reductions.find(output);
      if (found != axes[a].factor->reductions.end()) {
        folds[a] = true;
        if (op && *op != found->second) return "";  // a combination that the planner does not make
        op = found->second;
      }
      for (const Cut& cut : axes[a].factor->outputs) cuts[a] = cuts[a] || cut.tensor == output;
    }
    const size_t count = static_cast<size_t>(whole.size());
    std::vector<std::optional<double>> merged(count);
    for (size_t r = 0; r < ranks.size(); ++r) {
      const auto held = Held(whole.shape(), axes, ranks[r], output, /*input=*/false);
      Shape shape;
      for (const auto& h : held) shape.push_back(static_cast<int64_t>(h.size()));
      const Tensor& mine = local[r][static_cast<size_t>(output)];
      if (mine.type() != TensorType{whole.element(), shape})
        return "a piece is " + TypeText(mine.type()) + ", not " +
               TypeText({whole.element(), shape});
      std::string wrong;
      bool duplicate = false;  // a rank that must hold the same part as another
      for (size_t a = 0; a < axes.size(); ++a)
        duplicate = duplicate || (!folds[a] && !cuts[a] && ranks[r][a] > 0);
      // Results beyond the piece are dropped.
      const auto own = Held(whole.shape(), axes, ranks[r], output, /*input=*/false, /*halo=*/false);
      std::vector<bool> kept(count, false);
      ForHeld(
          whole.shape(), own, [&](int64_t, int64_t to) { kept[static_cast<size_t>(to)] = true; });
      ForHeld(whole.shape(), held, [&](int64_t from, int64_t to) {
        if (!kept[static_cast<size_t>(to)]) return;
        auto& value = merged[static_cast<size_t>(to)];
        const double v = Value(mine, from);
        if (!value) {
          value = v;
        } else if (!duplicate) {
          if (op)
            value = Merge(*op, *value, v);
          else
            wrong = "an element is held twice";
        } else if (!op && *value != v && !(std::isnan(*value) && std::isnan(v)) &&
                   std::abs(*value - v) > 1e-9 * (std::abs(v) + 1)) {
          wrong = "ranks disagree";
        }
      });
      if (!wrong.empty()) return wrong;
    }
    double most = 0;
    for (int64_t i = 0; i < whole.size(); ++i)
      if (std::isfinite(Value(whole, i))) most = std::max(most, std::abs(Value(whole, i)));
    for (size_t i = 0; i < count; ++i) {
      const double want = Value(whole, static_cast<int64_t>(i));
      if (!merged[i]) return "an element is held by no rank";
      if (*merged[i] == want || (std::isnan(want) && std::isnan(*merged[i]))) continue;
      const double slack = whole.element() == ElementType::kF64 ? 1e-9 * most + 1e-11 : 0;
      if (!(std::abs(*merged[i] - want) <= slack)) return "values differ";
    }
    return "";
  }
};

}  // namespace metadist::testing
