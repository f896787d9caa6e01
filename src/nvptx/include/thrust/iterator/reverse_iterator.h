// The elements before an iterator, backwards.
#pragma once
#include "../detail/facade.h"
#include "../detail/system.h"

namespace thrust {

template <class It>
class reverse_iterator
    : public facade<reverse_iterator<It>, value_of<It>, typename std::iterator_traits<It>::reference> {
  It base_{};

public:
  typedef typename system_of<It>::type system;
  constexpr reverse_iterator() = default;
  explicit constexpr reverse_iterator(It base) : base_(base) {}
  constexpr It base() const { return base_; }
  constexpr auto on_device() const {
    return reverse_iterator<decltype(thrust::on_device(base_))>(thrust::on_device(base_));
  }
  constexpr auto dereference() const -> typename std::iterator_traits<It>::reference { return *(base_ - 1); }
  constexpr void move(ptrdiff_t n) { base_ -= n; }
  constexpr ptrdiff_t distance_from(const reverse_iterator &other) const { return other.base_ - base_; }
};
template <class It> constexpr reverse_iterator<It> make_reverse_iterator(It base) { return reverse_iterator<It>(base); }

}  // namespace thrust
