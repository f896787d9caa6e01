// Vectors of the host.
#pragma once
#include "copy.h"
#include "tuple.h"
#include <iostream>  // Programs expect that CUDA's header includes it.
#include <vector>

namespace thrust {

template <class T, class Allocator> class device_vector;

template <class T, class Allocator = std::allocator<T>> class host_vector : public std::vector<T, Allocator> {
  typedef std::vector<T, Allocator> Base;

public:
  using Base::Base;
  host_vector() = default;
  host_vector(const Base &other) : Base(other) {}
  template <class U, class A> host_vector(const device_vector<U, A> &other) : Base(other.size()) {
    thrust::copy(other.begin(), other.end(), this->begin());
  }
  template <class U> host_vector(device_ptr<U> first, device_ptr<U> last) : Base(last - first) {
    thrust::copy(first, last, this->begin());
  }
  template <class U, class A> host_vector &operator=(const device_vector<U, A> &other) {
    this->resize(other.size());
    thrust::copy(other.begin(), other.end(), this->begin());
    return *this;
  }
};

}  // namespace thrust
