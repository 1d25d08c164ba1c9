# SPDX-License-Identifier: Apache-2.0
# The constructor of ONNX's converter stands in its header, a call for every adapter; it runs once a model, and -O2 would take twice as long.
set_source_files_properties(${CMAKE_SOURCE_DIR}/importers/onnx/normalize.cc PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
