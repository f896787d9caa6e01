// CUDA's language for clang on a machine without the CUDA toolkit. It follows the order of clang's
// __clang_cuda_runtime_wrapper.h, whose other headers it uses.
#pragma once

// Selects the newest branches of clang's headers.
#define CUDA_VERSION 12000

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)

#include <__clang_cuda_math_forward_declares.h>

// libstdc++ then avoids __float128, which the target lacks.
#define __CUDACC__
#include <climits>
#include <cmath>
#include <cstdlib>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"
#include <__clang_cuda_builtin_vars.h>
#define LANEWISE_CONVERTIBLE(variable) \
  __device__ inline __cuda_builtin_##variable##_t::operator dim3() const { return dim3(x, y, z); } \
  __device__ inline __cuda_builtin_##variable##_t::operator uint3() const { return {x, y, z}; }
LANEWISE_CONVERTIBLE(threadIdx)
LANEWISE_CONVERTIBLE(blockIdx)
LANEWISE_CONVERTIBLE(blockDim)
LANEWISE_CONVERTIBLE(gridDim)
#undef LANEWISE_CONVERTIBLE

#include <__clang_cuda_libdevice_declares.h>
#include "libdevice.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

static __device__ inline float rsqrt(float x) { return rsqrtf(x); }
static __device__ inline float rcbrt(float x) { return rcbrtf(x); }
static __device__ inline float normcdf(float x) { return normcdff(x); }
static __device__ inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
static __device__ inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
static __device__ inline unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
static __device__ inline unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
static __device__ inline unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
static __device__ inline unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
static __device__ inline long min(long a, long b) { return a < b ? a : b; }
static __device__ inline long max(long a, long b) { return a > b ? a : b; }
static __device__ inline unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
static __device__ inline unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
static __device__ inline long long min(long long a, long long b) { return a < b ? a : b; }
static __device__ inline long long max(long long a, long long b) { return a > b ? a : b; }
static __device__ inline unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static __device__ inline unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
static __device__ inline float min(float a, float b) { return fminf(a, b); }
static __device__ inline float max(float a, float b) { return fmaxf(a, b); }
static __device__ inline double min(double a, double b) { return fmin(a, b); }
static __device__ inline double max(double a, double b) { return fmax(a, b); }
static __device__ inline double min(float a, double b) { return fmin((double)a, b); }
static __device__ inline double max(float a, double b) { return fmax((double)a, b); }
static __device__ inline double min(double a, float b) { return fmin(a, (double)b); }
static __device__ inline double max(double a, float b) { return fmax(a, (double)b); }

#ifdef __wasi__
// The kernel's attribute becomes `.reqnctapercluster`. Other back ends would ignore it.
#define __cluster_dims__(...) __attribute__((annotate("lanewise.cluster_dims " #__VA_ARGS__)))
#endif

#include "atomics.h"

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             unsigned long long size);
static __device__ inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function) {
  __assertfail(message, file, line, function, 1);
}
}

#include "spaces.h"

typedef unsigned cuuint32_t;
#include <__clang_cuda_cmath.h>
// Clang 19 passes the operands of these functions in the wrong order, so intrinsics.h replaces them.
#define __reduce_add_sync __lanewise_unused_reduce_add
#define __reduce_min_sync __lanewise_unused_reduce_min
#define __reduce_max_sync __lanewise_unused_reduce_max
#define __reduce_and_sync __lanewise_unused_reduce_and
#define __reduce_or_sync __lanewise_unused_reduce_or
#define __reduce_xor_sync __lanewise_unused_reduce_xor
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#include "intrinsics.h"
#include "textures.h"
#include "surfaces.h"

#include "host.h"

// nvcc declares them for every file.
#include <assert.h>
#include <new>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

// Sources ask for the compiler by this name.
#define __NVCC__
