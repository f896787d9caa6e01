// The elements of an iterator at the indices of another one.
#pragma once
#include "../detail/facade.h"
#include "../detail/system.h"

namespace thrust {

template <class Elements, class Indices>
class permutation_iterator : public facade<permutation_iterator<Elements, Indices>, value_of<Elements>,
                                           typename std::iterator_traits<Elements>::reference> {
  Elements elements_;
  Indices indices_;

public:
  typedef typename system_of<Elements>::type system;
  constexpr permutation_iterator() = default;
  constexpr permutation_iterator(Elements elements, Indices indices) : elements_(elements), indices_(indices) {}
  constexpr auto on_device() const {
    const auto elements = thrust::on_device(elements_);
    const auto indices = thrust::on_device(indices_);
    return permutation_iterator<std::decay_t<decltype(elements)>, std::decay_t<decltype(indices)>>(elements, indices);
  }
  constexpr auto dereference() const -> typename std::iterator_traits<Elements>::reference {
    return elements_[value_of<Indices>(*indices_)];
  }
  constexpr void move(ptrdiff_t n) { indices_ += n; }
  constexpr ptrdiff_t distance_from(const permutation_iterator &other) const { return indices_ - other.indices_; }
};
template <class Elements, class Indices>
constexpr permutation_iterator<Elements, Indices> make_permutation_iterator(Elements elements, Indices indices) {
  return {elements, indices};
}

}  // namespace thrust
