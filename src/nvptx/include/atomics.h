// CUDA's atomic functions. They are relaxed. The suffix is the scope; without one, it is the device.
#pragma once

// Clang 20 and later make the builtins of NVVM sequentially consistent, with fences. They have builtins
// with an order and a scope. Before, the builtins of NVVM are the relaxed instructions of PTX.
#if __clang_major__ >= 20
#define LANEWISE_FETCH(operation, scope, nvvm) __scoped_atomic_fetch_##operation(p, v, __ATOMIC_RELAXED, scope)
#define LANEWISE_EXCHANGE(scope, nvvm) __scoped_atomic_exchange_n(p, v, __ATOMIC_RELAXED, scope)
#define LANEWISE_CAS_VALUE(type, scope, nvvm) \
  (__scoped_atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope), expected)
#else
#define LANEWISE_FETCH(operation, scope, nvvm) nvvm
#define LANEWISE_EXCHANGE(scope, nvvm) nvvm
#define LANEWISE_CAS_VALUE(type, scope, nvvm) nvvm
#endif

#define LANEWISE_SCOPES(each, ...)                   \
  each(, __MEMORY_SCOPE_DEVICE, __VA_ARGS__)         \
  each(_block, __MEMORY_SCOPE_WRKGRP, __VA_ARGS__)   \
  each(_system, __MEMORY_SCOPE_SYSTEM, __VA_ARGS__)
#define LANEWISE_UPDATE(suffix, scope, name, operation, type, nvvm) \
  static __device__ inline type name##suffix(type *p, type v) { return LANEWISE_FETCH(operation, scope, nvvm); }
#define LANEWISE_ATOMIC(name, operation, type, nvvm) LANEWISE_SCOPES(LANEWISE_UPDATE, name, operation, type, nvvm)

LANEWISE_ATOMIC(atomicAdd, add, int, __nvvm_atom_add_gen_i(p, v))
LANEWISE_ATOMIC(atomicAdd, add, unsigned, __nvvm_atom_add_gen_i((int *)p, v))
LANEWISE_ATOMIC(atomicAdd, add, unsigned long long, __nvvm_atom_add_gen_ll((long long *)p, v))
LANEWISE_ATOMIC(atomicAdd, add, float, __nvvm_atom_add_gen_f(p, v))
LANEWISE_ATOMIC(atomicAdd, add, double, __nvvm_atom_add_gen_d(p, v))
LANEWISE_ATOMIC(atomicSub, sub, int, __nvvm_atom_add_gen_i(p, -v))
LANEWISE_ATOMIC(atomicSub, sub, unsigned, __nvvm_atom_add_gen_i((int *)p, -v))
LANEWISE_ATOMIC(atomicAnd, and, int, __nvvm_atom_and_gen_i(p, v))
LANEWISE_ATOMIC(atomicAnd, and, unsigned, __nvvm_atom_and_gen_i((int *)p, v))
LANEWISE_ATOMIC(atomicAnd, and, unsigned long long, __nvvm_atom_and_gen_ll((long long *)p, v))
LANEWISE_ATOMIC(atomicOr, or, int, __nvvm_atom_or_gen_i(p, v))
LANEWISE_ATOMIC(atomicOr, or, unsigned, __nvvm_atom_or_gen_i((int *)p, v))
LANEWISE_ATOMIC(atomicOr, or, unsigned long long, __nvvm_atom_or_gen_ll((long long *)p, v))
LANEWISE_ATOMIC(atomicXor, xor, int, __nvvm_atom_xor_gen_i(p, v))
LANEWISE_ATOMIC(atomicXor, xor, unsigned, __nvvm_atom_xor_gen_i((int *)p, v))
LANEWISE_ATOMIC(atomicXor, xor, unsigned long long, __nvvm_atom_xor_gen_ll((long long *)p, v))
LANEWISE_ATOMIC(atomicMin, min, int, __nvvm_atom_min_gen_i(p, v))
LANEWISE_ATOMIC(atomicMin, min, unsigned, __nvvm_atom_min_gen_ui(p, v))
LANEWISE_ATOMIC(atomicMin, min, long long, __nvvm_atom_min_gen_ll(p, v))
LANEWISE_ATOMIC(atomicMin, min, unsigned long long, __nvvm_atom_min_gen_ull(p, v))
LANEWISE_ATOMIC(atomicMax, max, int, __nvvm_atom_max_gen_i(p, v))
LANEWISE_ATOMIC(atomicMax, max, unsigned, __nvvm_atom_max_gen_ui(p, v))
LANEWISE_ATOMIC(atomicMax, max, long long, __nvvm_atom_max_gen_ll(p, v))
LANEWISE_ATOMIC(atomicMax, max, unsigned long long, __nvvm_atom_max_gen_ull(p, v))

