# SPDX-License-Identifier: Apache-2.0
# Warnings and sanitizers, for our own code only.
option(METADIST_WERROR "Warnings are errors" OFF)
set(METADIST_SANITIZE "" CACHE STRING "address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

add_library(metadist_warnings INTERFACE)
target_compile_options(metadist_warnings INTERFACE -Wall -Wextra -Wno-unused-parameter -ffp-contract=off)
if(METADIST_WERROR)
  target_compile_options(metadist_warnings INTERFACE -Werror)
endif()
if(METADIST_SANITIZE)
  add_compile_options(-fsanitize=${METADIST_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${METADIST_SANITIZE})
endif()

find_program(METADIST_CCACHE ccache)
if(METADIST_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${METADIST_CCACHE})
endif()
