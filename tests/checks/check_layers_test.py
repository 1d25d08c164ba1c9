# SPDX-License-Identifier: Apache-2.0
import unittest

import planted
import check_layers


class CheckLayersTest(planted.PlantedTest):
    check = check_layers

    def setUp(self):
        super().setUp()
        for header in ("metair/ir/graph.h", "metair/ir/result.h", "metair/ops/ops.h", "metair/spmd/mesh.h", "importers/importer.h",
                       "profiles/profile.h", "planner/plan.h", "planner/solvers/problem/problem.h", "executor/run/run.h", "cli/table.h"):
            self.plant(header, "")

    def include(self, path, *headers):
        self.plant(path, "".join(f'#include "{header}"\n' for header in headers))

    def test_allowed(self):
        self.include("planner/a.cc", "metair/ir/graph.h", "metair/spmd/mesh.h", "profiles/profile.h", "planner/solvers/problem/problem.h")
        self.include("planner/solvers/a.cc", "metair/ir/result.h", "planner/solvers/problem/problem.h")
        self.include("cli/a.cc", "importers/importer.h", "executor/run/run.h", "planner/plan.h", "cli/table.h")
        self.include("tests/planner/a_test.cc", "executor/run/run.h", "planner/plan.h")
        self.plant("executor/cpu/a.cc", "#include <dnnl.hpp>\n#include <vector>\n")
        self.assert_clean()

    def test_each_forbidden_arrow(self):
        arrows = (("metair/ir/a.h", "metair/ops/ops.h"), ("metair/ops/a.cc", "metair/spmd/mesh.h"),
                  ("metair/spmd/a.cc", "planner/plan.h"), ("importers/a.cc", "planner/plan.h"), ("planner/a.cc", "importers/importer.h"),
                  ("planner/a.cc", "executor/run/run.h"), ("executor/run/a.cc", "planner/plan.h"), ("executor/run/a.cc", "importers/importer.h"),
                  ("profiles/a.cc", "planner/plan.h"), ("planner/solvers/a.cc", "metair/ir/graph.h"),
                  ("planner/solvers/a.cc", "planner/plan.h"), ("executor/run/a.cc", "cli/table.h"))
        for path, header in arrows:
            with self.subTest(path=path, header=header):
                self.include(path, header)
                self.assert_found(f"{path}:1:", header)
                self.include(path)

    def test_each_arrow_up_between_rooms(self):
        for folder, rooms in check_layers.ROOMS.items():
            at = [folder if room == "." else f"{folder}/{room}" for room in rooms]
            # A room that has rooms itself holds no files outside of them. Solvers may not include what plans at all.
            at = [f"{place}/{check_layers.ROOMS[place][0]}" if place != folder and place in check_layers.ROOMS else place for place in at]
            at = [place.removesuffix("/.") for place in at if folder == "planner/solvers" or not place.startswith("planner/solvers")]
            for lower, upper in zip(at, at[1:]):
                with self.subTest(lower=lower, upper=upper):
                    self.plant(f"{lower}/low.h", "")
                    self.plant(f"{upper}/high.h", "")
                    self.include(f"{upper}/a.cc", f"{upper}/high.h", f"{lower}/low.h")
                    self.assert_clean()
                    self.include(f"{lower}/a.cc", f"{lower}/low.h", f"{upper}/high.h")
                    self.assert_found(f"{lower}/a.cc:2:", f"{upper}/high.h", "is above it")
                    self.include(f"{lower}/a.cc")

    def test_circle_of_rooms(self):
        self.include("planner/solvers/bounds/a.h", "planner/solvers/moves/b.h")
        self.include("planner/solvers/moves/b.h", "planner/solvers/bounds/a.h")
        self.assert_found("planner/solvers/bounds/a.h:1:", "planner/solvers/moves/b.h")

    def test_rooms_are_named(self):
        self.plant("planner/rules/extra/a.cc", "")
        self.assert_found("planner/rules/extra/a.cc:1:", "planner/rules has no room extra")

    def test_third_party_in_one_place(self):
        for path, header in (("planner/a.cc", "onnx/onnx_pb.h"), ("metair/ir/a.cc", "zlib.h"), ("planner/a.cc", "coin/Cbc_C_Interface.h"),
                             ("executor/run/a.cc", "dnnl.hpp"), ("executor/cpu/a.cc", "cuda_runtime.h"), ("executor/run/a.cc", "mpi.h"),
                             ("planner/a.cc", "CLI/CLI.hpp"), ("metair/ir/a.cc", "gtest/gtest.h")):
            with self.subTest(path=path, header=header):
                self.plant(path, f"\n#include <{header}>\n")
                self.assert_found(f"{path}:2:", header)
                self.plant(path, "")

    def test_heavy_header(self):
        self.plant("profiles/b.cc", "#include <nlohmann/json.hpp>\n")
        self.assert_clean()
        self.plant("profiles/b.h", "#include <nlohmann/json.hpp>\n")
        self.assert_found("profiles/b.h:1:", "json_fwd")

    def test_path_from_the_root(self):
        self.include("metair/ir/a.cc", "graph.h")
        self.assert_found("metair/ir/a.cc:1:", "not a file below the root")

    def test_comments_do_not_include(self):
        self.plant("planner/a.cc", '// #include "executor/run/run.h"\n/*\n#include "executor/run/run.h"\n*/\n')
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()
