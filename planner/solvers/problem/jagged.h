// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <span>
#include <vector>

namespace metadist {

// Arrays of different lengths stored in one contiguous array, for data that a search reads node by
// node in every round.
template <typename T>
class Jagged {
 public:
  Jagged() = default;
  Jagged(std::initializer_list<std::vector<T>> arrays) {
    for (const std::vector<T>& array : arrays) Add(array);
  }
  // The same number of arrays with the same lengths as `like`, every element `value`.
  template <typename U>
  Jagged(const Jagged<U>& like, T value)
      : first_(like.first()), values_(like.values().size(), value) {}

  // Groups elements by array. each(add) calls add(array, element) for every element, those of one
  // array in order; it is called twice.
  template <typename Each>
  static Jagged Grouped(size_t arrays, Each each) {
    Jagged out;
    // Counts two places ahead become starts one place ahead, which filling raises to the ends.
    out.first_.assign(arrays + 2, 0);
    each([&out](size_t array, const T&) { ++out.first_[array + 2]; });
    std::partial_sum(out.first_.begin(), out.first_.end(), out.first_.begin());
    out.values_.resize(out.first_.back());
    each(
        [&out](size_t array, const T& element) { out.values_[out.first_[array + 1]++] = element; });
    out.first_.pop_back();
    return out;
  }

  void Add(std::span<const T> array) {
    values_.insert(values_.end(), array.begin(), array.end());
    first_.push_back(values_.size());
  }
  void Add(std::initializer_list<T> array) { Add(std::span(array.begin(), array.size())); }

  // Number of arrays.
  size_t size() const { return first_.size() - 1; }
  std::span<T> operator[](size_t i) {
    return {values_.data() + first_[i], values_.data() + first_[i + 1]};
  }
  std::span<const T> operator[](size_t i) const {
    return {values_.data() + first_[i], values_.data() + first_[i + 1]};
  }

  // All elements, and the index at which each array begins; the last entry of first() is the total
  // size.
  std::vector<T>& values() { return values_; }
  const std::vector<T>& values() const { return values_; }
  const std::vector<size_t>& first() const { return first_; }

 private:
  std::vector<size_t> first_ = {0};
  std::vector<T> values_;
};

// 0, 1, ..., count - 1.
inline std::vector<int> Indices(size_t count) {
  std::vector<int> out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace metadist
