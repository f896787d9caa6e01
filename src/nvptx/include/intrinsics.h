// Functions of CUDA's own headers, and of clang's that some of its versions lack or compile wrongly.
#pragma once

#define LANEWISE_REDUCE(name, type, instruction) \
  static __device__ inline type name(unsigned mask, type value) { \
    type result; \
    __asm__ volatile("redux.sync." instruction " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result; \
  }
LANEWISE_REDUCE(__reduce_add_sync, unsigned, "add.u32")
LANEWISE_REDUCE(__reduce_add_sync, int, "add.s32")
LANEWISE_REDUCE(__reduce_min_sync, unsigned, "min.u32")
LANEWISE_REDUCE(__reduce_min_sync, int, "min.s32")
LANEWISE_REDUCE(__reduce_max_sync, unsigned, "max.u32")
LANEWISE_REDUCE(__reduce_max_sync, int, "max.s32")
LANEWISE_REDUCE(__reduce_and_sync, unsigned, "and.b32")
LANEWISE_REDUCE(__reduce_or_sync, unsigned, "or.b32")
LANEWISE_REDUCE(__reduce_xor_sync, unsigned, "xor.b32")
#undef LANEWISE_REDUCE

#define LANEWISE_DOT(name, a_type, b_type, type, instruction) \
  static __device__ inline type name(a_type a, b_type b, type c) { \
    type result; \
    __asm__(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c)); \
    return result; \
  }
LANEWISE_DOT(__dp4a, int, int, int, "dp4a.s32.s32")
LANEWISE_DOT(__dp4a, unsigned, unsigned, unsigned, "dp4a.u32.u32")
LANEWISE_DOT(__dp2a_lo, int, int, int, "dp2a.lo.s32.s32")
LANEWISE_DOT(__dp2a_lo, unsigned, unsigned, unsigned, "dp2a.lo.u32.u32")
LANEWISE_DOT(__dp2a_hi, int, int, int, "dp2a.hi.s32.s32")
LANEWISE_DOT(__dp2a_hi, unsigned, unsigned, unsigned, "dp2a.hi.u32.u32")
#undef LANEWISE_DOT

// The hints about caches do not change results.
template <typename T> static __device__ inline T __ldca(const T *p) { return *p; }
template <typename T> static __device__ inline T __ldcg(const T *p) { return *p; }
template <typename T> static __device__ inline T __ldcs(const T *p) { return *p; }
template <typename T> static __device__ inline void __stcg(T *p, T value) { *p = value; }
template <typename T> static __device__ inline void __stcs(T *p, T value) { *p = value; }
template <typename T> static __device__ inline void __stwb(T *p, T value) { *p = value; }

static __device__ inline void __nanosleep(unsigned ns) { __asm__ volatile("nanosleep.u32 %0;" : : "r"(ns)); }
