// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace metadist {

// Arrays of different lengths, one after another in one piece: what is read node by node on every
// round of a search.
template <typename T>
class Jagged {
 public:
  Jagged() = default;
  Jagged(std::initializer_list<std::vector<T>> arrays) {
    for (const std::vector<T>& array : arrays) Add(array);
  }
  // As many arrays of the same lengths, all of `value`.
  template <typename U>
  Jagged(const Jagged<U>& like, T value)
      : first_(like.first()), values_(like.values().size(), value) {}

  void Add(std::span<const T> array) {
    values_.insert(values_.end(), array.begin(), array.end());
    first_.push_back(values_.size());
  }
  void Add(std::initializer_list<T> array) { Add(std::span(array.begin(), array.size())); }

  // Arrays.
  size_t size() const { return first_.size() - 1; }
  std::span<T> operator[](size_t i) {
    return {values_.data() + first_[i], values_.data() + first_[i + 1]};
  }
  std::span<const T> operator[](size_t i) const {
    return {values_.data() + first_[i], values_.data() + first_[i + 1]};
  }

  // All of them, and where each begins, with the end of the last.
  std::vector<T>& values() { return values_; }
  const std::vector<T>& values() const { return values_; }
  const std::vector<size_t>& first() const { return first_; }

 private:
  std::vector<size_t> first_ = {0};
  std::vector<T> values_;
};

}  // namespace metadist