#define LANEWISE_EXCH(suffix, scope, type, nvvm) \
  static __device__ inline type atomicExch##suffix(type *p, type v) { return LANEWISE_EXCHANGE(scope, nvvm); }
LANEWISE_SCOPES(LANEWISE_EXCH, int, __nvvm_atom_xchg_gen_i(p, v))
LANEWISE_SCOPES(LANEWISE_EXCH, unsigned, __nvvm_atom_xchg_gen_i((int *)p, v))
LANEWISE_SCOPES(LANEWISE_EXCH, unsigned long long, __nvvm_atom_xchg_gen_ll((long long *)p, v))
#define LANEWISE_EXCH_FLOAT(suffix, scope, type)                                              \
  static __device__ inline type atomicExch##suffix(type *p, type v) {                         \
    return __int_as_float(atomicExch##suffix((int *)p, __float_as_int(v)));                   \
  }
LANEWISE_SCOPES(LANEWISE_EXCH_FLOAT, float)

#define LANEWISE_CAS(suffix, scope, type, nvvm)                                               \
  static __device__ inline type atomicCAS##suffix(type *p, type expected, type v) {           \
    return LANEWISE_CAS_VALUE(type, scope, nvvm);                                             \
  }
LANEWISE_SCOPES(LANEWISE_CAS, int, __nvvm_atom_cas_gen_i(p, expected, v))
LANEWISE_SCOPES(LANEWISE_CAS, unsigned, __nvvm_atom_cas_gen_i((int *)p, expected, v))
LANEWISE_SCOPES(LANEWISE_CAS, unsigned long long, __nvvm_atom_cas_gen_ll((long long *)p, expected, v))
#define LANEWISE_CAS_SHORT(suffix, space, type)                                                \
  static __device__ inline type atomicCAS##suffix(type *p, type expected, type v) {                   \
    type old;                                                                                         \
    __asm__ volatile("atom." space ".cas.b16 %0, [%1], %2, %3;"                                       \
                     : "=h"(old) : "l"(p), "h"(expected), "h"(v) : "memory");                         \
    return old;                                                                                       \
  }
LANEWISE_CAS_SHORT(, "gpu", unsigned short)
LANEWISE_CAS_SHORT(_block, "cta", unsigned short)
LANEWISE_CAS_SHORT(_system, "sys", unsigned short)
#undef LANEWISE_CAS_SHORT

// These wrap at a bound. C has no such operations.
#define LANEWISE_WRAP(suffix, scope, name, instruction)                                                       \
  static __device__ inline unsigned name##suffix(unsigned *p, unsigned v) {                                   \
    unsigned old;                                                                                             \
    __asm__ volatile("atom." scope "." instruction ".u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory"); \
    return old;                                                                                               \
  }
#define LANEWISE_WRAPS(name, instruction)       \
  LANEWISE_WRAP(, "gpu", name, instruction)     \
  LANEWISE_WRAP(_block, "cta", name, instruction) \
  LANEWISE_WRAP(_system, "sys", name, instruction)
LANEWISE_WRAPS(atomicInc, "inc")
LANEWISE_WRAPS(atomicDec, "dec")

#undef LANEWISE_FETCH
#undef LANEWISE_EXCHANGE
#undef LANEWISE_CAS_VALUE
#undef LANEWISE_SCOPES
#undef LANEWISE_UPDATE
#undef LANEWISE_ATOMIC
#undef LANEWISE_EXCH
#undef LANEWISE_EXCH_FLOAT
#undef LANEWISE_CAS
#undef LANEWISE_WRAP
#undef LANEWISE_WRAPS
