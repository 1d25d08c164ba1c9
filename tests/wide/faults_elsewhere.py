# SPDX-License-Identifier: Apache-2.0
"""Faults outside of discovery for planted_faults.py: name -> (file, text, what stands in its place, the tests that should notice).

Tests: `program:FILTER` of a test program, or `goldens:FILE FILE...` of tests/cli.
"""

ELSEWHERE = {
    "a maximum forgets what is no number": (
        "executor/comm/reduce.cc",
        "return a > b || a != a ? a : b;",
        "return a > b ? a : b;",
        "executor_comm_test:*",
    ),
    "halves between small floats go up": (
        "metair/ir/small_types.cc",
        "std::nearbyint(std::ldexp(size, form.mantissa - exponent))",
        "std::floor(std::ldexp(size, form.mantissa - exponent) + 0.5)",
        "metair_ir_test:SmallFloat.*",
    ),
    "what a node reads packed is not unpacked": (
        "executor/device/cpu_graph.cc",
        "      Unpack(type, packed, copy);\n",
        "",
        "executor_run_test:Run.SmallWeights*",
    ),
    "packed weights are counted by the byte": (
        "metair/spmd/buffer_plan.cc",
        "slot.packed ? PackedBytes(value.type) : KnownBytes(value.type)",
        "KnownBytes(value.type)",
        "metair_spmd_test:BufferPlan.*",
    ),
    "packed elements begin in the high bits": (
        "metair/ir/packing.cc",
        "from[byte] >> (i * kBits)",
        "from[byte] >> ((kEach - 1 - i) * kBits)",
        "importers_test:*Payloads*",
    ),
    "arrays of columns are read as rows": (
        "importers/arrays/npy.cc",
        "if (header.fortran) return",
        "if (header.fortran && data.empty()) return",
        "importers_test:Np*",
    ),
    "a GiB has 10^9 bytes": (
        "cli/values.cc",
        "binary *= 1024;",
        "binary *= 1000;",
        "goldens:plan/memory.txt",
    ),
    "results may be off by a hundred times as much": (
        "cli/compare.cc",
        "return 1e-3;",
        "return 1e-1;",
        "goldens:run/expect.txt",
    ),
    "what misses zero is told by the coarsest type alone": (
        "cli/compare.cc",
        "std::max(misses(own), misses(behind))",
        "misses(behind)",
        "goldens:run/expect.txt",
    ),
    "what roundings move is taken a million times": (
        "cli/compare.cc",
        "constexpr double kMoves = 4;",
        "constexpr double kMoves = 4e6;",
        "goldens:run/expect.txt",
    ),
    "a buffer is free one node early": (
        "metair/spmd/buffer_plan.cc",
        "if (other->first <= slot.last && slot.first <= other->last)",
        "if (other->first < slot.last && slot.first <= other->last)",
        "metair_spmd_test:*",
    ),
    "edges cost nothing": (
        "planner/solvers/problem/evaluate.cc",
        "take((*edge.costs)[choice[edge.a] * stride + choice[edge.b]]);",
        "take((*edge.costs)[choice[edge.a] * stride + choice[edge.b]] * 0);",
        "planner_solvers_test:Evaluate*:Dp*:*Random*",
    ),
    "prices from data sheets are called measured": (
        "profiles/compute_cost.cc",
        "measured ? Provenance::kMeasured : Provenance::kAnalytic,",
        "measured || true ? Provenance::kMeasured : Provenance::kAnalytic,",
        "profiles_test:*",
    ),
    "inputs of a running node take no memory": (
        "planner/space/memory_rows.cc",
        "usage[s] += Bytes(node.inputs[i], strategy.inputs[i]);",
        "usage[s] += 0 * Bytes(node.inputs[i], strategy.inputs[i]);",
        "planner_test:MakePlan.TheSmallestBudget*",
    ),
    "results take no memory while they are made": (
        "planner/space/memory_rows.cc",
        "usage[s] += Bytes(node.outputs[o], strategy.outputs[o]);",
        "usage[s] += 0 * Bytes(node.outputs[o], strategy.outputs[o]);",
        "planner_test:MakePlan.TheSmallestBudget*",
    ),
    "a gradient reaches only the last reader of a value": (
        "metair/ops/gradient.cc",
        "sum = sum == kNone ? gradient : b_.Add(\"Add\", {sum, gradient});",
        "sum = gradient;",
        "metair_ops_test:Ops/Gradient.*",
    ),
    "states are overwritten before their last reader": (
        "metair/spmd/buffer_plan.cc",
        "if (op == nullptr || i >= kBits || (op->overwrites >> i & 1) == 0) return false;",
        "if (op == nullptr || i >= kBits) return false;",
        "metair_spmd_test:BufferPlan.*",
    ),
    "tables of constants are trained": (
        "metair/training/trained.cc",
        "!IsTable(value.data, ReadersOf(graph, of, ops))",
        "true",
        "metair_training_test:Trained.*",
    ),
    "collectives that travel together may exceed the limit": (
        "planner/search/plan_of_choice.cc",
        "const bool fits = together",
        "const bool fits = true || together",
        "planner_test:MakePlan.KeepsTheMemoryLimit*",
    ),
    "branch and bound proves to the last digit": (
        "planner/solvers/bounds/finish.cc",
        "const double margin = 1e-6 * (std::abs(proven - shift) + unit) + 1;",
        "const double margin = 0;",
        "planner_solvers_test:RandomInstances.BoundsOf*",
    ),
    "weights may lie outside of the model's folder": (
        "importers/arrays/external_data.cc",
        'if (part == "..")',
        'if (part == "...")',
        "importers_test:*HostileLocation*",
    ),
    "saturating casts do not saturate": (
        "metair/ops/narrowing.cc",
        "return saturate_ ? std::clamp(value, -largest_, largest_) : value;",
        "return value;",
        "metair_ops_test:*",
    ),
    "data that is drawn is not moved by roundings": (
        "executor/host/bind_data.cc",
        "return PerturbedAs(stage, value, std::move(whole));",
        "return whole;",
        "executor_run_test:Run.*",
    ),
    "the beginning of a block counts as all of it": (
        "metair/spmd/overlap.cc",
        "std::min(own.end, (block + 1) * inner)",
        "std::max(own.end, (block + 1) * inner)",
        "metair_spmd_test:Overlap.*",
    ),
    "buffers that live long are not seen by those behind them": (
        "metair/spmd/buffer_plan.cc",
        "size_t span = static_cast<size_t>(slot.first >> level)",
        "size_t span = static_cast<size_t>((slot.first >> level) + 1)",
        "metair_spmd_test:BufferPlan.*",
    ),
    "the last tensor of a sequence is the one before it": (
        "importers/onnx/adapt_sequences.cc",
        "given < 0 ? given + size : given",
        "given < 0 ? given + size - 1 : given",
        "importers_test:Sequences.*",
    ),
    "a loop that collects runs once too often": (
        "importers/onnx/adapt_bodies.cc",
        "i < trips; ++i",
        "i <= trips; ++i",
        "importers_test:Sequences.*",
    ),
    "fused groups ignore what is broadcast": (
        "metair/spmd/fusion.cc",
        "if (!group_.empty() && !SameSize(graph_.node(group_[0]).outputs[0], out)) EndGroup();",
        "",
        "metair_spmd_test:Fusion.*",
    ),
    "fused nodes are priced as if they ran alone": (
        "profiles/compute_cost.cc",
        "return fused && fused->seconds < alone.seconds ? *fused : alone;",
        "return alone;",
        "profiles_test:ComputeCost.*",
    ),
    "an operator that folds counts as elementwise": (
        "metair/ops/cum_sum.cc",
        ".examples = CumulativeExamples}",
        ".examples = CumulativeExamples, .elementwise = true}",
        "metair_ops_test:*Elementwise*",
    ),
    "activations are sliced under megatron": (
        "planner/space/templates.cc",
        "return {false, false, flow != Flow::kOther};",
        "return {};",
        "planner_test:*Templates*",
    ),
    "axes of an update come in one order": (
        "planner/space/formulate.cc",
        "kinds[n].every_order = updates[n];",
        "kinds[n].every_order = false;",
        "planner_test:*Templates*",
    ),
    "a scaled gradient is none": (
        "metair/training/value_roles.cc",
        "if (id != kNone && graph_.value(id).type.shape != shape && !IsSingle(id)) return;",
        "if (id != kNone && graph_.value(id).type.shape != shape) return;",
        "metair_training_test:*",
    ),
    "updates wait for the end of the step": (
        "metair/training/training.cc",
        "out.graph = UpdatedEarly(WithoutDeadCode(whole));",
        "out.graph = WithoutDeadCode(whole);",
        "metair_training_test:*",
    ),
    "losses of warm-up steps are lost": (
        "executor/run/rank_run.cc",
        "if (options.watch) TRY(Watch(program, report));",
        "if (options.watch && done >= options.warm_up) TRY(Watch(program, report));",
        "executor_run_test:State.*",
    ),
}
