# SPDX-License-Identifier: Apache-2.0
# metadist_layer(NAME LIBRARIES...): one static library a folder; scripts/check_layers.py says who may include whom.
# A file NAME/layer.cmake, where there is one, adds what the folder's own sources need (generated files, flags).
function(metadist_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_SOURCE_DIR}/executor/(cuda/|.*/plugin\\.cc$)")
  if(sources)
    add_library(${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} ${scope} ${ARGN} fmt::fmt metadist_warnings)
  include(${CMAKE_SOURCE_DIR}/${name}/layer.cmake OPTIONAL)
endfunction()

# metadist_plugin(NAME): a back end that is opened at run time, built only with -DMETADIST_<NAME>=ON.
# executor/NAME/plugin.cmake builds it; the program does without it.
function(metadist_plugin name)
  string(TOUPPER ${name} upper)
  option(METADIST_${upper} "Build the ${name} plugin" OFF)
  if(NOT METADIST_${upper})
    return()
  endif()
  if(EXISTS ${CMAKE_SOURCE_DIR}/executor/${name}/plugin.cmake)
    include(${CMAKE_SOURCE_DIR}/executor/${name}/plugin.cmake)
  else()
    message(WARNING "METADIST_${upper} is on, but this source tree has no executor/${name}/plugin.cmake: "
      "the program is built without the ${name} back end")
  endif()
endfunction()
