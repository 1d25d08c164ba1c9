// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/attribute.h"

#include <algorithm>

namespace metadist {
namespace {

bool Identical(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  if (const Tensor* tensor = std::get_if<Tensor>(&a))
    return Identical(*tensor, std::get<Tensor>(b));
  return std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Tensor>)
          return false;
        else
          return x == std::get<T>(b);
      },
      a);
}

// The value if it has type T, else null.
template <typename T>
const T* Find(const std::map<std::string, Attribute>& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

template <typename T>
T Get(const std::map<std::string, Attribute>& attributes, const std::string& name, T absent) {
  if (const T* value = Find<T>(attributes, name)) return *value;
  return absent;
}

}  // namespace

Attributes::Attributes() = default;
Attributes::Attributes(std::initializer_list<NamedAttribute> list) {
  for (const NamedAttribute& named : list) map_[named.name] = named.value;
}
Attributes::Attributes(const Attributes&) = default;
Attributes::Attributes(Attributes&&) noexcept = default;
Attributes& Attributes::operator=(const Attributes&) = default;
Attributes& Attributes::operator=(Attributes&&) noexcept = default;
Attributes::~Attributes() = default;

bool Attributes::has(const std::string& name) const { return map_.count(name) > 0; }
void Attributes::set(const std::string& name, Attribute value) { map_[name] = std::move(value); }
void Attributes::erase(const std::string& name) { map_.erase(name); }
bool Attributes::empty() const { return map_.empty(); }

int64_t Attributes::Int(const std::string& name, int64_t absent) const {
  return Get(map_, name, absent);
}

double Attributes::Float(const std::string& name, double absent) const {
  return Get(map_, name, absent);
}

std::string Attributes::String(const std::string& name, std::string absent) const {
  return Get(map_, name, std::move(absent));
}

std::vector<int64_t> Attributes::Ints(const std::string& name, std::vector<int64_t> absent) const {
  return Get(map_, name, std::move(absent));
}

std::vector<double> Attributes::Floats(const std::string& name) const {
  return Get(map_, name, std::vector<double>());
}

std::vector<std::string> Attributes::Strings(const std::string& name) const {
  return Get(map_, name, std::vector<std::string>());
}

const Tensor* Attributes::Array(const std::string& name) const { return Find<Tensor>(map_, name); }

bool Identical(const Attributes& a, const Attributes& b) {
  return a.all().size() == b.all().size() &&
         std::equal(
             a.all().begin(), a.all().end(), b.all().begin(), [](const auto& x, const auto& y) {
               return x.first == y.first && Identical(x.second, y.second);
             });
}

}  // namespace metadist
