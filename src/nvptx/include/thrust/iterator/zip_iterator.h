// The tuples of the elements of several iterators.
#pragma once
#include "../detail/facade.h"
#include "../detail/system.h"
#include "../tuple.h"

namespace thrust {

template <class Tuple> class zip_iterator;

template <class... Its>
class zip_iterator<std::tuple<Its...>>
    : public facade<zip_iterator<std::tuple<Its...>>, std::tuple<value_of<Its>...>,
                    std::tuple<typename std::iterator_traits<Its>::reference...>> {
  std::tuple<Its...> its_{};

public:
  typedef std::conditional_t<(is_device<Its> || ...), device_system_tag,
                             typename system_of<std::tuple_element_t<0, std::tuple<Its...>>>::type>
      system;
  constexpr zip_iterator() = default;
  constexpr zip_iterator(std::tuple<Its...> its) : its_(its) {}
  constexpr const std::tuple<Its...> &get_iterator_tuple() const { return its_; }
  constexpr auto on_device() const {
    return std::apply(
        [](const Its &...its) {
          return zip_iterator<std::tuple<decltype(thrust::on_device(its))...>>(
              std::tuple<decltype(thrust::on_device(its))...>(thrust::on_device(its)...));
        },
        its_);
  }
  constexpr auto dereference() const {
    return std::apply(
        [](const Its &...its) { return std::tuple<typename std::iterator_traits<Its>::reference...>(*its...); }, its_);
  }
  constexpr void move(ptrdiff_t n) {
    std::apply([n](Its &...its) { ((its += n), ...); }, its_);
  }
  constexpr ptrdiff_t distance_from(const zip_iterator &other) const {
    return std::get<0>(its_) - std::get<0>(other.its_);
  }
};
template <class... Its> constexpr auto make_zip_iterator(std::tuple<Its...> its) {
  return zip_iterator<std::tuple<Its...>>(its);
}
template <class... Its> constexpr auto make_zip_iterator(Its... its) {
  return zip_iterator<std::tuple<Its...>>(std::tuple<Its...>(its...));
}

// Calls a function with the elements of a tuple as arguments.
template <class Function> struct zip_function {
  Function function;
  template <class Tuple> constexpr decltype(auto) operator()(Tuple &&tuple) const {
    return std::apply(function, std::forward<Tuple>(tuple));
  }
};
template <class Function> constexpr zip_function<Function> make_zip_function(Function function) { return {function}; }

}  // namespace thrust
