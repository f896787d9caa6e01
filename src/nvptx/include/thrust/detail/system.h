// The two systems of Thrust: algorithms run on the host, or on the device.
#pragma once
#include <iterator>
#include <type_traits>

namespace thrust {

// The policies that a program may pass as the first argument of an algorithm.
struct host_policy {};
struct device_policy {
  cudaStream_t stream = 0;
  constexpr device_policy on(cudaStream_t other) const { return {other}; }
};
inline constexpr host_policy host, seq;
inline constexpr device_policy device;
namespace cuda {
inline constexpr device_policy par, par_nosync;
}
namespace cpp { inline constexpr host_policy par; }
namespace omp { inline constexpr host_policy par; }

typedef host_policy host_system_tag;
typedef device_policy device_system_tag;
struct any_system_tag {};

template <class T>
concept policy = std::is_same_v<T, host_policy> || std::is_same_v<T, device_policy>;

// The system of an iterator is its member type `system`. Others, such as pointers, are on the host.
template <class T> struct system_of { typedef host_system_tag type; };
template <class T>
  requires requires { typename T::system; }
struct system_of<T> { typedef typename T::system type; };
template <class T> inline constexpr bool is_device = std::is_same_v<typename system_of<T>::type, device_system_tag>;

// The policy of an algorithm without one: that of its iterators.
template <class... Args> constexpr auto policy_of() {
  if constexpr ((is_device<Args> || ...)) return device_policy{};
  else return host_policy{};
}

// Defines the form of an algorithm that has no policy.
#define THRUST_WITHOUT_POLICY(name)                                        \
  template <class First, class... Rest>                                    \
    requires(!policy<First>)                                               \
  constexpr auto name(First first, Rest... rest) {                         \
    return thrust::name(policy_of<First, Rest...>(), first, rest...);      \
  }

// What kernels use in place of an iterator: the iterators of device memory are pointers there.
template <class It> constexpr auto on_device(It it) {
  if constexpr (requires { it.on_device(); }) return it.on_device();
  else return it;
}

template <class It> using value_of = typename std::iterator_traits<It>::value_type;
template <class It> using iterator_value_t = value_of<It>;

template <class It> constexpr auto distance(It first, It last) { return last - first; }
template <class It, class N> constexpr void advance(It &it, N n) { it += n; }
template <class It> constexpr It next(It it, ptrdiff_t n = 1) { return it + n; }
template <class It> constexpr It prev(It it, ptrdiff_t n = 1) { return it - n; }

}  // namespace thrust
