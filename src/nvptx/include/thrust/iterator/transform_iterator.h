// The results of a function for the elements of another iterator.
#pragma once
#include "../detail/facade.h"
#include "../detail/system.h"

namespace thrust {

template <class Function, class It>
using transform_result = std::invoke_result_t<const Function, typename std::iterator_traits<It>::reference>;

template <class Function, class It, class Reference = transform_result<Function, It>, class Value = std::decay_t<Reference>>
class transform_iterator
    : public facade<transform_iterator<Function, It, Reference, Value>, Value, Reference> {
  It base_{};
  Function function_{};

public:
  typedef typename system_of<It>::type system;
  constexpr transform_iterator() = default;
  constexpr transform_iterator(It base, Function function) : base_(base), function_(function) {}
  explicit constexpr transform_iterator(It base) : base_(base) {}
  constexpr It base() const { return base_; }
  constexpr Function functor() const { return function_; }
  constexpr auto on_device() const {
    return transform_iterator<Function, decltype(thrust::on_device(base_)), Reference, Value>(
        thrust::on_device(base_), function_);
  }
  constexpr Reference dereference() const { return function_(*base_); }
  constexpr void move(ptrdiff_t n) { base_ += n; }
  constexpr ptrdiff_t distance_from(const transform_iterator &other) const { return base_ - other.base_; }
};
template <class Function, class It>
constexpr transform_iterator<Function, It> make_transform_iterator(It base, Function function) {
  return {base, function};
}

}  // namespace thrust
