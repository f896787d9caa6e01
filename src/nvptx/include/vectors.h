// CUDA's vector types, with their alignment.
#pragma once

#define LANEWISE_VECTORS(type, name, align2, align4) \
  struct name##1 { type x; }; \
  struct __align__(align2) name##2 { type x, y; }; \
  struct name##3 { type x, y, z; }; \
  struct __align__(align4) name##4 { type x, y, z, w; }; \
  static __host__ __device__ inline name##1 make_##name##1(type x) { return {x}; } \
  static __host__ __device__ inline name##2 make_##name##2(type x, type y) { return {x, y}; } \
  static __host__ __device__ inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  static __host__ __device__ inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
LANEWISE_VECTORS(signed char, char, 2, 4)
LANEWISE_VECTORS(unsigned char, uchar, 2, 4)
LANEWISE_VECTORS(short, short, 4, 8)
LANEWISE_VECTORS(unsigned short, ushort, 4, 8)
LANEWISE_VECTORS(int, int, 8, 16)
LANEWISE_VECTORS(unsigned int, uint, 8, 16)
LANEWISE_VECTORS(long, long, 2 * sizeof(long), 16)
LANEWISE_VECTORS(unsigned long, ulong, 2 * sizeof(long), 16)
LANEWISE_VECTORS(long long, longlong, 16, 16)
LANEWISE_VECTORS(unsigned long long, ulonglong, 16, 16)
LANEWISE_VECTORS(float, float, 8, 16)
LANEWISE_VECTORS(double, double, 16, 16)
#undef LANEWISE_VECTORS

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
