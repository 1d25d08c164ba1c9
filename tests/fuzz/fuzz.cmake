# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/<name>_fuzz.cc defines LLVMFuzzerTestOneInput. With METADIST_FUZZ (clang) it becomes a libFuzzer program, run shortly by its
# test; otherwise every file of tests/fuzz/corpus/<name>/ is replayed through it, so that what was found once stays found.
set(METADIST_FUZZ_SECONDS 20 CACHE STRING "How long the test of a fuzz program runs")
file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/*_fuzz.cc)
foreach(fuzzer ${fuzzers})
  get_filename_component(name ${fuzzer} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" parser ${name})
  set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${parser})
  add_executable(${name} ${fuzzer})
  if(parser MATCHES "^(onnx|npy|npz)$")
    target_link_libraries(${name} PRIVATE importers)
  else()
    target_link_libraries(${name} PRIVATE planner)
  endif()
  if(METADIST_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    file(GLOB mutator ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${parser}_mutator.cc)
    target_sources(${name} PRIVATE ${mutator})
    set(found ${CMAKE_BINARY_DIR}/fuzz/${parser})  # libFuzzer adds what it finds to its first folder
    file(MAKE_DIRECTORY ${found})
    set(words "")
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${parser}.dict)
      set(words -dict=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${parser}.dict)
    endif()
    add_test(NAME fuzz/${parser}
      COMMAND ${name} ${words} -max_total_time=${METADIST_FUZZ_SECONDS} -rss_limit_mb=2048 -timeout=10
              -artifact_prefix=${found}/ ${found} ${corpus})
  else()
    target_sources(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/replay.cc)
    add_test(NAME fuzz/${parser} COMMAND ${name} ${corpus})
  endif()
endforeach()
