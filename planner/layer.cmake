# SPDX-License-Identifier: Apache-2.0
# The rule version: a hash of the sources of kernels and discovery, on which every rule depends. Rule files contain it.
file(GLOB_RECURSE rule_sources CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/metair/*.cc ${CMAKE_SOURCE_DIR}/metair/*.h ${CMAKE_SOURCE_DIR}/metair/*.def
  ${CMAKE_SOURCE_DIR}/planner/rules/*.cc ${CMAKE_SOURCE_DIR}/planner/rules/*.h)
list(SORT rule_sources)
set(rule_version ${CMAKE_BINARY_DIR}/generated/rule_version.cc)
set(rule_version_list ${CMAKE_BINARY_DIR}/generated/rule_sources.txt)
list(JOIN rule_sources "\n" rule_source_lines)
file(CONFIGURE OUTPUT ${rule_version_list} CONTENT "${rule_source_lines}" @ONLY)
set(rule_version_script ${CMAKE_CURRENT_LIST_DIR}/rules/book/rule_version.cmake)
add_custom_command(
  OUTPUT ${rule_version}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DLIST=${rule_version_list} -DOUTPUT=${rule_version} -P ${rule_version_script}
  DEPENDS ${rule_sources} ${rule_version_list} ${rule_version_script}
  COMMENT "Fingerprinting the kernels and discovery"
  VERBATIM)
target_sources(planner PRIVATE ${rule_version})
# The solvers spend their time in loops over table entries, so they are compiled with unrolling and vectorisation, into the same library.
set(solvers ${CMAKE_SOURCE_DIR}/planner/solvers)
file(GLOB solver_sources CONFIGURE_DEPENDS ${solvers}/*.cc ${solvers}/problem/*.cc ${solvers}/bounds/*.cc ${solvers}/moves/*.cc)
get_target_property(planner_sources planner SOURCES)
list(REMOVE_ITEM planner_sources ${solver_sources})
set_target_properties(planner PROPERTIES SOURCES "${planner_sources}")
add_library(planner_solvers OBJECT ${solver_sources})
target_include_directories(planner_solvers PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(planner_solvers PRIVATE $<TARGET_PROPERTY:planner,LINK_LIBRARIES>)
target_compile_options(planner_solvers PRIVATE "$<$<CONFIG:Release>:-O3>")
target_sources(planner PRIVATE $<TARGET_OBJECTS:planner_solvers>)
