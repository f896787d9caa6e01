// The operators of a random-access iterator, from three functions of its class: `dereference()`,
// `move(n)` and `distance_from(other)`.
#pragma once
#include <cstddef>
#include <iterator>

namespace thrust {

template <class Self, class Value, class Reference = Value> class facade {
  constexpr Self &self() { return static_cast<Self &>(*this); }
  constexpr const Self &self() const { return static_cast<const Self &>(*this); }

public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef Value value_type;
  typedef Reference reference;
  typedef ptrdiff_t difference_type;
  typedef void pointer;

  constexpr Reference operator*() const { return self().dereference(); }
  constexpr Reference operator[](ptrdiff_t n) const { return (self() + n).dereference(); }
  constexpr Self &operator+=(ptrdiff_t n) {
    self().move(n);
    return self();
  }
  constexpr Self &operator-=(ptrdiff_t n) { return *this += -n; }
  constexpr Self &operator++() { return *this += 1; }
  constexpr Self &operator--() { return *this += -1; }
  constexpr Self operator++(int) {
    Self old = self();
    ++*this;
    return old;
  }
  constexpr Self operator--(int) {
    Self old = self();
    --*this;
    return old;
  }
  friend constexpr Self operator+(Self it, ptrdiff_t n) { return it += n; }
  friend constexpr Self operator+(ptrdiff_t n, Self it) { return it += n; }
  friend constexpr Self operator-(Self it, ptrdiff_t n) { return it -= n; }
  friend constexpr ptrdiff_t operator-(const Self &a, const Self &b) { return a.distance_from(b); }
  friend constexpr bool operator==(const Self &a, const Self &b) { return a - b == 0; }
  friend constexpr bool operator!=(const Self &a, const Self &b) { return a - b != 0; }
  friend constexpr bool operator<(const Self &a, const Self &b) { return a - b < 0; }
  friend constexpr bool operator>(const Self &a, const Self &b) { return a - b > 0; }
  friend constexpr bool operator<=(const Self &a, const Self &b) { return a - b <= 0; }
  friend constexpr bool operator>=(const Self &a, const Self &b) { return a - b >= 0; }
};

}  // namespace thrust
