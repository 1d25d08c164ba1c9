# SPDX-License-Identifier: Apache-2.0
# g++ vectorises loops of unknown length from -O3 on; kernels are such loops. Floating-point exceptions and errno are never
# read, and a choice between two values vectorises only if they need not be preserved; no result changes.
target_compile_options(executor PRIVATE "$<$<CONFIG:Release>:-O3>" -fno-trapping-math -fno-math-errno)
# Fused multiply-adds double the rate of the innermost loop of products.
set_source_files_properties(${CMAKE_SOURCE_DIR}/executor/cpu/panel_product.cc PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -ffp-contract=fast)
# Called only if the processor has AVX-512F.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/executor/cpu/turned_lines.cc PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -mavx512f)
endif()
target_link_libraries(executor PUBLIC ${CMAKE_DL_LIBS})
