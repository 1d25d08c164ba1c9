// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "metair/json/visitor.h"

namespace metadist {

// Visits one of these values, by the name it is paired with.
template <typename T>
auto Named(std::vector<std::pair<T, std::string_view>> all) {
  return [all = std::move(all)](JsonVisitor& v, T& value) {
    std::vector<std::string_view> names;
    size_t chosen = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].first == value) chosen = i;
      names.push_back(all[i].second);
    }
    chosen = v.Choice(names, chosen);
    if (v.reading() && v.ok()) value = all[chosen].first;
  };
}

// Visits one of these values, by its Name().
template <typename T>
auto OneOf(std::initializer_list<T> all) {
  std::vector<std::pair<T, std::string_view>> named;
  for (const T value : all) named.emplace_back(value, Name(value));
  return Named<T>(std::move(named));
}

// Visits any value of an enumeration from its first, 0, to `last`, by its Name().
template <typename T>
auto AnyUpTo(T last) {
  std::vector<std::pair<T, std::string_view>> named;
  for (int i = 0; i <= static_cast<int>(last); ++i)
    named.emplace_back(static_cast<T>(i), Name(static_cast<T>(i)));
  return Named<T>(std::move(named));
}

}  // namespace metadist
