// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "metair/ir/tensor.h"

namespace metadist {

// A compile-time argument of an operator, named and typed as in the ONNX specification.
using Attribute = std::variant<int64_t,
                               double,
                               std::string,
                               std::vector<int64_t>,
                               std::vector<double>,
                               std::vector<std::string>,
                               Tensor>;

class Attributes {
 public:
  bool has(const std::string& name) const { return map_.count(name) > 0; }
  void set(const std::string& name, Attribute value) { map_[name] = std::move(value); }
  void erase(const std::string& name) { map_.erase(name); }
  bool empty() const { return map_.empty(); }
  // In name order.
  const std::map<std::string, Attribute>& all() const { return map_; }
  std::map<std::string, Attribute>& all() { return map_; }

  // The value, or `absent` when there is none; a value of another type counts as absent (the
  // verifier reports it).
  int64_t Int(const std::string& name, int64_t absent) const { return Get(name, absent); }
  double Float(const std::string& name, double absent) const { return Get(name, absent); }
  std::string String(const std::string& name, std::string absent) const {
    return Get(name, std::move(absent));
  }
  std::vector<int64_t> Ints(const std::string& name, std::vector<int64_t> absent = {}) const {
    return Get(name, std::move(absent));
  }
  std::vector<double> Floats(const std::string& name) const {
    return Get(name, std::vector<double>());
  }
  std::vector<std::string> Strings(const std::string& name) const {
    return Get(name, std::vector<std::string>());
  }
  const Tensor* Array(const std::string& name) const {
    const auto found = map_.find(name);
    return found == map_.end() ? nullptr : std::get_if<Tensor>(&found->second);
  }

 private:
  template <typename T>
  T Get(const std::string& name, T absent) const {
    const auto found = map_.find(name);
    if (found == map_.end()) return absent;
    const T* value = std::get_if<T>(&found->second);
    return value == nullptr ? std::move(absent) : *value;
  }

  std::map<std::string, Attribute> map_;
};

// Same names, same values; tensors compare by bytes.
bool Identical(const Attributes& a, const Attributes& b);

}  // namespace metadist
