// Memory of the device.
#pragma once
#include "device_ptr.h"
#include <new>

namespace thrust {

template <class T> device_ptr<T> device_malloc(size_t count) {
  T *p = nullptr;
  if (count > 0 && cudaMalloc(&p, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
  return device_ptr<T>(p);
}
template <class T> void device_free(device_ptr<T> p) { cudaFree((void *)p.get()); }

}  // namespace thrust
