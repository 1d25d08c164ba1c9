# SPDX-License-Identifier: Apache-2.0
# Benchmarks of google/benchmark, one file a subject, in one program that no test runs (docs/ci.md).
if(NOT METADIST_BENCHMARKS)
  return()
endif()
find_package(benchmark REQUIRED)
file(GLOB benches CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/*_bench.cc)
add_executable(metadist_bench ${benches})
target_link_libraries(metadist_bench PRIVATE importers planner executor GTest::gtest benchmark::benchmark_main)
target_compile_definitions(metadist_bench PRIVATE METADIST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
