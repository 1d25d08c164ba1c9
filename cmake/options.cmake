# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers and ccache; they concern our own code only.
option(METADIST_WERROR "Warnings are errors" OFF)
option(METADIST_FUZZ "Build the libFuzzer programs of tests/fuzz (clang only)" OFF)
option(METADIST_BENCHMARKS "Build metadist_bench, which needs libbenchmark-dev" OFF)
set(METADIST_SANITIZE "" CACHE STRING "address,undefined or thread")
set(METADIST_HIGHEST_SET 2 CACHE STRING "The newest instruction set of kernels: 0 plain, 1 AVX2, 2 AVX-512")
# A header, so that a build folder goes from one set to another by compiling the kernels alone.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/include/metadist_highest_set.h CONTENT
  "#pragma once\n#define METADIST_HIGHEST_SET ${METADIST_HIGHEST_SET}\n" @ONLY)
include_directories(${CMAKE_BINARY_DIR}/generated/include)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")

# No contraction: the reference kernels give the same bits on every CPU.
add_library(metadist_warnings INTERFACE)
target_compile_options(metadist_warnings INTERFACE
  -Wall -Wextra -Wno-unused-parameter -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)  # libstdc++'s stable_sort calls what it deprecates
  target_compile_options(metadist_warnings INTERFACE -Wno-deprecated-declarations)
endif()
if(METADIST_WERROR)
  target_compile_options(metadist_warnings INTERFACE -Werror)
endif()
if(METADIST_SANITIZE)
  add_compile_options(-fsanitize=${METADIST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${METADIST_SANITIZE})
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")  # a report needs lines, not variables
endif()
if(METADIST_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What ccache must overlook to keep an object that was compiled with a precompiled header.
find_program(METADIST_CCACHE ccache)
if(METADIST_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${METADIST_CCACHE})
endif()

# metadist_precompile(TARGET HEADERS...): parses the libraries' headers once for all files of a target, never headers of ours:
# a file still includes what it uses, and preset dev builds without this to show one that does not.
# metadist_precompile_as(TARGET OTHER): uses what was parsed for another target, whose flags change none of the compiler's macros.
option(METADIST_PCH "Precompile headers of the standard library, fmt, ONNX, CLI11" ON)
function(metadist_precompile target)
  if(METADIST_PCH)
    target_precompile_headers(${target} PRIVATE
      <fmt/format.h> <algorithm> <cmath> <functional> <map> <memory> <optional> <set> <span> <string> <vector> ${ARGN})
    metadist_precompiled_options(${target})
  endif()
endfunction()

function(metadist_precompile_as target other)
  if(METADIST_PCH)
    target_precompile_headers(${target} REUSE_FROM ${other})
    metadist_precompiled_options(${target})
  endif()
endfunction()

function(metadist_precompiled_options target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # it forgets that a precompiled header is the system's, and warns of what it suspects there
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()

# metadist_unity(TARGET FILES FOLDERS...): a unity build of the target's folders, up to FILES files of one folder at a time. Most of a
# file's compile time goes to headers and templates that its neighbours use too. Own names, in unnamed namespaces, differ within a
# folder. A file whose enumerators are in no scope (`enum Input`) is compiled alone, so that they can be short. Preset dev compiles each
# file alone.
option(METADIST_UNITY "Compile several files of a folder at a time" ON)
function(metadist_unity target files)
  if(NOT METADIST_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # it takes what a file includes for a header
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  foreach(folder ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc)
    foreach(source ${sources})
      file(STRINGS ${source} enumerators REGEX "^enum [A-Za-z]+ :" LIMIT_COUNT 1)
      if(enumerators)
        list(REMOVE_ITEM sources ${source})
      endif()
    endforeach()
    string(REPLACE "/" "_" name ${folder})
    list(LENGTH sources count)
    math(EXPR groups "(${count} + ${files} - 1) / ${files}")
    set(at 0)
    foreach(source ${sources})
      math(EXPR group "${at} * ${groups} / ${count}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
      math(EXPR at "${at} + 1")
    endforeach()
  endforeach()
endfunction()
