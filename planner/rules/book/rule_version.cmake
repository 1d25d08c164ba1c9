# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT: metadist::kRuleVersion, a hash of the names and contents of the files in LIST.
file(STRINGS ${LIST} files)
set(all "")
foreach(file ${files})
  file(SHA256 ${file} hash)
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 version "${all}")
string(SUBSTRING ${version} 0 16 version)
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0
#include \"planner/rules/book/rule_version.h\"

namespace metadist {

const char kRuleVersion[] = \"${version}\";

}  // namespace metadist
")
