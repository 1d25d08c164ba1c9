# SPDX-License-Identifier: Apache-2.0
# The checks on the tree itself, and the tests of those checks: each script here and in scripts/check_*.py is one test.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(python ${Python3_EXECUTABLE} -B)

file(GLOB checks CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/check_*.py)
foreach(check ${checks})
  get_filename_component(name ${check} NAME_WE)
  add_test(NAME checks/${name} COMMAND ${python} ${check})
endforeach()
add_test(NAME checks/format COMMAND ${CMAKE_SOURCE_DIR}/scripts/format.sh --check)
add_test(NAME checks/planted_places COMMAND ${python} -B ${CMAKE_CURRENT_SOURCE_DIR}/wide/planted_faults.py --places)

file(GLOB check_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/checks/*_test.py)
foreach(check_test ${check_tests})
  get_filename_component(name ${check_test} NAME_WE)
  add_test(NAME checks/${name} COMMAND ${python} ${check_test})
endforeach()
