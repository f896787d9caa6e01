// CUDA's atomic functions. Clang's headers declare their parts, such as __iAtomicAdd.
#pragma once

#define LANEWISE_ATOMIC(name, type, call) \
  static __device__ inline type name(type *p, type v) { return call; } \
  static __device__ inline type name##_block(type *p, type v) { return name(p, v); } \
  static __device__ inline type name##_system(type *p, type v) { return name(p, v); }

LANEWISE_ATOMIC(atomicAdd, int, __nvvm_atom_add_gen_i(p, v))
LANEWISE_ATOMIC(atomicAdd, unsigned, __nvvm_atom_add_gen_i((int *)p, v))
LANEWISE_ATOMIC(atomicAdd, unsigned long long, __nvvm_atom_add_gen_ll((long long *)p, v))
LANEWISE_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f(p, v))
LANEWISE_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d(p, v))
LANEWISE_ATOMIC(atomicSub, int, __nvvm_atom_add_gen_i(p, -v))
LANEWISE_ATOMIC(atomicSub, unsigned, __nvvm_atom_add_gen_i((int *)p, -v))
LANEWISE_ATOMIC(atomicAnd, int, __nvvm_atom_and_gen_i(p, v))
LANEWISE_ATOMIC(atomicAnd, unsigned, __nvvm_atom_and_gen_i((int *)p, v))
LANEWISE_ATOMIC(atomicAnd, unsigned long long, __nvvm_atom_and_gen_ll((long long *)p, v))
LANEWISE_ATOMIC(atomicOr, int, __nvvm_atom_or_gen_i(p, v))
LANEWISE_ATOMIC(atomicOr, unsigned, __nvvm_atom_or_gen_i((int *)p, v))
LANEWISE_ATOMIC(atomicOr, unsigned long long, __nvvm_atom_or_gen_ll((long long *)p, v))
LANEWISE_ATOMIC(atomicXor, int, __nvvm_atom_xor_gen_i(p, v))
LANEWISE_ATOMIC(atomicXor, unsigned, __nvvm_atom_xor_gen_i((int *)p, v))
LANEWISE_ATOMIC(atomicXor, unsigned long long, __nvvm_atom_xor_gen_ll((long long *)p, v))
LANEWISE_ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i(p, v))
LANEWISE_ATOMIC(atomicMin, unsigned, __nvvm_atom_min_gen_ui(p, v))
LANEWISE_ATOMIC(atomicMin, long long, __nvvm_atom_min_gen_ll(p, v))
LANEWISE_ATOMIC(atomicMin, unsigned long long, __nvvm_atom_min_gen_ull(p, v))
LANEWISE_ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i(p, v))
LANEWISE_ATOMIC(atomicMax, unsigned, __nvvm_atom_max_gen_ui(p, v))
LANEWISE_ATOMIC(atomicMax, long long, __nvvm_atom_max_gen_ll(p, v))
LANEWISE_ATOMIC(atomicMax, unsigned long long, __nvvm_atom_max_gen_ull(p, v))
LANEWISE_ATOMIC(atomicExch, int, __nvvm_atom_xchg_gen_i(p, v))
LANEWISE_ATOMIC(atomicExch, unsigned, __nvvm_atom_xchg_gen_i((int *)p, v))
LANEWISE_ATOMIC(atomicExch, unsigned long long, __nvvm_atom_xchg_gen_ll((long long *)p, v))
LANEWISE_ATOMIC(atomicExch, float, __int_as_float(__nvvm_atom_xchg_gen_i((int *)p, __float_as_int(v))))
LANEWISE_ATOMIC(atomicInc, unsigned, __nvvm_atom_inc_gen_ui(p, v))
LANEWISE_ATOMIC(atomicDec, unsigned, __nvvm_atom_dec_gen_ui(p, v))
#undef LANEWISE_ATOMIC

#define LANEWISE_CAS(type, call) \
  static __device__ inline type atomicCAS(type *p, type expected, type v) { return call; } \
  static __device__ inline type atomicCAS_block(type *p, type expected, type v) { return call; } \
  static __device__ inline type atomicCAS_system(type *p, type expected, type v) { return call; }
LANEWISE_CAS(int, __nvvm_atom_cas_gen_i(p, expected, v))
LANEWISE_CAS(unsigned, __nvvm_atom_cas_gen_i((int *)p, expected, v))
LANEWISE_CAS(unsigned long long, __nvvm_atom_cas_gen_ll((long long *)p, expected, v))
#undef LANEWISE_CAS
