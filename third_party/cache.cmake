# SPDX-License-Identifier: Apache-2.0
# Where fetched packages and the built ONNX library are kept for the next build, fresh clones and other presets included.
#   METADIST_CACHE=DIR   another folder        METADIST_CACHE=OFF   nothing is kept outside the build folder
# Out: METADIST_CACHE_DIR, a folder that can be written.
if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(default_cache $ENV{XDG_CACHE_HOME}/metadist)
elseif(DEFINED ENV{HOME} AND NOT "$ENV{HOME}" STREQUAL "")
  set(default_cache $ENV{HOME}/.cache/metadist)
else()
  set(default_cache OFF)
endif()
set(METADIST_CACHE ${default_cache} CACHE STRING "folder for fetched packages and built libraries, or OFF")

set(METADIST_CACHE_DIR ${CMAKE_BINARY_DIR}/_cache)
if(METADIST_CACHE)
  get_filename_component(wanted_cache ${METADIST_CACHE} ABSOLUTE BASE_DIR ${CMAKE_BINARY_DIR})
  execute_process(COMMAND mkdir -p ${wanted_cache} OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND test -w ${wanted_cache} RESULT_VARIABLE not_writable)
  if(not_writable)
    message(STATUS "cannot write ${wanted_cache}: libraries are kept in ${METADIST_CACHE_DIR} only")
  else()
    set(METADIST_CACHE_DIR ${wanted_cache})
  endif()
endif()
file(MAKE_DIRECTORY ${METADIST_CACHE_DIR})
