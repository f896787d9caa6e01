// CUDA's functions of surface objects. They move the bits of elements of 8 to 64 bits.
#pragma once
#include "textures.h"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

namespace lanewise {

// The element in memory, and the type of the register that holds it.
template <int Bytes> struct Stored;
template <> struct Stored<1> { typedef unsigned char Element; typedef unsigned short Register; };
template <> struct Stored<2> { typedef unsigned short Element; typedef unsigned short Register; };
template <> struct Stored<4> { typedef unsigned Element; typedef unsigned Register; };
template <> struct Stored<8> { typedef unsigned long long Element; typedef unsigned long long Register; };

template <class T> struct Bits {
  typedef Stored<sizeof(Element<T>)> Storage;
  static constexpr int count = element_count<T>;
  typename Storage::Register r[4];
  __device__ Bits() {}
  __device__ Bits(const T &value) {
    typename Storage::Element elements[count];
    __builtin_memcpy(elements, &value, sizeof(T));
    for (int i = 0; i < count; i++) r[i] = elements[i];
  }
  __device__ T value() const {
    typename Storage::Element elements[count];
    for (int i = 0; i < count; i++) elements[i] = (typename Storage::Element)r[i];
    T result;
    __builtin_memcpy(&result, elements, sizeof(T));
    return result;
  }
};

}  // namespace lanewise

#define LANEWISE_SURFACE_READ1(form, kind, at, ...) \
  asm volatile("suld.b." form " {%[r0]}, [%[s], " at "];" : [r0] "=" kind(b.r[0]) : [s] "l"(s), __VA_ARGS__ : "memory")
#define LANEWISE_SURFACE_READ2(form, kind, at, ...)                                  \
  asm volatile("suld.b." form " {%[r0], %[r1]}, [%[s], " at "];"                     \
               : [r0] "=" kind(b.r[0]), [r1] "=" kind(b.r[1]) : [s] "l"(s), __VA_ARGS__ : "memory")
#define LANEWISE_SURFACE_READ4(form, kind, at, ...)                                                    \
  asm volatile("suld.b." form " {%[r0], %[r1], %[r2], %[r3]}, [%[s], " at "];"                         \
               : [r0] "=" kind(b.r[0]), [r1] "=" kind(b.r[1]), [r2] "=" kind(b.r[2]), [r3] "=" kind(b.r[3]) \
               : [s] "l"(s), __VA_ARGS__ : "memory")
#define LANEWISE_SURFACE_WRITE1(form, kind, at, ...) \
  asm volatile("sust.b." form " [%[s], " at "], {%[r0]};" : : [r0] kind(b.r[0]), [s] "l"(s), __VA_ARGS__ : "memory")
#define LANEWISE_SURFACE_WRITE2(form, kind, at, ...)                                 \
  asm volatile("sust.b." form " [%[s], " at "], {%[r0], %[r1]};"                     \
               : : [r0] kind(b.r[0]), [r1] kind(b.r[1]), [s] "l"(s), __VA_ARGS__ : "memory")
#define LANEWISE_SURFACE_WRITE4(form, kind, at, ...)                                                   \
  asm volatile("sust.b." form " [%[s], " at "], {%[r0], %[r1], %[r2], %[r3]};"                         \
               : : [r0] kind(b.r[0]), [r1] kind(b.r[1]), [r2] kind(b.r[2]), [r3] kind(b.r[3]), [s] "l"(s), __VA_ARGS__ \
               : "memory")

// Chooses the form by the mode, the number of elements and their size.
#define LANEWISE_SURFACE_MODES(access, geometry, type, kind, at, ...)                                  \
  do {                                                                                                 \
    if (mode == cudaBoundaryModeZero) access(geometry "." type ".zero", kind, at, __VA_ARGS__);        \
    else if (mode == cudaBoundaryModeClamp) access(geometry "." type ".clamp", kind, at, __VA_ARGS__); \
    else access(geometry "." type ".trap", kind, at, __VA_ARGS__);                                     \
  } while (0)
#define LANEWISE_SURFACE_COUNTS(access, geometry, type, kind, at, ...)                                 \
  do {                                                                                                 \
    if constexpr (b.count == 1) LANEWISE_SURFACE_MODES(access##1, geometry, type, kind, at, __VA_ARGS__); \
    else if constexpr (b.count == 2) LANEWISE_SURFACE_MODES(access##2, geometry, "v2." type, kind, at, __VA_ARGS__); \
    else LANEWISE_SURFACE_MODES(access##4, geometry, "v4." type, kind, at, __VA_ARGS__);               \
  } while (0)
#define LANEWISE_SURFACE_SIZES(access, geometry, at, ...)                                              \
  do {                                                                                                 \
    if constexpr (sizeof(T) == b.count) LANEWISE_SURFACE_COUNTS(access, geometry, "b8", "h", at, __VA_ARGS__); \
    else if constexpr (sizeof(T) == 2 * b.count) LANEWISE_SURFACE_COUNTS(access, geometry, "b16", "h", at, __VA_ARGS__); \
    else if constexpr (sizeof(T) == 4 * b.count) LANEWISE_SURFACE_COUNTS(access, geometry, "b32", "r", at, __VA_ARGS__); \
    else LANEWISE_SURFACE_COUNTS(access, geometry, "b64", "l", at, __VA_ARGS__);                       \
  } while (0)

// `x` is a number of bytes.
#define LANEWISE_SURFACE(name, parameters, arguments, geometry, at, ...)                               \
  template <class T>                                                                                   \
  static __device__ inline T name##read(cudaSurfaceObject_t s, LANEWISE_LIST parameters,               \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {         \
    lanewise::Bits<T> b;                                                                               \
    LANEWISE_SURFACE_SIZES(LANEWISE_SURFACE_READ, geometry, at, __VA_ARGS__);                          \
    return b.value();                                                                                  \
  }                                                                                                    \
  template <class T>                                                                                   \
  static __device__ inline void name##read(T *result, cudaSurfaceObject_t s, LANEWISE_LIST parameters, \
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {      \
    *result = name##read<T>(s, LANEWISE_LIST arguments, mode);                                         \
  }                                                                                                    \
  template <class T>                                                                                   \
  static __device__ inline void name##write(T value, cudaSurfaceObject_t s, LANEWISE_LIST parameters,  \
                                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
    lanewise::Bits<T> b(value);                                                                        \
    LANEWISE_SURFACE_SIZES(LANEWISE_SURFACE_WRITE, geometry, at, __VA_ARGS__);                         \
  }
LANEWISE_SURFACE(surf1D, (int x), (x), "1d", "{%[x]}", [x] "r"(x))
LANEWISE_SURFACE(surf2D, (int x, int y), (x, y), "2d", "{%[x], %[y]}", [x] "r"(x), [y] "r"(y))
LANEWISE_SURFACE(surf3D, (int x, int y, int z), (x, y, z), "3d", "{%[x], %[y], %[z], %[z]}", [x] "r"(x), [y] "r"(y),
                 [z] "r"(z))
LANEWISE_SURFACE(surf1DLayered, (int x, int layer), (x, layer), "a1d", "{%[layer], %[x]}", [x] "r"(x), [layer] "r"(layer))
LANEWISE_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer), "a2d", "{%[layer], %[x], %[y], %[y]}",
                 [x] "r"(x), [y] "r"(y), [layer] "r"(layer))
#undef LANEWISE_SURFACE
#undef LANEWISE_SURFACE_SIZES
#undef LANEWISE_SURFACE_COUNTS
#undef LANEWISE_SURFACE_MODES
#undef LANEWISE_LIST
