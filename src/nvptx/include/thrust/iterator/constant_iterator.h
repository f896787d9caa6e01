// A value, repeated.
#pragma once
#include "../detail/facade.h"
#include "../detail/system.h"

namespace thrust {

template <class T> class constant_iterator : public facade<constant_iterator<T>, T> {
  T value_{};
  ptrdiff_t index_ = 0;

public:
  typedef any_system_tag system;
  constexpr constant_iterator() = default;
  explicit constexpr constant_iterator(T value, ptrdiff_t index = 0) : value_(value), index_(index) {}
  constexpr T dereference() const { return value_; }
  constexpr void move(ptrdiff_t n) { index_ += n; }
  constexpr ptrdiff_t distance_from(const constant_iterator &other) const { return index_ - other.index_; }
};
template <class T> constexpr constant_iterator<T> make_constant_iterator(T value, ptrdiff_t index = 0) {
  return constant_iterator<T>(value, index);
}

}  // namespace thrust
