// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ir/result.h"
#include "profiles/profile.h"

namespace metadist {

inline constexpr char kProfileSchema[] = "metadist.profile";
inline constexpr int kProfileSchemaVersion = 1;

// Reads the JSON text of a profile. Strict: every field has its type and a valid value, every row
// has an origin, no row is repeated, and no field is unknown. All problems are reported at once,
// each with table, row number (from 0) and field.  where: the file, for messages.  Errors:
// kBadInput.
Result<Profile> ParseProfile(const std::string& text, const std::string& where);

// The same from a file. Errors: those of ReadText as well.
Result<Profile> ReadProfile(const std::string& path);

// Canonical JSON: fixed order of tables, one row per line, rows sorted by key, fields by name. The
// same profile gives the same bytes, and ParseProfile returns the same profile.
std::string FormatProfile(const Profile& profile);

// 16 hexadecimal digits that change whenever any price may change: FNV-1a over the canonical text.
std::string Fingerprint(const Profile& profile);

}  // namespace metadist
