// The state space of an address. Clang's headers use these functions, but do not declare all.
#pragma once

#define LANEWISE_SPACE(number, to_space, is_space, builtin)                                         \
  static __device__ inline size_t to_space(const void *p) {                                         \
    return (size_t)(const __attribute__((address_space(number))) void *)p;                          \
  }                                                                                                 \
  static __device__ inline unsigned is_space(const void *p) { return builtin(p); }
LANEWISE_SPACE(1, __cvta_generic_to_global, __isGlobal, __nvvm_isspacep_global)
LANEWISE_SPACE(3, __cvta_generic_to_shared, __isShared, __nvvm_isspacep_shared)
LANEWISE_SPACE(4, __cvta_generic_to_constant, __isConstant, __nvvm_isspacep_const)
LANEWISE_SPACE(5, __cvta_generic_to_local, __isLocal, __nvvm_isspacep_local)
#undef LANEWISE_SPACE
static __device__ inline unsigned __isGridConstant(const void *p) {
  unsigned result;
  __asm__("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(result) : "l"(p));
  return result;
}
