// The numbers from a first one.
#pragma once
#include "../detail/facade.h"
#include "../detail/system.h"

namespace thrust {

template <class T, class System = void, class Traversal = void, class Difference = void>
class counting_iterator : public facade<counting_iterator<T, System, Traversal, Difference>, T> {
  T value_{};

public:
  typedef any_system_tag system;
  constexpr counting_iterator() = default;
  explicit constexpr counting_iterator(T value) : value_(value) {}
  constexpr T dereference() const { return value_; }
  constexpr void move(ptrdiff_t n) { value_ += n; }
  constexpr ptrdiff_t distance_from(const counting_iterator &other) const { return value_ - other.value_; }
};
template <class T> constexpr counting_iterator<T> make_counting_iterator(T value) {
  return counting_iterator<T>(value);
}

}  // namespace thrust
