# SPDX-License-Identifier: Apache-2.0
# What the system provides (scripts/packages.txt), and ONNX, which it does not.
include(third_party/cache.cmake)
include(third_party/sdist.cmake)
include(third_party/onnx.cmake)

find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(MINIZIP REQUIRED IMPORTED_TARGET minizip)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
pkg_check_modules(CBC REQUIRED IMPORTED_TARGET cbc osi-cbc osi-clp)

# dnnl's own CMake package asks for OpenCL headers that nothing here uses.
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
add_library(metadist_dnnl INTERFACE)
target_link_libraries(metadist_dnnl INTERFACE ${DNNL_LIBRARY})
target_include_directories(metadist_dnnl SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
