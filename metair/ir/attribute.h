// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
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

struct NamedAttribute {
  std::string name;
  Attribute value;
};

class Attributes {
 public:
  Attributes();
  // {{"axis", 1}, {"mode", "linear"}}
  Attributes(std::initializer_list<NamedAttribute> list);
  Attributes(const Attributes&);
  Attributes(Attributes&&) noexcept;
  Attributes& operator=(const Attributes&);
  Attributes& operator=(Attributes&&) noexcept;
  ~Attributes();

  bool has(const std::string& name) const;
  void set(const std::string& name, Attribute value);
  void erase(const std::string& name);
  bool empty() const;
  // In name order.
  const std::map<std::string, Attribute>& all() const { return map_; }
  std::map<std::string, Attribute>& all() { return map_; }

  // The value, or `absent` if there is none. A value of another type counts as absent (the verifier
  // reports it).
  int64_t Int(const std::string& name, int64_t absent) const;
  double Float(const std::string& name, double absent) const;
  std::string String(const std::string& name, std::string absent) const;
  std::vector<int64_t> Ints(const std::string& name, std::vector<int64_t> absent = {}) const;
  std::vector<double> Floats(const std::string& name) const;
  std::vector<std::string> Strings(const std::string& name) const;
  const Tensor* Array(const std::string& name) const;

 private:
  // Code that copies or destroys the map is in attribute.cc, because most files include this
  // header.
  std::map<std::string, Attribute> map_;
};

// Same names, same values; tensors compare by bytes.
bool Identical(const Attributes& a, const Attributes& b);

}  // namespace metadist
