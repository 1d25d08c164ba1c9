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
  Cluster cluster;  // of as many devices as the mesh has ranks
  Mesh mesh;
};

// A program, and how its nodes run where not whole: "MatMul_0 i, Add_1 j".
struct CoverProgram {
  Program program;
  std::string text;
};

struct Cover {
  std::vector<CoverProgram> programs;
  int64_t strategies = 0;  // that some program uses, those of equal calls counted once
  int64_t left_out = 0;    // that no program can use beside any strategies of the other nodes
};

// Programs that between them run every node by every strategy it has on the mesh, but running whole
// on every rank: what must all compute the same. Program k takes strategy k of every node (round
// about where it has fewer) and stores and moves values as is cheapest; strategies that do not go
// together get programs of their own. As many programs as the node with most strategies has, if all
// go together.  Errors: those of planning and lowering.
Result<Cover> CoverStrategies(const CoverRequest& request);

}  // namespace metadist
