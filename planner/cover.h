// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/program.h"
#include "planner/rules/book/rule_book.h"
#include "profiles/cluster.h"

namespace metadist {

struct CoverRequest {
  const Graph* graph = nullptr;
  const OpTable* ops = nullptr;
  RuleBook* rules = nullptr;
  Cluster cluster;  // with as many devices as the mesh has ranks
  Mesh mesh;
};

// A program, and the factors of its divided nodes: "MatMul_0 i, Add_1 j".
struct CoverProgram {
  Program program;
  std::string text;
};

struct Cover {
  std::vector<CoverProgram> programs;
  int64_t strategies = 0;  // used by some program; those of equal calls counted once
  int64_t left_out = 0;    // that no program can use with any strategies of the other nodes
};

// Programs that together run every node with each of its strategies on the mesh, except replicated:
// all must compute the same. Program k uses strategy k of every node (modulo the number of its
// strategies) and stores and moves values as is cheapest; strategies that cannot be combined get
// programs of their own. There are as many programs as the largest number of strategies of a node,
// if all can be combined. Errors: those of planning and lowering.
Result<Cover> CoverStrategies(const CoverRequest& request);

}  // namespace metadist
