// An output that ignores what is written.
#pragma once
#include "../detail/facade.h"
#include "../detail/system.h"

namespace thrust {

struct discarded {
  template <class T> constexpr const discarded &operator=(const T &) const { return *this; }
};

template <class System = void> class discard_iterator : public facade<discard_iterator<System>, discarded> {
  ptrdiff_t index_ = 0;

public:
  typedef any_system_tag system;
  explicit constexpr discard_iterator(ptrdiff_t index = 0) : index_(index) {}
  constexpr discarded dereference() const { return {}; }
  constexpr void move(ptrdiff_t n) { index_ += n; }
  constexpr ptrdiff_t distance_from(const discard_iterator &other) const { return index_ - other.index_; }
};
constexpr discard_iterator<> make_discard_iterator(ptrdiff_t index = 0) { return discard_iterator<>(index); }

}  // namespace thrust
