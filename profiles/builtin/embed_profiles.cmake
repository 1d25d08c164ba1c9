# SPDX-License-Identifier: Apache-2.0
# cmake -DINPUTS=a.json;b.json -DOUTPUT=x.cc -P embed_profiles.cmake
set(code "// SPDX-License-Identifier: Apache-2.0\n#include \"profiles/builtin/embedded.h\"\n\n"
         "namespace metadist {\n\nconst std::vector<EmbeddedProfile>& EmbeddedProfiles() {\n"
         "  static const std::vector<EmbeddedProfile> profiles = {\n")
string(JOIN "" code ${code})
foreach(input IN LISTS INPUTS)
  get_filename_component(name ${input} NAME_WE)
  file(READ ${input} text)
  string(APPEND code "      {\"${name}\", R\"profile(${text})profile\"},\n")
endforeach()
string(APPEND code "  };\n  return profiles;\n}\n\n}  // namespace metadist\n")
file(WRITE ${OUTPUT} "${code}")
