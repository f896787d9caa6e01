// Elements at the indices of a map.
#pragma once
#include "detail/each.h"

namespace thrust {

template <policy P, class Map, class In, class Out> constexpr Out gather(P policy, Map first, Map last, In in, Out out) {
  const size_t count = last - first;
  const auto map = on_device(first);
  const auto from = on_device(in);
  const auto to = on_device(out);
  each(policy, count, [=] __host__ __device__(size_t index) { to[index] = from[map[index]]; });
  return out + count;
}
THRUST_WITHOUT_POLICY(gather)

template <policy P, class Map, class Stencil, class In, class Out, class Predicate>
constexpr Out gather_if(P policy, Map first, Map last, Stencil stencil, In in, Out out, Predicate accepts) {
  const size_t count = last - first;
  const auto map = on_device(first);
  const auto choice = on_device(stencil);
  const auto from = on_device(in);
  const auto to = on_device(out);
  each(policy, count, [=] __host__ __device__(size_t index) mutable {
    if (accepts(choice[index])) to[index] = from[map[index]];
  });
  return out + count;
}
THRUST_WITHOUT_POLICY(gather_if)

template <policy P, class In, class Map, class Out> constexpr void scatter(P policy, In first, In last, Map map, Out out) {
  const auto from = on_device(first);
  const auto places = on_device(map);
  const auto to = on_device(out);
  each(policy, last - first, [=] __host__ __device__(size_t index) { to[places[index]] = from[index]; });
}
THRUST_WITHOUT_POLICY(scatter)

template <policy P, class In, class Map, class Stencil, class Out, class Predicate>
constexpr void scatter_if(P policy, In first, In last, Map map, Stencil stencil, Out out, Predicate accepts) {
  const auto from = on_device(first);
  const auto places = on_device(map);
  const auto choice = on_device(stencil);
  const auto to = on_device(out);
  each(policy, last - first, [=] __host__ __device__(size_t index) mutable {
    if (accepts(choice[index])) to[places[index]] = from[index];
  });
}
THRUST_WITHOUT_POLICY(scatter_if)

}  // namespace thrust
