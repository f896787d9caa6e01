// Vectors of the device. The host reads and writes their elements by copies.
#pragma once
#include "device_malloc.h"
#include "fill.h"
#include "find.h"
#include "host_vector.h"
#include "iterator/reverse_iterator.h"

namespace thrust {

template <class T, class Allocator = void> class device_vector {
  device_ptr<T> data_;
  size_t size_ = 0, capacity_ = 0;

public:
  typedef T value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef device_ptr<T> pointer, iterator;
  typedef device_ptr<const T> const_pointer, const_iterator;
  typedef device_reference<T> reference;
  typedef device_reference<const T> const_reference;
  typedef thrust::reverse_iterator<iterator> reverse_iterator;

  device_vector() = default;
  explicit device_vector(size_t count) : device_vector(count, T()) {}
  device_vector(size_t count, const T &value) { resize(count, value); }
  device_vector(const device_vector &other) : device_vector(other.begin(), other.end()) {}
  device_vector(device_vector &&other) { swap(other); }
  device_vector(std::initializer_list<T> values) : device_vector(values.begin(), values.end()) {}
  template <class U, class A> device_vector(const std::vector<U, A> &other) : device_vector(other.begin(), other.end()) {}
  template <class U, class A> device_vector(const device_vector<U, A> &other) : device_vector(other.begin(), other.end()) {}
  template <class It>
    requires requires(It it) { *it; }
  device_vector(It first, It last) { assign(first, last); }
  ~device_vector() {
    if (capacity_ > 0) device_free(data_);
  }
  device_vector &operator=(const device_vector &other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  device_vector &operator=(device_vector &&other) {
    swap(other);
    return *this;
  }
  template <class U, class A> device_vector &operator=(const std::vector<U, A> &other) {
    assign(other.begin(), other.end());
    return *this;
  }
  template <class U, class A> device_vector &operator=(const device_vector<U, A> &other) {
    assign(other.begin(), other.end());
    return *this;
  }

  iterator begin() { return data_; }
  iterator end() { return data_ + size_; }
  const_iterator begin() const { return data_; }
  const_iterator end() const { return const_iterator(data_) + size_; }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  pointer data() { return data_; }
  const_pointer data() const { return data_; }
  reference operator[](size_t index) { return *(data_ + index); }
  const_reference operator[](size_t index) const { return *(begin() + index); }
  reference front() { return *begin(); }
  const_reference front() const { return *begin(); }
  reference back() { return *(end() - 1); }
  const_reference back() const { return *(end() - 1); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }

  void reserve(size_t count) {
    if (count <= capacity_) return;
    const device_ptr<T> data = device_malloc<T>(count);
    if (size_ > 0) cudaMemcpy((void *)data.get(), data_.get(), size_ * sizeof(T), cudaMemcpyDeviceToDevice);
    if (capacity_ > 0) device_free(data_);
    data_ = data;
    capacity_ = count;
  }
  void resize(size_t count, const T &value = T()) {
    reserve(count);
    if (count > size_) thrust::fill(end(), data_ + count, value);
    size_ = count;
  }
  void clear() { size_ = 0; }
  void shrink_to_fit() {}
  void push_back(const T &value) {
    if (size_ == capacity_) reserve(size_ == 0 ? 8 : 2 * size_);
    size_++;
    back() = value;
  }
  void pop_back() { size_--; }
  void assign(size_t count, const T &value) {
    size_ = 0;
    resize(count, value);
  }
  template <class It>
    requires requires(It it) { *it; }
  void assign(It first, It last) {
    const size_t count = std::distance(first, last);
    size_ = 0;
    reserve(count);
    size_ = count;
    thrust::copy(first, last, begin());
  }
  iterator erase(iterator first, iterator last) {
    const std::vector<T> rest = tail(last);
    size_ = (first - data_) + rest.size();
    thrust::copy(rest.begin(), rest.end(), first);
    return first;
  }
  iterator erase(iterator place) { return erase(place, place + 1); }
  template <class It>
    requires requires(It it) { *it; }
  void insert(iterator place, It first, It last) {
    const size_t index = place - data_, count = std::distance(first, last);
    const std::vector<T> rest = tail(place);
    reserve(size_ + count);
    size_ += count;
    thrust::copy(first, last, data_ + index);
    thrust::copy(rest.begin(), rest.end(), data_ + index + count);
  }
  iterator insert(iterator place, const T &value) {
    const size_t index = place - data_;
    insert(place, &value, &value + 1);
    return data_ + index;
  }
  void swap(device_vector &other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

private:
  std::vector<T> tail(iterator place) const {
    std::vector<T> elements(const_iterator(place) == end() ? 0 : end() - const_iterator(place));
    thrust::copy(const_iterator(place), end(), elements.begin());
    return elements;
  }
};

template <class T, class A, class U, class B>
bool operator==(const device_vector<T, A> &a, const device_vector<U, B> &b) {
  return a.size() == b.size() && thrust::equal(a.begin(), a.end(), b.begin());
}
template <class T, class A, class U, class B>
bool operator==(const std::vector<T, A> &a, const device_vector<U, B> &b) {
  return a == host_vector<U>(b);
}
template <class T, class A, class U, class B>
bool operator==(const device_vector<T, A> &a, const std::vector<U, B> &b) {
  return host_vector<T>(a) == b;
}

}  // namespace thrust
