# SPDX-License-Identifier: Apache-2.0
# g++ vectorises loops of unknown length from -O3 on; kernels are such loops.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/executor/cpu/*.cc ${CMAKE_SOURCE_DIR}/executor/comm/*.cc)
set_source_files_properties(${kernel_sources} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
target_link_libraries(executor PUBLIC ${CMAKE_DL_LIBS})
