# SPDX-License-Identifier: Apache-2.0
# metadist_mpi.so, opened at run time beside the program. Without MPI's development files it is not built, which `metadist doctor` reports.
find_package(MPI COMPONENTS CXX QUIET)
if(NOT MPI_CXX_FOUND)
  message(STATUS "no MPI found: built without the mpi plugin (libopenmpi-dev)")
  return()
endif()
add_library(metadist_mpi MODULE ${CMAKE_CURRENT_LIST_DIR}/plugin.cc)
target_include_directories(metadist_mpi PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(metadist_mpi PRIVATE MPI::MPI_CXX)
target_compile_definitions(metadist_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
set_target_properties(metadist_mpi PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
