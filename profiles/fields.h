// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "metair/ir/error.h"

namespace metadist {

// Collects what is wrong with a file. After kLimit problems only their number is kept.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  // where: the place in the file, "collectives row 3".
  void Add(const std::string& where, std::string message, std::string hint = "");
  bool empty() const { return errors_.empty(); }
  // All of them as one error. There must be one.
  Error Take();

 private:
  static constexpr int kLimit = 20;
  std::string file_;
  std::vector<Error> errors_;
  int more_ = 0;
};

// Reads the fields of one JSON object strictly: a missing field, a wrong type, a value out of range
// become problems, and reading goes on with a default. A field with a default may be absent.
class Fields {
 public:
  // object, problems: outlive this.  where: the place in the file.
  Fields(const nlohmann::json& object, std::string where, Problems& problems);
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  bool has(const char* name) const;
  // No problem was added so far.
  bool ok() const { return ok_; }
  // Not empty.
  std::string Text(const char* name);
  std::string Text(const char* name, const std::string& absent);
  // At least `least`.
  int64_t Integer(const char* name, int64_t least);
  int64_t Integer(const char* name, int64_t least, int64_t absent);
  // Finite and greater than zero.
  double Positive(const char* name);
  // Finite and zero or greater; zero where absent.
  double NonNegative(const char* name);
  double Finite(const char* name);
  bool Flag(const char* name);
  // Objects of strings or of positive numbers; empty where absent.
  std::map<std::string, std::string> Texts(const char* name);
  std::map<std::string, double> Rates(const char* name);

  // Makes every field that nobody asked for a problem; to be called last.
  void RefuseUnknown();

  void Add(std::string message, std::string hint = "");

 private:
  // The field, or null after a problem was added when it is absent and required.
  const nlohmann::json* Find(const char* name, bool required);
  double Number(const char* name, bool required, double absent);

  const nlohmann::json& object_;
  std::string where_;
  Problems& problems_;
  std::set<std::string> known_;
  bool ok_ = true;
};

}  // namespace metadist
