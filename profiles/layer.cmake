# SPDX-License-Identifier: Apache-2.0
# Compiles the built-in profiles into the library, so that the program needs no data files.
file(GLOB profile_texts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/builtin/*.json)
list(SORT profile_texts)
set(embedded ${CMAKE_BINARY_DIR}/generated/embedded_profiles.cc)
set(embed_script ${CMAKE_CURRENT_LIST_DIR}/builtin/embed_profiles.cmake)
add_custom_command(
  OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} "-DINPUTS=${profile_texts}" -DOUTPUT=${embedded} -P ${embed_script}
  DEPENDS ${profile_texts} ${embed_script}
  COMMENT "Embedding the built-in profiles"
  VERBATIM)
target_sources(profiles PRIVATE ${embedded})
