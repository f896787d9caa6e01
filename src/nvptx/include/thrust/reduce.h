// Reductions.
#pragma once
#include "../parallel/reduce.h"
#include "copy.h"
#include "functional.h"
#include "iterator/transform_iterator.h"
#include <numeric>

namespace thrust {

// Combines the elements, of which there must be at least 1.
template <class T, policy P, class It, class Op>
constexpr T reduce_from(P policy, It first, size_t count, lanewise::Initial<T> initial, Op op) {
  if constexpr (std::is_same_v<P, host_policy>) {
    T value = initial.exists ? T(op(initial.value, *first)) : T(*first);
    for (size_t index = 1; index < count; index++) value = op(value, first[index]);
    return value;
  } else {
    lanewise::Scratch<T> partial(lanewise::reduce_scratch(count));
    const T *result = lanewise::reduce<T>(on_device(first), count, partial.data(), initial, op, policy.stream);
    T value;
    cudaMemcpy((void *)&value, result, sizeof value, cudaMemcpyDeviceToHost);
    return value;
  }
}

template <policy P, class It, class T, class Op> constexpr T reduce(P policy, It first, It last, T initial, Op op) {
  return first == last ? initial : reduce_from<T>(policy, first, last - first, {true, initial}, op);
}
template <policy P, class It, class T> constexpr T reduce(P policy, It first, It last, T initial) {
  return thrust::reduce(policy, first, last, initial, thrust::plus<>());
}
template <policy P, class It> constexpr auto reduce(P policy, It first, It last) {
  return thrust::reduce(policy, first, last, value_of<It>(0), thrust::plus<>());
}
THRUST_WITHOUT_POLICY(reduce)

template <policy P, class It, class Function, class T, class Op>
constexpr T transform_reduce(P policy, It first, It last, Function function, T initial, Op op) {
  return thrust::reduce(policy, make_transform_iterator(first, function), make_transform_iterator(last, function),
                        initial, op);
}
THRUST_WITHOUT_POLICY(transform_reduce)

// The results of a function of an index, as an iterator in the system of a policy.
template <policy P, class Function, class T> class indexed : public facade<indexed<P, Function, T>, T> {
  Function function_;
  size_t index_ = 0;

public:
  typedef P system;
  explicit constexpr indexed(Function function, size_t index = 0) : function_(function), index_(index) {}
  constexpr T dereference() const { return function_(index_); }
  constexpr void move(ptrdiff_t n) { index_ += n; }
  constexpr ptrdiff_t distance_from(const indexed &other) const { return index_ - other.index_; }
};
// Combines `function(index)` for the indices below `count`.
template <class T, policy P, class Function, class Op>
constexpr T reduce_indices(P policy, size_t count, Function function, T initial, Op op) {
  typedef indexed<P, Function, T> It;
  return thrust::reduce(policy, It(function), It(function, count), initial, op);
}

template <policy P, class A, class B, class T, class Op, class Product>
constexpr T inner_product(P policy, A first, A last, B second, T initial, Op op, Product product) {
  const auto a = on_device(first);
  const auto b = on_device(second);
  return reduce_indices<T>(
      policy, last - first, [=] __host__ __device__(size_t index) { return T(product(a[index], b[index])); }, initial,
      op);
}
template <policy P, class A, class B, class T> constexpr T inner_product(P policy, A first, A last, B second, T initial) {
  return thrust::inner_product(policy, first, last, second, initial, thrust::plus<>(), thrust::multiplies<>());
}
THRUST_WITHOUT_POLICY(inner_product)

template <policy P, class It, class Predicate> constexpr ptrdiff_t count_if(P policy, It first, It last, Predicate accepts) {
  const auto in = on_device(first);
  return reduce_indices<ptrdiff_t>(
      policy, last - first, [=] __host__ __device__(size_t index) { return ptrdiff_t(accepts(in[index]) ? 1 : 0); }, 0,
      thrust::plus<>());
}
template <policy P, class It, class T> constexpr ptrdiff_t count(P policy, It first, It last, T value) {
  return thrust::count_if(policy, first, last,
                          [=] __host__ __device__(const value_of<It> &x) { return x == value; });
}
THRUST_WITHOUT_POLICY(count_if)
THRUST_WITHOUT_POLICY(count)

}  // namespace thrust
#include "by_key.h"
