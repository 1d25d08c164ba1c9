# SPDX-License-Identifier: Apache-2.0
# g++ vectorises loops of unknown length from -O3 on; kernels are such loops. Nobody looks at floating-point exceptions or
# errno, and a choice between two values is only a vector operation where those need not be kept; no result changes.
target_compile_options(executor PRIVATE "$<$<CONFIG:Release>:-O3>" -fno-trapping-math -fno-math-errno)
# Of the innermost loop of products, half of the rate is in fused multiplications.
set_source_files_properties(${CMAKE_SOURCE_DIR}/executor/cpu/panel_product.cc PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -ffp-contract=fast)
# Called only where the processor has it.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/executor/cpu/turned_lines.cc PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -mavx512f)
endif()
target_link_libraries(executor PUBLIC ${CMAKE_DL_LIBS})
