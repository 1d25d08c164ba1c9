// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "planner/solvers/moves/conditional.h"
#include "planner/solvers/moves/live_nodes.h"

namespace metadist {

// A change of one node that frees memory at a time.
struct ReliefMove {
  // Cost increase per byte freed; negative if the cost does not increase.
  double score = 0;
  // -1: there is no such move.
  int node = -1;
  int strategy = 0;

  bool operator>(const ReliefMove& other) const {
    return score != other.score ? score > other.score : node > other.node;
  }
};

// Finds the cheapest change that frees memory, at one time after another, while the choice changes.
class Relief {
 public:
  // All must outlive the object. The current choice is that of `conditional`.
  Relief(const Reduced& reduced, const Dual& tables, Conditional& conditional);

  // Call after `conditional` was reset to another choice.
  void Begin();
  // Sets the time at which memory is to be freed.
  void Visit(int time);
  // A move with the least score. excess: amount above the limit, > 0; bytes freed beyond it do not
  // count.
  ReliefMove Cheapest(int64_t excess);
  // Call after a node changed. excess: as above, or <= 0.
  void Changed(int node, int64_t excess);

  // Table entries touched so far.
  int64_t work() const { return work_; }

 private:
  struct Entry {
    double key = 0;
    int node = -1;
    uint32_t version = 0;
    bool operator>(const Entry& other) const {
      return key != other.key ? key > other.key : node > other.node;
    }
  };
  // Binary heaps, least key first; both contain every node of a list that can free memory.
  enum Order { kByRate, kByIncrease, kOrders };
  struct Heaps {
    bool built = false;
    std::vector<Entry> of[kOrders];
  };
  // Lower bounds of the increase per byte and of the increase, for any time.
  struct Least {
    double rate = 0;
    double increase = 0;
    bool frees = false;
  };

  Least LeastOf(int node);
  ReliefMove BestAt(int node, int64_t excess);
  void Append(int node, const Least& least, Heaps& heaps) const;
  void Build(int list);
  void Insert(int node);
  void Consider(int node, int64_t excess);
  // The list with the least bound for its best unseen node, if that is below all scores seen; else
  // -1.
  int Promising(int64_t excess);
  // Drops outdated entries from the top and sets seen ones aside. False if the heap becomes empty.
  bool Uncover(int list, Order order);
  void SetTopAside(int list, Order order);
  void PutBack();

  const Reduced& reduced_;
  const Dual& tables_;
  Conditional& conditional_;
  const LiveNodes live_;
  std::vector<Heaps> heaps_;
  std::vector<int> built_;
  // Per node: entries of earlier versions are outdated.
  std::vector<uint32_t> version_;
  // Per node: the last visit that put it into the queue.
  std::vector<int64_t> seen_;
  int64_t visit_ = 0;
  int time_ = 0;
  // The lists of the visited time, and the entries to put back into their heaps when another is
  // visited.
  std::vector<int> here_;
  struct Aside {
    int list;
    Order order;
    Entry entry;
  };
  std::vector<Aside> aside_;
  std::priority_queue<ReliefMove, std::vector<ReliefMove>, std::greater<>> queue_;
  std::vector<int> lists_;
  int64_t work_ = 0;
};

}  // namespace metadist
